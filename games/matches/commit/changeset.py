"""What is to be done at a table, and what one batch does to one match."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from games.judging.timing import CAP_MAX
from games.matches.commit.slap_store import Windows
from games.matches.live_match import SeatClock, Table
from games.matches.models import Incident, SlapAttempt
from games.matches.pauses import Waiting


class Refused(ValueError):
    """A deed that can't be done; the text is for the player, ``code`` for the page."""

    def __init__(self, code: str, reason: str, version: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.version = version


class Unavailable(Refused):
    """The database could not be reached: nothing was stored, the same deed may be tried again."""

    def __init__(self) -> None:
        super().__init__("unavailable", _("The move could not be stored just now. It will be tried again."))


@dataclass(frozen=True, slots=True)
class Acted:
    """What became of a deed: the version after it.

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
class Change:
    """What one batch does to one match; filled by its deeds, stored in one go, announced after the commit."""

    table: Table
    at: datetime
    from_version: int
    #: What is stored of the open cards, before any of this.
    windows: Windows
    entries: list[Entry] = field(default_factory=list)
    #: Turns that ended: seat and who made the move that ended it.
    ended: list[tuple[int, str]] = field(default_factory=list)
    #: Seats that were asked or are no longer: the version from which on, None if not.
    asked: dict[int, int | None] = field(default_factory=dict)
    #: Seats for which somebody moved, and who did last.
    movers: dict[int, str] = field(default_factory=dict)
    #: Seats for which a stand-in has finished a turn.
    missed: list[int] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
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
    due_at: datetime | None = None
    #: By seat, the cards from which they may slap after a slap point was settled; None if none was.
    locks: Sequence[int] | None = None
    #: Whether a slap point is missing that should be open here.
    opens_point: bool = False
    #: Seats whose choice the match waits for after the last of ``entries``.
    deciders: tuple[int, ...] = ()
    #: The pause that is on at the table now.
    waiting: Waiting | None = None
    #: Further writes, done in the same transaction.
    also: list[Callable[[], None]] = field(default_factory=list)
    #: The most that any line at the table is credited with, in ms.
    largest_cap: float = CAP_MAX

    @property
    def moves_on(self) -> bool:
        """Whether the match's row changes, which only works on the version that this was decided on."""
        return bool(self.entries or self.attempts or self.due_at or self.opens_point)

    def enter(self, seat: int, move: str, request_id: str, source: str) -> None:
        """Make a move at the table and remember it for storage."""
        table = self.table
        before = self.deciders if self.entries else tuple(table.deciders())
        if not self.entries:
            self.closes = table.card
        table.enter(seat, move, request_id)
        self.entries.append(Entry(table.version, seat, move, request_id, source))
        self.deciders = after = tuple(table.deciders())
        self.movers[seat] = source
        if before == after:
            return
        # Whoever moves and is asked again together with others has begun another turn.
        begins_anew = seat in before and any(other not in before for other in after)
        for other in before:
            if other not in after or (other == seat and begins_anew):
                self.ended.append((other, source))
                self.asked[other] = None
        for other in after:
            if other not in before or (other == seat and begins_anew):
                self.asked[other] = table.version

    def report(self, seat: int, kind: str) -> None:
        """Have the log tell of something that is no move."""
        name = self.table.sitters[seat].name
        self.incidents.append(
            Incident(
                match_id=self.table.match_id, version=self.table.version, seat=seat, kind=kind, name=name, at=self.at
            )
        )


@dataclass(slots=True)
class Deed(ABC):
    """Something to be done at a table. Subclasses decide; they see the newest state and raise :class:`Refused`."""

    match_id: int
    answer: "Future[Acted]" = field(default_factory=Future, kw_only=True)
    tries: int = field(default=0, kw_only=True)
    #: In which a refusal is worded.
    language: str | None = field(default_factory=get_language, kw_only=True)

    @abstractmethod
    def decide(self, change: Change) -> Acted:
        """Do it to ``change.table`` and note in ``change`` what to store."""


@dataclass(frozen=True, slots=True)
class News:
    """Moves that another process stored and announced."""

    match_id: int
    first: int
    entries: Sequence[Sequence[Any]]
    at: datetime
    #: Clocks that changed with them, by seat.
    clocks: Mapping[int, SeatClock] = field(default_factory=dict)
