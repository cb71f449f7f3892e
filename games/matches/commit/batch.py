"""Group commit: whatever arrives in one moment, for all matches, is decided and stored in one transaction.

Every process may write to every match. Moves carry ``(match, number)`` and ``(match, request id)``, both
unique, and a match's version moves from n to n + 1 only for whoever has seen n; a loser of that race reads
again and decides again. So there is no owner of a match, no lock held between requests, and what has been
told to a player is in the database.
"""

import logging
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from accounts import calendars
from games import engine
from games.ai.people import pause_of
from games.judging.timing import CAP_MAX, ai_pause, pause_before_step
from games.matches import events, live_match
from games.matches.commit import slap_store
from games.matches.commit.slap_store import Windows
from games.matches.live_match import CLOCK_COLUMNS, SeatClock, Table
from games.matches.models import Incident, Match, MissedTurn, Move, Seat, SlapAttempt
from games.matches.pauses import Waiting
from games.matches.presets import PRESETS, is_by_hours
from games.matches.slap_points.opening import plan as plan_opening
from games.matches.turn_clock import begun, calendar_of, ended, returned

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
        for number, clock in news.clocks.items():
            table.clocks[number] = clock
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
        windows = Windows({deed.match_id for deed in deeds})
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
            change = changes.setdefault(deed.match_id, Change(table, now, table.version, windows))
            try:
                with override(deed.language):
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
        busy = {pk: change for pk, change in sorted(changes.items()) if change.moves_on or change.notes}
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
            self._tables.update(live_match.load(missing))
        for pk in match_ids & self._tables.keys():
            self._tables.move_to_end(pk)
        while len(self._tables) > max(CACHED_TABLES, len(match_ids)):
            self._tables.popitem(last=False)
        return missing

    def _store(self, changes: dict[int, Change]) -> set[int]:
        """Write all changes in one transaction; the ids of matches that somebody else moved first are returned."""
        for change in changes.values():
            if (change.entries or change.opens_point) and change.table.at_slap_point:
                _open_point(change)
        hours = _hours(changes.values())
        for change in changes.values():
            _plan(change, hours)
        try:
            with transaction.atomic():
                moving = {pk: change for pk, change in changes.items() if change.moves_on}
                # Somebody else's press may have been stored since this verdict, or this card, was decided on.
                pressed = _pressed_meanwhile(moving)
                lost = moving.keys() - _advance(moving, but=pressed)
                kept = [change for pk, change in changes.items() if pk not in lost]
                _insert_moves(kept)
                _store_clocks(kept)
                events.turns_began(turn for change in kept for turn in turns_begun(change))
                _insert_attempts(kept)
                slap_store.store_verdicts(attempt for change in kept for attempt in change.judged)
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


def _hours(changes: Iterable[Change]) -> Mapping[int, calendars.Hours]:
    """The hours of everybody whose clock changes and runs by them: no query for live tables, two for all others."""
    people: set[int] = set()
    since = timezone.now()
    for change in changes:
        table = change.table
        if not is_by_hours(table.clock):
            continue
        for number in {*change.asked, *change.movers}:
            player_id = table.sitters[number].player_id if number >= 0 else None
            if player_id is not None:
                people.add(player_id)
                since = min(since, table.clocks[number].asked_at or since)
    return calendars.of(people, since)


def _plan(change: Change, hours: Mapping[int, calendars.Hours]) -> None:
    """Work out since when the table waits and when something is due without anybody's move."""
    table = change.table
    if change.entries or change.opens_point:
        if table.open_version > change.from_version:
            table.turn_since = change.at
        _run_clocks(change, hours)
        change.due_at = next_due(
            table, change.at, after_verdict=change.verdict is not None, largest_cap=change.largest_cap
        )


def _open_point(change: Change) -> None:
    """Have the cards from here on watched."""
    table = change.table
    opening = plan_opening(table, change.at, change.locks)
    change.also.append(opening.store)
    for seat in opening.watchers:
        change.asked[seat] = table.version


