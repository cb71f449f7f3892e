"""The model of a match that began at a position of another one."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from games.matches.events import MatchContinued
from games.matches.models import Match


class Continuation(models.Model):
    """A match that began with the first moves of a finished one, whose seed and cards it shares.

    The cards to come are no secret, since the first match is over: such a match is for trying out, never rated.
    """

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="continuation")
    parent = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="continuations")
    #: How many moves of the parent it began with.
    version = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("continued match")
        verbose_name_plural = _("continued matches")

    def __str__(self) -> str:
        return f"{self.match_id} from {self.parent_id} v{self.version}"

    @classmethod
    def remember(cls, event: MatchContinued) -> None:
        """Note from where a new match goes on."""
        cls.objects.create(match=event.match, parent=event.parent, version=event.version)
