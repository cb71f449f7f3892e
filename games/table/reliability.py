"""A player's reliability in one of three words, instead of a number that one bad weekend could ruin."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import QuerySet, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.compiled import compiled
from games.matches.models import MissedTurn, Seat

#: The number of turns that count, and the number needed before more than "new" is shown.
LAST_TURNS = 40
FEWEST_TURNS = 10
#: Misses closer together than this count once.
ONE_MISS = timedelta(hours=24)
#: The share of turns in time from which a player counts as reliable.
STEADY = 0.9

WORDS: dict[str, str | Promise] = {"steady": _("reliable"), "usual": _("usually on time"), "new": _("new")}


def of(user_ids: Collection[int]) -> dict[int, str]:
    """Return the word (a key of ``WORDS``) for each of several people, in two queries."""
    turns: dict[int, int] = dict.fromkeys(user_ids, 0) | {
        player_id: count or 0 for player_id, count in _turns(user_ids) if player_id is not None
    }
    misses: dict[int, list[datetime]] = {user_id: [] for user_id in user_ids}
    for player_id, at, before in _missed(user_ids):
        if before > turns[player_id] - LAST_TURNS:
            misses[player_id].append(at)
    return {user_id: word(turns[user_id], misses[user_id]) for user_id in user_ids}


@compiled
def _turns(user_ids: Collection[int]) -> QuerySet[Seat, tuple[int, int | None]]:
    seats = Seat.objects.filter(player__in=user_ids, match__lesson__isnull=True)
    return seats.values_list("player").annotate(turns=Sum("turns"))


@compiled
def _missed(user_ids: Collection[int]) -> QuerySet[MissedTurn, tuple[int, datetime, int]]:
    return MissedTurn.objects.filter(player__in=user_ids).order_by("at").values_list("player_id", "at", "turns")


def word(turns: int, misses: list[datetime]) -> str:
    """Return the word for a player with ``turns`` in time and misses at these moments, in order."""
    if turns < FEWEST_TURNS:
        return "new"
    counted: list[datetime] = []
    for at in misses:
        if not counted or at - counted[-1] >= ONE_MISS:
            counted.append(at)
    return "steady" if 1 - len(counted) / min(LAST_TURNS, turns) >= STEADY else "usual"
