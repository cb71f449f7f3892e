"""Celery tasks of the moderators' desk; running twice does no harm."""

from celery import shared_task
from django.utils import timezone

from accounts.moderation import sanctions
from games.moderation import quick, reminders


@shared_task
def carry_out_decisions() -> None:
    """Carry out quick decisions that can no longer be undone, and open accounts whose time is over."""
    now = timezone.now()
    quick.carry_out_due(now)
    sanctions.reopen_due(now)


@shared_task
def remind_moderators() -> None:
    """Email moderators about what has waited for a day."""
    reminders.remind(timezone.now())
