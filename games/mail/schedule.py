"""When a player is notified of a turn. Pure: no database and no current time."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from accounts.playing_times.waking import Calendar
from games.mail.models import DELAYED, MAILED_BY_TURN, Timing
from games.matches.presets import deadline, ticked

#: Players at the table have seen the turn by then; the push is for everyone else.
PUSH_AFTER = timedelta(seconds=5)
#: The same for a live table, where a turn is often over sooner.
LIVE_PUSH_AFTER = timedelta(seconds=20)
#: Fractions of the allowed time after which a push and a reminder follow.
HALF_OF_TIME, REMINDER_OF_TIME = 0.5, 0.8
#: How long before the end the last call is sent, or at this fraction of the time if that is earlier.
LAST_CALL, LAST_CALL_OF_TIME = timedelta(hours=1), 0.05
#: Maximum emails about one turn (the first, a reminder, the last call), and the minimum gap between two emails to one
#: person.
MOST_MAILS = 3
MAIL_GAP = timedelta(minutes=10)
#: A reminder or last call is skipped if a recent email mentioned the turn and its time left.
CALL_GAP = timedelta(minutes=30)


class Stage(StrEnum):
    """The stages of a turn's notice, each at its time, until the player moves or looks."""

    PUSH = "push"
    MAIL = "mail"
    HALF = "half"
    REMINDER = "reminder"
    LAST = "last"


#: Stages with an email, and stages with a push.
MAILED = frozenset({Stage.MAIL, Stage.REMINDER, Stage.LAST})
PUSHED = frozenset({Stage.PUSH, Stage.HALF, Stage.LAST})


@dataclass(frozen=True, slots=True)
class Wish:
    """A person's settings: ``hours`` are full hours of the digest in ``zone``."""

    timing: str
    delay: timedelta
    hours: Collection[int]
    zone: ZoneInfo


def stages(
    asked_at: datetime, due_at: datetime | None, wish: Wish, calendar: Calendar | None, *, is_live: bool = False
) -> dict[Stage, datetime]:
    """When each stage of a turn is due; a missing stage never is.

    Args:
        asked_at: when the turn began.
        due_at: when its time ends; None without a clock.
        wish: the player's settings.
        calendar: when the player's clock runs. Delays and fractions count running time, so that no player is woken;
            None if the clock always runs.
        is_live: a live table has no emails, only the first push.
    """
    if is_live:
        return {Stage.PUSH: asked_at + LIVE_PUSH_AFTER}
    plan = {Stage.PUSH: deadline(asked_at, PUSH_AFTER, calendar)}
    mail_at = _mail_at(asked_at, wish, calendar)
    if mail_at is not None:
        plan[Stage.MAIL] = mail_at
    if due_at is not None and due_at > asked_at:
        allowed = ticked(asked_at, due_at, calendar)
        plan[Stage.HALF] = deadline(asked_at, allowed * HALF_OF_TIME, calendar)
        before_end = min(max(LAST_CALL, allowed * LAST_CALL_OF_TIME), allowed / 2)
        # If time is short, a reminder would coincide with the last call or follow it.
        if wish.timing in MAILED_BY_TURN and allowed * (1 - REMINDER_OF_TIME) - before_end >= LAST_CALL:
            plan[Stage.REMINDER] = deadline(asked_at, allowed * REMINDER_OF_TIME, calendar)
        plan[Stage.LAST] = deadline(asked_at, allowed - before_end, calendar)
    return plan


def _mail_at(asked_at: datetime, wish: Wish, calendar: Calendar | None) -> datetime | None:
    if wish.timing == Timing.NEVER:
        return None
    if wish.timing == Timing.DIGEST:
        return next_hour(asked_at, wish.hours, wish.zone)
    if wish.timing in DELAYED:
        return deadline(asked_at, wish.delay, calendar)
    # Immediately means immediately: an email wakes no one.
    return asked_at + PUSH_AFTER


def next_hour(after: datetime, hours: Collection[int], zone: ZoneInfo) -> datetime | None:
    """The first moment after ``after`` at which a clock in ``zone`` shows one of ``hours``; None without hours."""
    today = after.astimezone(zone).date()
    for day in (today, today + timedelta(days=1), today + timedelta(days=2)):
        for hour in sorted(hours):
            # Compared in UTC: comparing two times of one zone would ignore a clock change.
            moment = datetime.combine(day, time(hour), zone).astimezone(after.tzinfo)
            if moment > after:
                return moment
    return None
