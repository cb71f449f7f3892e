"""Send pending notices: a sweep that any number of processes may run at any time.

Each notice is decided twice: first without a lock, so that nothing waits while an email is written, and again under the
lock of its row and its person's row, right before the email enters the outbox. The email's key names match, person,
turn and stage, so even after a fault none is sent twice.

Turns of one person that are due together share one email: the most urgent in full, so that a reply answers that turn,
the others as links. Their notices are passed with it.
"""

import contextlib
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import outbox
from accounts.languages import speaking_to
from accounts.models import User
from games.mail import push
from games.mail.models import Correspondence, Kind, Notice, Preferences
from games.mail.outgoing.digest import digest_mail
from games.mail.outgoing.other_emails import compose, is_current
from games.mail.outgoing.turn_email import MOST_OTHERS, Turn, has_not_looked, read_turn, turn_mail
from games.mail.schedule import MAIL_GAP, MAILED, Stage
from games.mail.turn_decisions import Circumstances, Plan, circumstances, decide, names
from games.matches.faults import place_of
from games.matches.models import Match, Seat

log = logging.getLogger(__name__)

#: Maximum number of notices per run; the next run continues.
RUN = 500
#: Waits after the first, second, … failure to write an email; after the last, the notice is given up.
BACK_OFF = [timedelta(minutes=m) for m in (1, 5, 15, 60, 240, 720)]
#: How many times an email is rewritten because the match has moved on meanwhile.
MAX_TRIES = 5
#: How long finished notices are kept.
KEEP = timedelta(days=30)


def due(now: datetime) -> QuerySet[Notice]:
    """The notices for one run, the longest overdue first."""
    return Notice.objects.filter(next_at__lte=now).order_by("next_at")[:RUN]


def send_due() -> int:
    """Process the notices that are due; return how many there were."""
    now = timezone.now()
    taken = list(due(now))
    turns = [notice for notice in taken if notice.kind == Kind.TURN]
    known = circumstances(turns)
    _close([notice.pk for notice in turns if notice.pk not in known], now)
    quiet = _pass_quietly([notice for notice in turns if notice.pk in known], known, now)
    told: set[int] = set()
    for notice in sorted(taken, key=lambda notice: _urgency(known.get(notice.pk))):
        if notice.pk in quiet or (notice.kind == Kind.TURN and notice.pk not in known):
            continue
        try:
            if notice.kind == Kind.TURN:
                # A person who was just emailed about another turn isn't emailed about this one, too.
                _process_turn(notice, None if notice.user_id in told else known[notice.pk])
            else:
                _process_other(notice.pk)
            told.add(notice.user_id)
        except Exception as error:
            log.exception("notice %d could not be sent", notice.pk)
            _note_failure(notice.pk, error)
    return len(taken)


def delete_expired() -> None:
    """Delete old finished notices."""
    Notice.objects.filter(next_at__isnull=True, created_at__lt=timezone.now() - KEEP).delete()


def still_holds(key: str) -> bool:
    """Whether the turn of an email in the outbox is still open: it may have waited there."""
    match_id, user_id, version = (int(part) for part in key.split(":")[1:4])
    seats = Seat.objects.filter(match_id=match_id, player_id=user_id, asked_version=version, ai_level="")
    seat = seats.filter(match__status=Match.Status.RUNNING).first()
    holds = seat is not None and has_not_looked(seat)
    if not holds:
        _renotify_others(match_id, user_id, version)
    return holds


def _renotify_others(match_id: int, user_id: int, version: int) -> None:
    """Make the other turns listed in a dropped email due again."""
    turns = Notice.objects.filter(kind=Kind.TURN, user_id=user_id)
    mailed_at = turns.filter(match_id=match_id, version=version).values_list("mailed_at", flat=True).first()
    if mailed_at is None:
        return
    begun = Notice.objects.filter(kind=Kind.BEGINS, user_id=user_id, mailed_at=mailed_at)
    begun.update(mails=0, mailed_at=None, next_at=timezone.now())
    for notice in turns.filter(mailed_at=mailed_at).exclude(match_id=match_id):
        stages = frozenset(notice.stages.split()) - MAILED
        left = {"stages": names(stages), "mails": notice.mails - 1, "mailed_at": None, "next_at": timezone.now()}
        turns.filter(pk=notice.pk, mailed_at=mailed_at).update(**left)


