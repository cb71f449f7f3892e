"""Pauses of a table for two while one player is gone: stored in the database, so they survive a restart.

This module stores nothing: the match service stores a pause in the transaction that also moves the table's due time.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.judging.timing import PAUSE_BUDGET
from games.matches.models import Match


class Pause(models.Model):
    """How long a table for two has waited for one of its players, and whether it is waiting now."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="pauses")
    seat = models.PositiveSmallIntegerField()
    #: Since when the table waits; null while it doesn't.
    since = models.DateTimeField(null=True)
    #: When the table last went on.
    ended_at = models.DateTimeField(null=True)
    #: How much of the budget earlier pauses took, in ms.
    used = models.PositiveIntegerField(default=0)

    class Meta:
        # Its table, permissions and migrations were made with those of slaps.
        app_label = "slaps"
        verbose_name = _("pause")
        verbose_name_plural = _("pauses")
        constraints = [models.UniqueConstraint(fields=["match", "seat"], name="pause_once_per_seat")]

    def __str__(self) -> str:
        return f"{self.match_id} seat {self.seat}: {self.used} ms"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A running pause: for whom, and until when at the latest."""

    seat: int
    until: datetime


def waiting_at(match_id: int) -> Waiting | None:
    """The running pause of a table, None if there is none."""
    pause = open_at(match_id)
    return None if pause is None else waiting(pause)


def open_at(match_id: int) -> Pause | None:
    """The stored pause of a table that is running."""
    return Pause.objects.filter(match=match_id, since__isnull=False).first()


def hold(match_id: int, seat: int, at: datetime) -> Pause:
    """Begin or continue the pause for ``seat``; if its budget is used up it ends, and ``since`` is None."""
    pause = Pause.objects.filter(match=match_id, seat=seat).first() or Pause(match_id=match_id, seat=seat)
    if pause.since is None and pause.used < PAUSE_BUDGET:
        pause.since = at
    elif pause.since is not None and waiting(pause).until <= at:
        end(pause, at)
    return pause


def waiting(pause: Pause) -> Waiting:
    """The running pause in the form sent to the table's pages."""
    since = pause.since
    assert since is not None  # noqa: S101 - for the type checker: only pauses that are on come here
    return Waiting(pause.seat, since + timedelta(milliseconds=PAUSE_BUDGET - pause.used))


def end(pause: Pause, at: datetime) -> None:
    """End a pause and add its length to the used budget."""
    if pause.since is not None:
        taken = max(0, round((at - pause.since) / timedelta(milliseconds=1)))
        pause.used = min(PAUSE_BUDGET, pause.used + taken)
        pause.since, pause.ended_at = None, at


def has_closed(match_id: int, shown_at: datetime) -> bool:
    """Whether the table has paused since the top card was shown: its window doesn't open again."""
    rows = Pause.objects.filter(match=match_id)
    return rows.filter(Q(since__isnull=False) | Q(ended_at__gte=shown_at)).exists()
