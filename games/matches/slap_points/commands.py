"""The door's wing for slaps by mail: who has watched, who has missed it, and the settling of a slap point.

``games.matches.service`` opens it; nobody else changes a slap point. What changes the match's moves is a deed like
every other; what only changes whom it waits for is one transaction under the lock of the match's row, which makes
every process read the table again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import cast

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from games.engine import Seat
from games.matches import events
from games.matches.commit.changeset import Acted, Change, Deed, Refused
from games.matches.live_match import CLOCK_COLUMNS, SeatClock
from games.matches.models import Incident, Match, Move, SlapAttempt
from games.matches.models import Seat as SeatRow
from games.matches.presets import PRESETS
from games.matches.slap_points import segments
from games.matches.slap_points.models import MOST_RETURNS, Attendance, SlapPoint, Watch
from games.matches.slap_points.opening import RELAY_FROM
from games.matches.slap_points.settlement import settle
from games.matches.turn_clock import begun, calendar_of_seat, ended, returned
from games.realtime import broadcast
from games.rules.armani import ArmaniState

#: Whoever was shown a card so lately is watching: the clock does not cut it short.
STILL_WATCHING = timedelta(seconds=20)


# Watching.


@dataclass(frozen=True, slots=True)
class Begun:
    """A socket may show the segment from ``cursor`` on."""

    point_id: int
    version: int
    cursor: int
    #: How often its player may still come back after a lost line.
    returns_left: int


def open_point(match_id: int) -> SlapPoint | None:
    """The slap point that a match waits at, None if there is none."""
    return SlapPoint.objects.filter(match=match_id, settled_at=None, match__status=Match.Status.RUNNING).first()


def is_open(match_id: int) -> bool:
    """Whether a match waits at a slap point."""
    return open_point(match_id) is not None


def begin(match_id: int, seat: Seat, session: str) -> Begun | None:
    """Let the socket called ``session`` show ``seat`` the cards; an older one is cut off.

    None if the line was lost too often: the rest counts as not slapped.
    Raises :class:`Refused` if this player has nothing to watch.
    """
    with transaction.atomic():
        match, point = _locked(match_id)
        watch = point.watches.filter(seat=seat).first()
        if watch is None:
            raise Refused("not_watching", _("This time others watch."))
        if not watch.is_unfinished:
            raise Refused("seen", _("You have seen these cards already."))
        _awake(match_id, seat)
        if watch.session and _cut(match, watch):
            return None
        watch.state = Watch.State.WATCHING
        watch.session, watch.session_from = session, watch.cursor
        watch.shown_at = timezone.now()
        watch.save()
    return Begun(point.pk, point.version, watch.cursor, MOST_RETURNS - watch.losses)


def advance(point_id: int, session: str, cursor: int) -> bool:
    """Note that move ``cursor`` of the segment is about to be shown. False if this socket is not to show it."""
    # Columns of this row alone: PostgreSQL looks at them once more when it has waited for another's write.
    showing = Watch.objects.filter(point=point_id, session=session, state=Watch.State.WATCHING, cursor=cursor - 1)
    return showing.update(cursor=cursor, shown_at=timezone.now()) == 1


def lose(match_id: int, session: str) -> None:
    """The line of a socket that showed cards is gone; the card that lay open is void."""
    with transaction.atomic():
        try:
            match, point = _locked(match_id)
        except Refused:
            return
        watch = point.watches.filter(session=session, state=Watch.State.WATCHING).first()
        if watch is not None and not _cut(match, watch):
            watch.save()


def press(match_id: int, session: str, attempt: SlapAttempt) -> bool:
    """Store a press on a card that ``session`` showed. False if this seat has pressed on it before.

    Raises :class:`Refused` if the point is settled or another device shows the cards now.
    """
    with transaction.atomic():
        _match, point = _locked(match_id)
        if not point.watches.filter(seat=attempt.seat, session=session, state=Watch.State.WATCHING).exists():
            raise Refused("late", _("That card's time was over. It cost you nothing."))
        key = {"match_id": match_id, "version": attempt.version, "seat": attempt.seat}
        if SlapAttempt.objects.filter(**key).exists():
            return False
        attempt.save()
    return True


def finish(match_id: int, seat: Seat, session: str) -> None:
    """``seat`` has seen the segment through the socket called ``session``."""
    with transaction.atomic():
        try:
            match, point = _locked(match_id)
        except Refused:
            return
        watch = point.watches.filter(seat=seat, session=session, state=Watch.State.WATCHING).first()
        if watch is not None:
            _end(match, watch, Watch.State.SEEN)


def miss(match_id: int) -> None:
    """The clocks of some who should watch have run out: they are not waited for any longer."""
    now = timezone.now()
    with transaction.atomic():
        try:
            match, point = _locked(match_id)
        except Refused:
            return
        overdue = match.seats.filter(due_at__lte=now).values_list("number", flat=True)
        for watch in point.watches.filter(seat__in=list(overdue), state__in=Watch.UNFINISHED):
            if watch.session and watch.shown_at is not None and watch.shown_at > now - STILL_WATCHING:
                Match.objects.filter(pk=match_id).update(due_at=watch.shown_at + STILL_WATCHING)
                continue
            has_come = watch.state == Watch.State.WATCHING
            _end(match, watch, Watch.State.SEEN if has_come else Watch.State.MISSED)


def drop(match: Match, seat: Seat) -> None:
    """The player of ``seat``, whose clock is stopped, has left for good; inside the transaction that says so."""
    point = open_point(match.pk)
    if point is not None:
        point.watches.filter(seat=seat, state__in=Watch.UNFINISHED).update(state=Watch.State.MISSED, session="")
        _waits_anew(match)


def wake(match_id: int, seat: Seat) -> None:
    """A player who was not waited for has come back."""
    with transaction.atomic():
        if not _awake(match_id, seat):
            return
        try:
            match, point = _locked(match_id)
        except Refused:
            return
        if (match.relay and match.seat_count >= RELAY_FROM) or point.watches.filter(seat=seat).exists():
            return
        Watch.objects.create(point=point, seat=seat)
        place = match.seats.get(number=seat)
        now = timezone.now()
        calendar = calendar_of_seat(match, place, now)
        clock = begun(SeatClock.of(place), now, point.version, PRESETS.get(match.clock), calendar)
        _set_clock(place, clock)
        _waits_anew(match)


def _locked(match_id: int) -> tuple[Match, SlapPoint]:
    """A match with its row locked, and the slap point it waits at. Raises :class:`Refused` if there is none."""
    match = Match.objects.select_for_update().get(pk=match_id)
    point = SlapPoint.objects.filter(match=match, settled_at=None).first()
    if match.status != Match.Status.RUNNING or point is None:
        raise Refused("settled", _("These cards have been seen by all."))
    return match, point


def _cut(match: Match, watch: Watch) -> bool:
    """A socket that showed the cards shows them no longer. True if that was once too often, and stored."""
    if watch.cursor > watch.session_from:
        watch.losses += 1
    watch.session = ""
    if watch.losses <= MOST_RETURNS:
        return False
    _end(match, watch, Watch.State.SEEN)
    return True


def _end(match: Match, watch: Watch, state: Watch.State) -> None:
    """A player has nothing more to watch here."""
    watch.state, watch.session = state, ""
    watch.save()
    is_seen = state == Watch.State.SEEN
    attendance, _made = Attendance.objects.get_or_create(match=match, seat=watch.seat)
    attendance.missed = 0 if is_seen else attendance.missed + 1
    attendance.save()
    place = match.seats.get(number=watch.seat)
    now = timezone.now()
    calendar = calendar_of_seat(match, place, place.asked_at or now)
    before = SeatClock.of(place)
    clock = ended(before, now, PRESETS.get(match.clock), calendar, by_player=is_seen)
    if is_seen:
        clock = returned(clock)
    _set_clock(place, clock)
    if before.autopilot_at is None and clock.autopilot_at is not None:
        _report(match, place, Incident.Kind.AUTOPILOT, now)
        if place.player_id is not None:
            events.record(events.PlayerAway(match.pk, match.version, place.player_id))
    elif before.autopilot_at is not None and clock.autopilot_at is None:
        _report(match, place, Incident.Kind.RETURNED, now)
    _waits_anew(match)


def _report(match: Match, place: SeatRow, kind: str, at: datetime) -> None:
    """Have the log tell of it; everybody reads again, because whom the match waits for changes with it."""
    Incident.objects.create(match=match, version=match.version, seat=place.number, kind=kind, name=place.name, at=at)


def _set_clock(place: SeatRow, clock: SeatClock) -> None:
    clock.put(place)
    place.save(update_fields=CLOCK_COLUMNS)


def _waits_anew(match: Match) -> None:
    """Whom the match waits for has changed and nothing else: every process reads the table again."""
    asked = list(match.seats.filter(asked_version__isnull=False).order_by("number"))
    match.awaited = " ".join(str(place.number) for place in asked)
    # With nobody left the point is to be settled: by whoever was the last, or by the sweep if that process died.
    match.due_at = min((place.due_at for place in asked if place.due_at), default=None) if asked else timezone.now()
    match.roster += 1
    match.save(update_fields=["awaited", "due_at", "roster"])
    if asked:
        # The settling, which follows else, is announced by itself.
        transaction.on_commit(partial(broadcast.reload, match.pk))


def _awake(match_id: int, seat: Seat) -> bool:
    """Wait for ``seat`` again from now on. False if it was not asleep."""
    return bool(Attendance.objects.filter(match=match_id, seat=seat, missed__gt=0).update(missed=0))


# Settling.


@dataclass(slots=True)
class SettleDeed(Deed):
    """Enter a slap point that all have watched or missed: its moves, the burned cards, the fastest slap."""

    #: The version at which the point begins; None is whatever the match has come to.
    version: int | None = None

    def decide(self, change: Change) -> Acted:
        """Settle, or open the point that should be here."""
        table = change.table
        if table.status != Match.Status.RUNNING:
            raise Refused("over", _("This match is over."))
        if not table.at_slap_point or self.version not in (None, table.version):
            raise Refused("stale", _("The table has gone on already."))
        point = SlapPoint.objects.filter(match=self.match_id, settled_at=None).first()
        if point is None:
            change.opens_point = True
            return Acted(table.version)
        if point.version != table.version:
            raise Refused("stale", _("The table has gone on already."))
        if point.watches.filter(state__in=Watch.UNFINISHED).exists():
            raise Refused("waiting", _("Not everybody has seen the cards yet."))
        _settle(change, point)
        return Acted(table.version, is_new=True)


def _settle(change: Change, point: SlapPoint) -> None:
    table = change.table
    state = cast(ArmaniState, table.state)
    first = table.version
    last = first + len(segments.ahead(state).moves)
    stored = SlapAttempt.objects.filter(match=table.match_id, version__gt=first, version__lte=last)
    attempts = stored.filter(result__in=(SlapAttempt.Result.PENDING, SlapAttempt.Result.WRONG))
    settlement = settle(state, first, attempts, table.seed)
    change.locks = segments.locks_after(point.locks, settlement.debts)
    for seat, move, name in settlement.moves(state):
        change.enter(seat, move, name, Move.Source.TABLE)
    change.verdict = verdict = settlement.verdict()
    for attempt, result, by_lot in settlement.results():
        attempt.result, attempt.by_lot = result, by_lot
    change.judged = settlement.right
    settled = {"settled_at": change.at, "verdict": verdict, "locks": list(change.locks)}
    change.also.append(partial(_store_settled, point.pk, settled))


def _store_settled(point_id: int, settled: dict[str, object]) -> None:
    """Inside the transaction. Raises ``IntegrityError`` if it was settled meanwhile."""
    if not SlapPoint.objects.filter(pk=point_id, settled_at=None).update(**settled):
        raise IntegrityError("settled by somebody else")
