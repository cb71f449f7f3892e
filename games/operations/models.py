"""Models for operators."""

from datetime import datetime
from typing import Any, ClassVar

from django.db import models
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from games.matches.models import Match
from games.site_status.models import Announcement, Dismissal, Switches

__all__ = ["Announcement", "BouncedAddress", "DayCount", "Dismissal", "Failure", "Switches", "values_of"]


class Failure(models.Model):
    """A failure at a match in the background."""

    class Kind(models.TextChoices):
        """The failed operation."""

        AI_TURN = "ai_turn", _("AI turn")
        OVERDUE = "take_up", _("overdue step")
        REPLAY = "replay", _("replay check")

    kind = models.CharField(_("what"), max_length=7, choices=Kind.choices)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="failures")
    version = models.PositiveIntegerField(_("version"))
    #: Type and place of the error, never its message, which may name cards.
    error = models.CharField(_("error"), max_length=300)
    times = models.PositiveIntegerField(_("count"), default=1)
    first_at = models.DateTimeField(_("first time"), default=timezone.now)
    last_at = models.DateTimeField(_("last time"), default=timezone.now)

    class Meta:
        verbose_name = _("failure")
        verbose_name_plural = _("failures")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "version", "kind"], name="failure_once_per_version")
        ]
        indexes: ClassVar = [
            models.Index(fields=["-last_at"], name="failure_newest"),
            models.Index(fields=["kind", "-last_at"], name="failure_list"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.match_id} v{self.version}"


class DayCount(models.Model):
    """A daily count (UTC), so that charts need not count millions of rows."""

    class What(models.TextChoices):
        """The thing that is counted."""

        MATCHES = "matches", _("matches started")
        TURNS = "turns", _("moves made by people")
        SIGN_UPS = "sign_ups", _("new members")
        MAILS = "mails", _("emails sent")

    day = models.DateField(_("day"))
    what = models.CharField(_("what"), max_length=8, choices=What.choices)
    count = models.PositiveIntegerField(_("count"))

    class Meta:
        verbose_name = _("daily figure")
        verbose_name_plural = _("daily figures")
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "what"], name="day_counted_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.what}: {self.count}"


class BouncedManager(models.Manager["BouncedAddress"]):
    """Finds people whose address accepts no emails."""

    def get_queryset(self) -> models.QuerySet["BouncedAddress"]:
        """Rows whose bounced address is still the person's current one."""
        return super().get_queryset().filter(email=F("undeliverable")).exclude(undeliverable="")


class BouncedAddress(User):
    """A person who gets no more emails, because their address bounced or complained."""

    objects: ClassVar = BouncedManager()  # type: ignore[assignment]  # a narrower one than users have

    class Meta:
        proxy = True
        verbose_name = _("bounced address")
        verbose_name_plural = _("bounced addresses")


def values_of(row: models.Model, *names: str) -> dict[str, Any]:
    """Columns of a row as JSON values, for the log."""
    values = {name: getattr(row, name) for name in names}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
