"""Check that a stored match agrees with its seed and its moves."""

import logging
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from games import engine
from games.matches import history
from games.matches.faults import place_of
from games.matches.models import Match, hash_of

log = logging.getLogger(__name__)


def faults(match: Match) -> list[str]:
    """The faults of a stored match, in words for operators; normally none.

    Replays the moves from the deal, and compares the result with everything stored beside them.
    """
    found: list[str] = []
    try:
        for fault in _differences(match):
            found.append(fault)  # noqa: PERF402 - those before an error count, too
    except (engine.IllegalMove, engine.BadOptions, KeyError) as error:
        found.append(f"the moves can't be replayed: {error}")
    except Exception as error:
        found.append(f"the match can't be checked ({place_of(error)})")
    return found


def _differences(match: Match) -> Iterator[str]:
    if hash_of(match.seed) != match.seed_hash:
        yield "the published hash doesn't belong to the seed"
    table = history.last(match)
    if table.version != match.version:
        yield f"there are {table.version} moves, but the match has version {match.version}"
    if match.status == Match.Status.RUNNING:
        awaited = " ".join(str(seat) for seat in table.awaited())
        if awaited != match.awaited:
            yield f"it is the turn of seats {awaited or '-'}, not of {match.awaited or '-'} as stored"
    outcome = table.state.outcome()
    if outcome is not None:
        # A match without an outcome ended by its players: they resigned or agreed.
        stored = match.outcome or {}
        if (outcome.reason, [list(group) for group in outcome.ranking], list(outcome.points)) != (
            stored.get("reason"),
            stored.get("ranking"),
            stored.get("points"),
        ):
            yield "the stored result differs from the one replayed"
    if match.snapshot and match.snapshot_version == table.version:
        kept = engine.freeze(table.state)
        if match.snapshot["state"] != kept:
            yield "the stored state differs from the one replayed"


def moves_with_chances(match: Match) -> Iterator[dict[str, Any]]:
    """Every move of a finished match with the number of chances it used, so that a browser can replay the deal."""
    used = 0
    for position in history.replay(match):
        now = _number(position.table.state)
        if position.made is not None:
            yield {"seat": position.made.seat, "move": position.made.move, "chances": now - used}
        used = now


def _number(state: Any) -> int:
    """The number of the next chance; a game without chance after the deal may have none."""
    chance = getattr(state, "chance", None)
    return chance.number if chance is not None else 0


def begun_matches() -> QuerySet[Match]:
    """All started matches, oldest first, with their seats."""
    return Match.objects.filter(started_at__isnull=False).order_by("pk").prefetch_related("seats")
