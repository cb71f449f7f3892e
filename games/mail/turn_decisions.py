"""Decide about a turn's notice: an email, a push, both, or checking again later.

The rules are in :mod:`games.mail.schedule`; this module applies them to what is stored about the match and its player.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from accounts import outbox
from accounts.compiled import compiled
from accounts.models import User
from accounts.playing_times import calendars
from games.mail import schedule
from games.mail.models import Correspondence, Kind, Notice, Preferences, PushSubscription, Timing
from games.mail.schedule import CALL_GAP, MAIL_GAP, MAILED, MOST_MAILS, PUSHED, Stage, Wish
from games.matches.models import Match, Seat
from games.matches.presets import is_by_hours, is_live


@dataclass(frozen=True, slots=True)
class Plan:
    """The next action for a notice."""

    #: Stages that end with this.
    passed: frozenset[str] = frozenset()
    #: The stage whose email is written; None for no email.
    mail: Stage | None = None
    is_digest: bool = False
    push: Stage | None = None
    #: When to check again; None for never.
    next_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Everything else the decision about a turn's notice depends on."""

    #: The turn's seat, with its match, player and preferences.
    seat: Seat
    user: User
    preferences: Preferences
    correspondence: Correspondence | None
    hours: calendars.Hours
    #: Whether an email about another turn is pending that the player has neither answered nor looked after.
    has_outstanding: bool
    #: Whether the player has a browser that accepts pushes.
    has_browser: bool
    is_live: bool


def circumstances(notices: Sequence[Notice]) -> dict[int, Circumstances]:
    """The circumstances of notices whose turns are open and unseen, by id.

    Uses a fixed number of queries.
    """
    if not notices:
        return {}
    people, matches = {notice.user_id for notice in notices}, {notice.match_id for notice in notices}
    seats = {(seat.match_id, seat.player_id, seat.asked_version): seat for seat in _open_turns(people)}
    if not any((notice.match_id, notice.user_id, notice.version) in seats for notice in notices):
        return {}
    mailed: dict[int, set[int]] = defaultdict(set)
    for pk, *turn in _mailed_turns(people, {seat.match_id for seat in seats.values()}):
        if tuple(turn) in seats:
            mailed[turn[1]].add(pk)
    hours = calendars.of(people, min(notice.created_at for notice in notices))
    threads = {(thread.user_id, thread.match_id): thread for thread in _threads(people, matches)}
    reachable = set(_reachable(people))
    people_at = _people_at({seat.match_id for seat in seats.values() if seat.match.clock == Match.Clock.NONE})
    found = {}
    for notice in notices:
        seat = seats.get((notice.match_id, notice.user_id, notice.version))
        if seat is not None and seat.player is not None:
            found[notice.pk] = Circumstances(
                seat,
                seat.player,
                Preferences.of(seat.player),
                threads.get((notice.user_id, notice.match_id)),
                hours[notice.user_id],
                bool(mailed[notice.user_id] - {notice.pk}),
                notice.user_id in reachable,
                is_live(seat.match.clock, people_at.get(seat.match_id, 0)),
            )
    return found


@compiled
def _open_turns(people: Collection[int]) -> QuerySet[Seat]:
    unseen = Q(looked_version__isnull=True) | Q(looked_version__lt=F("asked_version"))
    seats = Seat.objects.select_related("match", "player__notice_preferences").defer("match__snapshot")
    return seats.filter(
        unseen, player__in=people, ai_level="", asked_version__isnull=False, match__status=Match.Status.RUNNING
    )


@compiled
def _mailed_turns(people: Collection[int], matches: Collection[int]) -> QuerySet[Notice, tuple[int, int, int, int]]:
    mailed = Notice.objects.filter(kind=Kind.TURN, mails__gt=0, user__in=people, match__in=matches)
    return mailed.values_list("pk", "match_id", "user_id", "version")


@compiled
def _threads(people: Collection[int], matches: Collection[int]) -> QuerySet[Correspondence]:
    return Correspondence.objects.filter(user__in=people, match__in=matches)


