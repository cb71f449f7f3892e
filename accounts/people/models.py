"""Profiles, preferences, friendships and blocks; the site reads the last two through ``accounts.social``."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Greatest, Least
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

ABOUT_LENGTH = 500


class Profile(models.Model):
    """What a player says about themselves; nothing without a row."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile")
    #: ISO 3166-1, two letters; see ``accounts.countries``.
    country = models.CharField(_("country"), max_length=2, blank=True)
    about = models.TextField(_("about me"), max_length=ABOUT_LENGTH, blank=True)

    class Meta:
        verbose_name = _("profile")
        verbose_name_plural = _("profiles")

    def __str__(self) -> str:
        return f"profile of {self.user_id}"


class Preferences(models.Model):
    """A player's preferences; without a row, the defaults. Pages have them as attributes of <body>."""

    class Theme(models.TextChoices):
        """Brightness of pages."""

        AUTO = "auto", _("System")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    class Faces(models.TextChoices):
        """The style of card faces."""

        CLASSIC = "classic", _("classic: small numbers, symbols in the middle")
        LARGE = "large", _("large: one big number, easy to read in a hand")

    class Moves(models.TextChoices):
        """How a card is played."""

        CONFIRM = "confirm", _("tap, then confirm")
        DIRECT = "direct", _("a single tap plays")

    class Order(models.TextChoices):
        """How a hand is sorted."""

        SUIT = "suit", _("by suit")
        RANK = "rank", _("by rank")
        DRAWN = "drawn", _("as drawn")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences")
    theme = models.CharField(_("theme"), max_length=5, choices=Theme.choices, default=Theme.AUTO)
    faces = models.CharField(_("card faces"), max_length=8, choices=Faces.choices, default=Faces.CLASSIC)
    four_colours = models.BooleanField(
        _("four colours"), default=False, help_text=_("Clubs green and diamonds blue, so no two suits look alike.")
    )
    suit_letters = models.BooleanField(
        _("letters on suits"), default=False, help_text=_("C, D, H or S beside each suit's sign.")
    )
    sounds = models.BooleanField(
        _("sounds"), default=True, help_text=_("When it's your turn, and when a card is played.")
    )
    live_moves = models.CharField(_("at live tables"), max_length=7, choices=Moves.choices, default=Moves.CONFIRM)
    slow_moves = models.CharField(
        _("in turn-based matches"), max_length=7, choices=Moves.choices, default=Moves.CONFIRM
    )
    hand_order = models.CharField(_("order of your hand"), max_length=5, choices=Order.choices, default=Order.SUIT)
    hints = models.BooleanField(
        _("highlight playable cards"), default=False, help_text=_("Marks the cards you can play. It gives no advice.")
    )
    talk = models.BooleanField(
        _("chat"),
        default=True,
        help_text=_("Off: you see no chat at any table."),
    )

    class Meta:
        verbose_name = _("preferences")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"


class Friendship(models.Model):
    """A friendship, or a request while ``accepted_at`` is null. One row per pair."""

    asker = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="friendships_asked")
    other = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="friendships_received")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("friendship")
        verbose_name_plural = _("friendships")
        constraints: ClassVar = [
            models.UniqueConstraint(Least("asker", "other"), Greatest("asker", "other"), name="friendship_once_a_pair"),
            models.CheckConstraint(name="friendship_of_two", condition=~Q(asker=F("other"))),
        ]

    def __str__(self) -> str:
        return f"{self.asker_id} - {self.other_id}"


class Block(models.Model):
    """``owner`` blocks ``other``, or only mutes their chat."""

    class Kind(models.TextChoices):
        """Block or mute."""

        BLOCK = "block", _("blocked")
        MUTE = "mute", _("muted")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocks")
    other = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocked_by")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("block")
        verbose_name_plural = _("blocks")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "other"], name="block_once"),
            models.CheckConstraint(name="block_of_another", condition=~Q(owner=F("other"))),
        ]
        indexes: ClassVar = [models.Index(fields=["other", "owner"], name="block_by_other")]

    def __str__(self) -> str:
        return f"{self.owner_id} {self.kind} {self.other_id}"
