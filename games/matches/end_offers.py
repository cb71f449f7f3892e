"""Offers to end a running match."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.matches.models import Match


class EndOffer(models.Model):
    """A player's offer to end this running match without a result; all people at the table have to make one."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="end_offers")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        # Its table, permissions and migrations were made with those of lobby.
        app_label = "lobby"
        verbose_name = _("offer to end")
        verbose_name_plural = _("offers to end")
        constraints: ClassVar = [models.UniqueConstraint(fields=["match", "player"], name="end_offer_once")]

    def __str__(self) -> str:
        return f"{self.match_id}: {self.player_id}"