# Turns.


def _close(pks: Sequence[int], now: datetime) -> None:
    """End due notices of turns that are over or were seen, in one statement."""
    if pks:
        Notice.objects.filter(pk__in=pks, next_at__lte=now).update(next_at=None)


def _pass_quietly(notices: Sequence[Notice], known: Mapping[int, Circumstances], now: datetime) -> set[int]:
    """Postpone notices that need no email yet, one UPDATE per distinct next check. Returns their ids.

    Most are like this: turns mentioned in a pending email are checked again every few minutes.
    """
    alike: dict[tuple[str, datetime | None], list[int]] = defaultdict(list)
    for notice in notices:
        # One that can't be decided is left for the regular path, which records the fault.
        with contextlib.suppress(ArithmeticError, LookupError, ValueError):
            plan = decide(notice, known[notice.pk])
            if plan.mail is None and plan.push is None:
                alike[names(plan.passed), plan.next_at].append(notice.pk)
    for (stages, next_at), pks in alike.items():
        # Another worker may have moved one of them on meanwhile.
        Notice.objects.filter(pk__in=pks, next_at__lte=now).update(stages=stages, next_at=next_at)
    return {pk for pks in alike.values() for pk in pks}


def _urgency(known: Circumstances | None) -> datetime:
    """Sort key: first everything that isn't a turn, then the turns that end soonest."""
    if known is None:
        return datetime.min.replace(tzinfo=UTC)
    return known.seat.due_at or datetime.max.replace(tzinfo=UTC)


def _process_turn(notice: Notice, known: Circumstances | None) -> None:
    """Process a turn's notice with fresh circumstances; None if they may have changed since."""
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
        content: Turn | _Digest | None = None
        if plan.mail is not None:
            with speaking_to(known.user):
                discretion = known.preferences.discretion
                content = _digest(known.user, discretion) if plan.is_digest else read_turn(known.seat, discretion)
        if _carry_out(notice, content):
            return
        known = None
    log.info("notice %d: its match moves faster than an email about it can be written", notice.pk)


def _carry_out(notice: Notice, content: "Turn | _Digest | None") -> bool:
    """Decide again under the lock, then act with the email's ``content``; returns whether this was done."""
    with transaction.atomic():
        locked = _lock(notice)
        if locked is None:
            return True  # another worker has processed it
        preferences = _lock_person(notice.user_id)
        known = circumstances([locked]).get(locked.pk)
        if known is None:
            notice.next_at = None
            notice.save(update_fields=["next_at"])
            return True
        plan = decide(locked, known)
        if plan.is_digest:
            if not isinstance(content, _Digest) or not content.still_suits(preferences):
                return False
            _send_digest(locked, preferences, content)
        elif plan.mail is not None:
            if not isinstance(content, Turn) or not _still_tells(content, known):
                return False  # an email has become necessary, or is no longer necessary
            turn = replace(content, seat=known.seat, user=known.user)
            _write_turn(locked, turn, plan.mail, preferences, known.correspondence)
            _pass_along(locked)
        _pass(locked, plan)
        if plan.push is not None:
            transaction.on_commit(partial(push.send_later, notice.pk, plan.push), robust=True)
    return True


def _still_tells(turn: Turn, known: Circumstances) -> bool:
    """Whether the email's content is still current, and shows no more than its player allows."""
    return turn.version == known.seat.match.version and turn.discretion == known.preferences.discretion


def _lock(notice: Notice) -> Notice | None:
    """Lock the newest row of a notice; None if another process has locked it or moved it on."""
    rows = Notice.objects.select_for_update(skip_locked=True).filter(pk=notice.pk, next_at=notice.next_at)
    return rows.filter(stages=notice.stages, mails=notice.mails).first()


def _lock_person(user_id: int) -> Preferences:
    """Lock the preferences of a person: emails to one person are decided one at a time."""
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
        begun = _begun_too(notice, turn.user)
        message = turn_mail(turn, stage, correspondence, [each.match_id for each in begun])
    key = f"turn:{notice.match_id}:{notice.user_id}:{notice.version}:{stage}"
    # The player may have changed this match's own settings meanwhile.
    correspondence.save(update_fields=["subject", "first_id", "last_id"] if correspondence.pk else None)
    _mail(notice, preferences, message, key, begun)


