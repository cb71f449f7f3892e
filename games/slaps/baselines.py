"""Slap handicaps: what slower players are given at a friendly table, based on their practice runs.

The fastest known hand of a table gets nothing, every other as many ms as it is slower, up to a bound: so much a
player who practises slowly on purpose can gain. Everyone at the table sees what each is given.
"""

import statistics
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import timedelta

from django.utils import timezone

from games.matches.events import HandicapsWanted
from games.slaps.models import PracticeRun

#: The most that a player is given, in ms.
MOST = 100
#: The newest runs that count, not older than so many days, and the right slaps that they must hold together.
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
    """What each of these players is given, in whole ms."""
    fastest = min(medians.values(), default=0.0)
    return {player: min(MOST, round(median - fastest)) for player, median in medians.items()}


def calibrate(event: HandicapsWanted) -> None:
    """Give slower hands a little, by what is known of them now; it stays so for the whole match."""
    given = handicaps(baselines([seat.player_id for seat in event.seats if seat.player_id is not None]))
    for seat in event.seats:
        if seat.player_id is not None:
            seat.handicap = given.get(seat.player_id, 0)
