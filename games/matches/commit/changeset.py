"""What a command changes at a table, and what one batch does to one match."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from django.db import IntegrityError
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


class Refused(ValueError):
    """A command that can't be done; the text is for the player, ``code`` for the page."""

    def __init__(self, code: str, reason: str, version: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.version = version


class Unavailable(Refused):
    """The database could not be reached: nothing was stored, the same command may be tried again."""

    def __init__(self) -> None:
        super().__init__("unavailable", _("We couldn't save the move just now. We'll try again."))


@dataclass(frozen=True, slots=True)
class Acted:
    """What became of a command: the version after it.

    ``repeated`` if it had been done before, ``is_new`` if it made a move that is announced to all.
    """

    version: int
    repeated: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One move as it was stored and is announced."""

    number: int
    seat: int
    move: str
    request_id: str
    source: str


@dataclass(slots=True)
class ChangeSet:
    """What one batch does to one match; filled by its commands, stored in one go, announced after the commit."""

    table: LiveMatch
    at: datetime
    from_version: int
    #: What is stored of the open cards, before any of this.
    windows: Windows
    entries: list[Entry] = field(default_factory=list)
    #: Turns that ended: seat and who made the move that ended it.
    ended: list[tuple[int, str]] = field(default_factory=list)
    #: Seats that were asked or are no longer: the version from which on, None if not.
    asked: dict[int, int | None] = field(default_factory=dict)
    #: Seats that were moved for, and the source of the last move of each.
    movers: dict[int, str] = field(default_factory=dict)
    #: People for whom a stand-in has finished a turn.
    missed: list[int] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    #: Those of them that the person is told who had the seat when they happened.
    absences: list[events.PlayerAbsent] = field(default_factory=list)
    #: The clocks that changed, by seat.
    clocks: dict[int, SeatClock] = field(default_factory=dict)
    #: Presses that wait for their verdict.
    attempts: list[SlapAttempt] = field(default_factory=list)
    #: Presses that have no effect and are kept as evidence: too early, too late.
    notes: list[SlapAttempt] = field(default_factory=list)
    #: Presses with the verdict on them.
    judged: Sequence[SlapAttempt] = ()
    #: The card whose window the first of ``entries`` closes.
    closes: int | None = None
    verdict: dict[str, Any] | None = None
    #: When the table's next step is due, as far as a command has settled it.
    step_at: datetime | None = None
    #: What is stored of whom the match waits for, and of when something is due; not of the latter if a pause goes on.
    awaited: Sequence[int] = ()
    due_at: datetime | None = None
    keeps_due: bool = False
    #: By seat, the cards from which they may slap after a slap point was settled; None if none was.
    locks: Sequence[int] | None = None
    #: Whether a slap point is missing that should be open here.
    opens_point: bool = False
    #: Seats whose choice the match waits for after the last of ``entries``.
    deciders: tuple[int, ...] = ()
    #: The pause that is on at the table now.
    waiting: Waiting | None = None
    #: Further writes, done in the same transaction; one that finds its rows changed raises ``IntegrityError``.
    also: list[Callable[[], None]] = field(default_factory=list)
    #: What is told after the commit, or after that of the transaction which it is a part of.
    afterwards: list[Callable[[], None]] = field(default_factory=list)
    #: Columns of the match's row and, by seat, of the seats' rows that no clock and no move sets.
    columns: dict[str, Any] = field(default_factory=dict)
    seats: dict[int, dict[str, Any]] = field(default_factory=dict)
    #: How the match ends before its end.
    outcome: engine.Outcome | None = None
    #: Whether more than moves changes, so that every process and page reads the table again.
    reads_anew: bool = False
    #: Whether it is stored only if nothing else has changed the match since it was decided, whatever it does.
    holds: bool = False
    #: Whether the table's next step waits until a player comes to see it.
    sleeps: bool = False
    #: The slap point that the match waits at, as far as this change has looked at it.
    watching: Watching | None = None
    #: How long what has happened is to be seen before any seat is waited for, in ms.
    rest: int = 0
    #: The most that any line at the table is credited with, in ms.
    largest_cap: float = CAP_MAX

    @property
    def moves_on(self) -> bool:
        """Whether the match's row changes, which only works on the version that this was decided on."""
        return bool(self.entries or self.attempts or self.step_at or self.opens_point or self.reads_anew or self.holds)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to store."""
        return not (self.moves_on or self.notes or self.also)

    def enter(self, seat: int, move: str, request_id: str, source: str) -> None:
        """Make a move at the table and remember it for storage."""
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
        begins_anew = seat in before and any(other not in before for other in after)
        for other in before:
            if other not in after or (other == seat and begins_anew):
                self.ended.append((other, source))
                self.asked[other] = None
        for other in after:
            if other not in before or (other == seat and begins_anew):
                self.asked[other] = table.version

    def report(self, seat: int, kind: str, *, other: str = "") -> Incident:
        """Have the log tell of something that is no move, by name of the player who sits there now."""
        name = self.table.sitters[seat].name
        version, match_id = self.table.version, self.table.match_id
        told = Incident(match_id=match_id, version=version, seat=seat, kind=kind, name=name, other=other, at=self.at)
        self.incidents.append(told)
        player_id = self.table.sitters[seat].player_id
        if player_id is not None and not self.table.is_live:
            self.absences.append(events.PlayerAbsent(match_id, version, player_id, kind))
        return told

    def wind(self, seat: int, clock: SeatClock) -> None:
        """Have the clock of a seat show something else."""
        if clock != self.table.clocks[seat]:
            self.clocks[seat] = self.table.clocks[seat] = clock
            self.reads_anew = True

    def reseat(self, seat: int, sitter: Sitter, **columns: Any) -> None:
        """Put another player on a seat: ``columns`` are what its row says of it."""
        table = self.table
        table.sitters = (*table.sitters[:seat], sitter, *table.sitters[seat + 1 :])
        self.seats.setdefault(seat, {}).update(columns)
        self.reads_anew = True


def still(read: Callable[[], object], seen: object) -> None:
    """Raise ``IntegrityError`` if rows are not as they were when a command was decided on them."""
    if read() != seen:
        raise IntegrityError("changed by another process")


R = TypeVar("R")


@dataclass(slots=True)
class Command(ABC, Generic[R]):
    """Something to be done at a table. Subclasses decide; they see the newest state and raise :class:`Refused`."""

    #: Whether it changes more than moves, so that nothing else is decided with it on the same table.
    is_alone: ClassVar[bool] = False

    match_id: int
    answer: "Future[R]" = field(default_factory=Future, kw_only=True)
    tries: int = field(default=0, kw_only=True)
    #: When it was asked for, on this process's clock in seconds.
    asked_at: float = field(default_factory=time.monotonic, kw_only=True)
    #: In which a refusal is worded.
    language: str | None = field(default_factory=get_language, kw_only=True)

    @abstractmethod
    def decide(self, change: ChangeSet) -> R:
        """Do it to ``change.table`` and note in ``change`` what to store."""


@dataclass(frozen=True, slots=True)
class RemoteCommit:
    """Moves that another process stored and announced."""

    match_id: int
    first: int
    entries: Sequence[Sequence[Any]]
    at: datetime
    #: Clocks that changed with them, by seat.
    clocks: Mapping[int, SeatClock] = field(default_factory=dict)
