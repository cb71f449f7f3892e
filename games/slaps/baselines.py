"""Slap handicaps for slower players at friendly tables, based on their practice runs.

The fastest known player of a table gets nothing; every other gets the difference in ms, up to a limit. That limits what
a player can gain by practising slowly on purpose. Everyone at the table sees the handicaps.
"""

import statistics
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import timedelta

from django.utils import timezone

from games.matches.events import HandicapsWanted
from games.slaps.models import PracticeRun

#: Maximum handicap, in ms.
MOST = 100
#: Practice runs that count, their maximum age in days, and the minimum number of right slaps in them.
RUNS, DAYS, NEEDED = 3, 90, 20


def baselines(player_ids: Collection[int]) -> dict[int, float]:
    """The median reaction of each of these players in ms; players who have practised too little lately are left out."""
    since = timezone.now() - timedelta(days=DAYS)
    runs: dict[int, list[PracticeRun]] = defaultdict(list)
    for run in PracticeRun.objects.filter(player__in=player_ids, at__gte=since).order_by("-at", "-pk"):
        if len(runs[run.player_id]) < RUNS:
            runs[run.player_id].append(run)
    slaps = {player: [reaction for run in mine for reaction in run.reactions] for player, mine in runs.items()}
    return {player: statistics.median(reactions) for player, reactions in slaps.items() if len(reactions) >= NEEDED}


def handicaps(medians: Mapping[int, float]) -> dict[int, int]:
    """The handicap of each of these players, in whole ms."""
    fastest = min(medians.values(), default=0.0)
    return {player: min(MOST, round(median - fastest)) for player, median in medians.items()}


def calibrate(event: HandicapsWanted) -> None:
    """Set the handicaps by what is known now; they stay for the whole match."""
    given = handicaps(baselines([seat.player_id for seat in event.seats if seat.player_id is not None]))
    for seat in event.seats:
        if seat.player_id is not None:
            seat.handicap = given.get(seat.player_id, 0)
