"""Plans: a seat's plan, a pending forced move, and players' settings for automatic moves."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.matches.models import Seat
from games.plans.preconditions import Ending


class Plan(models.Model):
    """A player's plan for their turns: some moves in order, or bids up to a maximum.

    The row stays after the plan has ended, so that its player can read why. ``edition`` and ``position`` identify each
    step for the match service, so a step that is processed twice is played once.
    """

    seat = models.OneToOneField(Seat, on_delete=models.CASCADE, related_name="plan")
    #: The plan's owner: a player who takes over the seat has no plan.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="plans")
    #: Move codes in order; empty for bids.
    moves = models.JSONField(default=list, blank=True)
    #: The highest bid to make for the player; null for moves.
    maximum = models.PositiveSmallIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    edition = models.PositiveIntegerField(default=0)
    #: What the plan depends on; see ``preconditions``.
    premise = models.JSONField(default=dict, blank=True)
    laid_at = models.DateTimeField(default=timezone.now)
    #: The version of the match at which nothing of it could be played; the sweep comes back after the next move.
    version = models.PositiveIntegerField(null=True, blank=True)
    ending = models.CharField(max_length=10, choices=Ending.choices, blank=True)

    class Meta:
        verbose_name = _("plan")
        verbose_name_plural = _("plans")
        indexes = [models.Index(fields=["seat"], condition=Q(ending=""), name="plan_active")]
        constraints = [
            models.CheckConstraint(
                name="plan_moves_or_maximum", condition=Q(maximum__isnull=True) | Q(maximum__gte=1, moves=[])
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat_id}, edition {self.edition}"

    @property
    def is_active(self) -> bool:
        """Whether parts of it are still to be played."""
        return not self.ending

    @property
    def left(self) -> list[str]:
        """The moves not played yet."""
        return [str(move) for move in self.moves[self.position :]]


class ForcedMove(models.Model):
    """A seat's latest forced move, and when the table plays it if it wasn't made."""

    seat = models.OneToOneField(Seat, on_delete=models.CASCADE, related_name="forced_move")
    #: The version that was examined.
    version = models.PositiveIntegerField()
    move = models.CharField(max_length=200, blank=True)
    #: When the table plays it; null if there is a choice, or it was played.
    due_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("forced move")
        verbose_name_plural = _("forced moves")
        indexes = [models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="forced_due")]

    def __str__(self) -> str:
        return f"seat {self.seat_id} v{self.version}"


class Habit(models.Model):
    """A player's automatic moves in turn-based matches; without a row, none."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="playing_habit"
    )
    plays_forced = models.BooleanField(_("play my only legal move for me"), default=False)

    class Meta:
        verbose_name = _("playing habit")
        verbose_name_plural = _("playing habits")

    def __str__(self) -> str:
        return f"{self.user_id}"
