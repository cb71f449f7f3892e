"""The in-memory state of a running match: the game's state, its seats, and what it needs between moves."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext as _

from games import engine, rules
from games.ai.people import pause_of
from games.matches.models import Match, Seat
from games.matches.presets import is_live
from games.matches.stored import Made, moves_since
from games.matches.turn_clock import SeatClock, Waits, awaited

log = logging.getLogger(__name__)

#: A snapshot is stored whenever a match passes a multiple of this many moves.
SNAPSHOT_EVERY = 50
#: How many request ids a table remembers; an older one that is repeated is found in the database.
REMEMBERED_REQUESTS = 200
#: The forced move of a seat: turning the next card of a face-down stack.
FLIP = "flip"
#: The table's move that hands over a hand that has been won.
CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Sitter:
    """The player who holds a seat in a running match."""

    seat: int
    name: str
    player_id: int | None
    ai_level: str
    has_resigned: bool = False
    #: The handicap of this seat's slaps at a table with slap handicaps, in ms.
    handicap: int = 0

    @property
    def is_ai(self) -> bool:
        """Whether an AI player moves for this seat."""
        return bool(self.ai_level)


@dataclass(slots=True)
class LiveMatch:
    """One process's copy of a running or finished match after ``version`` moves."""

    match_id: int
    key: str
    slug: str
    rules: engine.Rules
    state: engine.State
    version: int
    status: str
    seating_epoch: int
    seed: str
    sitters: tuple[Sitter, ...]
    clock: str
    #: The clocks of the seats, by number.
    clocks: list[SeatClock]
    pace: str
    is_rated: bool
    turn_since: datetime | None
    snapshot_version: int
    #: The newest version that a player must have seen to choose: later ones were sealed choices.
    open_version: int = 0
    #: The version that showed the top card of the face-up pile; None while there is none to slap.
    card: int | None = None
    #: Whether the table turns cards for slaps, instead of players choosing them.
    has_slaps: bool = False
    #: By kind of event, how long players still see the table before it, in ms; and that time for the last move.
    rests: Mapping[str, int] = field(default_factory=dict)
    rest: int = 0
    #: Whether each player watches the cards separately, and the table goes from slap point to slap point.
    by_mail: bool = False
    #: Whether one player of each team watches a slap point for all of it.
    uses_relay: bool = False
    #: Whether clocks that run by playing times stop on Saturday and Sunday.
    weekends_rest: bool = False
    #: The lesson that this match gives.
    lesson: engine.Lesson | None = None
    #: Request ids of the last moves, with the versions that they produced.
    requests: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The players' names by seat, for sentences."""
        return [sitter.name for sitter in self.sitters]

    @property
    def is_live(self) -> bool:
        """Whether its people play in one sitting at the table itself, so that no emails are sent about turns."""
        return is_live(self.clock, sum(sitter.player_id is not None for sitter in self.sitters))

    def copy(self) -> "LiveMatch":
        """A table of its own, on which moves can be made."""
        return replace(self, state=self.state.copy(), clocks=[*self.clocks], requests={**self.requests})

    def seat_of(self, player_id: int | None) -> int | None:
        """The seat of a person; None for a spectator."""
        if player_id is not None:
            for sitter in self.sitters:
                if sitter.player_id == player_id:
                    return sitter.seat
        return None

    def enter(
        self,
        seat: int,
        move: str,
        request_id: str,
        emit: Callable[[engine.Event], None] | None = None,
    ) -> None:
        """Make a move and count it. An illegal one raises ``IllegalMove`` and changes nothing."""
        state = self.state
        awaited = state.to_move()
        rest = 0

        def note(event: engine.Event) -> None:
            nonlocal rest
            rest += self.rests.get(event.kind, 0)
            if emit is not None:
                emit(event)

        state.apply(seat, move, note if self.rests else emit)
        self.rest = rest
        self.version += 1
        self.requests[request_id] = self.version
        if len(self.requests) > REMEMBERED_REQUESTS:
            del self.requests[next(iter(self.requests))]
        # A sealed choice that leaves others to choose reveals nothing, so they may decide on what they saw before.
        still_awaited = state.to_move()
        if not (set(still_awaited) < set(awaited) and still_awaited):
            self.open_version = self.version
        # Any move but a flip closes the window of the top card: its slaps are judged together.
        self.card = self.version if move == FLIP and not self.by_mail else None

    def sit(self, seats: Iterable[Seat]) -> None:
        """Update the seats and clocks from the rows of its seats."""
        self.sitters = _sitters(seats)
        self.clocks = _clocks(seats)

    @property
    def card_pace(self) -> str:
        """How long the top card lies open to slaps: the match's pace, or the one of the lesson's current step."""
        return self.pace if self.lesson is None else self.lesson.pace_at(self.version)

    @property
    def awaits_pupil(self) -> bool:
        """Whether a lesson waits, without limit, for its player's next step: no other moves, and no card turns."""
        return self.lesson is not None and self.lesson.waits(self.version)

    def scripted_slap(self) -> tuple[int, str] | None:
        """The slap that a lesson's AI player makes here, when the window of the card is over."""
        entry = self.lesson.at(self.version) if self.lesson is not None else None
        return (entry.seat, entry.move) if isinstance(entry, engine.Watch) and entry.move == "slap" else None

    def require_meant(self, move: str) -> None:
        """Raise ``IllegalMove`` for a move that the rules allow but the lesson's current step does not."""
        entry = self.lesson.at(self.version) if self.lesson is not None else None
        if self.lesson is not None and entry is None:
            raise engine.IllegalMove(_("This lesson is over."))
        if isinstance(entry, engine.Watch) and entry.move != move:
            raise engine.IllegalMove(_("Just watch for a moment."))
        if isinstance(entry, engine.Step) and not entry.is_solved_by(self.state, 0, move):
            words = entry.words_against(move)
            asked = _("You may do that. But here: {say}").format(say=gettext(entry.say))
            raise engine.IllegalMove(gettext(words) if words else asked)

    def deciders(self) -> Sequence[int]:
        """The seats whose choice the match waits for; none while cards are turned."""
        return () if self._forced() else self.state.to_move()

    def waits(self) -> Waits:
        """What the match waits for, as input for :mod:`games.matches.turn_clock`."""
        is_running = self.status == Match.Status.RUNNING
        return Waits(
            clock=self.clock,
            pace=self.card_pace,
            tempos=[pause_of(sitter.name) if sitter.is_ai else None for sitter in self.sitters],
            to_move=self.state.to_move() if is_running else (),
            turns_cards=is_running and self._forced() is not None,
            by_mail=self.by_mail,
            reading=0 if self.lesson is None else self.lesson.reading_at(self.version),
            weekends_rest=self.weekends_rest,
        )

    def awaited(self) -> Sequence[int]:
        """The seats that the match waits for: at a slap point those still to watch it, otherwise those to move."""
        return awaited(self.waits(), self.clocks)

    @property
    def at_slap_point(self) -> bool:
        """Whether each player watches the next cards separately."""
        return self.by_mail and self._forced() is not None

    def view(self, viewer: int | None) -> engine.View:
        """What ``viewer`` may see; at a slap point, cards are neither turned nor slapped on this page."""
        return self.views([viewer])[viewer]

    def views(self, viewers: Collection[int | None]) -> dict[int | None, engine.View]:
        """:meth:`view` for each of ``viewers``. They share parts, so they are only to be read."""
        views = engine.views(self.state, viewers)
        for view in views.values() if self.at_slap_point else ():
            view.to_move, view.moves = self.awaited(), []
        return views

    def forced_step(self) -> tuple[int, str] | None:
        """The seat and move that the table makes by itself after a window; None if it waits for a seat."""
        return None if self.by_mail else self._forced()

    def _forced(self) -> tuple[int, str] | None:
        awaited = self.state.to_move()
        if len(awaited) != 1 or not self.has_slaps:
            return None
        seat = awaited[0]
        moves = self.state.legal_moves(seat)
        move = CLOSE if seat == engine.TABLE else FLIP
        return (seat, move) if move in moves else None

    def to_snapshot(self) -> dict[str, Any]:
        """The data from which :func:`load` continues."""
        return {"state": engine.freeze(self.state), "open_version": self.open_version, "card": self.card}


