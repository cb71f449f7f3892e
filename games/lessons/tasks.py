"""The lessons' background tasks."""

import logging

from celery import shared_task

from games.lessons import progress

log = logging.getLogger(__name__)


@shared_task(name="games.lessons.tasks.tidy")
def delete_expired() -> None:
    """Delete the matches of old lessons."""
    count = progress.delete_old()
    if count:
        log.info("deleted %d old lessons", count)
