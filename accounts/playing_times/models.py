"""Models of playing times. Rows are never changed once they are in use, so old turns keep their playing times."""

from datetime import time
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.playing_times.waking import Calendar

#: The defaults for people who have not chosen.
WAKE_FROM, WAKE_TO = time(8), time(23)


class PlayingTimes(models.Model):
    """Playing times that a person has chosen, for turns that begin at ``since`` or later; the newest row counts."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="playing_times")
    since = models.DateTimeField(default=timezone.now)
    zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    wake_from = models.TimeField(_("from"), default=WAKE_FROM)
    wake_to = models.TimeField(_("to"), default=WAKE_TO)
    #: Whether the zone is the browser's, and nothing has been chosen yet.
    is_guess = models.BooleanField(default=False, db_default=False)
    #: Numbers of weekdays (0 is Monday), as ``"5 6"``.
    rest_days = models.CharField(_("rest days"), max_length=20, blank=True)

    class Meta:
        verbose_name = _("playing times")
        verbose_name_plural = _("playing times")
        indexes = [models.Index(fields=["user", "-since"], name="playing_times_newest")]

    def __str__(self) -> str:
        return f"{self.wake_from:%H:%M}–{self.wake_to:%H:%M} {self.zone}"

    @property
    def rest_day_numbers(self) -> frozenset[int]:
        """The weekdays on which the clock stands still."""
        return frozenset(int(number) for number in self.rest_days.split())

    def calendar(self) -> Calendar:
        """The calendar of these playing times, without leave."""
        return Calendar(ZoneInfo(self.zone), self.wake_from, self.wake_to, self.rest_day_numbers)


class Leave(models.Model):
    """A span in which a person's slow clocks stand still: booked, or spent when a clock reached zero."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="leaves")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    #: In days of the person's own length, when it was booked.
    days = models.FloatField(validators=[MinValueValidator(0), MaxValueValidator(21)])
    is_automatic = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("leave")
        verbose_name_plural = _("leave")
        ordering = ["starts_at"]
        indexes = [models.Index(fields=["user", "ends_at"], name="leave_of_user")]
        constraints = [models.CheckConstraint(name="leave_forwards", condition=Q(ends_at__gt=F("starts_at")))]

    def __str__(self) -> str:
        return f"{self.starts_at:%Y-%m-%d %H:%M} – {self.ends_at:%Y-%m-%d %H:%M}"


class LeaveAccount(models.Model):
    """A player's leave at a moment, which has grown since. Without a row, none has been spent yet."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="leave_account", primary_key=True
    )
    days = models.FloatField()
    counted_at = models.DateTimeField()

    class Meta:
        verbose_name = _("leave account")
        verbose_name_plural = _("leave accounts")

    def __str__(self) -> str:
        return f"{self.days:.2f}"


class Deputy(models.Model):
    """The substitute named by a player: they are asked first when one of the player's seats is offered."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="deputy", primary_key=True
    )
    deputy = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="deputy_of")

    class Meta:
        verbose_name = _("substitute")
        verbose_name_plural = _("substitutes")
        constraints = [models.CheckConstraint(name="deputy_is_another", condition=~Q(user=F("deputy")))]

    def __str__(self) -> str:
        return str(self.deputy)
