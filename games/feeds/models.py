"""Feeds, and the secret part of their addresses."""

import secrets

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.links import absolute
from games.engine.numbers import number_in


def _new_nonce() -> str:
    return secrets.token_hex(8)


class Feed(models.Model):
    """One private feed of a person. Its signed address can be replaced; the row alone doesn't reveal it."""

    class Kind(models.TextChoices):
        """What a feed is for."""

        CALENDAR = "calendar", _("calendar")
        NEWS = "news", _("news")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="feeds")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    nonce = models.CharField(max_length=16, default=_new_nonce)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("feed")
        verbose_name_plural = _("feeds")
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="feed_once")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind}"

    @property
    def url(self) -> str:
        """The complete address, which is all that is needed to read the feed."""
        name = {self.Kind.CALENDAR.value: "calendar_feed", self.Kind.NEWS.value: "news_feed"}[self.kind]
        return absolute(reverse(name, args=[f"{self.pk}-{self._sign(settings.SECRET_KEY)}"]))

    @classmethod
    def find(cls, kind: str, token: str) -> "Feed | None":
        """The feed with this token; None if it doesn't exist or was replaced."""
        digits, _dash, mac = token.partition("-")
        number = number_in(digits, digits=18)
        if number is None:
            return None
        feed = cls.objects.select_related("user").filter(pk=number, kind=kind, user__is_active=True).first()
        if feed is None:
            return None
        keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        return feed if any(constant_time_compare(mac, feed._sign(key)) for key in keys) else None

    def renew(self) -> None:
        """Replace the address; the old one stops working."""
        self.nonce, self.made_at = _new_nonce(), timezone.now()
        self.save(update_fields=["nonce", "made_at"])

    def _sign(self, key: str | bytes) -> str:
        value = f"{self.pk}:{self.kind}:{self.nonce}"
        return salted_hmac("games.feeds", value, secret=key, algorithm="sha256").hexdigest()[:40]
