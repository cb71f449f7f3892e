"""What happens without a request: AI turns, and the sweep over whatever is due.

Every task may run twice or not at all: rows say what is due, versions and request ids make repeats harmless.
"""

import hmac
import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from games import ai_pool, play
from games.ai.players import choose
from games.models import Match, Move
from games.tables import Table

log = logging.getLogger(__name__)

#: Seconds that something may be overdue before the sweep looks after it.
GRACE = 3
#: Seconds for which a swept match is left alone.
LEASE = 15
#: Matches that one sweep takes up.
SWEPT_AT_ONCE = 200


@shared_task(acks_late=True)
def ai_turn(match_id: int, version: int) -> None:
    """Let the AI players whom a match at ``version`` waits for move; nothing if it has moved on."""
    try:
        table = play.load(match_id)
    except KeyError:
        return
    if table.version != version or table.status != Match.Status.RUNNING or table.forced_step():
        return
    for seat in table.state.to_move():
        if seat >= 0 and table.sitters[seat].is_ai:
            _move(table, seat)


def _move(table: Table, seat: int) -> None:
    """Have one AI player think in a child process and make its move through the door."""
    view = table.state.view(seat)
    # Its chance is its own, drawn from the match's so that a repeated task finds the same move.
    seed = hmac.digest(table.seed.encode(), f"ai/move/{table.version}/{seat}".encode(), "sha256").hex()
    move = ai_pool.submit(choose, view, table.sitters[seat].ai_level, seed).result()
    try:
        play.act(
            table.match_id,
            seat,
            move,
            request_id=f"ai:{table.version}:{seat}",
            seen_version=table.version,
            source=Move.Source.AI,
        )
    except play.Refused as refusal:
        log.info("match %s: AI move %s at version %s refused: %s", table.key, move, table.version, refusal)


@shared_task
def sweep() -> None:
    """Take up every match at which something is overdue: AI turns that got lost, people whose time is over."""
    now = timezone.now()
    overdue = Match.objects.filter(status=Match.Status.RUNNING, due_at__lt=now - timedelta(seconds=GRACE))
    for match_id, version, due_at in overdue.order_by("due_at").values_list("pk", "version", "due_at")[:SWEPT_AT_ONCE]:
        # A lease: of several sweeps one takes up each match, and a failing one does not block the others.
        leased = Match.objects.filter(pk=match_id, due_at=due_at, version=version).update(
            due_at=now + timedelta(seconds=LEASE)
        )
        if leased:
            take_up(match_id, version)


def take_up(match_id: int, version: int) -> None:
    """Have AI players think and stand-ins move at a match that is overdue at ``version``; faults are logged."""
    try:
        if play.load(match_id).forced_step():
            # Nobody is at the table to see the next card: it waits until somebody comes.
            Match.objects.filter(pk=match_id, version=version).update(due_at=None)
            return
        play.time_out(match_id)
        ai_turn.delay(match_id, version)
    except play.Refused as refusal:
        log.info("match %s at version %s: %s", match_id, version, refusal)
    except Exception:
        log.exception("match %s at version %s could not be taken up", match_id, version)


@shared_task
def tidy_open_tables() -> None:
    """Close open tables that everybody has forgotten."""
    closed = play.close_unattended()
    if closed:
        log.info("closed %d open tables that nobody came back to", closed)
