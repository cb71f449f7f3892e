"""Celery tasks of this application; each may run at any time, twice, or at the same time as itself."""

from celery import shared_task

from . import retention
from .outbox import send_waiting_mail

__all__ = ["send_waiting_mail", "tidy"]


@shared_task
def tidy() -> None:
    """Remove what is kept no longer."""
    retention.tidy()
