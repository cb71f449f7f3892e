"""Unusual playing patterns: flags on slaps, and players who often share tables."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from django.utils import timezone

from games.matches.models import Match, Seat
from games.moderation.conflict_of_interest import LATELY
from games.slaps.models import Flag

#: How many of a person's last matches are searched, as an upper bound.
MOST = 2000
#: A pair is shown from this many matches together, if they are at least this share of one player's matches …
OFTEN, SHARE = 10, 0.5
#: … and its results are skewed if one of them was ahead in this share of the matches that had a winner.
SKEWED = 0.8


@dataclass(frozen=True, slots=True)
class Pair:
    """Two people who often meet, and how their matches ended."""

    name: str
    other: str
    #: Matches together, and all matches of the first player.
    together: int
    of: int
    ahead: int
    behind: int

    @property
    def level(self) -> int:
        """Matches in which neither was ahead, or in which they were partners."""
        return self.together - self.ahead - self.behind

    @property
    def is_skewed(self) -> bool:
        """Whether one of them wins far more often than the other."""
        decided = self.ahead + self.behind
        return decided >= OFTEN // 2 and max(self.ahead, self.behind) >= SKEWED * decided


def flags_of(people: Collection[int]) -> list[Flag]:
    """Flags on the slaps of these people, newest first."""
    return list(Flag.objects.filter(player__in=people).select_related("player").order_by("-found_at"))


def frequent_pairs(people: Collection[int]) -> list[Pair]:
    """Pairs of one of ``people`` and a player they meet unusually often, most frequent first; one query."""
    counted = Seat.objects.filter(
        match__status=Match.Status.OVER, match__is_annulled=False, match__finished_at__gte=timezone.now() - LATELY
    )
    mine = counted.filter(player__in=people).order_by("-match__finished_at").values("match")[:MOST]
    seats = Seat.objects.filter(match__in=mine, player__isnull=False).order_by("-match__finished_at", "number")
    tables: dict[int, list[tuple[int, str, int | None]]] = defaultdict(list)
    for match, player, name, place in seats.values_list("match_id", "player_id", "player_name", "place"):
        tables[match].append((player or 0, name, place))
    found: dict[tuple[int, int], Pair] = {}
    for person in people:
        own = [(match, name, place) for match in tables for player, name, place in tables[match] if player == person]
        met: dict[int, list[tuple[str, str, int]]] = defaultdict(list)
        for match, name, place in own:
            for other, other_name, other_place in tables[match]:
                if other != person:
                    met[other].append((name, other_name, _order(place, other_place)))
        for other, results in met.items():
            if len(results) >= OFTEN and len(results) >= SHARE * len(own) and (other, person) not in found:
                signs = [sign for _name, _other, sign in results]
                name, other_name, _sign = results[0]
                found[person, other] = Pair(name, other_name, len(results), len(own), signs.count(1), signs.count(-1))
    return sorted(found.values(), key=lambda pair: (-pair.is_skewed, -pair.together))


def _order(place: int | None, other: int | None) -> int:
    """1 if the first player was ahead, −1 if the other was, 0 if neither."""
    if place is None or other is None or place == other:
        return 0
    return 1 if place < other else -1
