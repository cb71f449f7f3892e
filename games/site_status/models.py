"""Settings that operators change while the site runs."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Level(models.TextChoices):
    """The urgency of a banner."""

    NOTICE = "notice", _("for information")
    WARNING = "warning", _("important")
    ERROR = "error", _("something is broken")


class Switches(models.Model):
    """A single row with the site's switches. Read through ``games.site_status.state``."""

    signup_open = models.BooleanField(
        _("sign-ups allowed"),
        default=True,
        help_text=_("Off: no new accounts or guests. Existing players can still log in."),
    )
    matches_open = models.BooleanField(
        _("new matches allowed"),
        default=True,
        help_text=_("Off: players can't open tables, and no match begins. Running matches go on."),
    )
    banner = models.CharField(
        _("banner"),
        max_length=200,
        blank=True,
        help_text=_("One sentence at the top of every page. Leave it empty for none."),
    )
    banner_level = models.CharField(_("importance"), max_length=7, choices=Level.choices, default=Level.NOTICE)

    class Meta:
        # Table, permissions and migrations were created under the operations app.
        app_label = "operations"
        verbose_name = _("switches")
        verbose_name_plural = _("switches")

    def __str__(self) -> str:
        return str(_("Site switches"))

    @classmethod
    def row(cls) -> Self:
        """The single row, created if missing."""
        return cls.objects.get_or_create(pk=1)[0]


class Announcement(models.Model):
    """An announcement to everyone, shown on every page until dismissed or over."""

    text = models.TextField(_("text"), max_length=500)
    starts_at = models.DateTimeField(_("from"), default=timezone.now)
    ends_at = models.DateTimeField(_("until"), null=True, blank=True, help_text=_("Empty: until it's deleted."))

    class Meta:
        # Table, permissions and migrations were created under the operations app.
        app_label = "operations"
        verbose_name = _("announcement")
        verbose_name_plural = _("announcements")
        ordering: ClassVar = ["-starts_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="announcement_ends_after_start", condition=Q(ends_at=None) | Q(ends_at__gt=F("starts_at"))
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]

    def clean(self) -> None:
        """Require the end to follow the start."""
        if self.ends_at is not None and self.ends_at <= self.starts_at:
            raise ValidationError({"ends_at": _("The end must be later than the start.")})


class Dismissal(models.Model):
    """A reader has dismissed an announcement."""

    announcement = models.ForeignKey(Announcement, on_delete=models.CASCADE, related_name="dismissals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="dismissals")

    class Meta:
        # Table, permissions and migrations were created under the operations app.
        app_label = "operations"
        verbose_name = _("dismissed announcement")
        verbose_name_plural = _("dismissed announcements")
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "announcement"], name="dismissed_once")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.announcement_id}"


def in_force(now: datetime) -> Q:
    """The announcements shown at ``now``."""
    return Q(starts_at__lte=now) & (Q(ends_at=None) | Q(ends_at__gt=now))
