"""The protocol of a game: what other packages may ask its rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from .options import Option, Options
from .view import View

#: A place at the table: 0 … n-1, clockwise.
Seat = int
#: One word without spaces: ``"play:QS"``, ``"bet:12"``, ``"slap"``.
Move = str

#: The table itself: it acts when a window closes, and is never a player.
TABLE: Seat = -1


class IllegalMove(ValueError):
    """An illegal move; the text tells the player why."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event, used for the log, animations and emails.

    ``to`` is the set of seats that may know it; ``None`` means everyone, including spectators.
    """

    kind: str
    seat: Seat | None
    data: Mapping[str, Any]
    to: frozenset[Seat] | None = None

    def is_for(self, seat: Seat | None) -> bool:
        """Whether ``seat`` (``None``: a spectator) may know it."""
        return self.to is None or seat in self.to


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match: reason, ranking, and the points of each seat.

    ``ranking`` lists the places, best first, tied seats and team-mates together.
    """

    reason: str
    ranking: tuple[tuple[Seat, ...], ...]
    points: tuple[float, ...]


def places(ranking: Sequence[Sequence[Seat]], *, sides: bool) -> tuple[int, ...]:
    """The place of each seat in ``ranking``: 1 + the number of seats (with ``sides``: of sides) placed better."""
    result: dict[Seat, int] = {}
    better = 0
    for group in ranking:
        for seat in group:
            result[seat] = better + 1
        better += 1 if sides else len(group)
    return tuple(result[seat] for seat in range(len(result)))


def returns_from(ranking: Sequence[Sequence[Seat]], *, sides: bool) -> tuple[float, ...]:
    """The returns of a finished match from its ranking.

    Seats that share places a…b of n get 1 − (a + b − 2)/(n − 1); of two sides the better gets 1,
    the other −1, and a draw gives 0.
    """
    result: dict[Seat, float] = {}
    seats = sum(len(group) for group in ranking)
    if sides:
        values = (0.0,) if len(ranking) == 1 else (1.0, -1.0)
        for value, group in zip(values, ranking, strict=True):
            result.update(dict.fromkeys(group, value))
    else:
        first = 1
        for group in ranking:
            last = first + len(group) - 1
            result.update(dict.fromkeys(group, 1 - (first + last - 2) / (seats - 1)))
            first = last + 1
    return tuple(result[seat] for seat in range(seats))


class State(Protocol):
    """The state of one match; mutable, and owned by its holder.

    Implementations are ``__slots__`` classes of plain data (ints, strings, lists, tuples, dicts,
    :class:`~games.engine.chance.Chance`), so that :mod:`games.engine.snapshot` can store them.
    """

    def copy(self) -> "State":
        """An equal state that shares nothing mutable with this one."""

    def to_move(self) -> Sequence[Seat]:
        """The seats that the match waits for: several at a simultaneous choice, none when it is over."""

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Every legal move of ``seat``, awaited or not (a slap can be legal, but is never awaited)."""

    def check(self, seat: Seat, move: Move) -> None:
        """Raise :class:`IllegalMove` with the reason if ``seat`` may not make ``move`` now."""

    def apply(self, seat: Seat, move: Move, emit: Callable[[Event], None] | None = None) -> None:
        """Make ``move`` and emit its events. Raises :class:`IllegalMove`, changing nothing, if it's illegal."""

    def public_move(self, seat: Seat, move: Move) -> Move:
        """``move`` as other seats may see it: a sealed choice is ``"choose"``."""

    def default_move(self, seat: Seat) -> Move:
        """The safe move that autoplay makes for an awaited seat."""

    def outcome(self) -> Outcome | None:
        """How the match ended; ``None`` while it runs."""

    def returns(self) -> tuple[float, ...]:
        """The return of each seat between −1 and 1; zeros before the end."""

    def view(self, seat: Seat | None) -> View:
        """What ``seat`` may see, built up from nothing; ``None`` is a spectator."""


class SharedViewState(State, Protocol):
    """The state of a game in which a seat sees what everyone sees, and little more."""

    def view_for(self, seat: Seat, public: View) -> View:
        """``view(seat)``, sharing what it can with ``public``, which is ``view(None)``."""


def views(state: State | SharedViewState, seats: Iterable[Seat | None]) -> dict[Seat | None, View]:
    """What each of ``seats`` may see. These views share parts, so they are only to be read."""
    view_for: Callable[[Seat, View], View] | None = getattr(state, "view_for", None)
    if view_for is None:
        return {seat: state.view(seat) for seat in seats}
    public = state.view(None)
    return {seat: public if seat is None else view_for(seat, public) for seat in seats}


class SlapState(State, Protocol):
    """The state of a game in which players turn cards that all may slap; what slaps ask of it."""

    @property
    def seats(self) -> int:
        """The number of players."""

    @property
    def phase(self) -> str:
        """The part of the match; it changes with the hand that ends one."""

    @property
    def flips(self) -> int:
        """How many cards have been turned."""

    @property
    def stacks(self) -> Sequence[Sequence[object]]:
        """Each seat's face-down cards."""

    def copy(self) -> "SlapState":
        """An equal state that shares nothing mutable with this one."""

    def is_slappable(self) -> bool:
        """Whether a slap on the card that lies open is right."""

    def lock_after(self, *, has_card: bool) -> int:
        """From which card a seat may slap again after a wrong slap now; ``has_card``: it had a card to burn."""


class Rules(Protocol):
    """One game: its tables and texts, no match."""

    @property
    def slug(self) -> str:
        """Name in URLs and records, ``"normal-cards"``."""

    @property
    def name(self) -> str:
        """Display name, ``"Normal Cards"``."""

    @property
    def version(self) -> int:
        """Increases with every change of the rules; stored with each match."""

    @property
    def seats(self) -> Sequence[int]:
        """The allowed numbers of players."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The declared options, in the lobby's order."""

    @property
    def state_type(self) -> type[State]:
        """The class of this game's states, for reading snapshots."""

    def deal(
        self,
        seats: int,
        options: Options,
        seed: str,
        *,
        deck: Sequence[str] | None = None,
        dealer: Seat | None = None,
    ) -> State:
        """The first state of a match.

        ``options`` may omit any option; ``seed`` is a hex string of at least 128 bits; ``deck`` replaces the first
        shuffle, ``dealer`` the first dealer. Raises :class:`~games.engine.options.BadOptions` with the reason.
        """

    def determinize(self, view: View, rng: Random) -> State:
        """A random full state that shows exactly ``view`` to the seat of the view."""

    def teams(self, state: Any) -> tuple[tuple[Seat, ...], ...] | None:
        """The sides, once known; ``None`` if each seat plays alone."""

    def say(self, event: Event, names: Sequence[str]) -> str:
        """One sentence about ``event``, with ``names`` by seat."""