def next_due(
    table: Table, at: datetime, *, after_verdict: bool = False, largest_cap: float = CAP_MAX
) -> datetime | None:
    """When something happens at ``table`` without a person's move, None if it waits for people without limit."""
    awaited = table.awaited()
    if not awaited:
        # A slap point that nobody is left to watch is settled by the sweep.
        return at if table.at_slap_point else None
    if table.forced_step():
        return at + timedelta(milliseconds=pause_before_step(table.pace, largest_cap, after_verdict=after_verdict))
    thinking = [pause_of(table.sitters[seat].name) for seat in awaited if seat >= 0 and table.sitters[seat].is_ai]
    if thinking:
        return at + timedelta(milliseconds=ai_pause(*min(thinking)))
    return min((clock.due_at for clock in table.clocks if clock.due_at is not None), default=None)


def _run_clocks(change: Change, hours: Mapping[int, calendars.Hours]) -> None:
    """Stop and start the clocks of the people whose turns ended or began."""
    table, at = change.table, change.at
    preset = PRESETS.get(table.clock)
    for number in {*change.asked, *change.movers}:
        if number < 0 or table.sitters[number].is_ai:
            continue
        clock = table.clocks[number]
        theirs = hours.get(table.sitters[number].player_id or 0)
        for seat, source in change.ended:
            if seat == number:
                by_player = source == Move.Source.PLAYER
                calendar = calendar_of(table, number, theirs, clock.asked_at or at)
                clock = ended(clock, at, preset, calendar, by_player=by_player)
                if not by_player:
                    _missed(change, number, clock)
        if change.movers.get(number) == Move.Source.PLAYER:
            if clock.autopilot_at is not None:
                change.report(number, Incident.Kind.RETURNED)
            clock = returned(clock)
        version = change.asked.get(number)
        if version is not None:
            clock = begun(clock, at, version, preset, calendar_of(table, number, theirs, at))
        if clock != table.clocks[number]:
            change.clocks[number] = table.clocks[number] = clock


def _missed(change: Change, number: int, clock: SeatClock) -> None:
    """Note a turn that a stand-in has played."""
    change.missed.append(number)
    if clock.autopilot_at is None:
        change.report(number, Incident.Kind.STAND_IN)
    elif clock.autopilot_at == change.at:
        change.report(number, Incident.Kind.AUTOPILOT)


_ADVANCE = """
UPDATE games_match SET version = new.column3, awaited = new.column4, turn_since = new.column5, due_at = new.column6
FROM (VALUES {rows}) AS new
WHERE games_match.id = new.column1 AND games_match.version = new.column2
  AND games_match.roster = new.column7 AND games_match.status = 'running'
RETURNING games_match.id
"""


def _pressed_meanwhile(changes: dict[int, Change]) -> set[int]:
    """Matches with a press on the card that is closed which the change knows nothing of; from here on none comes."""
    closing = {pk: change for pk, change in changes.items() if change.closes is not None}
    if not closing:
        return set()
    # A press moves the row, too, so it waits here or is seen below.
    slap_store.lock(changes)
    return {
        match_id
        for match_id, version, pk in slap_store.pending(closing)
        if version == closing[match_id].closes and pk not in {attempt.pk for attempt in closing[match_id].judged}
    }


def _advance(changes: dict[int, Change], but: Collection[int] = ()) -> set[int]:
    """Move each match from the version its change began with to the new one; the ids of those that did."""
    changes = {pk: change for pk, change in changes.items() if pk not in but}
    if not changes:
        return set()
    adapt = connection.ops.adapt_datetimefield_value
    types = ("bigint", "int", "int", "text", "timestamptz", "timestamptz", "int")
    values: list[Any] = []
    for pk, change in changes.items():
        table = change.table
        values += (
            pk,
            change.from_version,
            table.version,
            " ".join(str(seat) for seat in table.awaited()),
            adapt(table.turn_since),
            adapt(change.due_at),
            table.roster,
        )
    sql = _ADVANCE.format(rows=", ".join([_marks(types)] * len(changes)))
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return {pk for (pk,) in cursor.fetchall()}


