"""Email moderators about reports and decisions that have waited for a day, once for each."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.languages import speaking_to
from accounts.models import User
from accounts.moderation.audit import entries_of_row, record
from accounts.moderation.models import Report, Sanction
from games.moderation import queue, reports
from games.moderation.conflict_of_interest import too_close
from games.moderation.notify import email_person

#: How long something may wait before moderators are emailed.
PATIENCE = timedelta(hours=24)
#: The name of the reminder in the log.
ACTION = "remind moderators"


def remind(now: datetime) -> int:
    """Tell each moderator what has waited too long for them; returns the number of such reports and decisions."""
    told: dict[tuple[type[Model], int], Model] = {}
    with transaction.atomic():
        for moderator in User.objects.filter(is_staff=True, is_active=True).order_by("pk"):
            late = _new(
                queue.waiting(queue.reports_for(moderator)).filter(queue.free(now), created_at__lte=now - PATIENCE)
            )
            mine = [each for each in late if not reports.why_not(moderator, each)]
            second = _new(queue.second_opinions(moderator).filter(imposed_at__lte=now - PATIENCE))
            theirs = [each for each in second if not too_close(moderator, [each.person_id] if each.person_id else [])]
            if (mine or theirs) and _email(moderator, mine, theirs):
                told |= {(type(each), each.pk): each for each in (*mine, *theirs)}
        for each in told.values():
            record(None, ACTION, each)
    return len(told)


def _new(rows: QuerySet) -> Iterable:
    """Those that no email has mentioned yet."""
    return rows.filter(~Exists(entries_of_row(rows.model, ACTION)))


def _email(moderator: User, late: list[Report], second: list[Sanction]) -> bool:
    """Send one email about all of them, without names: these stay at the desk. Returns whether it is sent."""
    with speaking_to(moderator):
        paragraphs = []
        if late:
            text = ngettext(
                "%(n)d report has waited for more than a day, and no moderator has claimed it.",
                "%(n)d reports have waited for more than a day, and no moderator has claimed them.",
                len(late),
            )
            paragraphs.append(text % {"n": len(late)})
        if second:
            text = ngettext(
                "%(n)d decision has waited for a second moderator for more than a day.",
                "%(n)d decisions have waited for a second moderator for more than a day.",
                len(second),
            )
            paragraphs.append(text % {"n": len(second)})
        first = (late or second)[0]
        key = f"remind:{moderator.pk}:{first._meta.model_name}:{first.pk}"
        return email_person(moderator, key, _("Something is waiting for the moderators"), paragraphs, "admin:index")
