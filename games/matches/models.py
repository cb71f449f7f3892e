"""Models of a match. The seed and the moves are the truth; everything else follows from them."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from games import engine, rules
from games.matches.records import Departure, Heartbeat, Incident, MissedTurn, Outage

__all__ = [
    "AiLevel",
    "Departure",
    "Heartbeat",
    "Incident",
    "Match",
    "MissedTurn",
    "Move",
    "Outage",
    "Seat",
    "SlapAttempt",
    "hash_of",
]

#: Letters and digits that can't be mistaken for each other, for keys that people read out.
KEY_ALPHABET = "23456789abcdefghijkmnpqrstuvwxyz"
KEY_LENGTH = 10


def new_key() -> str:
    """A random public key for a match: 50 bits, so a private table can't be guessed."""
    return "".join(secrets.choice(KEY_ALPHABET) for _ in range(KEY_LENGTH))


def new_seed() -> str:
    """A fresh secret seed of 128 bits, as hex."""
    return secrets.token_hex(16)


def hash_of(seed: str) -> str:
    """The SHA-256 of a seed's hex digits, which is published before the deal."""
    return hashlib.sha256(seed.encode("ascii")).hexdigest()


class AiLevel(models.TextChoices):
    """How well an AI player plays."""

    EASY = "easy", _("easy")
    MEDIUM = "medium", _("medium")
    HARD = "hard", _("hard")


