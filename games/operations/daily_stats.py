"""Count matches, moves, sign-ups and emails by day, so that charts don't have to count millions of rows."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Count, F, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from accounts.models import OutgoingMail, User
from accounts.retention import KEEP_SENT
from games.matches.models import Match, Move
from games.operations.models import DayCount

#: How many days the first and every later count cover: guests may sign up days after they arrived.
FIRST, AGAIN = timedelta(days=90), timedelta(days=7)
What = DayCount.What


def count_days() -> None:
    """Count recent days, including today so far. Repeating it gives the same result."""
    now = timezone.now()
    back = AGAIN if DayCount.objects.exists() else FIRST
    first = datetime.combine((now - back).astimezone(UTC).date(), time(), UTC)
    days = [first.date() + timedelta(days=n) for n in range((now.astimezone(UTC).date() - first.date()).days + 1)]
    found = {What.MATCHES: _matches(first), What.TURNS: _turns(first), What.SIGN_UPS: _sign_ups(first)}
    rows = [DayCount(day=day, what=what, count=counts[day]) for what, counts in found.items() for day in days]
    # Sent emails are deleted after two weeks: an older count must not shrink.
    mails = _mails(first)
    kept = (now - KEEP_SENT).astimezone(UTC).date()
    rows += [DayCount(day=day, what=What.MAILS, count=mails[day]) for day in days if day > kept]
    DayCount.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["day", "what"], update_fields=["count"], batch_size=500
    )


def _by_day(rows: QuerySet, column: str) -> Counter[date]:
    """Count ``rows`` by the day of ``column``, in one query."""
    days = rows.annotate(_day=TruncDate(column, tzinfo=UTC)).order_by().values_list("_day")
    return Counter(dict(days.annotate(_count=Count("pk"))))


def _matches(first: datetime) -> Counter[date]:
    """Matches begun since then: running ones, and ones finished after it. Each part has an index."""
    begun = Match.objects.filter(started_at__gte=first, lesson__isnull=True)
    running = begun.filter(status=Match.Status.RUNNING)
    over = begun.filter(status=Match.Status.OVER, finished_at__gte=first)
    return _by_day(running, "started_at") + _by_day(over, "started_at")


def _turns(first: datetime) -> Counter[date]:
    """Moves by people since then, in matches running or finished after it.

    A match that continues another one contains its earlier moves, which don't count again.
    """
    moves = Move.objects.filter(at__gte=first, source=Move.Source.PLAYER, match__lesson__isnull=True)
    moves = moves.filter(at__gte=F("match__started_at"))
    running = moves.filter(match__status=Match.Status.RUNNING)
    over = moves.filter(match__status=Match.Status.OVER, match__finished_at__gte=first)
    return _by_day(running, "at") + _by_day(over, "at")


def _sign_ups(first: datetime) -> Counter[date]:
    """People who first came since then and now have an account."""
    return _by_day(User.objects.filter(created_at__gte=first, is_guest=False), "created_at")


def _mails(first: datetime) -> Counter[date]:
    """Emails sent since then."""
    return _by_day(OutgoingMail.objects.filter(status=OutgoingMail.Status.SENT, sent_at__gte=first), "sent_at")
