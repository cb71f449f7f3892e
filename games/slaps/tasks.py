"""The nightly tasks of slaps."""

import logging

from celery import shared_task

from games.slaps import flags

log = logging.getLogger(__name__)


@shared_task
def flag_slaps() -> None:
    """Check yesterday's slaps for anomalies."""
    count = flags.flag_slaps()
    if count:
        log.info("%d slap flags added or changed", count)
