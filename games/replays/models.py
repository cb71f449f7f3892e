"""Matches that began at a position of another one."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from games.matches.events import MatchContinued
from games.matches.models import Match


class Continuation(models.Model):
    """A match that began with the first moves of a finished one, and shares its seed and cards.

    The remaining cards aren't secret, since the first match is over: such a match is for trying out, never rated.
    """

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="continuation")
    parent = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="continuations")
    #: Number of moves taken from the parent.
    version = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("continued match")
        verbose_name_plural = _("continued matches")

    def __str__(self) -> str:
        return f"{self.match_id} from {self.parent_id} v{self.version}"

    @classmethod
    def remember(cls, event: MatchContinued) -> None:
        """Record which match and position a new match continues."""
        cls.objects.create(match=event.match, parent=event.parent, version=event.version)
