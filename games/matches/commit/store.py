"""The SQL of a batch: one statement of each kind for all its matches."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Sum

from games import engine
from games.matches import events, live_match, sql
from games.matches.commit import slap_store
from games.matches.commit.changeset import ChangeSet
from games.matches.live_match import LiveMatch
from games.matches.models import Incident, Match, MissedTurn, Seat, SlapAttempt
from games.matches.turn_clock import SeatClock


def turns_begun(change: ChangeSet) -> list[events.Turn]:
    """The turns of people that this change begins."""
    table = change.table
    return [
        turn
        for number, version in change.asked.items()
        if version is not None and (turn := turn_of(table, number, version, change.at)) is not None
    ]


def turn_of(table: LiveMatch, number: int, version: int, at: datetime) -> events.Turn | None:
    """The turn that begins for a seat, if its person is to be notified; not while a stand-in plays for them."""
    if number < 0:
        return None
    sitter = table.sitters[number]
    if sitter.player_id is None or table.clocks[number].autopilot_at is not None:
        return None
    return events.Turn(table.match_id, sitter.player_id, number, version, at, table.is_live)


def pressed_meanwhile(changes: dict[int, ChangeSet]) -> set[int]:
    """Matches with a slap on the card being closed that the change doesn't know of; later slaps on it are kept out."""
    closing = {pk: change for pk, change in changes.items() if change.closes is not None}
    if not closing:
        return set()
    # A slap updates the row, too, so it either waits here or is seen below.
    slap_store.lock(changes)
    return {
        match_id
        for match_id, version, pk in slap_store.pending(closing)
        if version == closing[match_id].closes and pk not in {attempt.pk for attempt in closing[match_id].judged}
    }


#: Match, versions before and after, whom it waits for and since when, when something is due, roster before, whether
#: the due time stays, roster after, status.
_ADVANCE_TYPES = ("bigint", "int", "int", "text", "timestamptz", "timestamptz", "int", "bool", "int", "text")
_ADVANCE = """
UPDATE games_match SET version = new.column3, awaited = new.column4, turn_since = new.column5,
  due_at = CASE WHEN new.column8 THEN games_match.due_at ELSE new.column6 END, roster = new.column9
FROM (VALUES {rows}) AS new
WHERE games_match.id = new.column1 AND games_match.version = new.column2
  AND games_match.roster = new.column7 AND games_match.status = new.column10
RETURNING games_match.id
"""


def advance(changes: dict[int, ChangeSet], but: Collection[int] = ()) -> set[int]:
    """Move each match from the version its change began with to the new one; returns the ids that succeeded."""
    changes = {pk: change for pk, change in changes.items() if pk not in but}
    if not changes:
        return set()
    adapt = sql.moments()
    values: list[Any] = []
    for pk, change in changes.items():
        table = change.table
        values += (
            pk,
            change.from_version,
            table.version,
            " ".join(str(seat) for seat in change.awaited),
            adapt(table.turn_since),
            adapt(change.due_at),
            table.seating_epoch,
            change.keeps_due,
            table.seating_epoch + change.needs_reload,
            str(table.status),
        )
    return {pk for (pk,) in sql.fetch(_ADVANCE, _ADVANCE_TYPES, values)}


#: Match, seat, and the fields of a ``SeatClock`` in their order.
_CLOCK_TYPES = (
    *("bigint", "int"),
    *("timestamptz", "int", "timestamptz", "int", "int", "int", "bool", "timestamptz", "timestamptz"),
)
_CLOCKS = """
UPDATE games_seat SET asked_at = new.column3, asked_version = new.column4, due_at = new.column5,
  bank_seconds = new.column6, turns = new.column7, missed = new.column8, is_excused = new.column9,
  autopilot_at = new.column10, offered_at = new.column11
FROM (VALUES {rows}) AS new
WHERE games_seat.match_id = new.column1 AND games_seat.number = new.column2
"""


def store_clocks(clocks: Iterable[tuple[int, int, SeatClock]]) -> None:
    """Store the clocks of seats in one statement, after the row of its match is written."""
    adapt = sql.moments()
    values: list[Any] = []
    for match_id, number, clock in clocks:
        values += (match_id, number)
        values += (adapt(value) if isinstance(value, datetime) else value for value in clock)
    if values:
        sql.execute(_CLOCKS, _CLOCK_TYPES, values)


