"""Sending what is due: the sweep over notices, which any number of processes may run at any time.

A notice is decided on twice: once without any lock, so that nobody waits while a mail is written, and again under
the lock of its row and of its person's, right before the mail goes into the outbox. The mail's key names match,
person, turn and stage, so even a fault here writes no mail twice.
"""

import contextlib
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from accounts import calendars, outbox
from accounts.languages import speaking_to
from accounts.models import User
from games.mail import push, schedule
from games.mail.models import Correspondence, Discretion, Kind, Notice, Preferences, PushSubscription, Timing
from games.mail.outgoing.digest import digest_mail
from games.mail.outgoing.other_emails import compose, is_current
from games.mail.outgoing.turn_email import Turn, has_not_looked, read_turn, turn_mail
from games.mail.schedule import MAIL_GAP, MAILED, MOST_MAILS, PUSHED, Stage, Wish
from games.matches.models import Match, Seat
from games.matches.presets import is_by_hours

log = logging.getLogger(__name__)

#: Notices that one run takes up; the next one goes on.
RUN = 500
#: Waits after the first, second, … failure to write a mail; after the last the notice is given up.
BACK_OFF = [timedelta(minutes=m) for m in (1, 5, 15, 60, 240, 720)]
#: How often a mail is written anew because the match has gone on meanwhile.
MAX_TRIES = 5
#: Finished notices are kept for so long.
KEEP = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of a notice now."""

    #: Stages that are over with this.
    passed: frozenset[str] = frozenset()
    #: The stage whose mail is written; None: no mail.
    mail: Stage | None = None
    is_digest: bool = False
    push: Stage | None = None
    #: When to look again; None: never.
    next_at: datetime | None = None


def due(now: datetime) -> QuerySet[Notice]:
    """The notices that one run takes up, the longest due first."""
    return Notice.objects.filter(next_at__lte=now).order_by("next_at")[:RUN]


def send_due() -> int:
    """Take up the notices that are due; how many there were."""
    now = timezone.now()
    taken = list(due(now))
    turns = [notice for notice in taken if notice.kind == Kind.TURN]
    known = circumstances(turns)
    _close([notice.pk for notice in turns if notice.pk not in known], now)
    quiet = _pass_quietly([notice for notice in turns if notice.pk in known], known, now)
    told: set[int] = set()
    for notice in taken:
        if notice.pk in quiet or (notice.kind == Kind.TURN and notice.pk not in known):
            continue
        try:
            if notice.kind == Kind.TURN:
                # Who has been told of another turn just now is not told of this one the same way.
                _take_up_turn(notice, None if notice.user_id in told else known[notice.pk])
            else:
                _take_up_other(notice.pk)
            told.add(notice.user_id)
        except Exception as error:
            log.exception("notice %d could not be told", notice.pk)
            _note_failure(notice.pk, error)
    return len(taken)


def tidy() -> None:
    """Remove old notices about which nothing more is to be told."""
    Notice.objects.filter(next_at__isnull=True, created_at__lt=timezone.now() - KEEP).delete()


def still_holds(key: str) -> bool:
    """Whether the turn that a mail in the outbox tells of still is on: it may have waited there."""
    match_id, user_id, version = (int(part) for part in key.split(":")[1:4])
    seats = Seat.objects.filter(match_id=match_id, player_id=user_id, asked_version=version, ai_level="")
    seat = seats.filter(match__status=Match.Status.RUNNING).first()
    return seat is not None and has_not_looked(seat)


# Turns.


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is decided by, beside a turn's notice itself."""

    #: The seat of the turn, with its match, player and preferences.
    seat: Seat
    user: User
    preferences: Preferences
    correspondence: Correspondence | None
    hours: calendars.Hours
    #: Whether a mail about another turn is out that the player has neither answered nor looked after.
    has_outstanding: bool
    #: Whether the player has a browser that takes pushes.
    has_browser: bool
    is_live: bool


