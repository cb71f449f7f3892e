"""Take an open report out of the queue without deciding it: put it aside, hand it over, merge it.

Each function checks the locked row again: of two moderators who act at once, one is told that the other was first.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.audit import record
from accounts.moderation.models import Report
from games.moderation import queue, reports
from games.moderation.reports import ReportError


def snooze(moderator: User, report: Report, hours: int) -> None:
    """Put a report aside for some hours; after that it is in everyone's queue again. Raises :class:`ReportError`."""
    now = timezone.now()
    until = now + timedelta(hours=hours)
    with transaction.atomic():
        row = _lock(moderator, report)
        if queue.is_aside(row, now):
            raise ReportError(_("This report is already put aside."))
        Report.objects.filter(pk=row.pk).update(snoozed_until=until, claimed_by=None, claimed_at=None)
        record(moderator, "snooze report", row, after={"until": until.isoformat()})


def hand_over(moderator: User, report: Report, desk: str, note: str) -> None:
    """Hand a report to another role, with a note for the moderator there. Raises :class:`ReportError`."""
    with transaction.atomic():
        row = _lock(moderator, report)
        if row.desk == desk:
            raise ReportError(_("This report is already in that queue."))
        Report.objects.filter(pk=row.pk).update(desk=desk, snoozed_until=None, claimed_by=None, claimed_at=None)
        record(moderator, "hand over report", row, before={"desk": row.desk}, after={"desk": desk}, note=note)


def merge(moderator: User, report: Report, chosen: list[int]) -> list[int]:
    """Decide the reports with these ids together with ``report``: each reporter is told when it closes.

    Returns those that could still be merged. A pending quick decision on one of them is cancelled. Raises
    :class:`ReportError`.
    """
    with transaction.atomic():
        # Always locked in the same order, or two moderators who merge each other's reports could deadlock.
        list(Report.objects.select_for_update().filter(pk__in=[report.pk, *chosen]).order_by("pk"))
        _lock(moderator, report)
        at_hand = queue.free(timezone.now()) | Q(claimed_by=moderator)
        rows = list(Report.objects.filter(at_hand, pk__in=chosen, closed_at=None, merged_into=None))
        merged = [row.pk for row in rows]
        for row in rows:
            reports.cancel_press(moderator, row)
        Report.objects.filter(Q(pk__in=merged) | Q(merged_into__in=merged)).update(
            merged_into=report, claimed_by=None, claimed_at=None
        )
        record(moderator, "merge reports", report, after={"reports": merged})
    return merged


def _lock(moderator: User, report: Report) -> Report:
    """Lock the row, unless it was put aside or decided since the moderator saw it."""
    row = reports.lock(moderator, report)
    reports.require_no_press(row)
    if row.snoozed_until != report.snoozed_until:
        raise ReportError(_("Another moderator has just put this report aside."))
    return row
