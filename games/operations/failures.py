"""Remembers what failed at a match when nobody was there to see it, for whoever keeps the site going."""

import logging
import re
import traceback
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from games.matches.models import Match
from games.operations.models import Failure

log = logging.getLogger(__name__)

Kind = Failure.Kind
#: For how long a failure is kept after it happened last.
KEPT = timedelta(days=30)
_FRAME = re.compile(r'File "(?:[^"]*/)?([^"/]+/[^"/]+)", line (\d+), in (\w+)')


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
        log.exception("match %s at version %s: this failure could not be noted: %s", match_id, version, text)


def place_of(error: Exception) -> str:
    """What kind of error it is and where it arose, without its message: that may name hidden cards.

    An error of a child process carries the place there as the text of its cause.
    """
    remote = _FRAME.findall(str(error.__cause__)) if error.__cause__ is not None else []
    local = _FRAME.findall("".join(traceback.format_tb(error.__traceback__)))
    frames = remote or local
    where = " in {}, line {}, {}".format(*frames[-1]) if frames else ""
    return f"{type(error).__name__}{where}"


def fault_in_words(match: Match, fault: str) -> str:
    """A fault of the replay check; of a running match without its details, which may name hidden cards."""
    return fault.partition(":")[0] if match.status == Match.Status.RUNNING else fault


def tidy() -> None:
    """Forget what did not happen again for long."""
    Failure.objects.filter(last_at__lt=timezone.now() - KEPT).delete()