def _pass_along(told: Notice) -> None:
    """Pass the other due turns of a person, which the email about ``told`` lists."""
    due_too = Notice.objects.select_for_update(skip_locked=True).filter(
        kind=Kind.TURN, user=told.user_id, next_at__lte=timezone.now()
    )
    others = list(due_too.exclude(pk=told.pk))
    known = circumstances(others)
    listed = sorted((notice for notice in others if notice.pk in known), key=lambda each: _urgency(known[each.pk]))
    for notice in listed[:MOST_OTHERS]:
        # Based on the state before the email was written, which determines the gap to the next one.
        plan = decide(notice, replace(known[notice.pk], preferences=_before_this_email(known[notice.pk].preferences)))
        if plan.mail is not None and not plan.is_digest:
            notice.mails += 1
            notice.mailed_at = told.mailed_at
            _pass(notice, plan)
            if plan.push is not None:
                transaction.on_commit(partial(push.send_later, notice.pk, plan.push), robust=True)


def _before_this_email(preferences: Preferences) -> Preferences:
    before = copy(preferences)
    before.mailed_at = None
    return before


class _Digest(NamedTuple):
    """A digest, written before the lock because it replays matches."""

    message: EmailMessage
    discretion: str
    at: datetime

    def still_suits(self, preferences: Preferences) -> bool:
        """Whether it goes to its person's address, and shows no more than they allow."""
        return self.discretion == preferences.discretion and self.message.to == [preferences.user.email]


def _digest(user: User, discretion: str) -> _Digest:
    now = timezone.now()
    return _Digest(digest_mail(user, discretion, at=now), discretion, now)


def _send_digest(notice: Notice, preferences: Preferences, digest: _Digest) -> None:
    preferences.digest_at = digest.at
    preferences.save(update_fields=["digest_at"])
    _mail(notice, preferences, digest.message, f"digest:{preferences.pk}:{digest.at.timestamp():.0f}")


def _mail(
    notice: Notice, preferences: Preferences, message: EmailMessage, key: str, begun: Sequence[Notice] = ()
) -> None:
    """Put an email into the outbox and count it, also for the started matches in ``begun`` that it mentions."""
    outbox.enqueue(message, key=key)
    notice.mails += 1
    notice.mailed_at = preferences.mailed_at = timezone.now()
    preferences.save(update_fields=["mailed_at"])
    if begun:
        told = Notice.objects.filter(pk__in=[each.pk for each in begun])
        told.update(next_at=None, mails=1, mailed_at=notice.mailed_at)


def _pass(notice: Notice, plan: Plan) -> None:
    notice.stages = names(plan.passed)
    notice.next_at = plan.next_at
    notice.failures, notice.error = 0, ""
    notice.save(update_fields=["stages", "next_at", "mails", "mailed_at", "failures", "error"])


# Everything else.


def _begun_too(told: Notice, user: User) -> list[Notice]:
    """The person's other notices of started matches: they go into this email, so that no others follow."""
    soon = Notice.objects.select_for_update(skip_locked=True, of=("self",)).select_related("match").order_by("pk")
    soon = soon.filter(kind=Kind.BEGINS, user=user, next_at__lte=timezone.now() + MAIL_GAP)
    others = [notice for notice in soon.exclude(pk=told.pk) if is_current(notice)]
    return others if others and outbox.wants(user, Kind.BEGINS) else []


def _process_other(pk: int) -> None:
    """Write the only email of a notice that isn't about a turn."""
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
                begun = _begun_too(notice, user)
                with speaking_to(user):
                    message = compose(notice, preferences.discretion, [each.match_id for each in begun])
                _mail(notice, preferences, message, key, begun)
        notice.save(update_fields=["next_at", "mails", "mailed_at"])


def _note_failure(pk: int, error: Exception) -> None:
    """Schedule a retry; planned stages stay planned."""
    with transaction.atomic():
        notice = Notice.objects.select_for_update(skip_locked=True).filter(pk=pk).first()
        if notice is None:
            return
        has_tries = notice.failures < len(BACK_OFF)
        notice.next_at = timezone.now() + BACK_OFF[notice.failures] if has_tries else None
        notice.failures += 1
        notice.error = place_of(error)
        notice.save(update_fields=["next_at", "failures", "error"])
