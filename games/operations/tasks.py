"""Counting and tidying, every hour; running twice does no harm."""

from celery import shared_task

from games.operations import daily_stats, failures


@shared_task
def count_days() -> None:
    """Count the last days, and forget failures that are long past."""
    daily_stats.count_days()
    failures.tidy()
