"""Group commit: whatever arrives in one moment, for all matches, is decided and stored in one transaction.

Every process may write to every match. Moves carry ``(match, number)`` and ``(match, request id)``, both
unique, and a match's version moves from n to n + 1 only for whoever has seen n; a loser of that race reads
again and decides again. So there is no owner of a match, no lock held between requests, and what has been
told to a player is in the database.
"""

import logging
import random
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from games import engine, tables
from games.models import Match, Seat, SlapAttempt
from games.pace import AI_PAUSE, CAP_MAX, pause_before_step
from games.tables import Table

log = logging.getLogger(__name__)

#: How often a deed is decided anew when other processes keep getting in first.
MAX_TRIES = 8
#: States kept in memory by one process.
CACHED_TABLES = 2000
#: Deeds in one transaction.
MAX_BATCH = 256


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
    entries: list[Entry] = field(default_factory=list)
    attempts: list[SlapAttempt] = field(default_factory=list)
    #: Verdicts on slaps: id of the attempt and its result.
    results: dict[int, str] = field(default_factory=dict)
    verdict: dict[str, Any] | None = None
    due_at: datetime | None = None
    #: The most that any line at the table is credited with, in ms.
    largest_cap: float = CAP_MAX

    def enter(self, seat: int, move: str, request_id: str, source: str) -> None:
        """Make a move at the table and remember it for storage."""
        self.table.enter(seat, move, request_id)
        self.entries.append(Entry(self.table.version, seat, move, request_id, source))


@dataclass(slots=True)
class Deed(ABC):
    """Something to be done at a table. Subclasses decide; they see the newest state and raise :class:`Refused`."""

    match_id: int
    answer: "Future[Acted]" = field(default_factory=Future, kw_only=True)
    tries: int = field(default=0, kw_only=True)

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


