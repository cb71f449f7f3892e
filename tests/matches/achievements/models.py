"""The model of achievements."""

from django.conf import settings
from django.db import models
from django.db.models import F

from games.matches.events import MatchEnded
from games.matches.models import Seat


class Wins(models.Model):
    """How many matches a player has won."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True)
    count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.count}"

    @classmethod
    def count_one(cls, event: MatchEnded) -> None:
        """Count a win for all winners, in the transaction that ends the match."""
        winners = Seat.objects.filter(match=event.match_id, place=1, player__isnull=False)
        for user_id in winners.values_list("player_id", flat=True):
            cls.objects.get_or_create(user_id=user_id)
            cls.objects.filter(user=user_id).update(count=F("count") + 1)
