"""What is announced after a commit, to every process that has somebody at the table."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from channels.layers import get_channel_layer
from django.utils import timezone

from games.matches.commit.batch import Change
from games.matches.models import Match
from games.realtime import process

log = logging.getLogger(__name__)

#: Reaches the broker, which must never hold up a commit.
_broker = ThreadPoolExecutor(1, thread_name_prefix="broker")
#: Seconds before an AI player's turn is due from which on it thinks: nearly all find their move in less.
THINKS_BEFORE = 0.5


#: The channel-layer group of everybody who has a socket.
EVERYBODY = "everybody"


def group_of(match_id: int) -> str:
    """The channel-layer group of everybody at a table."""
    return f"match.{match_id}"


def to_table(match_id: int, kind: str, **content: Any) -> None:
    """Send a message to every socket at a table, from any thread; losing it loses nothing but time."""
    layer = get_channel_layer()
    process.run_soon(layer.group_send(group_of(match_id), {"type": f"table.{kind}", "match": match_id, **content}))


def to_user(user_id: int, kind: str, **content: Any) -> None:
    """Send a message to every socket of one person, at whatever table."""
    layer = get_channel_layer()
    process.run_soon(layer.group_send(f"user.{user_id}", {"type": f"user.{kind}", **content}))


def changed(change: Change) -> None:
    """Tell of the moves, presses and verdict of one committed change, and have AI players think."""
    table = change.table
    due = _timestamp(change.due_at)
    if change.attempts:
        seats = sorted(attempt.seat for attempt in change.attempts)
        card = table.card if change.verdict is None else change.closes
        to_table(table.match_id, "slapped", v=table.version, card=card, seats=seats, due=due)
    elif change.due_at is not None and not change.entries:
        waiting = change.waiting
        to_table(
            table.match_id,
            "due",
            v=table.version,
            due=due,
            waiting=None if waiting is None else [waiting.seat, waiting.until.timestamp()],
        )
    if change.entries:
        to_table(
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
        if any(table.sitters[seat].is_ai for seat in table.awaited() if seat >= 0):
            think(table.match_id, table.version, change.due_at)
        if table.clock != Match.Clock.TABLE and any(
            version is not None and not table.sitters[seat].is_ai for seat, version in change.asked.items()
        ):
            _broker.submit(_queue_plans, table.match_id)


def started(match_id: int, due_at: datetime | None, version: int = 0) -> None:
    """Tell of the deal, or that a match begins at a later ``version``."""
    reload(match_id)
    lobby_changed()
    think(match_id, version, due_at)


def reload(match_id: int) -> None:
    """Tell that who sits where, the match's status, or where its players meet again, has changed."""
    to_table(match_id, "reload")


def lobby_changed() -> None:
    """Tell the lobby that a table was opened, filled, begun or closed."""
    layer = get_channel_layer()
    process.run_soon(layer.group_send("lobby", {"type": "lobby.changed"}))


def news() -> None:
    """Tell every open table, waiting room and lobby that the site has something to announce, or no more."""
    layer = get_channel_layer()
    process.run_soon(layer.group_send(EVERYBODY, {"type": "site.news"}))


def signed_out(user_id: int, session_key: str | None) -> None:
    """Close the sockets of one session of a user, or of all."""
    layer = get_channel_layer()
    process.run_soon(layer.group_send(f"user.{user_id}", {"type": "user.signed_out", "session": session_key}))


def think(match_id: int, version: int, due_at: datetime | None) -> None:
    """Queue the turn of the AI players whom ``version`` of a match waits for, if any.

    They think before the turn is due, and move when it is: the pause, drawn already, tells nothing of what they hold.
    """
    due = (due_at or timezone.now()).timestamp()
    countdown = max(0.0, due - timezone.now().timestamp() - THINKS_BEFORE)
    _broker.submit(_queue_ai_turn, match_id, version, due, countdown)


def _queue_ai_turn(match_id: int, version: int, due: float, countdown: float) -> None:
    from games.matches.tasks import ai_turn

    try:
        ai_turn.apply_async((match_id, version, due), countdown=countdown)
    except Exception:
        # The row says that it is due: the sweep will find it.
        log.exception("match %s: AI turn at version %s could not be queued", match_id, version)


def _queue_plans(match_id: int) -> None:
    """Have played what those who are asked now have planned."""
    from games.plans.tasks import run

    try:
        run.delay(match_id)
    except Exception:
        # The sweep will find the plans.
        log.exception("match %s: its plans could not be queued", match_id)


def _timestamp(at: datetime | None) -> float | None:
    return at.timestamp() if at else None