class Committer:
    """Decides and stores batches of deeds, with a cache of states that it alone touches.

    ``announce(change)`` is called after each commit, never before.
    """

    def __init__(self, announce: Callable[[Change], None]) -> None:
        self._tables: OrderedDict[int, Table] = OrderedDict()
        self._announce = announce

    def forget(self, match_ids: Iterable[int]) -> None:
        """Drop cached states, because they are ahead of the database or behind it."""
        for match_id in match_ids:
            self._tables.pop(match_id, None)

    def forget_all(self) -> None:
        """Drop every cached state."""
        self._tables.clear()

    def hear(self, news: News) -> None:
        """Bring a cached state up to what another process stored, which is cheaper than to read it again."""
        table = self._tables.get(news.match_id)
        if table is None or news.first + len(news.entries) <= table.version + 1:
            return
        if news.first > table.version + 1:
            self.forget([news.match_id])
            return
        before = table.version
        try:
            for seat, move, request_id, _source in news.entries[before + 1 - news.first :]:
                table.enter(seat, move, request_id)
        except Exception:
            log.exception("match %s: the move after version %s could not be followed", table.key, table.version)
            self.forget([news.match_id])
            return
        if table.open_version > before:
            table.turn_since = news.at
        if table.state.outcome() is not None:
            table.status = Match.Status.OVER

    def commit(self, deeds: Sequence[Deed]) -> None:
        """Decide, store and announce ``deeds``; each gets its answer exactly once."""
        # From here on nobody can withdraw a deed; who did so before is not waiting for it.
        self._commit([deed for deed in deeds if deed.answer.set_running_or_notify_cancel()])

    def _commit(self, waiting: list[Deed]) -> None:
        while waiting:
            try:
                waiting = self._round(waiting)
            except Exception as error:
                waiting = [deed for deed in waiting if not deed.answer.done()]
                match_ids = {deed.match_id for deed in waiting}
                self.forget(match_ids)
                if len(match_ids) > 1 and not isinstance(error, OperationalError | InterfaceError):
                    # The fault is one match's: the others must not suffer for it.
                    log.warning("a batch of %d deeds is stored match by match: %r", len(waiting), error)
                    for match_id in sorted(match_ids):
                        self._commit([deed for deed in waiting if deed.match_id == match_id])
                else:
                    log.exception("a batch of %d deeds could not be stored", len(waiting))
                    _fail(waiting)
                return

    def _round(self, deeds: list[Deed]) -> list[Deed]:
        """One transaction. Returns the deeds to be decided again, in their order, because somebody else was first."""
        now = timezone.now()
        current = self._load({deed.match_id for deed in deeds})
        changes: dict[int, Change] = {}
        decided: dict[int, list[tuple[Deed, Acted]]] = {}
        refused: list[tuple[Deed, Refused]] = []
        overtaken: list[Deed] = []
        broken: set[int] = set()
        for deed in deeds:
            if deed.match_id in broken:
                overtaken.append(deed)
                continue
            table = self._tables.get(deed.match_id)
            if table is None:
                refused.append((deed, Refused("over", _("There is no such match, or it has not begun."))))
                continue
            change = changes.setdefault(deed.match_id, Change(table, now, table.version))
            try:
                acted = deed.decide(change)
            except (Refused, engine.IllegalMove) as error:
                refusal = error if isinstance(error, Refused) else Refused("illegal", str(error))
                refusal.version = table.version
                refused.append((deed, refusal))
            except DatabaseError:
                raise
            except Exception as error:
                # A fault in one game must not take the other matches of this moment with it, nor the other
                # deeds at its own table: they are decided again.
                log.exception("match %s, version %s: %r failed", table.key, table.version, deed)
                deed.answer.set_exception(error)
                broken.add(deed.match_id)
                del changes[deed.match_id]
                self.forget(broken)
            else:
                decided.setdefault(deed.match_id, []).append((deed, acted))
        busy = {pk: change for pk, change in sorted(changes.items()) if change.entries or change.attempts}
        lost = self._store(busy) if busy else set()
        # What was refused by a state that another process has moved on since is decided again, too.
        lost |= _outdated({pk: changes[pk] for deed, _ in refused if (pk := deed.match_id) in changes}, current, busy)
        lost |= broken
        self.forget(lost)
        for deed, refusal in refused:
            if deed.match_id in lost and _may_try_again(deed):
                overtaken.append(deed)
            else:
                deed.answer.set_exception(refusal)
        for match_id in lost:
            for deed, _acted in decided.pop(match_id, []):
                if _may_try_again(deed):
                    overtaken.append(deed)
                else:
                    _fail([deed])
        for pk, change in busy.items():
            if pk not in lost:
                self._tell(change)
        for pairs in decided.values():
            for deed, acted in pairs:
                deed.answer.set_result(acted)
        again = {id(deed) for deed in overtaken}
        return [deed for deed in deeds if id(deed) in again]

    def _tell(self, change: Change) -> None:
        """Announce what is stored; whoever does not hear of it finds it in the database."""
        try:
            self._announce(change)
        except Exception:
            log.exception("match %s: version %s could not be announced", change.table.key, change.table.version)

    def _load(self, match_ids: set[int]) -> set[int]:
        """Have the tables of these matches in the cache, newest use last; those just read are returned."""
        missing = {pk for pk in match_ids if pk not in self._tables}
        if missing:
            self._tables.update(tables.load(missing))
        for pk in match_ids & self._tables.keys():
            self._tables.move_to_end(pk)
        while len(self._tables) > max(CACHED_TABLES, len(match_ids)):
            self._tables.popitem(last=False)
        return missing

    def _store(self, changes: dict[int, Change]) -> set[int]:
        """Write all changes in one transaction; the ids of matches that somebody else moved first are returned."""
        for change in changes.values():
            _plan(change)
        try:
            with transaction.atomic():
                lost = changes.keys() - _advance(changes)
                kept = [change for pk, change in changes.items() if pk not in lost]
                _insert_moves(kept)
                attempts = [attempt for change in kept for attempt in change.attempts]
                if attempts:
                    SlapAttempt.objects.bulk_create(attempts)
                for change in kept:
                    _store_rarities(change)
        except IntegrityError:
            if len(changes) > 1:
                raise
            # A move or a slap of this name is there already: whoever brought it again looks again and finds it.
            return set(changes)
        return lost


def _outdated(changes: dict[int, Change], current: set[int], stored: Collection[int]) -> set[int]:
    """Of matches that refused something: those whose cached state was not the newest."""
    doubtful = changes.keys() - current - set(stored)
    if not doubtful:
        return set()
    newest = Match.objects.filter(pk__in=doubtful).values_list("pk", "version", "roster")
    known = {(pk, changes[pk].from_version, changes[pk].table.roster) for pk in doubtful}
    return {pk for pk, version, roster in newest if (pk, version, roster) not in known}


def _may_try_again(deed: Deed) -> bool:
    deed.tries += 1
    return deed.tries < MAX_TRIES


def _fail(deeds: Iterable[Deed]) -> None:
    for deed in deeds:
        deed.answer.set_exception(Unavailable())


