"""Celery tasks of plans; each may run at any time, twice, or not at all."""

from celery import shared_task

from games.plans import deeds


@shared_task
def run(match_id: int) -> None:
    """Play what is planned for the seats that a match waits for."""
    deeds.run(match_id)


@shared_task
def sweep() -> None:
    """Take up forced moves that are due, and plans whose task was lost."""
    deeds.sweep()
