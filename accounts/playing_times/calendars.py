"""When people's clocks run: used by the clocks of matches and by every text with a time of day.

A turn keeps the playing times that were in force when it began: rows are never changed, and a change adds a row. Leave
is counted in a person's own days: an hour in which the clock would have run costs its share of a usual day; an hour of
sleep or of a rest day costs nothing.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.db import connection, transaction
from django.db.models import QuerySet
from django.dispatch import Signal
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.compiled import compiled, first
from accounts.models import User
from accounts.playing_times.models import Deputy, Leave, LeaveAccount, PlayingTimes
from accounts.playing_times.waking import Calendar, Span

#: The shortest day that can be chosen, and the most rest days.
LEAST_HOURS = timedelta(hours=10)
MOST_REST_DAYS = 2
#: The weekdays on which no clock runs at a table with free weekends.
WEEKEND = frozenset({5, 6})
#: How often playing times may be changed, and how long a mistake may be corrected.
CHANGE_EVERY = timedelta(days=30)
MENDED_WITHIN = timedelta(hours=1)
#: Leave in days: what a month adds, and the most that is kept.
DAYS_A_MONTH = 1.5
MOST_DAYS = 21.0
MONTH = timedelta(days=365.2425 / 12)
HOUR = timedelta(hours=1)
#: How far ahead leave can be booked.
BOOKED_AHEAD = timedelta(days=365)

#: Sent with ``user_id`` after leave was booked or given back: running turns now end at another time.
leave_changed = Signal()


class PlayingTimesError(ValueError):
    """The playing times or leave aren't allowed; the text tells the person why."""


@dataclass(frozen=True, slots=True)
class Hours:
    """One person's playing times over time, with leave."""

    rows: tuple[PlayingTimes, ...] = ()
    away: tuple[Span, ...] = ()

    def at(self, moment: datetime, *, with_leave: bool = True, weekends_rest: bool = False) -> Calendar:
        """The playing times for a turn that begins at ``moment``; the first choice also covers the time before.

        With ``weekends_rest`` Saturday and Sunday, as this person has them, are rest days beside their own.
        """
        chosen = next((row for row in reversed(self.rows) if row.since <= moment), self.rows[0] if self.rows else None)
        calendar = (chosen or PlayingTimes()).calendar()
        rest_days = calendar.rest_days | WEEKEND if weekends_rest else calendar.rest_days
        return replace(calendar, rest_days=rest_days, away=self.away if with_leave else ())


#: The columns of playing times that the query reads.
_COLUMNS = ("id", "user_id", "since", "zone", "wake_from", "wake_to", "is_guess", "rest_days")
_OF = f"""
SELECT accounts_user.id, gone.starts_at, gone.ends_at, {", ".join(f"chosen.{name}" for name in _COLUMNS)}
FROM accounts_user
LEFT JOIN {PlayingTimes._meta.db_table} AS chosen ON chosen.user_id = accounts_user.id
LEFT JOIN {Leave._meta.db_table} AS gone ON gone.user_id = accounts_user.id AND gone.ends_at > %s
WHERE accounts_user.id IN ({{marks}}) ORDER BY chosen.since, gone.starts_at
"""  # noqa: S608 - our own names


def of(user_ids: Collection[int], since: datetime) -> dict[int, Hours]:
    """The playing times of several people, with all leave that ends after ``since``, in one statement.

    Hand-written SQL, because each move of a slow table needs it: building it with Django took half of such a move's
    time.
    """
    if not user_ids:
        return {}
    rows: dict[int, dict[int, PlayingTimes]] = {user_id: {} for user_id in user_ids}
    away: dict[int, dict[Span, None]] = {user_id: {} for user_id in user_ids}
    with connection.cursor() as cursor:
        when = connection.ops.adapt_datetimefield_value(since)
        cursor.execute(_OF.format(marks=", ".join(["%s"] * len(user_ids))), [when, *user_ids])
        for user_id, starts_at, ends_at, *values in cursor.fetchall():
            if values[0] is not None:
                values[2] = _aware(values[2])
                rows[user_id][values[0]] = PlayingTimes.from_db(connection.alias, _COLUMNS, values)
            if ends_at is not None:
                away[user_id][_aware(starts_at), _aware(ends_at)] = None
    return {user_id: Hours(tuple(rows[user_id].values()), tuple(away[user_id])) for user_id in user_ids}


def _aware(value: datetime) -> datetime:
    """Add the time zone that SQLite leaves out."""
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)


def current(user: User) -> PlayingTimes:
    """The playing times that ``user`` chose last, or unsaved defaults."""
    return first(_latest(user.pk)) or PlayingTimes(user=user)