def _plan(change: Change) -> None:
    """Work out since when the table waits and when something is due without anybody's move."""
    table = change.table
    if change.entries:
        if table.open_version > change.from_version:
            table.turn_since = change.at
        change.due_at = next_due(
            table, change.at, after_verdict=change.verdict is not None, largest_cap=change.largest_cap
        )


def next_due(
    table: Table, at: datetime, *, after_verdict: bool = False, largest_cap: float = CAP_MAX
) -> datetime | None:
    """When something happens at ``table`` without a person's move, None if it waits for people without limit."""
    awaited = table.state.to_move()
    if not awaited:
        return None
    if table.forced_step():
        return at + timedelta(milliseconds=pause_before_step(table.pace, largest_cap, after_verdict=after_verdict))
    if any(table.sitters[seat].is_ai for seat in awaited if seat >= 0):
        return at + timedelta(milliseconds=random.uniform(*AI_PAUSE))  # noqa: S311 - a pause is no secret
    if table.turn_seconds and table.turn_since:
        return table.turn_since + timedelta(seconds=table.turn_seconds)
    return None


_ADVANCE = """
UPDATE games_match SET version = new.column3, awaited = new.column4, turn_since = new.column5, due_at = new.column6
FROM (VALUES {rows}) AS new
WHERE games_match.id = new.column1 AND games_match.version = new.column2
  AND games_match.roster = new.column7 AND games_match.status = 'running'
RETURNING games_match.id
"""


def _advance(changes: dict[int, Change]) -> set[int]:
    """Move each match from the version its change began with to the new one; the ids of those that did."""
    adapt = connection.ops.adapt_datetimefield_value
    types = ("bigint", "int", "int", "text", "timestamptz", "timestamptz", "int")
    # PostgreSQL must be told the types of a bare list of values; SQLite takes them as they are.
    marks = [f"%s::{name}" if connection.vendor == "postgresql" else "%s" for name in types]
    values: list[Any] = []
    for pk, change in changes.items():
        table = change.table
        values += (
            pk,
            change.from_version,
            table.version,
            " ".join(str(seat) for seat in table.state.to_move()),
            adapt(table.turn_since),
            adapt(change.due_at),
            table.roster,
        )
    sql = _ADVANCE.format(rows=", ".join([f"({', '.join(marks)})"] * len(changes)))
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return {pk for (pk,) in cursor.fetchall()}


_INSERT = "INSERT INTO games_move (match_id, number, seat, move, at, source, request_id) VALUES {rows}"


def _insert_moves(changes: Sequence[Change]) -> None:
    """Store the moves of all changes; by hand, because this statement is most of what a move costs the database."""
    adapt = connection.ops.adapt_datetimefield_value
    values = [
        value
        for change in changes
        for entry in change.entries
        for value in (
            change.table.match_id,
            entry.number,
            entry.seat,
            entry.move,
            adapt(change.at),
            entry.source,
            entry.request_id,
        )
    ]
    if values:
        with connection.cursor() as cursor:
            cursor.execute(
                _INSERT.format(rows=", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * (len(values) // 7))), values
            )


def _store_rarities(change: Change) -> None:
    """What few moves bring: verdicts, snapshots, the end of the match."""
    table = change.table
    for result in set(change.results.values()):
        ids = [pk for pk, given in change.results.items() if given == result]
        SlapAttempt.objects.filter(pk__in=ids).update(result=result)
    outcome = table.state.outcome() if change.entries else None
    if outcome is not None:
        finish(table, outcome, change.at)
    elif table.version // tables.SNAPSHOT_EVERY > table.snapshot_version // tables.SNAPSHOT_EVERY:
        Match.objects.filter(pk=table.match_id).update(snapshot=table.to_snapshot(), snapshot_version=table.version)
        table.snapshot_version = table.version


def finish(table: Table, outcome: engine.Outcome, now: datetime) -> None:
    """Store how a match ended, inside the transaction of whatever ended it."""
    Match.objects.filter(pk=table.match_id).update(
        status=Match.Status.OVER,
        finished_at=now,
        due_at=None,
        awaited="",
        outcome={
            "reason": outcome.reason,
            "ranking": [list(group) for group in outcome.ranking],
            "points": list(outcome.points),
        },
    )
    sides = table.rules.teams(table.state) is not None
    seats = list(Seat.objects.filter(match_id=table.match_id))
    by_number = engine.places(outcome.ranking, sides=sides)
    for seat in seats:
        seat.place = by_number[seat.number]
        seat.points = outcome.points[seat.number]
    Seat.objects.bulk_update(seats, ["place", "points"])
    table.status = Match.Status.OVER