#: The types of the clock columns, in their order.
_CLOCK_TYPES = ("timestamptz", "int", "timestamptz", "int", "int", "int", "bool", "timestamptz", "timestamptz")
_CLOCKS = """
UPDATE games_seat SET {assignments} FROM (VALUES {rows}) AS new
WHERE games_seat.match_id = new.column1 AND games_seat.number = new.column2
"""


def _store_clocks(changes: Sequence[Change]) -> None:
    """Store the clocks that changed, of all matches in one statement."""
    adapt = connection.ops.adapt_datetimefield_value
    values: list[Any] = []
    count = 0
    for change in changes:
        for number, clock in change.clocks.items():
            values += (change.table.match_id, number)
            values += (adapt(value) if isinstance(value, datetime) else value for value in clock.values())
            count += 1
    if not count:
        return
    marks = _marks(("bigint", "int", *_CLOCK_TYPES))
    assignments = ", ".join(f"{name} = new.column{place}" for place, name in enumerate(CLOCK_COLUMNS, start=3))
    with connection.cursor() as cursor:
        cursor.execute(_CLOCKS.format(assignments=assignments, rows=", ".join([marks] * count)), values)


def _marks(types: Sequence[str]) -> str:
    """One row of placeholders; PostgreSQL must be told the types of a bare list of values, SQLite takes them as is."""
    return f"({', '.join(f'%s::{name}' if connection.vendor == 'postgresql' else '%s' for name in types)})"


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


def _insert_attempts(changes: Sequence[Change]) -> None:
    slap_store.store([attempt for change in changes for attempt in change.attempts])
    notes = [attempt for change in changes for attempt in change.notes]
    if notes:
        # One of a kind for each card and seat is evidence enough.
        SlapAttempt.objects.bulk_create(notes, ignore_conflicts=True)


def turns_begun(change: Change) -> list[events.Turn]:
    """The people whose turns this change begins, to be told of it."""
    table = change.table
    return [
        turn
        for number, version in change.asked.items()
        if version is not None and (turn := turn_of(table, number, version, change.at)) is not None
    ]


def turn_of(table: Table, number: int, version: int, at: datetime) -> events.Turn | None:
    """A turn that begins for a seat, if a person is to be told of it: nobody who lets a stand-in play is."""
    if number < 0:
        return None
    sitter = table.sitters[number]
    if sitter.player_id is None or table.clocks[number].autopilot_at is not None:
        return None
    return events.Turn(table.match_id, sitter.player_id, number, version, at, table.is_live)


def _store_rarities(change: Change) -> None:
    """What few moves bring: pauses, snapshots, the end of the match."""
    table = change.table
    for write in change.also:
        write()
    if change.incidents:
        Incident.objects.bulk_create(change.incidents)
        for told in change.incidents:
            player_id = table.sitters[told.seat].player_id
            if told.kind == Incident.Kind.AUTOPILOT and player_id is not None and not table.is_live:
                events.record(events.PlayerAway(table.match_id, told.version, player_id))
    for number in change.missed:
        note_missed(table, number, change.at)
    outcome = table.state.outcome() if change.entries else None
    if outcome is not None:
        finish(table, outcome, change.at)
    elif table.version // live_match.SNAPSHOT_EVERY > table.snapshot_version // live_match.SNAPSHOT_EVERY:
        Match.objects.filter(pk=table.match_id).update(snapshot=table.to_snapshot(), snapshot_version=table.version)
        table.snapshot_version = table.version


def note_missed(table: Table, number: int, at: datetime) -> None:
    """Remember a missed turn of whoever sits there, for their reliability."""
    player_id = table.sitters[number].player_id
    if player_id is not None:
        turns = Seat.objects.filter(player=player_id).aggregate(turns=Sum("turns"))["turns"] or 0
        MissedTurn.objects.create(player_id=player_id, match_id=table.match_id, at=at, turns=turns)


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
        seat.asked_at = seat.asked_version = seat.due_at = None
    Seat.objects.bulk_update(seats, ["place", "points", "asked_at", "asked_version", "due_at"])
    people = tuple(seat.player_id for seat in seats if seat.player_id is not None)
    events.record(events.MatchEnded(table.match_id, table.version, people, table.is_live))
    table.status = Match.Status.OVER
