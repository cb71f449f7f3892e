"""Celery tasks of this application; each may run at any time, twice, or at the same time as itself."""

from celery import shared_task

from . import retention
from .outbox import send_waiting_mail

__all__ = ["delete_expired", "send_waiting_mail"]


@shared_task(name="accounts.tasks.tidy")
def delete_expired() -> None:
    """Delete data whose retention time is over."""
    retention.delete_expired()
