"""Models of slap points: where each begins, who watches, and how far each player is.

No card is stored here: a segment follows from the match's state and is worked out where it is shown or settled.
Presses are :class:`~games.matches.models.SlapAttempt` rows, named after versions that the match has not come to yet.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.matches.models import Match

#: Who has missed so many slap points in a row is asleep, and not waited for.
ASLEEP_AFTER = 2
#: Lost lines after which a player may still come back to the same segment.
MOST_RETURNS = 2


class SlapPoint(models.Model):
    """A segment that players watch each for themselves, and the slap that it ends with."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="slap_points")
    #: The match's version at which the segment begins; it stays there until the point is settled.
    version = models.PositiveIntegerField()
    opened_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    #: By seat: the number of the card from which it may slap again, as far as turn-based slaps say so.
    locks = models.JSONField(default=list)
    #: What was told of the slaps when it was settled.
    verdict = models.JSONField(null=True)

    class Meta:
        verbose_name = _("slap point")
        verbose_name_plural = _("slap points")
        constraints = [
            models.UniqueConstraint(fields=["match", "version"], name="slap_point_once"),
            models.UniqueConstraint(fields=["match"], condition=Q(settled_at=None), name="slap_point_open_once"),
        ]

    def __str__(self) -> str:
        return f"{self.match} · {self.version}"


class Watch(models.Model):
    """One player's watching of one slap point."""

    class State(models.TextChoices):
        """How far it has come."""

        WAITING = "waiting", _("not begun")
        WATCHING = "watching", _("begun")
        SEEN = "seen", _("seen")
        MISSED = "missed", _("missed")

    #: The match waits for players in these states.
    UNFINISHED = (State.WAITING, State.WATCHING)

    point = models.ForeignKey(SlapPoint, on_delete=models.CASCADE, related_name="watches")
    seat = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: Moves of the segment that were shown; saved before each is sent, so that none is sent twice.
    cursor = models.PositiveIntegerField(default=0)
    #: When the last of them was, or the watching began.
    shown_at = models.DateTimeField(null=True)
    #: The socket that shows the cards now; empty if none does.
    session = models.CharField(max_length=32, blank=True)
    #: Where that socket began.
    session_from = models.PositiveIntegerField(default=0)
    #: How often the line was lost while a card lay open.
    losses = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("watch session")
        verbose_name_plural = _("watch sessions")
        constraints = [models.UniqueConstraint(fields=["point", "seat"], name="watch_once")]

    def __str__(self) -> str:
        return f"{self.point_id} seat {self.seat}: {self.state}"

    @property
    def is_unfinished(self) -> bool:
        """Whether the match waits for this player."""
        return self.state in self.UNFINISHED


class Attendance(models.Model):
    """What of one seat's watching matters from slap point to slap point."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="attendances")
    seat = models.PositiveSmallIntegerField()
    #: Slap points missed in a row.
    missed = models.PositiveSmallIntegerField(default=0)
    #: Whether it has watched for its side since all of them last had.
    has_served = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("attendance")
        verbose_name_plural = _("attendances")
        constraints = [models.UniqueConstraint(fields=["match", "seat"], name="attendance_once")]

    def __str__(self) -> str:
        return f"{self.match_id} seat {self.seat}: {self.missed} missed"

    @classmethod
    def asleep(cls, match_id: int) -> "models.QuerySet[Attendance, int]":
        """The seats for which a match does not wait."""
        found = cls.objects.filter(match=match_id, missed__gte=ASLEEP_AFTER)
        return found.order_by("seat").values_list("seat", flat=True)

    @property
    def is_asleep(self) -> bool:
        """Whether the match goes on without waiting for this player."""
        return self.missed >= ASLEEP_AFTER
