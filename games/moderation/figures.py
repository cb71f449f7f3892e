"""Moderation statistics: how long reports wait, how many are upheld, and how many each moderator closes."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.moderation.models import Appeal, Report
from games.moderation import second_looks

#: How many days the figures cover.
DAYS = 30
#: A report should be closed within this time.
IN_TIME = timedelta(hours=24)
#: How many closed reports are read at most, newest first.
MOST = 5000


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures on reports closed lately; times in hours, shares from 0 to 1, None where there is no data."""

    closed: int
    p50: float | None
    p90: float | None
    in_time: float | None
    upheld: float | None
    appeals: int
    granted: float | None
    #: Second looks at closed reports, and the share that agrees with the decision.
    looks: int
    agreed: float | None
    #: How many reports each moderator has closed, by name.
    load: list[tuple[str, int]]


def figures(now: datetime) -> Figures:
    """The figures of the last :data:`DAYS` days, in three queries."""
    since = now - timedelta(days=DAYS)
    closed = Report.objects.filter(closed_at__gte=since).order_by("-closed_at")
    rows = list(closed.values_list("created_at", "closed_at", "outcome", "closed_by__name")[:MOST])
    waited = sorted((at - made).total_seconds() / 3600 for made, at, *_rest in rows if at is not None)
    decisions = list(Appeal.objects.filter(decided_at__gte=since).values_list("decision", flat=True)[:MOST])
    looks, agreeing = second_looks.taken_since(since)
    in_time = sum(hours <= IN_TIME.total_seconds() / 3600 for hours in waited)
    return Figures(
        closed=len(rows),
        p50=_rank(waited, 0.5),
        p90=_rank(waited, 0.9),
        in_time=_share(in_time, len(rows)),
        upheld=_share(sum(outcome == Report.Outcome.UPHELD for *_times, outcome, _by in rows), len(rows)),
        appeals=len(decisions),
        granted=_share(decisions.count(Appeal.Decision.GRANTED), len(decisions)),
        looks=looks,
        agreed=_share(agreeing, looks),
        load=Counter(by or "–" for *_rest, by in rows).most_common(),
    )


def _rank(values: list[float], part: float) -> float | None:
    """The nearest rank of sorted values, as a percentile."""
    return values[min(len(values) - 1, int(part * len(values)))] if values else None


def _share(some: int, of: int) -> float | None:
    return some / of if of else None
