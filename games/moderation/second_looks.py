"""Second looks at closed reports: for one in twenty, another moderator says whether it was decided rightly."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.languages import speaking_to
from accounts.models import User
from accounts.moderation.audit import record
from accounts.moderation.models import Report
from games.moderation import queue, reports
from games.moderation.models import SecondLook
from games.moderation.notify import email_person
from games.moderation.reports import ReportError

#: Reports closed longer ago get no second look.
FRESH = timedelta(days=30)
NOTE_LENGTH = 500


def waiting_for(moderator: User, now: datetime) -> QuerySet[SecondLook]:
    """The looks open to this moderator, without their own decisions and those about or reported by them."""
    rows = SecondLook.objects.filter(looked_at=None, asked_at__gt=now - FRESH)
    own = Q(report__closed_by=moderator) | Q(report__accused=moderator) | Q(report__reporter=moderator)
    return rows.filter(report__in=queue.reports_for(moderator)).exclude(own).order_by("asked_at")


def is_open_to(moderator: User, look: SecondLook | None) -> bool:
    """Whether the report waits for a look, and this moderator is another than the one who closed it."""
    return look is not None and look.looked_at is None and look.report.closed_by_id != moderator.pk


def take(moderator: User, report: Report, *, agrees: bool, note: str) -> None:
    """Record whether a report was decided rightly; a moderator whose decision is disputed is told.

    Raises :class:`ReportError`.
    """
    note = " ".join(note.split())[:NOTE_LENGTH]
    reason = reports.why_not(moderator, report)
    if reason:
        raise ReportError(reason)
    if not agrees and not note:
        raise ReportError(_("Say what you see differently."))
    with transaction.atomic():
        look = SecondLook.objects.select_for_update().filter(report=report).first()
        if look is None:
            raise ReportError(_("This report needs no second look."))
        if report.closed_by_id == moderator.pk:
            raise ReportError(_("You closed this report, so another moderator takes the second look."))
        if look.looked_at is not None:
            if (look.looked_by_id, look.agrees) == (moderator.pk, agrees):
                return
            raise ReportError(_("Another moderator has taken the second look."))
        look.looked_by, look.looked_at, look.agrees, look.note = moderator, timezone.now(), agrees, note
        look.save(update_fields=["looked_by", "looked_at", "agrees", "note"])
        record(moderator, "second look", report, after={"agrees": agrees}, note=note)
        if not agrees:
            _email_closer(report, note)


def _email_closer(report: Report, note: str) -> None:
    with speaking_to(report.closed_by):
        words = [
            _("Another moderator looked again at a report that you closed, and sees it differently:"),
            note,
            _("Your decision stays in force until a moderator takes it back."),
        ]
        email_person(
            report.closed_by, f"second look:{report.pk}", _("A second look at your decision"), words, "admin:index"
        )


def taken_since(since: datetime) -> tuple[int, int]:
    """How many looks were taken since then, and how many of them agree with the decision."""
    answers = list(SecondLook.objects.filter(looked_at__gte=since).values_list("agrees", flat=True))
    return len(answers), answers.count(True)
