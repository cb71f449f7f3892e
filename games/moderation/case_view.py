"""What a moderator sees on the page of one report."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.moderation.models import NameChange, Report, Sanction
from games.matches.models import Match, Seat
from games.moderation.reports import weights
from games.replays.positions import Viewpoint, moments
from games.table.page import PlainZone, plain_zones

#: Earlier reports and decisions on a page.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Together:
    """How often reporter and accused have met."""

    matches: int
    lately: int


@dataclass(frozen=True, slots=True)
class File:
    """Everything beside the report itself."""

    weight: float
    together: Together
    about_accused: list[Report]
    by_reporter: list[Report]
    sanctions: list[Sanction]
    names: list[NameChange]


def file_of(report: Report) -> File:
    """History and sanctions of both sides, in a fixed number of queries."""
    accused, reporter = report.accused_id, report.reporter_id
    others = Report.objects.exclude(pk=report.pk).order_by("-created_at")
    return File(
        weight=weights({reporter})[reporter] if reporter else 0.5,
        together=_together(accused, reporter),
        about_accused=list(others.filter(accused=accused)[:SHOWN]) if accused else [],
        by_reporter=list(others.filter(reporter=reporter)[:SHOWN]) if reporter else [],
        sanctions=list(Sanction.objects.filter(person__in=[pk for pk in (accused, reporter) if pk])[:SHOWN]),
        names=list(NameChange.objects.filter(user=accused)[:SHOWN]) if accused else [],
    )


def _together(one: int | None, other: int | None) -> Together:
    if one is None or other is None:
        return Together(0, 0)
    theirs = Seat.objects.filter(player=other).values("match_id")
    met = Match.objects.filter(seats__player=one, pk__in=theirs)
    return Together(met.count(), met.filter(created_at__gte=timezone.now() - timedelta(days=30)).count())


@dataclass(frozen=True, slots=True)
class Seen:
    """The table after a move: as one seat saw it, or with all hands; hidden cards of a match that may be running."""

    seat: int | None
    is_open: bool
    version: int
    last: int
    zones: list[PlainZone]
    sentences: list[str]

    @property
    def earlier(self) -> int | None:
        """The move before it, if there is one."""
        return self.version - 1 if self.version > 0 else None

    @property
    def later(self) -> int | None:
        """The move after it, if there is one."""
        return self.version + 1 if self.version < self.last else None


def table_at(report: Report, version: int | None = None, *, is_open: bool = False) -> Seen | None:
    """The table of the report's match after a move, the reported one unless ``version`` says which.

    As the accused saw it, or with all hands if ``is_open``. None if there is no table.
    """
    match = report.match
    if match is None or match.started_at is None:
        return None
    if version is None:
        version = report.move_number if report.move_number is not None else match.version
    version = max(0, min(version, match.version))
    seat = next((place.number for place in match.seats.all() if place.player_id == report.accused_id), None)
    if report.accused_id is None or is_open:
        seat = None
    eyes = Viewpoint(seat=seat, is_open=is_open)
    moment = next(moments(match, version))
    data: dict[str, Any] = moment.to_json(eyes)
    zones = plain_zones(data["view"], moment.table.names)
    return Seen(seat, is_open, version, match.version, zones, moment.sentences(eyes))
