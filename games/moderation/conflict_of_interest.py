"""How close a moderator is to the people of a report or a decision: who is too close leaves it to others."""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import social
from accounts.models import User
from games.matches.models import Match, Seat

#: Who has finished so many matches with somebody lately is a frequent partner.
FREQUENT, LATELY = 5, timedelta(days=90)


def too_close(moderator: User, people: Collection[int]) -> str:
    """Why this moderator must not judge ``people``, by id: a friend, or somebody they often play with; else empty."""
    if set(people) & social.friend_ids(moderator):
        return _("One of them is your friend.")
    mine = Match.objects.filter(seats__player=moderator, finished_at__gte=timezone.now() - LATELY).values("pk")
    met = Seat.objects.filter(player__in=people, match__in=mine).values_list("player").annotate(times=Count("match"))
    if any(times >= FREQUENT for _pk, times in met):
        return _("You play with one of them often.")
    return ""