@compiled
def _latest(user_id: int) -> QuerySet[PlayingTimes]:
    return PlayingTimes.objects.filter(user=user_id).order_by("-since")[:1]


def zones(user_ids: Iterable[int]) -> dict[int, ZoneInfo]:
    """The time zones of several people, in one query."""
    chosen = PlayingTimes.objects.filter(user__in=list(user_ids)).order_by("since").values_list("user_id", "zone")
    return {user_id: ZoneInfo(zone) for user_id, zone in chosen}


def own_zone(user: User | None) -> ZoneInfo:
    """The time zone of ``user``, for all times on one page; UTC if unknown."""
    return ZoneInfo("UTC" if user is None or not user.is_authenticated else current(user).zone)


@cache
def known_zones() -> frozenset[str]:
    """The names of this machine's time zones, cached: Python searches hundreds of files for them at each call."""
    return frozenset(available_timezones())


def may_change_from(user: User) -> datetime | None:
    """When ``user`` may change the playing times again; None if now."""
    newest = PlayingTimes.objects.filter(user=user).order_by("-since").first()
    if newest is None or newest.is_guess or timezone.now() - newest.since <= MENDED_WITHIN:
        return None
    free = newest.since + CHANGE_EVERY
    return free if free > timezone.now() else None


def check(zone: str, wake_from: time, wake_to: time, rest_days: Collection[int]) -> None:
    """Raise :class:`PlayingTimesError` for playing times that aren't allowed."""
    if zone not in known_zones():
        raise PlayingTimesError(_("We don't know this time zone."))
    if not all(day in range(7) for day in rest_days):
        raise PlayingTimesError(_("We don't know this day of the week."))
    if len(set(rest_days)) > MOST_REST_DAYS:
        raise PlayingTimesError(_("Choose at most two rest days."))
    if Calendar(ZoneInfo(zone), wake_from, wake_to).hours_a_day < LEAST_HOURS:
        raise PlayingTimesError(_("Your day needs at least ten hours."))


def change(user: User, zone: str, wake_from: time, wake_to: time, rest_days: Collection[int]) -> PlayingTimes:
    """Choose playing times from the next turn on. Raises :class:`PlayingTimesError` for invalid ones and too early.

    Within an hour the choice may be corrected; after that the next one may be made 30 days later.
    """
    check(zone, wake_from, wake_to, rest_days)
    wanted = {
        "zone": zone,
        "wake_from": wake_from,
        "wake_to": wake_to,
        "rest_days": " ".join(str(day) for day in sorted(set(rest_days))),
    }
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        now = timezone.now()
        newest = PlayingTimes.objects.filter(user=user).order_by("-since").first()
        if newest is not None and all(getattr(newest, name) == value for name, value in wanted.items()):
            return newest
        free = may_change_from(user)
        if free is not None:
            day = free.astimezone(ZoneInfo(newest.zone if newest else "UTC"))
            raise PlayingTimesError(
                _("You can change your playing times once every 30 days. Next time: {day}.").format(
                    day=date_format(day, "MONTH_DAY_FORMAT")
                )
            )
        if newest is not None and now - newest.since <= MENDED_WITHIN:
            for name, value in {**wanted, "is_guess": False}.items():
                setattr(newest, name, value)
            newest.save()
            return newest
        return PlayingTimes.objects.create(user=user, since=now, **wanted)


def take_zone(user: User, zone: str) -> bool:
    """Use the browser's time zone if the player has chosen no playing times; returns whether it changed.

    This doesn't count as a choice: playing times can still be chosen at any time.
    """
    if zone not in known_zones() or PlayingTimes.objects.filter(user=user).exists():
        return False
    PlayingTimes.objects.create(user=user, zone=zone, is_guess=True)
    return True


def deputy_of(user_id: int | None) -> int | None:
    """The substitute whom a player has named, who is asked first when their seat is offered."""
    return Deputy.objects.filter(user=user_id).values_list("deputy", flat=True).first()


def players_with_substitute(user_id: int) -> set[int]:
    """The players who have named this person as their substitute."""
    return set(Deputy.objects.filter(deputy=user_id).values_list("user", flat=True))


# Leave.


def balance(user: User, at: datetime | None = None) -> float:
    """How many days of leave ``user`` has at a moment, by default now."""
    at = at or timezone.now()
    account = LeaveAccount.objects.filter(user=user).first()
    days, since = (account.days, account.counted_at) if account else (DAYS_A_MONTH, user.created_at)
    return min(MOST_DAYS, days + DAYS_A_MONTH * max(timedelta(0), at - since) / MONTH)