_LOOKS = """
UPDATE games_seat SET looked_at = new.column3,
  looked_version = CASE WHEN looked_version > new.column4 THEN looked_version ELSE new.column4 END
FROM (VALUES {rows}) AS new
WHERE games_seat.match_id = new.column1 AND games_seat.player_id = new.column2
"""


def store_looks(looks: Sequence[tuple[int, int, int]], at: datetime) -> None:
    """Store that players have looked: match, player and version of each."""
    # Locks rows one by one: locking several at once could deadlock with a batch of moves.
    step = 1 if connection.features.has_select_for_update else len(looks)
    when = sql.moments()(at)
    for first in range(0, len(looks), step or 1):
        rows = looks[first : first + step]
        values = [value for match_id, player_id, version in rows for value in (match_id, player_id, when, version)]
        sql.execute(_LOOKS, ("bigint", "bigint", "timestamptz", "int"), values)


_INSERT_TYPES = ("bigint", "int", "int", "text", "timestamptz", "text", "text")
_INSERT = "INSERT INTO games_move (match_id, number, seat, move, at, source, request_id) VALUES {rows}"


def insert_moves(changes: Sequence[ChangeSet]) -> None:
    """Store the moves of all changes; hand-written SQL, because most of a move's database time goes here."""
    adapt = sql.moments()
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
        sql.execute(_INSERT, _INSERT_TYPES, values)


def insert_attempts(changes: Sequence[ChangeSet]) -> None:
    """Store slaps that wait for their verdict."""
    slap_store.store([attempt for change in changes for attempt in change.attempts])


def insert_notes(changes: Sequence[ChangeSet]) -> None:
    """Store ineffective slaps as evidence, after those that count."""
    notes = [attempt for change in changes for attempt in change.notes]
    if notes:
        # One of each kind per card and seat is enough evidence.
        SlapAttempt.objects.bulk_create(notes, ignore_conflicts=True)


def store_optional_rows(change: ChangeSet) -> None:
    """Write the rows that only some moves produce: pauses, snapshots, the end of the match."""
    table = change.table
    for write in change.also:
        write()
    if change.incidents:
        Incident.objects.bulk_create(change.incidents)
        for absence in change.absences:
            events.record(absence)
    for player_id in change.missed:
        note_missed(table, player_id, change.at)
    outcome = change.outcome or (table.state.outcome() if change.entries else None)
    ended = None
    if outcome is not None:
        ended = finish(table, outcome, change.at)
    elif table.version // live_match.SNAPSHOT_EVERY > table.snapshot_version // live_match.SNAPSHOT_EVERY:
        Match.objects.filter(pk=table.match_id).update(snapshot=table.to_snapshot(), snapshot_version=table.version)
        table.snapshot_version = table.version
    if change.columns:
        Match.objects.filter(pk=table.match_id).update(**change.columns)
    for number, columns in change.seats.items():
        Seat.objects.filter(match_id=table.match_id, number=number).update(**columns)
    if ended is not None:
        # Last, so that recorders read the final rows: an end by agreement, for example, takes the places away again.
        events.record(ended)


def note_missed(table: LiveMatch, player_id: int, at: datetime) -> None:
    """Store a missed turn of a player, which counts against their reliability."""
    turns = (
        Seat.objects.filter(player=player_id, match__lesson__isnull=True).aggregate(turns=Sum("turns"))["turns"] or 0
    )
    MissedTurn.objects.create(player_id=player_id, match_id=table.match_id, at=at, turns=turns)


_PLACES = """
UPDATE games_seat SET place = new.column3, points = new.column4, asked_at = NULL, asked_version = NULL, due_at = NULL
FROM (VALUES {rows}) AS new
WHERE games_seat.match_id = new.column1 AND games_seat.number = new.column2
RETURNING games_seat.player_id
"""


def finish(table: LiveMatch, outcome: engine.Outcome, now: datetime) -> events.MatchEnded:
    """Store how a match ended, inside the transaction of whatever ended it; returns the event to record."""
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
    places = engine.places(outcome.ranking, sides=sides)
    rows = [(table.match_id, seat, place, outcome.points[seat]) for seat, place in enumerate(places)]
    types = ("bigint", "int", "int", "double precision")
    # Django would take 3 ms to build this statement, while the moves of other matches wait.
    seated = sql.fetch(_PLACES, types, [value for row in rows for value in row])
    # Also those whose seat an AI player has taken over: the result is theirs.
    people = tuple(sorted(player_id for (player_id,) in seated if player_id is not None))
    table.status = Match.Status.OVER
    return events.MatchEnded(table.match_id, table.version, people, table.is_live)
