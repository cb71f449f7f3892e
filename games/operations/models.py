"""What is stored for whoever keeps the site going."""

from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from games.matches.models import Match


class Level(models.TextChoices):
    """How loud a banner is."""

    NOTICE = "notice", _("for information")
    WARNING = "warning", _("important")
    ERROR = "error", _("something is broken")


class Switches(models.Model):
    """One row: what the site offers just now. Read through ``games.operations.state``."""

    signup_open = models.BooleanField(
        _("sign-up is open"),
        default=True,
        help_text=_("Off: no new accounts and no new guests; others log in as ever."),
    )
    matches_open = models.BooleanField(
        _("new matches are open"),
        default=True,
        help_text=_("Off: no table is opened and none begins; running matches go on."),
    )
    banner = models.CharField(
        _("banner"), max_length=200, blank=True, help_text=_("One sentence at the top of every page. Empty: none.")
    )
    banner_level = models.CharField(_("tone"), max_length=7, choices=Level.choices, default=Level.NOTICE)

    class Meta:
        verbose_name = _("switches")
        verbose_name_plural = _("switches")

    def __str__(self) -> str:
        return str(_("Switches of the site"))

    @classmethod
    def row(cls) -> Self:
        """The one row, made if it is not there."""
        return cls.objects.get_or_create(pk=1)[0]


class Announcement(models.Model):
    """Something to tell everybody, shown on every page until it is dismissed or over."""

    text = models.TextField(_("text"), max_length=500)
    starts_at = models.DateTimeField(_("from"), default=timezone.now, help_text=_("UTC."))
    ends_at = models.DateTimeField(
        _("until"), null=True, blank=True, help_text=_("UTC. Empty: until it is taken away.")
    )

    class Meta:
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
        """The end lies after the start."""
        if self.ends_at is not None and self.ends_at <= self.starts_at:
            raise ValidationError({"ends_at": _("The end must be later than the start.")})


class Dismissal(models.Model):
    """Somebody has seen enough of an announcement."""

    announcement = models.ForeignKey(Announcement, on_delete=models.CASCADE, related_name="dismissals")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="dismissals")

    class Meta:
        verbose_name = _("dismissed announcement")
        verbose_name_plural = _("dismissed announcements")
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "announcement"], name="dismissed_once")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.announcement_id}"


class Failure(models.Model):
    """Something about a match that did not work when nobody was there to see it."""

    class Kind(models.TextChoices):
        """What was tried."""

        AI_TURN = "ai_turn", _("turn of an AI player")
        TAKE_UP = "take_up", _("what was due")
        REPLAY = "replay", _("replay check")

    kind = models.CharField(_("what"), max_length=7, choices=Kind.choices)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="failures")
    version = models.PositiveIntegerField(_("version"))
    #: Kind and place of the fault, never its message, which may name cards.
    error = models.CharField(_("error"), max_length=300)
    times = models.PositiveIntegerField(_("times"), default=1)
    first_at = models.DateTimeField(_("first"), default=timezone.now)
    last_at = models.DateTimeField(_("last"), default=timezone.now)

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
    """How much of something there was on one day (UTC), so that charts need not count millions of rows."""

    class What(models.TextChoices):
        """What is counted."""

        MATCHES = "matches", _("matches begun")
        TURNS = "turns", _("moves made by people")
        SIGN_UPS = "sign_ups", _("new members")
        MAILS = "mails", _("mails sent")

    day = models.DateField(_("day"))
    what = models.CharField(_("what"), max_length=8, choices=What.choices)
    count = models.PositiveIntegerField(_("count"))

    class Meta:
        verbose_name = _("day in figures")
        verbose_name_plural = _("days in figures")
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "what"], name="day_counted_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.what}: {self.count}"


class BouncedManager(models.Manager["BouncedAddress"]):
    """Finds those whose address takes in no mail."""

    def get_queryset(self) -> models.QuerySet["BouncedAddress"]:
        """Those whose present address is the one that bounced or complained."""
        return super().get_queryset().filter(email=F("undeliverable")).exclude(undeliverable="")


class BouncedAddress(User):
    """A person to whom nothing is mailed any more, since their address bounced or complained."""

    objects: ClassVar = BouncedManager()  # type: ignore[assignment]  # a narrower one than users have

    class Meta:
        proxy = True
        verbose_name = _("bounced address")
        verbose_name_plural = _("bounced addresses")


def in_force(now: datetime) -> Q:
    """Of announcements: those shown at ``now``."""
    return Q(starts_at__lte=now) & (Q(ends_at=None) | Q(ends_at__gt=now))


def values_of(row: models.Model, *names: str) -> dict[str, Any]:
    """Columns of a row as JSON values, for the log."""
    values = {name: getattr(row, name) for name in names}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
