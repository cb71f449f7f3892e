"""What a command changes at a table, and what one batch does to one match."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from django.db import IntegrityError, InterfaceError, OperationalError
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from games import engine
from games.judging.timing import CAP_MAX
from games.matches import events
from games.matches.commit.slap_store import Windows
from games.matches.live_match import LiveMatch, Sitter
from games.matches.models import Incident, SlapAttempt
from games.matches.pauses import Waiting
from games.matches.slap_points.watching import Watching
from games.matches.turn_clock import SeatClock

#: The database was busy or away; another error while storing belongs to one match.
DATABASE_AWAY = (OperationalError, InterfaceError)


class Refused(ValueError):
    """A command that can't be done; the text is for the player, ``code`` for the page."""

    def __init__(self, code: str, reason: str, version: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.version = version


class Unavailable(Refused):
    """Nothing was stored, because of ``cause`` or because others kept being first: the command may be tried again."""

    def __init__(self, cause: Exception | None = None) -> None:
        super().__init__("unavailable", _("We couldn't save the move just now. We'll try again."))
        self.__cause__ = cause

    @property
    def is_passing(self) -> bool:
        """Whether the match itself is sound, so that the command will succeed later."""
        return self.__cause__ is None or isinstance(self.__cause__, DATABASE_AWAY)


@dataclass(frozen=True, slots=True)
class Acted:
    """The result of a command: the version after it.

    ``repeated`` says that it had been done before, ``is_new`` that it made a move, which is announced to all.
    """

    version: int
    repeated: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One move as it is stored and announced."""

    number: int
    seat: int
    move: str
    request_id: str
    source: str


@dataclass(slots=True)
class ChangeSet:
    """What one batch does to one match: commands fill it, it is stored at once, and announced after the commit."""

    table: LiveMatch
    at: datetime
    from_version: int
    #: The stored slaps and windows of the open cards, before this change.
    windows: Windows
    entries: list[Entry] = field(default_factory=list)
    #: Turns that ended: the seat, and the source of the move that ended it.
    ended: list[tuple[int, str]] = field(default_factory=list)
    #: By seat, the version from which it is asked, or None if it no longer is.
    asked: dict[int, int | None] = field(default_factory=dict)
    #: The source of the last move made for each seat.
    movers: dict[int, str] = field(default_factory=dict)
    #: People whose turn a stand-in has finished.
    missed: list[int] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    #: The incidents that are announced to the person who held the seat at that time.
    absences: list[events.PlayerAbsent] = field(default_factory=list)
    #: Changed clocks, by seat.
    clocks: dict[int, SeatClock] = field(default_factory=dict)
    #: Slaps that wait for their verdict.
    attempts: list[SlapAttempt] = field(default_factory=list)
    #: Slaps without effect, too early or too late, which are kept as evidence.
    notes: list[SlapAttempt] = field(default_factory=list)
    #: Slaps with their verdict.
    judged: Sequence[SlapAttempt] = ()
    #: The version of the card whose window the first of ``entries`` closes.
    closes: int | None = None
    verdict: dict[str, Any] | None = None
    #: When the table's next step is due, if a command has settled that.
    step_at: datetime | None = None
    #: Stored values of whom the match waits for and when something is due; ``due_at`` stays as it is if a pause goes
    #: on.
    awaited: Sequence[int] = ()
    due_at: datetime | None = None
    keeps_due: bool = False
    #: By seat, the card from which it may slap again after a slap point was settled; None if none was.
    locks: Sequence[int] | None = None
    #: Whether a slap point that should be open here is missing.
    opens_point: bool = False
    #: Seats whose choice the match waits for after the last of ``entries``.
    deciders: tuple[int, ...] = ()
    #: The table's current pause.
    waiting: Waiting | None = None
    #: Further writes in the same transaction; one that finds its rows changed raises ``IntegrityError``.
    also: list[Callable[[], None]] = field(default_factory=list)
    #: Calls made after the commit, which may be that of an enclosing transaction.
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    #: Columns of the match's row and, by seat, of the seats' rows, beside those that clocks and moves set.
    columns: dict[str, Any] = field(default_factory=dict)
    seats: dict[int, dict[str, Any]] = field(default_factory=dict)
    #: The result of a match that ends early.
    outcome: engine.Outcome | None = None
    #: Whether more than moves changes, so that every process and page has to reload the table.
    needs_reload: bool = False
    #: Whether the change is stored only if nothing else has changed the match since it was decided.
    holds: bool = False
    #: Whether the table's next step waits until a player comes to see it.
    sleeps: bool = False
    #: The slap point that the match waits at, once this change has read it.
    watching: Watching | None = None
    #: How long, in ms, players see what happened before any seat's turn begins.
    rest: int = 0
    #: The most latency credit of any connection at the table, in ms.
    largest_cap: float = CAP_MAX

    @property
    def moves_on(self) -> bool:
        """Whether the match's row changes, which only succeeds on the version that this was decided on."""
        return bool(
            self.entries or self.attempts or self.step_at or self.opens_point or self.needs_reload or self.holds
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to store."""
        return not (self.moves_on or self.notes or self.also)

    def enter(self, seat: int, move: str, request_id: str, source: str) -> None:
        """Make a move at the table and add it to what is stored."""
        table = self.table
        before = self.deciders if self.entries else tuple(table.deciders())
        if not self.entries:
            self.closes = table.card
        table.enter(seat, move, request_id)
        self.rest += table.rest
        self.entries.append(Entry(table.version, seat, move, request_id, source))
        self.deciders = after = tuple(table.deciders())
        self.movers[seat] = source
        if before == after:
            return
        # A seat that moves and is asked again together with others has begun another turn.
        restarts = seat in before and any(other not in before for other in after)
        for other in before:
            if other not in after or (other == seat and restarts):
                self.ended.append((other, source))
                self.asked[other] = None
        for other in after:
            if other not in before or (other == seat and restarts):
                self.asked[other] = table.version

    def report(self, seat: int, kind: str, *, other: str = "") -> Incident:
        """Add an incident to the match's log, under the name of the player who holds the seat now."""
        name = self.table.sitters[seat].name
        version, match_id = self.table.version, self.table.match_id
        told = Incident(match_id=match_id, version=version, seat=seat, kind=kind, name=name, other=other, at=self.at)
        self.incidents.append(told)
        player_id = self.table.sitters[seat].player_id
        if player_id is not None and not self.table.is_live:
            self.absences.append(events.PlayerAbsent(match_id, version, player_id, kind))
        return told

    def set_clock(self, seat: int, clock: SeatClock) -> None:
        """Replace the clock of a seat."""
        if clock != self.table.clocks[seat]:
            self.clocks[seat] = self.table.clocks[seat] = clock
            self.needs_reload = True

    def reseat(self, seat: int, sitter: Sitter, **columns: Any) -> None:
        """Put another player on a seat; ``columns`` are the new values of its row."""
        table = self.table
        table.sitters = (*table.sitters[:seat], sitter, *table.sitters[seat + 1 :])
        self.seats.setdefault(seat, {}).update(columns)
        self.needs_reload = True


def require_unchanged(read: Callable[[], object], seen: object) -> None:
    """Raise ``IntegrityError`` if rows have changed since a command was decided on them."""
    if read() != seen:
        raise IntegrityError("changed by another process")


R = TypeVar("R")


@dataclass(slots=True)
class Command(ABC, Generic[R]):
    """Something to be done at a table. Subclasses decide on the newest state, and may raise :class:`Refused`."""

    #: Whether it changes more than moves, so that no other command of the same table is decided in the same
    #: transaction.
    is_alone: ClassVar[bool] = False

    match_id: int
    answer: "Future[R]" = field(default_factory=Future, kw_only=True)
    tries: int = field(default=0, kw_only=True)
    #: When it was requested, on this process's clock, in seconds.
    asked_at: float = field(default_factory=time.monotonic, kw_only=True)
    #: The language of a refusal.
    language: str | None = field(default_factory=get_language, kw_only=True)

    @abstractmethod
    def decide(self, change: ChangeSet) -> R:
        """Apply the command to ``change.table``, and note in ``change`` what to store."""


@dataclass(frozen=True, slots=True)
class RemoteCommit:
    """Moves that another process stored and announced."""

    match_id: int
    first: int
    entries: Sequence[Sequence[Any]]
    at: datetime
    #: Clocks that changed with the moves, by seat.
    clocks: Mapping[int, SeatClock] = field(default_factory=dict)