def circumstances(notices: Sequence[Notice]) -> dict[int, Circumstances]:
    """By id, of those whose turns are on and were not looked at: about the others there is nothing to tell.

    A fixed number of queries, however many there are.
    """
    if not notices:
        return {}
    people, matches = {notice.user_id for notice in notices}, {notice.match_id for notice in notices}
    whole_seats = Seat.objects.select_related("match", "player__notice_preferences").defer("match__snapshot")
    open_turns = whole_seats.filter(
        Q(looked_version__isnull=True) | Q(looked_version__lt=F("asked_version")),
        player__in=people,
        ai_level="",
        asked_version__isnull=False,
        match__status=Match.Status.RUNNING,
    )
    seats = {(seat.match_id, seat.player_id, seat.asked_version): seat for seat in open_turns}
    if not any((notice.match_id, notice.user_id, notice.version) in seats for notice in notices):
        return {}
    mailed: dict[int, set[int]] = defaultdict(set)
    told = Notice.objects.filter(
        kind=Kind.TURN, mails__gt=0, user__in=people, match__in={seat.match_id for seat in seats.values()}
    )
    for pk, *turn in told.values_list("pk", "match_id", "user_id", "version"):
        if tuple(turn) in seats:
            mailed[turn[1]].add(pk)
    hours = calendars.of(people, min(notice.created_at for notice in notices))
    threads = {
        (thread.user_id, thread.match_id): thread
        for thread in Correspondence.objects.filter(user__in=people, match__in=matches)
    }
    reachable = set(PushSubscription.objects.filter(user__in=people).values_list("user_id", flat=True))
    alone = _of_one_person({seat.match_id for seat in seats.values() if seat.match.clock == Match.Clock.NONE})
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
                seat.match.clock == Match.Clock.TABLE or seat.match_id in alone,
            )
    return found


def _of_one_person(match_ids: set[int]) -> set[int]:
    """Of matches without a clock those that a person plays against AI players alone: as ``Table.is_live``, of rows."""
    if not match_ids:
        return set()
    people = Count("seats", filter=Q(seats__player__isnull=False, seats__ai_level=""))
    matches = Match.objects.filter(pk__in=match_ids).annotate(people=people)
    return set(matches.filter(people__lt=2).values_list("pk", flat=True))


def _close(pks: Sequence[int], now: datetime) -> None:
    """End the due notices of turns that are over or were looked at, all in one statement."""
    if pks:
        Notice.objects.filter(pk__in=pks, next_at__lte=now).update(next_at=None)


def _pass_quietly(notices: Sequence[Notice], known: Mapping[int, Circumstances], now: datetime) -> set[int]:
    """Move those on about which nothing is sent now, a statement for all that go on alike; their ids.

    Most are such: turns told of in a mail that is out already are looked at again every few minutes.
    """
    alike: dict[tuple[str, datetime | None], list[int]] = defaultdict(list)
    for notice in notices:
        # One that can't be decided on is left to be taken up by itself, which notes the fault.
        with contextlib.suppress(ArithmeticError, LookupError, ValueError):
            plan = decide(notice, known[notice.pk])
            if plan.mail is None and plan.push is None:
                alike[_names(plan.passed), plan.next_at].append(notice.pk)
    for (stages, next_at), pks in alike.items():
        # Somebody else may have moved one of them on since.
        Notice.objects.filter(pk__in=pks, next_at__lte=now).update(stages=stages, next_at=next_at)
    return {pk for pks in alike.values() for pk in pks}


def _take_up_turn(notice: Notice, known: Circumstances | None) -> None:
    """Do what is to be done about a turn's notice, by circumstances just read; None: they may have changed since."""
    for _try in range(MAX_TRIES):
        if known is None:
            newest = Notice.objects.filter(pk=notice.pk, next_at__lte=timezone.now()).first()
            if newest is None:
                return
            notice = newest
            known = circumstances([notice]).get(notice.pk)
            if known is None:
                _close([notice.pk], notice.next_at or timezone.now())
                return
        plan = decide(notice, known)
        turn = None
        if plan.mail is not None and not plan.is_digest:
            with speaking_to(known.user):
                turn = read_turn(known.seat, known.preferences.discretion)
        if _carry_out(notice, turn):
            return
        known = None
    log.info("notice %d: its match goes on faster than a mail about it is written", notice.pk)