def beginning(match: Match, seats: Iterable[Seat], moves: Sequence[Made] | None) -> tuple[LiveMatch, Sequence[Made]]:
    """The table before ``moves`` (all of them, or those since the snapshot), and the moves to make from there.

    If ``moves`` is None or the snapshot can't be read, those are all stored moves; only then does this make a query.
    """
    seats = list(seats)
    if moves is None:
        return _table(match, seats), moves_since(match.pk, 0)
    if not match.snapshot_version or (moves and moves[0].number == 1):
        return _table(match, seats), moves
    try:
        return _table(match, seats, match.snapshot), moves
    except (KeyError, TypeError, ValueError):
        log.exception("match %s: unreadable snapshot of version %s", match.key, match.snapshot_version)
        return _table(match, seats), moves_since(match.pk, 0)


def deal(match: Match, seats: Iterable[Seat]) -> LiveMatch:
    """The table of a match that is about to start, before any move."""
    return _table(match, seats)


def _sitters(seats: Iterable[Seat]) -> tuple[Sitter, ...]:
    return tuple(
        Sitter(
            seat.number,
            seat.name,
            None if seat.ai_level else seat.player_id,
            seat.ai_level,
            seat.has_resigned,
            seat.handicap,
        )
        for seat in sorted(seats, key=lambda seat: seat.number)
    )


