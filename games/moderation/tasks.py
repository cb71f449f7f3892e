"""Celery tasks of the moderators' desk; running twice does no harm."""

from celery import shared_task
from django.utils import timezone

from games.moderation import quick, reminders


@shared_task
def carry_out_decisions() -> None:
    """Carry out quick decisions that can no longer be undone."""
    quick.carry_out_due(timezone.now())


@shared_task
def remind_moderators() -> None:
    """Email moderators about what has waited for a day."""
    reminders.remind(timezone.now())