def decide(notice: Notice, known: Circumstances) -> Plan:
    """What to do about a turn's notice now, by the rules of ``games.mail.schedule``."""
    now = timezone.now()
    preferences, seat = known.preferences, known.seat
    if seat.match.is_played_live:
        # All are there. Should one go, or the server die, this is looked at again when the spell has ended.
        return Plan(frozenset(notice.stages.split()), next_at=seat.match.live_until)
    timing = (known.correspondence.timing if known.correspondence else "") or preferences.timing
    zone = known.hours.at(now).zone
    wish = Wish(timing, timedelta(minutes=preferences.delay), preferences.hours, zone)
    calendar = known.hours.at(notice.created_at) if is_by_hours(seat.match.clock) else None
    times = schedule.stages(notice.created_at, seat.due_at, wish, calendar, is_live=known.is_live)
    over = frozenset(notice.stages.split())
    due = {stage for stage, at in times.items() if at <= now and stage not in over}
    passed = over | due
    left = [at for stage, at in times.items() if stage not in passed]
    # One push stands for all that are due by now.
    pushed = max(due & PUSHED, key=list(Stage).index, default=None) if known.has_browser else None
    plan = Plan(passed, push=pushed, next_at=min(left, default=None))
    mail = _mail_due(due & MAILED, notice, timing)
    if mail is None or not outbox.wants(known.user, Kind.TURN):
        return plan
    if timing == Timing.DIGEST and mail == Stage.MAIL:
        has_been_told = preferences.digest_at is not None and preferences.digest_at >= notice.created_at
        return plan if has_been_told else _after_gap(plan, mail, preferences, notice, now, is_digest=True)
    if mail == Stage.MAIL and known.has_outstanding:
        # It is told with the mail that is out; should that be answered, this turn has one of its own.
        return _postponed(plan, mail, now + MAIL_GAP, over)
    return _after_gap(plan, mail, preferences, notice, now)


def _mail_due(due: set[Stage], notice: Notice, timing: str) -> Stage | None:
    """The strongest of the mails that are due, if the turn may have another one."""
    if not due or timing == Timing.NEVER or notice.mails >= MOST_MAILS:
        return None
    stage = max(due, key=list(Stage).index)
    return None if stage == Stage.MAIL and notice.mails else stage


def _after_gap(
    plan: Plan, mail: Stage, preferences: Preferences, notice: Notice, now: datetime, *, is_digest: bool = False
) -> Plan:
    """The plan with its mail, or with another look at it once enough time is between two mails."""
    if preferences.mailed_at is not None and preferences.mailed_at + MAIL_GAP > now:
        return _postponed(plan, mail, preferences.mailed_at + MAIL_GAP, frozenset(notice.stages.split()))
    return Plan(plan.passed, mail, is_digest, plan.push, plan.next_at)


def _postponed(plan: Plan, mail: Stage, until: datetime, over: frozenset[str]) -> Plan:
    """The plan without its mail, which stays due and is looked at again then, or when another stage is due."""
    return Plan(plan.passed - (MAILED - over), None, False, plan.push, min(filter(None, (plan.next_at, until))))


def _carry_out(notice: Notice, turn: Turn | None) -> bool:
    """Decide once more under the lock and do it, with the ``turn`` that was read for a mail; whether it was done."""
    with transaction.atomic():
        locked = _lock(notice)
        if locked is None:
            return True  # somebody else has taken it up
        preferences = _lock_person(notice.user_id)
        known = circumstances([locked]).get(locked.pk)
        if known is None:
            notice.next_at = None
            notice.save(update_fields=["next_at"])
            return True
        plan = decide(locked, known)
        if plan.is_digest:
            _write_digest(locked, preferences)
        elif plan.mail is not None:
            if turn is None or not _still_tells(turn, known):
                return False  # there is a mail to be written that is not written yet, or not any more
            turn = replace(turn, seat=known.seat, user=known.user)
            _write_turn(locked, turn, plan.mail, preferences, known.correspondence)
        _pass(locked, plan)
        if plan.push is not None:
            transaction.on_commit(partial(push.send_later, notice.pk, plan.push), robust=True)
    return True


