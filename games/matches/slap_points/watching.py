"""A slap point during one change of its match: who still has to watch, and who watched last."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import IntegrityError
from django.db.models import QuerySet

from accounts.compiled import compiled, first
from games.engine import Seat
from games.matches.slap_points.models import Attendance, SlapPoint, Watch

#: How the turn of a player who misses a slap point ends; unlike other missed turns, no stand-in plays it.
NOT_WATCHED = "not watched"


@compiled
def _unsettled(match_id: int) -> QuerySet[SlapPoint]:
    return SlapPoint.objects.filter(match=match_id, settled_at=None)


@compiled
def _attendances(match_id: int) -> QuerySet[Attendance]:
    return Attendance.objects.filter(match=match_id)


@dataclass(slots=True)
class Watching:
    """The stored slap point that a match waits at, with changes that are about to be stored."""

    match_id: int
    #: None if the point has still to be opened.
    point: SlapPoint | None
    watches: dict[Seat, Watch] = field(default_factory=dict)
    attendances: dict[Seat, Attendance] = field(default_factory=dict)

    @classmethod
    def of(cls, match_id: int) -> "Watching":
        """Read the slap point of a match."""
        point = first(_unsettled(match_id))
        watches = {} if point is None else {watch.seat: watch for watch in point.watches.all()}
        return cls(match_id, point, watches, {row.seat: row for row in _attendances(match_id)})

    def unfinished(self) -> list[Seat]:
        """The seats that the match waits for."""
        return sorted(seat for seat, watch in self.watches.items() if watch.is_unfinished)

    def attendance(self, seat: Seat) -> Attendance:
        """The attendance of a seat."""
        if seat not in self.attendances:
            self.attendances[seat] = Attendance(match_id=self.match_id, seat=seat)
        return self.attendances[seat]


def written(watch: Watch, **columns: Any) -> "partial[None]":
    """Change columns of a watch; storing it fails if the row has changed since it was read."""
    seen = {"pk": watch.pk, "state": watch.state, "session": watch.session, "cursor": watch.cursor}
    for name, value in columns.items():
        setattr(watch, name, value)
    return partial(_write, seen, columns)


def _write(seen: dict[str, Any], columns: dict[str, Any]) -> None:
    if not Watch.objects.filter(**seen).update(**columns):
        raise IntegrityError("the watching has gone on")