def away(user_ids: Collection[int], at: datetime) -> dict[int, datetime]:
    """For people on leave at a moment, when they return."""
    leaves = Leave.objects.filter(user__in=user_ids, starts_at__lte=at, ends_at__gt=at).order_by("ends_at")
    return dict(leaves.values_list("user_id", "ends_at"))


def cost(user: User, starts_at: datetime, ends_at: datetime) -> float:
    """What a span of leave costs ``user``, in days, rounded up to hours; existing leave inside it costs nothing."""
    hours = of([user.pk], starts_at)[user.pk].at(starts_at)
    waking = timedelta(0)
    for begin, end in hours.windows(starts_at):
        if begin >= ends_at:
            break
        waking += min(end, ends_at) - begin
    return math.ceil(waking / HOUR) * HOUR / hours.hours_a_day


def upcoming(user: User) -> Sequence[Leave]:
    """Leave of ``user`` that isn't over, earliest first."""
    return list(Leave.objects.filter(user=user, ends_at__gt=timezone.now()))


def booked(user_ids: Collection[int]) -> Sequence[Leave]:
    """Booked leave of several people that isn't over, earliest first."""
    rows = Leave.objects.filter(user__in=user_ids, ends_at__gt=timezone.now(), is_automatic=False)
    return list(rows.select_related("user").order_by("starts_at"))


def book(user: User, starts_at: datetime, ends_at: datetime) -> Leave:
    """Book leave ahead.

    Raises :class:`PlayingTimesError` for spans that are over, overlap, or cost more than there is.
    """
    now = timezone.now()
    starts_at = max(starts_at, now)
    if ends_at <= starts_at:
        raise PlayingTimesError(_("Your leave must end in the future, and after it begins."))
    if starts_at > now + BOOKED_AHEAD or ends_at > now + BOOKED_AHEAD:
        raise PlayingTimesError(_("You can book leave up to a year ahead."))
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if Leave.objects.filter(user=user, starts_at__lt=ends_at, ends_at__gt=starts_at, is_automatic=False).exists():
            raise PlayingTimesError(_("You already have leave for part of this time."))
        days = cost(user, starts_at, ends_at)
        left = balance(user)
        if days > left:
            raise PlayingTimesError(
                _("This takes {days:.1f} days of leave, and you have {left:.1f} left.").format(days=days, left=left)
            )
        if not days:
            raise PlayingTimesError(_("Your clock doesn't run at this time anyway."))
        _set_balance(user, left - days)
        leave = Leave.objects.create(user=user, starts_at=starts_at, ends_at=ends_at, days=days)
        transaction.on_commit(lambda: leave_changed.send(sender=Leave, user_id=user.pk))
    return leave


def give_back(leave: Leave) -> None:
    """End booked leave now, or cancel it if it has not begun; unused days are returned."""
    user = leave.user
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        now = timezone.now()
        found = Leave.objects.filter(pk=leave.pk, ends_at__gt=now, is_automatic=False).first()
        if found is None:
            return
        leave = found
        Leave.objects.filter(pk=leave.pk).delete()
        used = cost(user, leave.starts_at, now) if leave.starts_at < now else 0.0
        _set_balance(user, min(MOST_DAYS, balance(user) + max(0.0, leave.days - used)))
        if used:
            Leave.objects.create(user=user, starts_at=leave.starts_at, ends_at=now, days=min(used, leave.days))
        transaction.on_commit(lambda: leave_changed.send(sender=Leave, user_id=user.pk))


@transaction.atomic
def spend_hour(user: User, at: datetime, *, weekends_rest: bool = False) -> bool:
    """Stop the clocks of ``user`` for one hour of playing time from ``at`` on, if there is leave.

    ``weekends_rest`` says that the table's clocks stop on Saturday and Sunday. Without an open transaction this makes
    its own, so the hour is stored before a match uses it.
    """
    User.objects.select_for_update().get(pk=user.pk)
    hours = of([user.pk], at)[user.pk].at(at, weekends_rest=weekends_rest)
    days = HOUR / hours.hours_a_day
    left = balance(user)
    if days > left:
        return False
    budget = HOUR
    for begin, end in hours.windows(at):
        if begin + budget <= end:
            _set_balance(user, left - days)
            Leave.objects.create(user=user, starts_at=at, ends_at=begin + budget, days=days, is_automatic=True)
            return True
        budget -= end - begin
    return False  # pragma: no cover - windows go on for ever


def _set_balance(user: User, days: float) -> None:
    now = timezone.now()
    LeaveAccount.objects.update_or_create(user=user, defaults={"days": max(0.0, days), "counted_at": now})
