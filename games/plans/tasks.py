"""Celery tasks of plans; each may run at any time, twice, or not at all."""

from celery import shared_task

from games.matches.commit.changeset import ChangeSet
from games.matches.presets import LIVE
from games.matches.tasks import queue
from games.plans import run_plans


@shared_task
def run(match_id: int) -> None:
    """Play the plans of the seats that a match waits for."""
    run_plans.run(match_id)


@shared_task
def sweep() -> None:
    """Process due forced moves, and plans whose task was lost."""
    run_plans.sweep()


def follow(change: ChangeSet) -> None:
    """Queue the plans of seats whose turn begins at a slow table."""
    table = change.table
    is_slow = change.entries and table.clock not in LIVE
    asks = is_slow and any(
        version is not None and not table.sitters[seat].is_ai for seat, version in change.asked.items()
    )
    # A task for each move of a slow table would cost more than the move.
    if asks and run_plans.is_planned(table.match_id):
        queue(run, table.match_id)
