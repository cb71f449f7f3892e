"""The model of a reported move of an AI player."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games import rules
from games.engine import View
from games.matches.models import AiLevel, Match


class AiCase(models.Model):
    """A move of an AI player that a player thought bad, and its position.

    A case is self-contained: it can be replayed after its match has been deleted.
    """

    match = models.ForeignKey(Match, null=True, on_delete=models.SET_NULL, related_name="ai_cases")
    #: The version of the match at which the move was made.
    number = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    level = models.CharField(max_length=10, choices=AiLevel.choices)
    name = models.CharField(max_length=40)
    move = models.CharField(max_length=200)
    #: The match up to the move, as an ``engine.Match`` including the seed.
    record = models.JSONField()
    #: Everything the AI player saw.
    view = models.JSONField()
    #: The source of its random choices.
    luck = models.CharField(max_length=64)
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="ai_cases"
    )
    note = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    is_settled = models.BooleanField(_("settled"), default=False)

    class Meta:
        verbose_name = _("reported move of an AI player")
        verbose_name_plural = _("reported moves of AI players")
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="ai_case_once")]
        indexes = [
            models.Index(fields=["-id"], condition=models.Q(is_settled=False), name="ai_case_open"),
            models.Index(fields=["level", "-id"], name="ai_case_list_level"),
        ]

    def __str__(self) -> str:
        # Without the move, which may be hidden while the match runs.
        what = {"game": rules.name_of(self.slug), "number": self.number, "name": self.name}
        return gettext("%(game)s: move %(number)s, by %(name)s") % what

    @property
    def slug(self) -> str:
        return str(self.record["slug"])

    @property
    def is_secret(self) -> bool:
        """Whether the match still runs, so that its cards must stay hidden."""
        return self.match is not None and self.match.status == Match.Status.RUNNING

    def seen(self) -> View:
        """The view on which the move was chosen."""
        return View.from_json(self.view)

    def to_json(self) -> dict[str, Any]:
        """The case in the format of the tests."""
        return {
            "record": self.record,
            "seat": self.seat,
            "level": self.level,
            "move": self.move,
            "luck": self.luck,
            "note": self.note,
        }
