"""Records of a match beside its rows and moves: absences, departures and outages."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _


class Incident(models.Model):
    """Something that happened at a table without being a move: absence and replacement, as the log shows them."""

    class Kind(models.TextChoices):
        """What happened."""

        EXCUSED = "excused", _("extension used")
        STAND_IN = "stand_in", _("autoplay played")
        AUTOPILOT = "autopilot", _("autoplay goes on")
        RETURNED = "returned", _("came back")
        OFFERED = "offered", _("seat offered")
        TAKEN = "taken", _("seat taken over")
        REPLACED = "replaced", _("an AI player took over")
        UNRATED = "unrated", _("no longer rated")

    match = models.ForeignKey("games.Match", on_delete=models.CASCADE, related_name="incidents")
    #: The match's version at which it happened.
    version = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    #: The person concerned, by their name then, and who replaced them.
    name = models.CharField(max_length=40)
    other = models.CharField(max_length=40, blank=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")
        ordering = ["version", "id"]

    def __str__(self) -> str:
        return f"{self.match_id} v{self.version} {self.kind} {self.name}"


class MissedTurn(models.Model):
    """A turn that a stand-in played for a player; the player's reliability is computed from these."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="missed_turns")
    match = models.ForeignKey("games.Match", on_delete=models.CASCADE, related_name="missed_turns")
    at = models.DateTimeField()
    #: Turns that the player had finished by then, in all matches.
    turns = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("missed turn")
        verbose_name_plural = _("missed turns")
        indexes = [models.Index(fields=["player", "-turns"], name="missed_of_player")]

    def __str__(self) -> str:
        return f"{self.player_id} {self.at}"


class Departure(models.Model):
    """A player's departure from a seat that another person plays on from."""

    match = models.ForeignKey("games.Match", on_delete=models.CASCADE, related_name="departures")
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="departures"
    )
    player_name = models.CharField(max_length=40)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("departure")
        verbose_name_plural = _("departures")

    def __str__(self) -> str:
        return f"{self.player_name} left {self.match_id}"


class Heartbeat(models.Model):
    """When the site was last seen serving people; a single row."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)


class Outage(models.Model):
    """An outage that all clocks are credited with, a batch of seats at a time."""

    since = models.DateTimeField()
    until = models.DateTimeField()
    #: The last seat that was credited, where another process continues if this one is killed.
    last_seat = models.BigIntegerField(default=0)
    is_credited = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("outage")
        verbose_name_plural = _("outages")
        indexes = [models.Index(fields=["since"], condition=Q(is_credited=False), name="outage_open")]

    def __str__(self) -> str:
        since, until = (date_format(timezone.localtime(at), "SHORT_DATETIME_FORMAT") for at in (self.since, self.until))
        return f"{since} – {until}"
