"""Models of slap points: where each begins, who watches it, and how far each player has come.

No card is stored here: a segment follows from the match's state, and is computed where it is shown or settled. Slaps
are :class:`~games.matches.models.SlapAttempt` rows with versions that the match has not reached yet.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.compiled import compiled
from games.matches.models import Match

#: After this many slap points missed in a row the match no longer waits for a player.
ASLEEP_AFTER = 2
#: How often a player may lose the connection and return to the same segment.
MOST_RETURNS = 2


class SlapPoint(models.Model):
    """A segment that each player watches separately, and the slap that it ends with."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="slap_points")
    #: The match's version at which the segment begins; the match stays there until the point is settled.
    version = models.PositiveIntegerField()
    opened_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    #: By seat, the number of the card from which it may slap again, with lock-outs of turn-based slaps only.
    locks = models.JSONField(default=list)
    #: What players were told about the slaps when the point was settled.
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
        """How far the watch has come."""

        WAITING = "waiting", _("not begun")
        WATCHING = "watching", _("begun")
        SEEN = "seen", _("seen")
        MISSED = "missed", _("missed")

    #: The match waits for players in these states.
    UNFINISHED = (State.WAITING, State.WATCHING)

    point = models.ForeignKey(SlapPoint, on_delete=models.CASCADE, related_name="watches")
    seat = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: How many moves of the segment were shown; saved before each is sent, so that none is sent twice.
    cursor = models.PositiveIntegerField(default=0)
    #: When the last move was shown, or the watch began.
    shown_at = models.DateTimeField(null=True)
    #: The socket that shows the cards now; empty if there is none.
    session = models.CharField(max_length=32, blank=True)
    #: The move at which that socket began.
    session_from = models.PositiveIntegerField(default=0)
    #: How often the connection was lost while a card lay open.
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
    """What has to be known about a seat's watching from one slap point to the next."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="attendances")
    seat = models.PositiveSmallIntegerField()
    #: Slap points missed in a row.
    missed = models.PositiveSmallIntegerField(default=0)
    #: Whether the seat has watched for its team since all of the team last had.
    has_served = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("attendance")
        verbose_name_plural = _("attendances")
        constraints = [models.UniqueConstraint(fields=["match", "seat"], name="attendance_once")]

    def __str__(self) -> str:
        return f"{self.match_id} seat {self.seat}: {self.missed} missed"

    @staticmethod
    @compiled
    def asleep(match_id: int) -> "models.QuerySet[Attendance, int]":
        """The seats that a match doesn't wait for."""
        found = Attendance.objects.filter(match=match_id, missed__gte=ASLEEP_AFTER)
        return found.order_by("seat").values_list("seat", flat=True)

    @property
    def is_asleep(self) -> bool:
        """Whether the match goes on without waiting for this player."""
        return self.missed >= ASLEEP_AFTER