@compiled
def _reachable(people: Collection[int]) -> QuerySet[PushSubscription, int]:
    return PushSubscription.objects.filter(user__in=people).values_list("user_id", flat=True)


def _people_at(match_ids: set[int]) -> dict[int, int]:
    """How many people play in each of these matches without a clock; by a clock it doesn't matter."""
    if not match_ids:
        return {}
    people = Count("seats", filter=Q(seats__player__isnull=False, seats__ai_level=""))
    return dict(Match.objects.filter(pk__in=match_ids).annotate(people=people).values_list("pk", "people"))


def decide(notice: Notice, known: Circumstances) -> Plan:
    """Decide what to do about a turn's notice now, by the rules of ``games.mail.schedule``."""
    now = timezone.now()
    preferences, seat = known.preferences, known.seat
    if seat.match.is_played_live:
        # Everyone is present. If a player leaves or the server dies, this is checked again when the live session has
        # ended.
        return Plan(frozenset(notice.stages.split()), next_at=seat.match.live_until)
    timing = (known.correspondence.timing if known.correspondence else "") or preferences.timing
    zone = known.hours.at(now).zone
    wish = Wish(timing, timedelta(minutes=preferences.delay), preferences.hours, zone)
    calendar = None
    if is_by_hours(seat.match.clock):
        calendar = known.hours.at(notice.created_at, weekends_rest=seat.match.weekends_rest)
    times = schedule.stages(notice.created_at, seat.due_at, wish, calendar, is_live=known.is_live)
    over = frozenset(notice.stages.split())
    due = {stage for stage, at in times.items() if at <= now and stage not in over}
    passed = over | due
    left = [at for stage, at in times.items() if stage not in passed]
    # One push replaces all that are due by now.
    pushed = max(due & PUSHED, key=list(Stage).index, default=None) if known.has_browser else None
    plan = Plan(passed, push=pushed, next_at=min(left, default=None))
    mail = _mail_due(due & MAILED, notice, timing, now)
    if mail is None or not outbox.wants(known.user, Kind.TURN):
        return plan
    if timing == Timing.DIGEST and mail == Stage.MAIL:
        has_been_told = preferences.digest_at is not None and preferences.digest_at >= notice.created_at
        return plan if has_been_told else _after_gap(plan, mail, preferences, notice, now, is_digest=True)
    if mail == Stage.MAIL and timing == Timing.TOGETHER and known.has_outstanding:
        # The pending email mentions it; once that is answered, this turn gets its own.
        return _postponed(plan, mail, now + MAIL_GAP, over)
    return _after_gap(plan, mail, preferences, notice, now)


def _mail_due(due: set[Stage], notice: Notice, timing: str, now: datetime) -> Stage | None:
    """The most important due email, if the turn may have another one."""
    if not due or timing == Timing.NEVER or notice.mails >= MOST_MAILS:
        return None
    if notice.mailed_at is not None and now - notice.mailed_at < CALL_GAP:
        return None
    stage = max(due, key=list(Stage).index)
    return None if stage == Stage.MAIL and notice.mails else stage


def _after_gap(
    plan: Plan, mail: Stage, preferences: Preferences, notice: Notice, now: datetime, *, is_digest: bool = False
) -> Plan:
    """The plan with its email, or with a later check if the gap between two emails isn't over yet."""
    if preferences.mailed_at is not None and preferences.mailed_at + MAIL_GAP > now:
        return _postponed(plan, mail, preferences.mailed_at + MAIL_GAP, frozenset(notice.stages.split()))
    return Plan(plan.passed, mail, is_digest, plan.push, plan.next_at)


def _postponed(plan: Plan, mail: Stage, until: datetime, over: frozenset[str]) -> Plan:
    """The plan without its email, which stays due until then or until another stage is due."""
    return Plan(plan.passed - (MAILED - over), None, False, plan.push, min(filter(None, (plan.next_at, until))))


def names(stages: frozenset[str]) -> str:
    """The stages in stored form."""
    return " ".join(stage for stage in Stage if stage in stages)
