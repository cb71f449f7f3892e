"""Celery tasks of this application; each may run at any time, twice, or at the same time as itself."""

from celery import shared_task

from . import outbox, retention


@shared_task
def send_waiting_mail() -> None:
    """Send the mails that are due."""
    outbox.send_due()


@shared_task
def tidy() -> None:
    """Remove what is kept no longer."""
    retention.tidy()
