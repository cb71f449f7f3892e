"""A lesson: an arranged match, told step by step. Plain data of its game, played by the rules like any match.

A lesson is one line of moves. Those of the player are steps, each with a sentence that says what to do; the others are
the script of the AI players and of the table. So the version of the match says where the lesson is.

Texts stand here in English, marked with ``gettext_noop``; the code that shows them translates them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from .match import find_rules
from .options import Options
from .protocol import TABLE, Event, IllegalMove, Move, Seat, State

#: How many steps a lesson may have, from and to.
FEWEST, MOST = 5, 9
#: Where all chance of lessons comes from.
SEED = "1e55" * 8
#: How long a player is given to read a word of what is said while others move, in ms.
READING = 300


class BadLesson(ValueError):
    """A lesson that can't be given; the text says which, where and why."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A move of an AI player or the table. ``say``, if there is one, tells the player what to look at meanwhile."""

    seat: Seat
    move: Move
    say: str = ""
    #: How long a card lies open to slaps from here on, if that changes.
    pace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move of the player, and the one sentence that asks for it.

    ``move`` solves the step. With ``goal`` so does every other move that tells an event of this kind, with the values
    of ``goal_data``. What is legal and does not is answered by ``otherwise``: the words for that move, for its verb
    (what stands before the colon), or for all others (``""``).
    """

    say: str
    move: Move
    goal: str = ""
    goal_data: Mapping[str, Any] = field(default_factory=dict)
    otherwise: Mapping[str, str] = field(default_factory=dict)
    #: The cards that the sentence speaks of; they are lit, and so is the button of the move.
    lit: str = ""

    def is_solved_by(self, state: State, seat: Seat, move: Move) -> bool:
        """Whether ``move``, which is legal in ``state``, does what is asked."""
        if move == self.move:
            return True
        told: list[Event] = []
        if self.goal:
            state.copy().apply(seat, move, told.append)
        return any(event.kind == self.goal and self.goal_data.items() <= event.data.items() for event in told)

    def words_against(self, move: Move) -> str:
        """Why ``move``, which is legal, is not the one here; empty if nothing is said of it."""
        found = (self.otherwise.get(name) for name in (move, move.partition(":")[0], ""))
        return next((text for text in found if text), "")


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson of a game. The player has seat 0."""

    game: str
    #: Its name in addresses, among the lessons of its game.
    name: str
    title: str
    #: The rules that it was written for: it stays with them until its author has looked at it again.
    rules_version: int
    seats: int = 2
    options: Options = field(default_factory=dict)
    #: The result of the first shuffle: see :func:`deck`.
    deck: Sequence[str]
    dealer: Seat
    #: How long a card lies open to slaps at first; for games that have slaps.
    pace: str = "relaxed"
    line: Sequence[Step | Watch]
    #: How many moves of the line are made already when the lesson opens: bets, or a match until its last cards.
    opens_at: int = 0
    #: Whether the facts of the table are left out: they are about what a later lesson teaches.
    is_plain: bool = False
    #: What the player knows now; said at the end.
    end: str
    #: The clauses of the rules that it shows, by their names in the table of clauses.
    teaches: Sequence[str] = ()

    @property
    def key(self) -> str:
        """Its name among all lessons."""
        return f"{self.game}/{self.name}"

    @property
    def steps(self) -> Sequence[Step]:
        """What the player does."""
        return [entry for entry in self.line if isinstance(entry, Step)]

    @property
    def made_before(self) -> Sequence[Watch]:
        """The moves that are made already when it opens."""
        return [entry for entry in self.line[: self.opens_at] if isinstance(entry, Watch)]

    @cached_property
    def versions(self) -> Sequence[int]:
        """The version of the match at which each step is asked for."""
        return [version for version, entry in enumerate(self.line) if isinstance(entry, Step)]

    def at(self, version: int) -> Step | Watch | None:
        """What comes after so many moves; None at the end."""
        return self.line[version] if version < len(self.line) else None

    def pace_at(self, version: int) -> str:
        """How long a card lies open to slaps after so many moves."""
        changes = (entry.pace for entry in reversed(self.line[:version]) if isinstance(entry, Watch) and entry.pace)
        return next(changes, self.pace)

    def said_at(self, version: int) -> str:
        """What it says after so many moves: a sentence stays until there is another one, or a step is made."""
        entry = self.at(version)
        if entry is None:
            return self.end
        while isinstance(entry, Watch) and not entry.say and version:
            version -= 1
            entry = self.line[version]
            if isinstance(entry, Step):
                return ""
        return entry.say

    def reading_at(self, version: int) -> int:
        """How long what is said again after so many moves takes to read while nothing moves, in ms."""
        entry = self.at(version)
        return READING * len(entry.say.split()) if isinstance(entry, Watch) else 0

    def step_number(self, version: int) -> int:
        """How many steps are done after so many moves."""
        return sum(asked < version for asked in self.versions)

    def waits(self, version: int) -> bool:
        """Whether the next move is the player's, or there is none: nothing else moves then."""
        return not isinstance(self.at(version), Watch)

    def move_of(self, version: int, seat: Seat) -> Move | None:
        """The scripted move of another seat; None if there is none."""
        entry = self.at(version)
        return entry.move if isinstance(entry, Watch) and entry.seat == seat else None

    def deal(self) -> State:
        """The first state."""
        rules = find_rules(self.game, self.rules_version)
        return rules.deal(self.seats, self.options, SEED, deck=self.deck, dealer=self.dealer)

    def validate(self) -> None:
        """Play the lesson through. Raises :class:`BadLesson` if it breaks at some place."""
        if not FEWEST <= len(self.steps) <= MOST:
            raise BadLesson(f"{self.key} has {len(self.steps)} steps: {FEWEST} to {MOST} are wanted")
        try:
            state = self.deal()
        except (KeyError, ValueError) as error:
            raise BadLesson(f"{self.key} can't be dealt: {error}") from error
        if self.versions[0] < self.opens_at:
            raise BadLesson(f"{self.key} opens after its first step")
        for version, entry in enumerate(self.line):
            where = f"{self.key}, move {version + 1}, {entry.move}"
            if isinstance(entry, Step):
                seat = 0
                self._validate_step(state, entry, where)
            else:
                seat = entry.seat
                if seat == 0 and entry.move != "flip" and version >= self.opens_at:
                    raise BadLesson(f"{where}: the player's moves are steps")
            if seat != TABLE and entry.move != "slap" and seat not in state.to_move():
                raise BadLesson(f"{where}: it is not the turn of seat {seat} but of {list(state.to_move())}")
            try:
                state.apply(seat, entry.move)
            except IllegalMove as error:
                raise BadLesson(f"{where}: {error}") from error

    def _validate_step(self, state: State, step: Step, where: str) -> None:
        """Its words end as sentences do, its cards are in sight, and its move tells what its goal says."""
        if not step.say.endswith((".", "!", "?")):
            raise BadLesson(f"{where}: “{step.say}” is no sentence")
        seen = {code for zone in state.view(0).zones for code in zone.cards or () if code}
        hidden = [code for code in step.lit.split() if code not in seen]
        if hidden:
            raise BadLesson(f"{where}: {hidden} can't be lit, the player does not see them")
        told: list[Event] = []
        if step.goal:
            state.copy().apply(0, step.move, told.append)
            if not any(event.kind == step.goal and step.goal_data.items() <= event.data.items() for event in told):
                raise BadLesson(f"{where}: it tells {[event.kind for event in told]}, and not {step.goal}")


def deck(pack: Sequence[str], hands: Sequence[str], then: str = "", *, first: Seat = 0) -> Sequence[str]:
    """A shuffled ``pack`` from which these ``hands`` are dealt, card by card, to seat ``first`` first.

    ``then`` are the next cards in the order in which they come; the rest lies as it may. Raises :class:`BadLesson` if
    the pack does not have all of them.
    """
    dealt = [hand.split() for hand in hands]
    if len({len(hand) for hand in dealt}) > 1:
        raise BadLesson(f"hands of different sizes: {hands}")
    rounds = zip(*dealt[first:], *dealt[:first], strict=True)
    front = [code for cards in rounds for code in cards] + then.split()
    missing = Counter(front) - Counter(pack)
    if missing:
        raise BadLesson(f"the pack does not have {sorted(missing.elements())}")
    rest = sorted((Counter(pack) - Counter(front)).elements())
    Random(" ".join(front)).shuffle(rest)  # noqa: S311 - what comes after the lesson is no secret
    return [*front, *rest]
