"""Preferences, notices, and browsers that accept pushes."""

from typing import Self, cast

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from games.matches.models import Match


class Timing(models.TextChoices):
    """When a player is emailed that it is their turn."""

    AT_ONCE = "at_once", _("at once, for each match")
    AFTER = "after", _("after a delay, for each match, unless I've already looked")
    TOGETHER = "together", _("after a delay, one email for all my matches until I come back")
    DIGEST = "digest", _("as a digest, at times I choose")
    NEVER = "never", _("never")


#: Timings with emails about each turn or chain of turns, and reminders; two of them wait first.
MAILED_BY_TURN = (Timing.AT_ONCE, Timing.AFTER, Timing.TOGETHER)
DELAYED = (Timing.AFTER, Timing.TOGETHER)


class Discretion(models.TextChoices):
    """How much of a game emails and pushes show to people who look over a shoulder."""

    FULL = "full", _("my hand and my moves")
    CLICK = "click", _("what's new; my hand only behind a link")
    NONE = "none", _("nothing about the game")


class Kind(models.TextChoices):
    """What a notice is about."""

    TURN = "turn", _("your turn")
    BEGINS = "begins", _("a match begins")
    OVER = "over", _("a match is over")
    INVITATION = "invitation", _("invitation")
    OFFER = "offer", _("a seat is offered")
    MISSED = "missed", _("autoplay played a turn")
    AWAY = "away", _("autoplay plays on")
    OFFERED = "offered", _("my seat is offered to others")
    REPLACED = "replaced", _("my seat was given away")


#: Kinds of notices to an absent player.
ABSENCE = (Kind.MISSED, Kind.AWAY, Kind.OFFERED, Kind.REPLACED)
#: Selectable delays, in minutes.
DELAYS = (5, 15, 30, 60, 120, 240)


class Preferences(models.Model):
    """A player's notification settings; without a row, the defaults.

    Its row is also the lock under which emails to that person are decided, one at a time.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="notice_preferences"
    )
    timing = models.CharField(_("your turn, by email"), max_length=10, choices=Timing.choices, default=Timing.AFTER)
    delay = models.PositiveSmallIntegerField(_("after this many minutes"), default=30)
    #: Full hours of the person's day, as in ``"8 18"``.
    digest_hours = models.CharField(_("times of the digest"), max_length=80, default="8 18", blank=True)
    discretion = models.CharField(
        _("what an email shows"), max_length=10, choices=Discretion.choices, default=Discretion.FULL
    )
    wants_invitation = models.BooleanField(_("an invitation"), default=True)
    wants_begins = models.BooleanField(_("one of my matches begins"), default=True)
    wants_over = models.BooleanField(_("one of my matches is over"), default=True)
    wants_offer = models.BooleanField(_("a seat is offered to me"), default=True)
    wants_away = models.BooleanField(_("autoplay plays for me, or my seat is given away"), default=True)
    wants_moderation = models.BooleanField(_("the moderators have decided something about me"), default=True)
    wants_security = models.BooleanField(
        _("my password, address or passkeys were changed, or a new browser logged in"), default=True
    )
    #: When the last email about matches and the last digest were written.
    mailed_at = models.DateTimeField(null=True, blank=True, editable=False)
    digest_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("notification settings")
        verbose_name_plural = _("notification settings")

    def __str__(self) -> str:
        return f"{self.user_id}: {self.timing}"

    @property
    def hours(self) -> list[int]:
        """The hours of the digest."""
        return [int(hour) for hour in self.digest_hours.split()]

    @classmethod
    def of(cls, user: User) -> Self:
        """Return the preferences of ``user``; defaults if nothing is stored."""
        try:
            return cast(Self, user.notice_preferences)
        except cls.DoesNotExist:
            return cls(user=user)


class Correspondence(models.Model):
    """The email thread of one match to one person, and this match's own settings."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="correspondence")
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="correspondence")
    #: Empty: as in the preferences.
    timing = models.CharField(max_length=10, choices=Timing.choices, blank=True)
    #: Stays the same throughout the match, even if players are renamed or replaced, to keep one thread.
    subject = models.CharField(max_length=300, blank=True)
    first_id = models.CharField(max_length=200, blank=True)
    last_id = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("correspondence")
        verbose_name_plural = _("correspondence")
        constraints = [models.UniqueConstraint(fields=["user", "match"], name="mail_correspondence_once")]

    def __str__(self) -> str:
        return f"{self.match_id} → {self.user_id}"


class Notice(models.Model):
    """A notice to one person about one match, written in the transaction of its cause.

    A notice about a turn goes through stages (``games.mail.schedule``); ``next_at`` is when the next one is due, null
    if there is none. Notices are sent only by the sweep over this column.
    """

    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.TURN)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="notices")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    seat = models.SmallIntegerField(null=True, blank=True)
    #: For a turn, the version at which the seat was asked; otherwise the match's version at that moment.
    version = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    next_at = models.DateTimeField(null=True, blank=True)
    #: Finished stages, as in ``"push email"``.
    stages = models.CharField(max_length=60, blank=True, default="")
    mails = models.PositiveSmallIntegerField(default=0)
    mailed_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True, default="")

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        constraints = [
            models.UniqueConstraint(fields=["match", "user", "kind", "version"], name="mail_notice_once"),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=models.Q(next_at__isnull=False), name="mail_notice_due"),
            models.Index(fields=["kind", "-id"], name="mail_notice_list_kind"),
            models.Index(fields=["-id"], condition=models.Q(failures__gt=0), name="mail_notice_list_failed"),
            models.Index(fields=["user", "-mailed_at"], condition=models.Q(mails__gt=0), name="mail_notice_mailed"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.user.name}, {self.match}"


class PushSubscription(models.Model):
    """A browser that accepts a person's web pushes."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="push_subscriptions")
    endpoint = models.URLField(max_length=1000, unique=True)
    #: The browser's public key and the shared secret, as it sent them.
    p256dh = models.CharField(max_length=120)
    auth = models.CharField(max_length=40)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("push subscription")
        verbose_name_plural = _("push subscriptions")

    def __str__(self) -> str:
        return f"{self.user_id} {self.created_at:%Y-%m-%d}"