def _still_tells(turn: Turn, known: Circumstances) -> bool:
    """Whether what was read of a turn is what its mail has to tell now, and no more than its player wants shown."""
    return turn.version == known.seat.match.version and turn.discretion == known.preferences.discretion


def _lock(notice: Notice) -> Notice | None:
    """The newest row of a notice, locked; None if another process has it, or has moved it on."""
    rows = Notice.objects.select_for_update(skip_locked=True).filter(pk=notice.pk, next_at=notice.next_at)
    return rows.filter(stages=notice.stages, mails=notice.mails).first()


def _lock_person(user_id: int) -> Preferences:
    """The preferences of a person, locked: one mail to one person is decided on at a time."""
    rows = Preferences.objects.select_for_update(of=("self",)).select_related("user").filter(pk=user_id)
    found = rows.first()
    if found is None:
        Preferences.objects.bulk_create([Preferences(user_id=user_id)], ignore_conflicts=True)
        found = rows.get()
    return found


def _write_turn(
    notice: Notice, turn: Turn, stage: Stage, preferences: Preferences, correspondence: Correspondence | None
) -> None:
    correspondence = correspondence or Correspondence(user=turn.user, match=turn.match)
    with speaking_to(turn.user):
        message = turn_mail(turn, stage, correspondence)
    key = f"turn:{notice.match_id}:{notice.user_id}:{notice.version}:{stage}"
    correspondence.save()
    _mail(notice, preferences, message, key)


def _write_digest(notice: Notice, preferences: Preferences) -> None:
    now = timezone.now()
    with speaking_to(preferences.user):
        message = digest_mail(preferences.user, show_game=preferences.discretion != Discretion.NONE, at=now)
    preferences.digest_at = now
    preferences.save(update_fields=["digest_at"])
    _mail(notice, preferences, message, f"digest:{preferences.pk}:{now.timestamp():.0f}")


def _mail(notice: Notice, preferences: Preferences, message: EmailMessage, key: str) -> None:
    """Put a mail into the outbox and count it."""
    outbox.enqueue(message, key=key)
    notice.mails += 1
    notice.mailed_at = preferences.mailed_at = timezone.now()
    preferences.save(update_fields=["mailed_at"])


def _pass(notice: Notice, plan: Plan) -> None:
    notice.stages = _names(plan.passed)
    notice.next_at = plan.next_at
    notice.failures, notice.error = 0, ""
    notice.save(update_fields=["stages", "next_at", "mails", "mailed_at", "failures", "error"])


def _names(stages: frozenset[str]) -> str:
    return " ".join(stage for stage in Stage if stage in stages)


# Everything else.


def _take_up_other(pk: int) -> None:
    """Write the one mail of a notice that is not about a turn."""
    with transaction.atomic():
        notice = (
            Notice.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("match", "user")
            .filter(pk=pk, next_at__lte=timezone.now())
            .first()
        )
        if notice is None:
            return
        preferences = _lock_person(notice.user_id)
        user = preferences.user
        notice.next_at = None
        if outbox.wants(user, notice.kind) and is_current(notice):
            free_at = preferences.mailed_at + MAIL_GAP if preferences.mailed_at else None
            if free_at is not None and free_at > timezone.now():
                notice.next_at = free_at
            else:
                key = f"{notice.kind}:{notice.match_id}:{notice.user_id}:{notice.version}"
                with speaking_to(user):
                    _mail(notice, preferences, compose(notice, preferences.discretion), key)
        notice.save(update_fields=["next_at", "mails", "mailed_at"])


def _note_failure(pk: int, error: Exception) -> None:
    """Try again later; what was planned stays planned."""
    with transaction.atomic():
        notice = Notice.objects.select_for_update(skip_locked=True).filter(pk=pk).first()
        if notice is None:
            return
        has_tries = notice.failures < len(BACK_OFF)
        notice.next_at = timezone.now() + BACK_OFF[notice.failures] if has_tries else None
        notice.failures += 1
        notice.error = f"{type(error).__name__}: {error}"[:2000]
        notice.save(update_fields=["next_at", "failures", "error"])
