"""Background tasks of matches: AI turns, and the sweep over everything that is due.

Every task may run twice or not at all: rows say what is due, versions and request ids make repeats harmless.
"""

import contextlib
import hmac
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from celery import Task, shared_task
from django.core.cache import cache
from django.db.models import QuerySet
from django.utils import timezone

from games.ai import pool
from games.ai.players import choose
from games.matches import events, outages, service
from games.matches.commit.changeset import ChangeSet
from games.matches.faults import place_of
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Move

log = logging.getLogger(__name__)

#: Reaches the broker, which must never hold up a commit or a page.
broker = ThreadPoolExecutor(1, thread_name_prefix="broker")
#: How many seconds before its turn is due an AI player starts thinking; nearly all moves are found in less.
THINKS_BEFORE = 0.5

#: Seconds that something may be overdue before the sweep handles it.
GRACE = 3
#: Seconds after which a task that thinks for a match counts as dead: many times what a search takes, and less than the
#: first sweep waits, which a dead task would otherwise block.
THINKING = 3
#: Seconds for which the sweep leaves a match alone that it has processed. If the task it queued is lost as well, the
#: next one comes that much later: with ``GRACE`` and the time between two sweeps, after less than 15 s.
LEASE = 8
#: Maximum matches per sweep.
SWEPT_AT_ONCE = 200


@shared_task(acks_late=True, soft_time_limit=pool.LONGEST, time_limit=pool.LONGEST + 5)
def ai_turn(match_id: int, version: int, due: float | None = None) -> None:
    """Make the moves of the AI players that a match at ``version`` waits for; does nothing if it has moved on.

    A move found before ``due``, a timestamp, is made at ``due``, so that the time it took to find doesn't show.
    """
    try:
        table = service.load(match_id)
    except KeyError:
        return
    if table.version != version or table.status != Match.Status.RUNNING or table.forced_step() or table.awaits_pupil:
        return
    with _thinking_alone(match_id) as is_alone:
        if not is_alone:
            return
        for seat in table.awaited():
            if seat >= 0 and table.sitters[seat].is_ai:
                with _noting_failures(match_id, version):
                    move = _thought(table, seat)
                    early = 0.0 if due is None else due - timezone.now().timestamp()
                    if early > 0:
                        # Logs name a task by this text, so it leaves out the move, which may be a sealed choice.
                        shown = f"({match_id}, {version}, {seat})"
                        ai_move.apply_async((match_id, version, seat, move), countdown=early, argsrepr=shown)
                    else:
                        _make(match_id, version, seat, move)


@shared_task(acks_late=True)
def ai_move(match_id: int, version: int, seat: int, move: str) -> None:
    """Make the move that an AI player found for a match at ``version``; does nothing if it has moved on."""
    try:
        has_moved_on = service.load(match_id).version != version
    except KeyError:
        return
    if not has_moved_on:
        with _noting_failures(match_id, version):
            _make(match_id, version, seat, move)


@contextlib.contextmanager
def _noting_failures(match_id: int, version: int) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        events.publish(events.Failed(events.AI_TURN, match_id, version, error))
        raise


@contextlib.contextmanager
def _thinking_alone(match_id: int) -> Iterator[bool]:
    """Whether no other task thinks for this match: a task that was queued twice must not take two cores.

    This loses nothing: if the task is turned away or its process dies, the turn stays due in its row, for the sweep.
    """
    name = f"thinking:{match_id}"
    is_alone = cache.add(name, 1, timeout=THINKING)
    try:
        yield is_alone
    finally:
        if is_alone:
            cache.delete(name)


def ai_luck(seed: str, version: int, seat: int) -> str:
    """The seed of an AI player's random choices, derived from the match's seed so that a repeated task repeats them.

    Each player has a different one, and it reveals nothing about the match's seed.
    """
    return hmac.digest(seed.encode(), f"ai/move/{version}/{seat}".encode(), "sha256").hex()


