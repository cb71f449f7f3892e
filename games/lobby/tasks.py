"""The lobby's background tasks."""

import logging

from celery import shared_task

from games.lobby import cleanup
from games.matches import service

log = logging.getLogger(__name__)


@shared_task
def close_stale_tables() -> None:
    """Close open tables that no one uses any more, after warning their hosts."""
    cleanup.warn_hosts()
    closed = service.close_unattended()
    if closed:
        log.info("closed %d unused open tables", closed)
