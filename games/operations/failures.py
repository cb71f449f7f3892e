"""Record for operators what failed at a match while no person was looking."""

import logging
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from games.matches import events
from games.matches.faults import place_of
from games.operations.models import Failure

log = logging.getLogger(__name__)

Kind = Failure.Kind
#: How long a failure is kept after its last occurrence.
KEPT = timedelta(days=30)


def follow(event: events.Failed) -> None:
    """Record a failed task."""
    note(event.kind, event.match_id, event.version, event.error)


def note(kind: str, match_id: int, version: int, error: Exception | str) -> None:
    """Record a failure, or count a repeated one. Never raises, since that would hide the original error."""
    text = (error if isinstance(error, str) else place_of(error))[:300]
    try:
        with transaction.atomic():
            _row, is_new = Failure.objects.get_or_create(
                match_id=match_id, version=version, kind=kind, defaults={"error": text}
            )
            if not is_new:
                Failure.objects.filter(match=match_id, version=version, kind=kind).update(
                    times=F("times") + 1, last_at=timezone.now(), error=text
                )
    except DatabaseError:
        log.exception("match %s at version %s: could not record this failure: %s", match_id, version, text)


def delete_expired() -> None:
    """Delete failures that haven't occurred for a long time."""
    Failure.objects.filter(last_at__lt=timezone.now() - KEPT).delete()
