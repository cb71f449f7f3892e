"""The nightly tasks of slaps."""

import logging

from celery import shared_task

from games.slaps import flags

log = logging.getLogger(__name__)


@shared_task
def flag_slaps() -> None:
    """Judge yesterday's slaps for moderators."""
    count = flags.flag_slaps()
    if count:
        log.info("%d slap flags added or changed", count)
