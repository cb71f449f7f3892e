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
#: For how long a failure is kept after it happened last.
KEPT = timedelta(days=30)


def follow(event: events.Failed) -> None:
    """Remember what a task could not do."""
    note(event.kind, event.match_id, event.version, event.error)


def note(kind: str, match_id: int, version: int, error: Exception | str) -> None:
    """Remember a failure; the same one again is counted. Never raises: it must not hide what went wrong."""
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
    """Forget what did not happen again for long."""
    Failure.objects.filter(last_at__lt=timezone.now() - KEPT).delete()
