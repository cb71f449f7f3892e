"""The nightly check of stored matches."""

import logging
from datetime import timedelta

from celery import shared_task
from django.db.models import Q
from django.utils import timezone

from games.matches import events
from games.matches.faults import fault_in_words
from games.matches.models import Match
from games.replays.check import begun_matches, faults

log = logging.getLogger(__name__)


@shared_task
def check_recent_matches() -> None:
    """Replay matches that are running or ended in the last day, and log every fault as an error."""
    recent = Q(status=Match.Status.RUNNING) | Q(finished_at__gte=timezone.now() - timedelta(days=1))
    for match in begun_matches().filter(recent).iterator(chunk_size=100):
        found = [fault_in_words(match, fault) for fault in faults(match)]
        for fault in found:
            log.error("match %s (%s): %s", match.key, match.slug, fault)
        if found:
            events.publish(events.Failed(events.REPLAY, match.pk, match.version, "; ".join(found)))
