"""The first page of the admin site: what is waiting for this moderator or operator, how much, and for how long."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Count, F, Min, Q, QuerySet, Value
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import OutgoingMail, User
from accounts.moderation import sanctions
from accounts.moderation.models import Appeal, Report, Sanction
from games.matches.models import Match
from games.moderation import queue, second_looks
from games.moderation.models import UNDO, QuickDecision, SimilarLook
from games.operations import health
from games.operations.models import Failure
from games.slaps.models import Flag

#: Rows of each kind shown on the page itself.
SHOWN = 5
#: How long a flag counts as new.
NEW = timedelta(days=7)


@dataclass(slots=True)
class Pile:
    """Waiting items of one kind: their page, number, and the time of the oldest."""

    title: str
    url: str
    rows: QuerySet
    #: The column with the time since when an item has been waiting.
    column: str
    count: int = 0
    since: datetime | None = None


@dataclass(slots=True)
class Waiting:
    """The content of the page."""

    piles: list[Pile] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    second: list[Sanction] = field(default_factory=list)
    appeals: list[Appeal] = field(default_factory=list)
    looks: list[SimilarLook] = field(default_factory=list)
    quick: list[QuickDecision] = field(default_factory=list)
    failed_emails: Pile | None = None
    reads_figures: bool = False


def waiting_for(person: User) -> Waiting:
    """Everything waiting for moderators with these roles, in a fixed number of queries."""
    found = Waiting()
    if any(person.has_perm(power) for power in queue.DESKS):
        found.reads_figures = True
        _add_reports(found, person)
        _add_decisions(found, person)
    if person.has_perm("moderation.handle_accounts"):
        looks = SimilarLook.objects.filter(agreed_at=None).exclude(asked_by=person).order_by("asked_at")
        found.looks = list(looks.select_related("person", "asked_by")[:SHOWN])
    if person.has_perm("slaps.view_flag"):
        new = Flag.objects.filter(found_at__gte=timezone.now() - NEW)
        found.piles.append(Pile(_("New slap flags"), reverse("admin:slaps_flag_changelist"), new, "found_at"))
    if person.has_perm("moderation.operate"):
        _add_operations(found)
    _count(found.piles)
    return found


def _count(piles: list[Pile]) -> None:
    """The number of each kind and the oldest time, in one query."""
    counts = [
        pile.rows.order_by().values(at=Value(at)).annotate(n=Count("pk"), since=Min(pile.column))
        for at, pile in enumerate(piles)
    ]
    for row in counts[0].union(*counts[1:], all=True) if counts else ():
        piles[row["at"]].count, piles[row["at"]].since = row["n"], row["since"]


def _add_reports(found: Waiting, person: User) -> None:
    rows = queue.waiting(queue.reports_for(person))
    free, mine = queue.free(timezone.now()), Q(claimed_by=person)
    listed = reverse("admin:moderation_report_changelist")
    found.piles += [
        Pile(_("Open reports"), listed, rows.filter(free), "created_at"),
        Pile(_("Reports that I claimed"), f"{listed}?state=mine", rows.filter(mine), "claimed_at"),
    ]
    second = second_looks.waiting_for(person, timezone.now())
    found.piles.append(Pile(_("Second looks at closed reports"), f"{listed}?state=second", second, "asked_at"))
    found.reports = list(rows.filter(free | mine)[:SHOWN])
    mine_pressed = QuickDecision.objects.filter(moderator=person).select_related("report")
    found.quick = list(mine_pressed.filter(Q(pressed_at__gt=timezone.now() - UNDO) | ~Q(problem=""))[:SHOWN])


def _add_decisions(found: Waiting, person: User) -> None:
    kinds = [kind for kind in Sanction.Kind.values if sanctions.may_impose(person, kind)]
    second = queue.second_opinions(person)
    listed = reverse("admin:moderation_sanction_changelist")
    found.piles.append(Pile(_("Waiting for a second moderator"), f"{listed}?state=waits", second, "imposed_at"))
    found.second = list(second.order_by("imposed_at").select_related("imposed_by")[:SHOWN])
    no_part = Q(sanction__imposed_by=person) | Q(sanction__confirmed_by=person) | Q(sanction__person=person)
    appeals = Appeal.objects.filter(decision="", sanction__kind__in=kinds).exclude(no_part)
    listed = reverse("admin:moderation_appeal_changelist")
    found.piles.append(Pile(_("Appeals"), f"{listed}?decision__exact=", appeals, "created_at"))
    found.appeals = list(appeals.order_by("created_at").select_related("sanction")[:SHOWN])


def _add_operations(found: Waiting) -> None:
    now = timezone.now()
    late = Match.objects.filter(status=Match.Status.RUNNING, due_at__lt=now - health.LATEST)
    still = Failure.objects.filter(match__status=Match.Status.RUNNING, match__version=F("version"))
    failed = OutgoingMail.objects.filter(status=OutgoingMail.Status.FAILED)
    matches, failures = reverse("admin:games_match_changelist"), reverse("admin:operations_failure_changelist")
    outbox = f"{reverse('admin:accounts_outgoingmail_changelist')}?status__exact={OutgoingMail.Status.FAILED}"
    found.failed_emails = Pile(_("Failed emails"), outbox, failed, "created_at")
    found.piles += [
        Pile(_("Overdue matches"), f"{matches}?due=overdue", late, "due_at"),
        Pile(_("Failures that block a match"), f"{failures}?state=still", still, "last_at"),
        found.failed_emails,
    ]
