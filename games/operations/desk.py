"""The first page of the admin site: what waits for this moderator or operator, how much of it, and for how long."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Count, F, Min, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.models import Appeal, Report, Sanction
from games.matches.models import Match
from games.moderation import queue
from games.moderation.models import UNDO, QuickDecision
from games.operations import health
from games.operations.models import Failure
from games.slaps.models import Flag

#: Rows of each kind that the page itself shows.
SHOWN = 5
#: For how long a flag counts as new.
NEW = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Pile:
    """Things of one kind that wait: how many, since when the oldest does, and where they are."""

    title: str
    count: int
    since: datetime | None
    url: str


@dataclass(slots=True)
class Waiting:
    """What the page shows."""

    piles: list[Pile] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    second: list[Sanction] = field(default_factory=list)
    appeals: list[Appeal] = field(default_factory=list)
    quick: list[QuickDecision] = field(default_factory=list)
    failed_emails: int = 0
    reads_figures: bool = False


def waiting_for(person: User) -> Waiting:
    """Everything that waits for somebody with these roles, in a fixed number of queries."""
    found = Waiting()
    if any(person.has_perm(power) for power in queue.DESKS):
        found.reads_figures = True
        _add_reports(found, person)
        _add_decisions(found, person)
    if person.has_perm("slaps.view_flag"):
        new = Flag.objects.filter(found_at__gte=timezone.now() - NEW).aggregate(n=Count("pk"), since=Min("found_at"))
        found.piles.append(
            Pile(_("New flags on slaps"), new["n"], new["since"], reverse("admin:slaps_flag_changelist"))
        )
    if person.has_perm("moderation.operate"):
        _add_operations(found)
    return found


def _add_reports(found: Waiting, person: User) -> None:
    rows = queue.waiting(queue.reports_for(person))
    free, mine = Q(claimed_by=None) | Q(claimed_at__lt=timezone.now() - timedelta(hours=8)), Q(claimed_by=person)
    counts = rows.order_by().aggregate(
        free=Count("pk", filter=free),
        free_since=Min("created_at", filter=free),
        mine=Count("pk", filter=mine),
        mine_since=Min("claimed_at", filter=mine),
    )
    listed = reverse("admin:moderation_report_changelist")
    found.piles.append(Pile(_("Open reports"), counts["free"], counts["free_since"], listed))
    found.piles.append(Pile(_("Reports that I claimed"), counts["mine"], counts["mine_since"], f"{listed}?state=mine"))
    found.reports = list(rows.filter(free | mine)[:SHOWN])
    mine_pressed = QuickDecision.objects.filter(moderator=person).select_related("report")
    found.quick = list(mine_pressed.filter(Q(pressed_at__gt=timezone.now() - UNDO) | ~Q(problem=""))[:SHOWN])


def _add_decisions(found: Waiting, person: User) -> None:
    kinds = [kind for kind in Sanction.Kind.values if sanctions.may_impose(person, kind)]
    second = Sanction.objects.filter(kind__in=kinds, in_force_at=None, lifted_at=None).exclude(imposed_by=person)
    counts = second.order_by().aggregate(n=Count("pk"), since=Min("imposed_at"))
    listed = reverse("admin:moderation_sanction_changelist")
    found.piles.append(Pile(_("Second opinions"), counts["n"], counts["since"], f"{listed}?state=waits"))
    found.second = list(second.order_by("imposed_at").select_related("imposed_by")[:SHOWN])
    no_part = Q(sanction__imposed_by=person) | Q(sanction__confirmed_by=person) | Q(sanction__person=person)
    appeals = Appeal.objects.filter(decision="", sanction__kind__in=kinds).exclude(no_part)
    counts = appeals.order_by().aggregate(n=Count("pk"), since=Min("created_at"))
    listed = reverse("admin:moderation_appeal_changelist")
    found.piles.append(Pile(_("Appeals"), counts["n"], counts["since"], f"{listed}?decision__exact="))
    found.appeals = list(appeals.order_by("created_at").select_related("sanction")[:SHOWN])


def _add_operations(found: Waiting) -> None:
    now = timezone.now()
    late = Match.objects.filter(status=Match.Status.RUNNING, due_at__lt=now - health.LATEST)
    counts = late.aggregate(n=Count("pk"), since=Min("due_at"))
    listed = reverse("admin:games_match_changelist")
    found.piles.append(Pile(_("Overdue matches"), counts["n"], counts["since"], f"{listed}?due=overdue"))
    still = Failure.objects.filter(match__status=Match.Status.RUNNING, match__version=F("version"))
    counts = still.aggregate(n=Count("pk"), since=Min("last_at"))
    listed = reverse("admin:operations_failure_changelist")
    found.piles.append(Pile(_("Failures that hold a match up"), counts["n"], counts["since"], f"{listed}?state=still"))
    failed = OutgoingMail.objects.filter(status=OutgoingMail.Status.FAILED)
    counts = failed.aggregate(n=Count("pk"), since=Min("created_at"))
    listed = reverse("admin:accounts_outgoingmail_changelist")
    url = f"{listed}?status__exact={OutgoingMail.Status.FAILED}"
    found.piles.append(Pile(_("Failed emails"), counts["n"], counts["since"], url))
    found.failed_emails = counts["n"]
