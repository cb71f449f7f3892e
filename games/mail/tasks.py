"""Celery tasks of notices; each may run at any time, twice, or concurrently."""

from celery import shared_task

from games.mail import dispatch
from games.mail.push import send_pushes

__all__ = ["delete_expired", "send_notices", "send_pushes"]


@shared_task
def send_notices() -> None:
    """Send all due notices."""
    dispatch.send_due()


@shared_task(name="games.mail.tasks.tidy")
def delete_expired() -> None:
    """Remove old notices."""
    dispatch.delete_expired()