def _clocks(seats: Iterable[Seat]) -> list[SeatClock]:
    return [SeatClock.of(seat) for seat in sorted(seats, key=lambda seat: seat.number)]


def _table(match: Match, seats: Iterable[Seat], snapshot: dict[str, Any] | None = None) -> LiveMatch:
    """The table of ``match`` after the deal, or at its stored snapshot."""
    game = rules.get(match.slug, match.rules_version)
    seats = list(seats)
    version = match.snapshot_version if snapshot else 0
    state = engine.thaw(game.state_type, snapshot["state"]) if snapshot else deal_cards(match)
    shown = rules.presentation(match.slug)
    return LiveMatch(
        match_id=match.pk,
        key=match.key,
        slug=match.slug,
        rules=game,
        state=state,
        version=version,
        status=match.status,
        seating_epoch=match.seating_epoch,
        seed=match.seed,
        sitters=_sitters(seats),
        clock=match.clock,
        clocks=_clocks(seats),
        pace=match.pace,
        is_rated=match.is_rated,
        turn_since=match.turn_since,
        snapshot_version=match.snapshot_version,
        open_version=snapshot["open_version"] if snapshot else 0,
        card=snapshot["card"] if snapshot else None,
        has_slaps=shown.has_slaps,
        rests=shown.rests,
        by_mail=shown.has_slaps and _is_by_mail(match, seats),
        uses_relay=match.relay,
        weekends_rest=match.weekends_rest,
        lesson=_lesson(match),
    )


def deal_cards(match: Match) -> engine.State:
    """The state of ``match`` before its first move: dealt from its seed, or as its lesson is arranged."""
    arranged = match.lesson or {}
    return match.rules.deal(
        match.seat_count, match.options, match.seed, deck=arranged.get("deck"), dealer=arranged.get("dealer")
    )


def _lesson(match: Match) -> engine.Lesson | None:
    """The lesson that ``match`` gives; None for other matches, and for a lesson that no longer exists."""
    if match.lesson is None:
        return None
    try:
        return rules.lesson(match.lesson_key)
    except KeyError:
        return None


def _is_by_mail(match: Match, seats: Sequence[Seat]) -> bool:
    """Whether players come when it suits them; those who have left count, so that this never changes."""
    return not is_live(match.clock, sum(bool(seat.player_name) for seat in seats))