def _thought(table: LiveMatch, seat: int) -> str:
    """The move that an AI player finds in a child process; in a lesson, the scripted one."""
    scripted = table.lesson.move_of(table.version, seat) if table.lesson is not None else None
    if scripted is not None:
        return scripted
    view = table.state.view(seat)
    luck = ai_luck(table.seed, table.version, seat)
    return pool.result(pool.submit(choose, view, table.sitters[seat].ai_level, luck))


def _make(match_id: int, version: int, seat: int, move: str) -> None:
    """Make an AI player's move through the match service."""
    request_id = f"ai:{version}:{seat}"
    try:
        service.act(match_id, seat, move, request_id=request_id, seen_version=version, source=Move.Source.AI)
    except service.Refused as refusal:
        # Leave out the move, which may be a sealed choice, and the reason, which may name its card.
        log.info("match %s: an AI player's move at version %s was refused: %s", match_id, version, refusal.code)
        if refusal.code in ("illegal", "malformed"):
            events.publish(events.Failed(events.AI_TURN, match_id, version, f"its move was refused: {refusal.code}"))


def overdue(now: datetime) -> QuerySet[Match, tuple[int, int, datetime | None]]:
    """The matches for one sweep, longest overdue first: id, version and due time.

    It reads only the due part of the index, however many matches aren't due: see ``manage.py bench_sweep``.
    """
    running = Match.objects.filter(status=Match.Status.RUNNING, due_at__lt=now - timedelta(seconds=GRACE))
    return running.order_by("due_at").values_list("pk", "version", "due_at")[:SWEPT_AT_ONCE]


def follow(change: ChangeSet) -> None:
    """Queue the AI players whose turn begins with a committed change."""
    table = change.table
    if change.entries and any(table.sitters[seat].is_ai for seat in table.awaited() if seat >= 0):
        think(table.match_id, table.version, change.due_at)


def go_on(event: events.MatchStarted | events.SeatTakenOver) -> None:
    """Queue the AI players whose turn it is when a match begins, or when one of them takes over a seat."""
    think(event.match_id, event.version, event.due_at)


def think(match_id: int, version: int, due_at: datetime | None) -> None:
    """Queue the turn of the AI players that ``version`` of a match waits for, if any.

    They think before the turn is due and move when it is: the pause was drawn before, so it reveals nothing about their
    cards.
    """
    due = (due_at or timezone.now()).timestamp()
    countdown = max(0.0, due - timezone.now().timestamp() - THINKS_BEFORE)
    queue(ai_turn, match_id, version, due, countdown=countdown)


def queue(task: Task, match_id: int, *arguments: object, countdown: float = 0) -> None:
    """Queue a task of a match for a worker, without waiting for the broker."""
    broker.submit(_queue, task, (match_id, *arguments), countdown)


def _queue(task: Task, arguments: tuple[object, ...], countdown: float) -> None:
    try:
        task.apply_async(arguments, countdown=countdown)
    except Exception:  # after any error of the broker's client, the rows still say what is due, so a sweep will find it
        log.exception("match %s: %s could not be queued", arguments[0], task.name)


@shared_task
def sweep() -> None:
    """Process every overdue match: lost AI turns, and people whose time is over."""
    now = timezone.now()
    if not outages.is_served(now):
        # Credit an outage before any player is found to be late.
        return
    for match_id, version, due_at in overdue(now):
        # A lease, so that only one sweep processes each match, and a failing match doesn't block the others.
        leased = Match.objects.filter(pk=match_id, due_at=due_at, version=version).update(
            due_at=now + timedelta(seconds=LEASE)
        )
        if leased:
            process_due(match_id, version)


def process_due(match_id: int, version: int) -> str:
    """Let AI players think and stand-ins move in a match that is overdue at ``version``.

    Errors are logged; returns the error that stopped it, usually None.
    """
    try:
        service.time_out(match_id)
        ai_turn.delay(match_id, version)
    except service.Refused as refusal:
        log.info("match %s at version %s: %s", match_id, version, refusal)
        return str(refusal)
    except Exception as error:
        log.exception("match %s at version %s could not be processed", match_id, version)
        events.publish(events.Failed(events.OVERDUE, match_id, version, error))
        return place_of(error)
    return ""