class Match(models.Model):
    """One match from the moment its table is opened.

    ``version`` counts the moves made; the state cached or stored for version n is the state after n moves.
    """

    class Status(models.TextChoices):
        """The stage of a match."""

        OPEN = "open", _("open")
        RUNNING = "running", _("running")
        OVER = "over", _("over")
        CANCELLED = "cancelled", _("cancelled")

    class Pace(models.TextChoices):
        """How long a card stays open to slaps: 900, 1200 or 1600 ms."""

        FAST = "fast", _("fast")
        NORMAL = "normal", _("normal")
        RELAXED = "relaxed", _("relaxed")

    class Clock(models.TextChoices):
        """How long players have for their turns: the presets of ``games.matches.presets``, or no clock."""

        TABLE = "table", _("At the table: 3 min + 15 s")
        LUNCH = "lunch", _("Over lunch: 2 h + 20 min")
        DAILY = "daily", _("Daily: 24 h + 8 h")
        RELAXED = "relaxed", _("Relaxed: 3 days + 12 h")
        NONE = "none", _("No clock")

    key = models.CharField(max_length=16, unique=True, default=new_key, editable=False)
    slug = models.CharField(_("game"), max_length=40)
    rules_version = models.PositiveSmallIntegerField()
    seat_count = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    seed = models.CharField(max_length=128, default=new_seed, editable=False)
    seed_hash = models.CharField(max_length=64, editable=False)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    version = models.PositiveIntegerField(default=0)
    host = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="hosted_matches"
    )
    is_public = models.BooleanField(default=True)
    is_calibrated = models.BooleanField(
        _("slap handicap"),
        default=False,
        help_text=_(
            "Slower players get a head start of a few milliseconds, worked out from their runs in the practice room."
        ),
    )
    pace = models.CharField(max_length=10, choices=Pace.choices, default=Pace.NORMAL)
    clock = models.CharField(_("clock"), max_length=10, choices=Clock.choices, default=Clock.TABLE)
    #: Whether the result says how well people play: not if there is no clock, if AI players finished the match, or if
    #: someone has a slap handicap. A rated match gives slow connections less credit. The results on a player's page
    #: count other matches, too.
    is_rated = models.BooleanField(_("rated"), default=True)
    #: A moderator has annulled the result: it still shows in the match, but counts nowhere.
    is_annulled = models.BooleanField(_("annulled"), default=False)
    starts_when_full = models.BooleanField(_("starts when full"), default=False)
    relay = models.BooleanField(
        _("take turns watching"),
        default=True,
        help_text=_(
            "In turn-based matches with slaps and four or more players, one player of each team watches, in turn."
        ),
    )
    weekends_rest = models.BooleanField(
        _("weekends off"),
        default=False,
        db_default=False,
        help_text=_("No clock runs on each player's own Saturday and Sunday."),
    )
    #: For a lesson: its key, the prepared deck, and the first dealer. Only its player sees a lesson: it is listed
    #: nowhere, counts nowhere, and is deleted after a day.
    lesson = models.JSONField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    #: Seats that the match waits for, as ``"0 2"``, so that lists of matches need no replay.
    awaited = models.CharField(max_length=40, blank=True, editable=False)
    #: Since when the match waits for them.
    turn_since = models.DateTimeField(null=True, blank=True, editable=False)
    #: When something is due without a move: an AI turn, the table's next step, the end of a turn's time. The sweep
    #: finds it; timers and tasks only make it punctual.
    due_at = models.DateTimeField(null=True, blank=True, editable=False)
    #: Until when its people play live, as they agreed; renewed while all are there (``live_sessions``).
    live_until = models.DateTimeField(null=True, blank=True, editable=False)
    #: Counts changes that aren't moves, such as who sits where, so that a process or page that knows an older number
    #: notices.
    seating_epoch = models.PositiveIntegerField(default=0, editable=False, db_column="roster")
    outcome = models.JSONField(null=True, blank=True)
    rematch = models.OneToOneField("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="rematch_of")
    #: The state after ``snapshot_version`` moves, a cache: see ``games.engine.snapshot``.
    snapshot = models.JSONField(null=True, blank=True, editable=False)
    snapshot_version = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        constraints = [
            models.CheckConstraint(
                name="match_started_when_played",
                condition=Q(status__in=["open", "cancelled"]) | Q(started_at__isnull=False),
            ),
            models.CheckConstraint(
                name="match_over_with_outcome",
                condition=~Q(status="over") | Q(outcome__isnull=False, finished_at__isnull=False),
            ),
            models.CheckConstraint(
                name="match_rated_without_handicap", condition=Q(is_rated=False) | Q(is_calibrated=False)
            ),
            models.CheckConstraint(name="match_snapshot_not_ahead", condition=Q(snapshot_version__lte=F("version"))),
        ]
        indexes = [
            models.Index(fields=["-created_at"], condition=Q(status="open", is_public=True), name="match_open_public"),
            models.Index(fields=["-started_at"], condition=Q(status="running"), name="match_running"),
            models.Index(fields=["-finished_at"], condition=Q(status="over"), name="match_finished"),
            models.Index(fields=["due_at"], condition=Q(status="running"), name="match_due"),
            models.Index(fields=["slug", "-created_at"], name="match_by_game"),
            models.Index(fields=["created_at"], condition=Q(lesson__isnull=False), name="match_lesson"),
            # For the lists of the admin site.
            models.Index(fields=["slug", "-id"], name="match_list_game"),
            models.Index(fields=["status", "-id"], name="match_list_status"),
        ]

    def __str__(self) -> str:
        return f"{rules.name_of(self.slug)} {self.key}"

    def save(self, *args: object, **kwargs: object) -> None:
        """Store the match, with its published hash in step with the seed."""
        if not self.seed_hash:
            self.seed_hash = hash_of(self.seed)
        super().save(*args, **kwargs)  # type: ignore[arg-type]  # passed on as they came

    def get_absolute_url(self) -> str:
        """The URL of the table."""
        return reverse("match", args=[self.key])

    def keep_seats(self, seats: "list[Seat]") -> None:
        """Cache ``seats`` as this match's prefetched seats; prefetching itself compiles a query every time."""
        for seat in seats:
            seat.match = self
        # Prefetching has no public way to set its results, so this sets what Django sets.
        cached: Any = self.seats.all()
        cached._result_cache, cached._prefetch_done = seats, True
        self.__dict__.setdefault("_prefetched_objects_cache", {})["seats"] = cached

    @cached_property
    def rules(self) -> engine.Rules:
        """The rules of this match, in the version it was begun with."""
        return rules.get(self.slug, self.rules_version)

    @property
    def lesson_key(self) -> str:
        """The key of the lesson that the match gives; empty for other matches."""
        return str(self.lesson["key"]) if self.lesson else ""

    @property
    def awaited_seats(self) -> list[int]:
        """Numbers of the seats that the match waits for."""
        return [int(number) for number in self.awaited.split()]

    @property
    def is_played_live(self) -> bool:
        """Whether the people of a slow match have agreed to play live, and are all there."""
        return self.live_until is not None and timezone.now() < self.live_until

    @property
    def game_name(self) -> str:
        return self.rules.name


class Seat(models.Model):
    """A place at the table, held by a person or an AI player, or still empty."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="seats"
    )
    #: The player's name; stays when the account is deleted.
    player_name = models.CharField(max_length=40, blank=True)
    ai_level = models.CharField(max_length=10, blank=True, choices=AiLevel.choices)
    ai_name = models.CharField(max_length=40, blank=True)
    has_resigned = models.BooleanField(default=False)
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    points = models.FloatField(null=True, blank=True)
    #: When the player's turn began; null while the match doesn't wait for them.
    asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    #: The match's version at that moment: (match, number, asked_version) identifies a turn.
    asked_version = models.PositiveIntegerField(null=True, blank=True, editable=False)
    #: When the turn's time ends; null without a clock.
    due_at = models.DateTimeField(null=True, blank=True, editable=False)
    #: The seat's bank when its turn began, or its current one between turns; null without a clock.
    bank_seconds = models.PositiveIntegerField(null=True, blank=True, editable=False)
    #: When its player last looked at this match, and at which version.
    looked_at = models.DateTimeField(null=True, blank=True, editable=False)
    looked_version = models.PositiveIntegerField(null=True, blank=True, editable=False)
    #: Turns that its player finished, and turns that a stand-in finished since the player last acted.
    turns = models.PositiveIntegerField(default=0, editable=False)
    missed = models.PositiveSmallIntegerField(default=0, editable=False)
    #: Whether the extension of this match has been used.
    is_excused = models.BooleanField(default=False, editable=False)
    #: Since when a stand-in plays for an absent player without waiting for each turn's end.
    autopilot_at = models.DateTimeField(null=True, blank=True, editable=False)
    #: Since when another player may take over the seat.
    offered_at = models.DateTimeField(null=True, blank=True, editable=False)
    #: When its player offered to play live; null once that was answered.
    offers_live_at = models.DateTimeField(null=True, blank=True, editable=False)
    #: The handicap of this seat's slaps at a table with slap handicaps, in ms; fixed when the match begins.
    handicap = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="seat_number_once"),
            models.UniqueConstraint(
                fields=["match", "player"], condition=Q(player__isnull=False), name="seat_player_once"
            ),
            models.CheckConstraint(
                name="seat_person_or_ai", condition=Q(player__isnull=True) | Q(ai_level="") | Q(has_resigned=True)
            ),
        ]
        indexes = [
            models.Index(fields=["offered_at"], condition=Q(offered_at__isnull=False), name="seat_offered"),
        ]

    def __str__(self) -> str:
        return self.name or "–"

    @property
    def is_free(self) -> bool:
        """Whether the seat can still be taken."""
        return not self.player_name and not self.ai_level

    @property
    def name(self) -> str:
        """The name of the player in this seat; empty for a free seat."""
        return self.ai_name or self.player_name


class Move(models.Model):
    """One move of a match: ``number`` n takes it from version n − 1 to n."""

    class Source(models.TextChoices):
        """Who made a move for its seat."""

        PLAYER = "player", _("player")
        AI = "ai", _("AI player")
        TABLE = "table", _("table")
        STAND_IN = "stand_in", _("autoplay")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="moves")
    number = models.PositiveIntegerField()
    seat = models.SmallIntegerField()
    move = models.CharField(max_length=200)
    at = models.DateTimeField()
    source = models.CharField(max_length=10, choices=Source.choices)
    #: The request id of the move; the same id twice counts once.
    request_id = models.CharField(max_length=64)

    class Meta:
        verbose_name = _("move")
        verbose_name_plural = _("moves")
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="move_number_once"),
            models.UniqueConstraint(fields=["match", "request_id"], name="move_request_once"),
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.seat} {self.move}"


class SlapAttempt(models.Model):
    """A slap of one seat on one card, with all that is needed to judge it again (times in ms)."""

    class Result(models.TextChoices):
        """The verdict on a slap."""

        PENDING = "pending", _("pending")
        WON = "won", _("won")
        BEATEN = "beaten", _("beaten")
        WRONG = "wrong", _("wrong")
        LATE = "late", _("late")
        EARLY = "early", _("early")

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="slaps")
    seat = models.SmallIntegerField()
    #: The version of the match that showed the card.
    version = models.PositiveIntegerField()
    #: From sending the card to receiving the slap, on the server's clock.
    elapsed = models.FloatField()
    #: From paint to slap, as the browser measured it; null if it could not.
    claimed = models.FloatField(null=True)
    ping = models.FloatField()
    cap = models.FloatField()
    #: The handicap at a table with slap handicaps; part of ``reaction``.
    handicap = models.FloatField(default=0)
    #: The time that is compared between players.
    reaction = models.FloatField()
    #: From showing the card until the verdict was due, as far as this slap decided that.
    verdict_after = models.FloatField(default=0)
    #: Whether it was as fast as the best one, so that a lot decided.
    by_lot = models.BooleanField(default=False)
    result = models.CharField(max_length=10, choices=Result.choices, default=Result.PENDING)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("slap")
        verbose_name_plural = _("slaps")
        constraints = [
            # Too early means that the slap was meant for the card before: the seat can still slap this one.
            models.UniqueConstraint(
                fields=["match", "version", "seat"], condition=~Q(result="early"), name="slap_once_per_card"
            ),
            models.UniqueConstraint(
                fields=["match", "version", "seat"], condition=Q(result="early"), name="slap_early_once_per_card"
            ),
        ]
        indexes = [
            models.Index(fields=["match", "version"], condition=Q(result="pending"), name="slap_pending"),
            models.Index(fields=["result", "-id"], name="slap_list_result"),
        ]

    def __str__(self) -> str:
        return f"{self.match} · {self.version}: {self.reaction:.0f} ms"

    @property
    def bound(self) -> datetime | None:
        """When no other slap could beat this one any more; None if this slap doesn't affect the verdict."""
        if self.result in (self.Result.EARLY, self.Result.LATE):
            return None
        return self.at + timedelta(milliseconds=max(0.0, self.verdict_after - self.elapsed))
