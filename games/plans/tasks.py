"""Celery tasks of plans; each may run at any time, twice, or not at all."""

import logging
from concurrent.futures import ThreadPoolExecutor

from celery import shared_task

from games.matches.commit.changeset import Change
from games.matches.models import Match
from games.plans import deeds

log = logging.getLogger(__name__)

#: Reaches the broker, which must never hold up a commit.
_broker = ThreadPoolExecutor(1, thread_name_prefix="broker")


@shared_task
def run(match_id: int) -> None:
    """Play what is planned for the seats that a match waits for."""
    deeds.run(match_id)


@shared_task
def sweep() -> None:
    """Take up forced moves that are due, and plans whose task was lost."""
    deeds.sweep()


def follow(change: Change) -> None:
    """Have played what those who are asked now at a slow table have planned."""
    table = change.table
    is_slow = change.entries and table.clock != Match.Clock.TABLE
    if is_slow and any(version is not None and not table.sitters[seat].is_ai for seat, version in change.asked.items()):
        _broker.submit(_queue, table.match_id)


def _queue(match_id: int) -> None:
    try:
        run.delay(match_id)
    except Exception:
        # The sweep will find the plans.
        log.exception("match %s: its plans could not be queued", match_id)
