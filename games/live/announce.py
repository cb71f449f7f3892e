"""Broadcast each commit to every open table."""

from datetime import datetime
from functools import partial

from django.db import transaction

from games.matches.commit.changeset import ChangeSet
from games.matches.events import MatchStarted
from games.realtime import broadcast, process


def changed(change: ChangeSet) -> None:
    """Broadcast the moves, presses and verdict of one committed change."""
    table = change.table
    due = _timestamp(change.due_at)
    if change.attempts:
        seats = sorted(attempt.seat for attempt in change.attempts)
        card = table.card if change.verdict is None else change.closes
        broadcast.to_table(table.match_id, "slapped", v=table.version, card=card, seats=seats, due=due)
    elif change.step_at is not None and not change.entries and table.forced_step():
        waiting = change.waiting
        broadcast.to_table(
            table.match_id,
            "due",
            v=table.version,
            due=due,
            waiting=None if waiting is None else [waiting.seat, waiting.until.timestamp()],
        )
    if change.entries:
        broadcast.to_table(
            table.match_id,
            "moved",
            process=process.ID,
            at=change.at.timestamp(),
            first=change.from_version + 1,
            entries=[[entry.seat, entry.move, entry.request_id, entry.source] for entry in change.entries],
            verdict=change.verdict,
            clocks=[[seat, clock.to_json()] for seat, clock in change.clocks.items()],
            incidents=[[told.version, told.seat, told.kind, told.name, told.other] for told in change.incidents],
            due=due,
        )
    if change.needs_reload:
        transaction.on_commit(partial(broadcast.reload, table.match_id))
    if change.outcome is not None:
        transaction.on_commit(broadcast.lobby_changed)


def started(event: MatchStarted) -> None:
    """Broadcast that a match has begun, at its deal or at a later version."""
    broadcast.reload(event.match_id)
    broadcast.lobby_changed()


def _timestamp(at: datetime | None) -> float | None:
    return at.timestamp() if at else None
