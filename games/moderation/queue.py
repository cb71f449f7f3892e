"""The queue of reports: their order, which moderator handles which, and which are about the same person."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Concat
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.moderation import sanctions
from accounts.moderation.audit import entries_of_row
from accounts.moderation.models import Report, Rule, Sanction
from games.matches.models import Match, Seat

#: How long a report may wait if its reporter is right half of the time and its rule has the weight 1.
PATIENCE = timedelta(hours=24)
#: How long a claim lasts; after that the report is free again.
CLAIM = timedelta(hours=8)
#: The weights of the rules; all others have 1.
GRAVITY = {Rule.RESPECT: 2.0, Rule.FAIR: 1.5}
#: The power that handles reports on a rule; reports on other rules are for all moderators.
POWER_OF_RULE = {
    Rule.RESPECT: "moderation.handle_talk",
    Rule.NAME: "moderation.handle_talk",
    Rule.SPAM: "moderation.handle_talk",
    Rule.FAIR: "moderation.handle_results",
    Rule.STALL: "moderation.handle_results",
}
#: The desks that a report can be handed to, by the power needed there.
DESKS = {
    "moderation.handle_talk": gettext_lazy("chat"),
    "moderation.handle_results": gettext_lazy("results"),
    "moderation.handle_accounts": gettext_lazy("accounts"),
}
#: How many reports can be decided together.
MOST_ALIKE = 50
#: For how many hours a report can be put aside.
SNOOZES = {24: gettext_lazy("a day"), 72: gettext_lazy("three days"), 168: gettext_lazy("a week")}


def due_at(rule: str, weight: float, now: datetime) -> datetime:
    """When a report made now should be answered.

    At this time, age × weight of the reporter × weight of the rule is the same for all reports, so ordering by it gives
    the order by urgency at any moment.
    """
    gravity = next((factor for key, factor in GRAVITY.items() if key == rule), 1.0)
    return now + PATIENCE / (gravity * 2 * weight)


def reports_for(moderator: User) -> QuerySet[Report]:
    """The reports that this moderator's roles include, except those on a match they are playing in.

    The desk shows the accused's cards and the spectators' chat.
    """
    mine = [power for power in DESKS if moderator.has_perm(power)]
    everything = len(mine) == len(DESKS)
    at_desk = Q() if everything else Q(desk__in=mine) | (Q(desk="") & _by_rule(moderator))
    return _not_playing(moderator).filter(at_desk)


def handed_away(moderator: User) -> QuerySet[Report]:
    """The reports that this moderator would handle by their rule, but that were handed to another role."""
    return _not_playing(moderator).filter(_by_rule(moderator)).exclude(desk="")


def _by_rule(moderator: User) -> Q:
    return ~Q(rule__in=[rule for rule, power in POWER_OF_RULE.items() if not moderator.has_perm(power)])


def _not_playing(moderator: User) -> QuerySet[Report]:
    playing = Seat.objects.filter(match=OuterRef("match"), player=moderator, match__status=Match.Status.RUNNING)
    return Report.objects.filter(~Exists(playing))


def report_of(moderator: User, decision: Sanction | None) -> Report | None:
    """The report that a decision came from, if this moderator may open it."""
    return reports_for(moderator).filter(sanctions=decision).first() if decision else None


def second_opinions(moderator: User) -> QuerySet[Sanction]:
    """Other moderators' grave decisions that this moderator may confirm or refuse."""
    kinds = [kind for kind in Sanction.Kind.values if sanctions.may_impose(moderator, kind)]
    return Sanction.objects.filter(kind__in=kinds, in_force_at=None, lifted_at=None).exclude(imposed_by=moderator)


def desks_beside(report: Report) -> dict[str, str]:
    """The desks that a report can be handed to, without its current one."""
    now_at = report.desk or POWER_OF_RULE.get(Rule(report.rule), "")
    return {power: str(name) for power, name in DESKS.items() if power != now_at}


def waiting(rows: QuerySet[Report]) -> QuerySet[Report]:
    """The reports among ``rows`` that a moderator should look at now, most urgent first."""
    awake = Q(snoozed_until=None) | Q(snoozed_until__lte=timezone.now())
    return rows.filter(awake, closed_at=None, merged_into=None).order_by("due_at", "pk")


def free(now: datetime) -> Q:
    """The query condition for reports that no moderator works on."""
    return Q(claimed_by=None) | Q(claimed_at__lt=now - CLAIM)


def is_aside(report: Report, now: datetime) -> bool:
    """Whether this report is put aside at the moment."""
    return report.snoozed_until is not None and report.snoozed_until > now


def is_free(report: Report, now: datetime) -> bool:
    """Whether no moderator works on this report."""
    return report.claimed_by_id is None or (report.claimed_at is not None and report.claimed_at < now - CLAIM)


def alike(moderator: User, report: Report) -> QuerySet[Report]:
    """Other open reports about the same person that this moderator may see, to be decided together with this one.

    Reports that another moderator works on are left out.
    """
    if report.accused_id is None:
        return Report.objects.none()
    others = reports_for(moderator).filter(accused=report.accused_id, closed_at=None, merged_into=None)
    at_hand = free(timezone.now()) | Q(claimed_by=moderator)
    return others.filter(at_hand).exclude(pk=report.pk).order_by("pk")[:MOST_ALIKE]


def last_note() -> Subquery:
    """The last hand-over of a row's report: the moderator, and their note."""
    log = entries_of_row(Report, "hand over report")
    return Subquery(log.values(text=Concat("actor_name", Value(": "), "note", output_field=models.TextField()))[:1])
