"""What the page of one report shows to a moderator."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Value
from django.utils import timezone

from accounts.models import User
from accounts.moderation.models import Report, Sanction
from games.matches.models import Match, Seat
from games.moderation.decision_forms import hours_after
from games.moderation.queue import alike, last_note, reports_for
from games.moderation.reports import weight_of_reporter
from games.replays.positions import Viewpoint, moments
from games.table.page import PlainZone, plain_zones

#: How many earlier reports and decisions a page shows.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class File:
    """Other reports about, and decisions on, both sides of a report. Links go only to what the moderator may open."""

    about_accused: list[Report]
    by_reporter: list[Report]
    #: Open reports about the same person that this moderator's roles include.
    alike: list[Report]
    merged: list[Report]
    merged_into: Report | None
    sanctions: list[Sanction]
    #: The proposed length of the next decision about the accused.
    proposed_hours: int


def with_details(rows: QuerySet[Report]) -> QuerySet[Report]:
    """Add to each report what only its page shows.

    These are the rows it names, its reporter's weight, how often both sides have met, and the note of its last
    hand-over.
    """
    theirs = Seat.objects.filter(player=OuterRef(OuterRef("reporter"))).values("match_id")
    met = Match.objects.filter(seats__player=OuterRef("accused"), pk__in=theirs)
    lately = met.filter(created_at__gte=timezone.now() - timedelta(days=30))
    named = rows.select_related("match", "claimed_by", "quick__moderator", "second_look__looked_by")
    return named.annotate(
        weight=weight_of_reporter(), met=_number_of(met), met_lately=_number_of(lately), note=last_note()
    )


def _number_of(rows: QuerySet) -> Subquery:
    return Subquery(rows.order_by().values(all=Value(0)).annotate(number=Count("pk")).values("number"))


def file_of(moderator: User, report: Report) -> File:
    """The history of both sides and the decisions about them, in two queries."""
    accused, reporter = report.accused_id, report.reporter_id
    others = Report.objects.exclude(pk=report.pk).order_by("-created_at")
    is_alike = Q(pk__in=alike(moderator, report).values("pk"))
    shown = Q(merged_into=report) | Q(pk=report.merged_into_id) | is_alike
    if accused:
        shown |= Q(pk__in=others.filter(accused=accused).values("pk")[:SHOWN])
    if reporter:
        shown |= Q(pk__in=others.filter(reporter=reporter).values("pk")[:SHOWN])
    is_mine = Q(pk__in=reports_for(moderator).values("pk"))
    rows: list[Any] = list(others.filter(shown).annotate(is_alike=is_alike, is_mine=is_mine))
    decisions = list(Sanction.objects.filter(person__in=[pk for pk in (accused, reporter) if pk]))
    return File(
        about_accused=[each for each in rows if accused and each.accused_id == accused][:SHOWN],
        by_reporter=[each for each in rows if reporter and each.reporter_id == reporter][:SHOWN],
        alike=[each for each in rows if each.is_alike][::-1],
        merged=[each for each in rows if each.merged_into_id == report.pk],
        merged_into=next((each for each in rows if each.pk == report.merged_into_id), None),
        sanctions=decisions[:SHOWN],
        proposed_hours=hours_after(each for each in decisions if accused and each.person_id == accused),
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """The table after a move, as one seat saw it or with all hands; hidden cards may be those of a running match."""

    seat: int | None
    is_open: bool
    version: int
    last: int
    zones: list[PlainZone]
    sentences: list[str]

    @property
    def earlier(self) -> int | None:
        """The version of the move before it, if there is one."""
        return self.version - 1 if self.version > 0 else None

    @property
    def later(self) -> int | None:
        """The version of the move after it, if there is one."""
        return self.version + 1 if self.version < self.last else None


def table_at(report: Report, version: int | None = None, *, is_open: bool = False) -> Seen | None:
    """The table of the report's match after a move: the reported one, or ``version``.

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
