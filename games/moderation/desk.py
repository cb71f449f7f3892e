"""What a moderator sees on the page of one report."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.moderation.models import NameChange, Report, Rule, Sanction
from games.matches.models import Match, Seat
from games.moderation.reports import weights
from games.replays.moments import Viewpoint, moments
from games.table.page import PlainZone, plain_zones

#: Earlier reports and decisions on a page.
SHOWN = 20

#: Which power handles reports on which rule; what is about nothing else is anybody's.
POWER_OF_RULE = {
    Rule.RESPECT: "moderation.handle_talk",
    Rule.NAME: "moderation.handle_talk",
    Rule.SPAM: "moderation.handle_talk",
    Rule.FAIR: "moderation.handle_results",
    Rule.STALL: "moderation.handle_results",
}


def reports_for(moderator: User) -> QuerySet[Report]:
    """The reports that this moderator's roles include, but none of a match that they are playing.

    The desk shows the accused's cards and the spectators' talk.
    """
    others = [rule for rule, power in POWER_OF_RULE.items() if not moderator.has_perm(power)]
    playing = Seat.objects.filter(player=moderator, match__status=Match.Status.RUNNING).order_by()
    return Report.objects.exclude(rule__in=others).exclude(match__in=list(playing.values_list("match", flat=True)))


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
    """The table at the reported move, as one seat saw it: hidden cards of a match that may be running."""

    seat: int | None
    version: int
    zones: list[PlainZone]
    sentences: list[str]


def table_at(report: Report) -> Seen | None:
    """The table of the report's match at its move, as the accused saw it; None if there is none."""
    match = report.match
    if match is None or match.started_at is None:
        return None
    version = min(report.move_number if report.move_number is not None else match.version, match.version)
    seat = next((place.number for place in match.seats.all() if place.player_id == report.accused_id), None)
    if report.accused_id is None:
        seat = None
    eyes = Viewpoint(seat=seat)
    moment = next(moments(match, version))
    data: dict[str, Any] = moment.to_json(eyes)
    return Seen(seat, version, plain_zones(data["view"], moment.table.names), moment.sentences(eyes))
