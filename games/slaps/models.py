"""Models of slaps, except presses, which are in ``games.matches.models.SlapAttempt``."""

import statistics

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.matches.pauses import Pause

__all__ = ["Flag", "Pause", "PracticeRun"]


class Flag(models.Model):
    """An anomaly in a player's slaps that a moderator should check: one of each kind per player."""

    class Kind(models.TextChoices):
        """The kinds of anomalies; their limits are in ``games.slaps.fairness``."""

        TOO_FAST = "too_fast", _("impossibly fast reactions")
        MEDIAN = "median", _("always faster than people")
        STEADY = "steady", _("steadier than people")
        FLAWLESS = "flawless", _("never a miss, never a wrong slap")
        AT_CAP = "at_cap", _("the browser always claims the longest delay allowed")
        LINE = "line", _("pings take longer than slaps, or longer than allowed")

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="slap_flags")
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    #: The figure: a count, ms, or a share, by kind.
    figure = models.FloatField(_("figure"))
    cards = models.PositiveIntegerField(_("cards checked"))
    #: Keys of the latest matches with this anomaly, and the last card as ``"KEY VERSION"``.
    matches = models.JSONField(_("matches"), default=list)
    last = models.CharField(max_length=40)
    first_at = models.DateTimeField(_("first found"), default=timezone.now)
    found_at = models.DateTimeField(_("last found"), default=timezone.now)

    class Meta:
        verbose_name = _("slap flag")
        verbose_name_plural = _("slap flags")
        constraints = [models.UniqueConstraint(fields=["player", "kind"], name="slap_flag_once_per_kind")]
        indexes = [
            models.Index(fields=["-found_at"], name="slap_flag_newest"),
            models.Index(fields=["kind", "-found_at"], name="slap_flag_list"),
        ]

    def __str__(self) -> str:
        return f"{self.player.name}: {self.get_kind_display()}"

    @property
    def in_words(self) -> str:
        """The figure with its unit."""
        texts = {
            self.Kind.TOO_FAST: gettext("{figure:.0f} slaps under 150 ms"),
            self.Kind.MEDIAN: gettext("median {figure:.0f} ms"),
            self.Kind.STEADY: gettext("spread {figure:.0f} ms"),
            self.Kind.FLAWLESS: gettext("{figure:.0f} pattern cards in a row"),
            self.Kind.AT_CAP: gettext("{figure:.0%} of slaps"),
            self.Kind.LINE: gettext("{figure:.0%} of slaps"),
        }
        return texts[self.Kind(self.kind)].format(figure=self.figure)


class PracticeRun(models.Model):
    """A minute alone in the practice room."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="practice_runs")
    at = models.DateTimeField(default=timezone.now)
    #: Reactions of right slaps, in ms.
    reactions = models.JSONField(default=list)
    missed = models.PositiveSmallIntegerField(default=0)
    wrong = models.PositiveSmallIntegerField(default=0)
    #: The latency during the run, in ms.
    ping = models.FloatField(default=0)

    class Meta:
        verbose_name = _("practice run")
        verbose_name_plural = _("practice runs")
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["player", "-at"], name="practice_of_player")]

    def __str__(self) -> str:
        return f"{self.player_id} at {self.at}: {len(self.reactions)} slaps"

    @property
    def median(self) -> float | None:
        """The median reaction in ms."""
        return statistics.median(self.reactions) if self.reactions else None

    @property
    def spread(self) -> float | None:
        """The standard deviation in ms; None for fewer than two slaps."""
        return statistics.stdev(self.reactions) if len(self.reactions) > 1 else None
