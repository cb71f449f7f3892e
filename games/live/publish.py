"""What is announced after a commit, to every process that has somebody at the table."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from channels.layers import get_channel_layer
from django.utils import timezone

from games.commit import Change
from games.live import process

log = logging.getLogger(__name__)

#: Reaches the broker, which must never hold up a commit.
_broker = ThreadPoolExecutor(1, thread_name_prefix="broker")


def group_of(match_id: int) -> str:
    """The channel-layer group of everybody at a table."""
    return f"match.{match_id}"


def to_table(match_id: int, kind: str, **content: Any) -> None:
    """Send a message to every socket at a table, from any thread; losing it loses nothing but time."""
    layer = get_channel_layer()
    process.run_soon(layer.group_send(group_of(match_id), {"type": f"table.{kind}", "match": match_id, **content}))


def changed(change: Change) -> None:
    """Tell of the moves, presses and verdict of one committed change, and have AI players think."""
    table = change.table
    due = _timestamp(change.due_at)
    if change.attempts:
        seats = sorted(attempt.seat for attempt in change.attempts)
        to_table(table.match_id, "slapped", v=table.version, card=table.card, seats=seats, due=due)
    if change.entries:
        to_table(
            table.match_id,
            "moved",
            process=process.ID,
            at=change.at.timestamp(),
            first=change.from_version + 1,
            entries=[[entry.seat, entry.move, entry.request_id, entry.source] for entry in change.entries],
            verdict=change.verdict,
            due=due,
        )
        if any(table.sitters[seat].is_ai for seat in table.state.to_move() if seat >= 0):
            think(table.match_id, table.version, change.due_at)


def started(match_id: int, due_at: datetime | None) -> None:
    """Tell of the deal."""
    reload(match_id)
    think(match_id, 0, due_at)


def reload(match_id: int) -> None:
    """Tell that who sits where, or the match's status, has changed."""
    to_table(match_id, "reload")


def rematch(match_id: int, url: str) -> None:
    """Tell where the same players meet again."""
    to_table(match_id, "rematch", url=url)


def signed_out(user_id: int, session_key: str | None) -> None:
    """Close the sockets of one session of a user, or of all."""
    layer = get_channel_layer()
    process.run_soon(layer.group_send(f"user.{user_id}", {"type": "user.signed_out", "session": session_key}))


def think(match_id: int, version: int, due_at: datetime | None) -> None:
    """Queue the turn of the AI players whom ``version`` of a match waits for, if any."""
    countdown = max(0.0, (due_at - timezone.now()).total_seconds()) if due_at else 0.0
    _broker.submit(_queue_ai_turn, match_id, version, countdown)


def _queue_ai_turn(match_id: int, version: int, countdown: float) -> None:
    from games.tasks import ai_turn

    try:
        ai_turn.apply_async((match_id, version), countdown=countdown)
    except Exception:
        # The row says that it is due: the sweep will find it.
        log.exception("match %s: AI turn at version %s could not be queued", match_id, version)


def _timestamp(at: datetime | None) -> float | None:
    return at.timestamp() if at else None
