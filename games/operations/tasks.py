"""Hourly counts and clean-up, and the check of the sweep; running twice does no harm."""

import logging

from celery import shared_task
from django.utils import timezone

from games.operations import daily_stats, failures, health

log = logging.getLogger(__name__)


@shared_task
def count_days() -> None:
    """Count recent days, and delete old failures."""
    daily_stats.count_days()
    failures.delete_expired()


@shared_task
def watch_sweep() -> None:
    """Log an error if anything has been overdue for long, because then the sweep isn't working."""
    late = health.overdue_since(timezone.now())
    if late is not None:
        log.error("work has been overdue since %s: is the sweep running?", late)
