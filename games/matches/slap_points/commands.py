"""Commands of slap points: beginning and finishing a watch, missing it, and settling the point.

Only ``games.matches.service`` calls them. The last player to have watched settles the point in the same transaction.
Everything is decided on the stored rows, and stored only if they have not changed since.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import ClassVar, cast

from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _

from games.engine import Seat, SlapState
from games.matches.commit.changeset import Acted, ChangeSet, Command, Refused, require_unchanged
from games.matches.models import Match, Move, SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.models import MOST_RETURNS, SlapPoint, Watch
from games.matches.slap_points.opening import RELAY_FROM
from games.matches.slap_points.settlement import settle
from games.matches.slap_points.watching import NOT_WATCHED, Watching, written

#: A player who was shown a card this recently is watching, and the clock doesn't cut that short.
STILL_WATCHING = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Begun:
    """The socket may show the segment from ``cursor`` on."""

    point_id: int
    version: int
    cursor: int
    #: How often the player may still return after a lost connection.
    returns_left: int


def open_point(match_id: int) -> SlapPoint | None:
    """The slap point that a match waits at; None if there is none."""
    return SlapPoint.objects.filter(match=match_id, settled_at=None, match__status=Match.Status.RUNNING).first()


def is_open(match_id: int) -> bool:
    """Whether a match waits at a slap point."""
    return open_point(match_id) is not None


def advance(point_id: int, session: str, cursor: int) -> bool:
    """Note that move ``cursor`` of the segment is about to be shown. False if this socket may not show it.

    This isn't a command, because it changes this row only, and the match doesn't wait for it.
    """
    # PostgreSQL checks the conditions on this row again after waiting for another write, so they use its own columns
    # only.
    showing = Watch.objects.filter(point=point_id, session=session, state=Watch.State.WATCHING, cursor=cursor - 1)
    return showing.update(cursor=cursor, shown_at=timezone.now()) == 1


# Watching.


@dataclass(slots=True)
class BeginSlapPoint(Command[Begun | None]):
    """Let the socket called ``session`` show a player the cards, and cut off an older socket.

    The result is None if the connection was lost too often: the rest then counts as not slapped.
    """

    is_alone: ClassVar[bool] = True
    seat: Seat
    session: str

    def decide(self, change: ChangeSet) -> Begun | None:
        """Raise :class:`Refused` if this player has nothing to watch."""
        watching, point = require_point(change)
        watch = watching.watches.get(self.seat)
        if watch is None:
            raise Refused("not_watching", _("This time, others watch the cards."))
        if not watch.is_unfinished:
            raise Refused("seen", _("You've already seen these cards."))
        _wake(change, self.seat)
        change.holds = True
        if watch.session and _cut(change, watch):
            go_on(change)
            return None
        columns = {
            "state": Watch.State.WATCHING,
            "session": self.session,
            "session_from": watch.cursor,
            "shown_at": change.at,
            "losses": watch.losses,
        }
        change.also.append(written(watch, **columns))
        return Begun(point.pk, point.version, watch.cursor, MOST_RETURNS - watch.losses)


@dataclass(slots=True)
class LoseSlapPoint(Command[None]):
    """Note that a socket which showed cards has closed; the card that lay open is void."""

    is_alone: ClassVar[bool] = True
    session: str

    def decide(self, change: ChangeSet) -> None:
        """Let the player come back, unless they have lost the connection too often."""
        watching, _point = require_point(change)
        for watch in watching.watches.values():
            if watch.session == self.session and watch.state == Watch.State.WATCHING:
                change.holds = True
                if not _cut(change, watch):
                    change.also.append(written(watch, session="", losses=watch.losses))
        go_on(change)


@dataclass(slots=True)
class FinishSlapPoint(Command[None]):
    """Note that a player has seen all the cards; the last player settles the slap point."""

    is_alone: ClassVar[bool] = True
    seat: Seat
    session: str

    def decide(self, change: ChangeSet) -> None:
        """Note that the player has finished; does nothing if another device shows the cards."""
        watching, _point = require_point(change)
        watch = watching.watches.get(self.seat)
        if watch is not None and watch.session == self.session and watch.state == Watch.State.WATCHING:
            _end(change, watch, Watch.State.SEEN)
        go_on(change)


@dataclass(slots=True)
class WakeSlapPoint(Command[None]):
    """Wait for a player again whom slap points no longer waited for."""

    is_alone: ClassVar[bool] = True
    seat: Seat

    def decide(self, change: ChangeSet) -> None:
        """Wait for the player from now on; also at this slap point if all players watch it."""
        table = change.table
        watching = of(change)
        if not _wake(change, self.seat) or table.status != Match.Status.RUNNING or watching.point is None:
            return
        if (table.uses_relay and len(table.sitters) >= RELAY_FROM) or self.seat in watching.watches:
            return
        watch = watching.watches[self.seat] = Watch(point=watching.point, seat=self.seat)
        change.also.append(watch.save)
        change.asked[self.seat] = watching.point.version
        change.needs_reload = True


def require_shown(change: ChangeSet, attempt: SlapAttempt, session: str) -> None:
    """Raise :class:`Refused` unless ``session`` has shown this card and the seat may slap it."""
    watching, point = require_point(change)
    watch = watching.watches.get(attempt.seat)
    at = attempt.version - point.version
    is_watching = watch is not None and watch.state == Watch.State.WATCHING and watch.session == session
    if watch is None or not is_watching or not 0 < at <= watch.cursor:
        raise Refused("late", _("Too late for that card. It cost you nothing."))
    state = cast(SlapState, change.table.state)
    wrong = [segments.Press(version - point.version, attempt.seat) for version in _pressed(change, attempt)]
    if not segments.may_press(state, segments.ahead(state), point.locks, wrong, segments.Press(at, attempt.seat)):
        raise Refused("illegal", _("You can't slap this card."))


def press(change: ChangeSet, attempt: SlapAttempt) -> bool:
    """Note a slap on a card that was shown, until the point is settled. False for a second slap on the same card."""
    if attempt.version in _pressed(change, attempt, upto=attempt.version + 1):
        return False
    segment = segments.ahead(cast(SlapState, change.table.state))
    is_right = segment.is_slappable and attempt.version == change.table.version + len(segment.moves)
    attempt.result = SlapAttempt.Result.PENDING if is_right else SlapAttempt.Result.WRONG
    change.holds = True
    change.also.append(attempt.save)
    return True


def _pressed(change: ChangeSet, attempt: SlapAttempt, upto: int | None = None) -> list[int]:
    """The cards of this slap point that its seat slapped before ``attempt``, or up to another card."""
    stored = SlapAttempt.objects.filter(
        match=change.table.match_id, seat=attempt.seat, version__gt=change.table.version
    )
    until = stored.filter(version__lt=upto or attempt.version).exclude(result=SlapAttempt.Result.EARLY)
    return list(until.values_list("version", flat=True))


def of(change: ChangeSet) -> Watching:
    """The stored slap point at which ``change`` finds its match."""
    if change.watching is None:
        change.watching = Watching.of(change.table.match_id)
    return change.watching


def require_point(change: ChangeSet) -> tuple[Watching, SlapPoint]:
    """The slap point that the match waits at. Raises :class:`Refused` if there is none."""
    watching = of(change)
    point = watching.point
    is_here = change.table.status == Match.Status.RUNNING and change.table.at_slap_point
    if not is_here or point is None or point.version != change.table.version:
        raise Refused("settled", _("All players have seen these cards."))
    return watching, point


def miss(change: ChangeSet, late: Collection[Seat]) -> None:
    """Stop waiting for players whose time to watch has run out."""
    for seat in late:
        watch = of(change).watches.get(seat)
        if watch is None or not watch.is_unfinished:
            continue
        if watch.session and watch.shown_at is not None and watch.shown_at > change.at - STILL_WATCHING:
            until = watch.shown_at + STILL_WATCHING
            change.step_at = until if change.step_at is None else min(change.step_at, until)
            continue
        has_come = watch.state == Watch.State.WATCHING
        _end(change, watch, Watch.State.SEEN if has_come else Watch.State.MISSED)


def drop(change: ChangeSet, seat: Seat) -> None:
    """Stop waiting for the player of ``seat``, who has left for good and whose clock is stopped."""
    watch = of(change).watches.get(seat) if change.table.at_slap_point else None
    if watch is not None and watch.is_unfinished:
        change.also.append(written(watch, state=Watch.State.MISSED, session=""))


def _cut(change: ChangeSet, watch: Watch) -> bool:
    """Stop a socket from showing cards. True if the connection was lost once too often."""
    losses = watch.losses + (watch.cursor > watch.session_from)
    if losses > MOST_RETURNS:
        _end(change, watch, Watch.State.SEEN, losses=losses)
        return True
    watch.losses = losses
    return False


def _end(change: ChangeSet, watch: Watch, state: Watch.State, **columns: object) -> None:
    """End a player's watch at this slap point."""
    seat, is_seen = watch.seat, state == Watch.State.SEEN
    change.also.append(written(watch, state=state, session="", **columns))
    attendance = of(change).attendance(seat)
    attendance.missed = 0 if is_seen else attendance.missed + 1
    change.also.append(attendance.save)
    change.ended.append((seat, Move.Source.PLAYER if is_seen else NOT_WATCHED))
    change.asked[seat] = None
    if is_seen:
        change.movers[seat] = Move.Source.PLAYER
    change.needs_reload = True


def _wake(change: ChangeSet, seat: Seat) -> bool:
    """Wait for ``seat`` again from now on. False if the match waited for it anyway."""
    attendance = of(change).attendance(seat)
    if not attendance.missed:
        return False
    attendance.missed = 0
    change.also.append(attendance.save)
    return True


# Settling.


@dataclass(slots=True)
class SettleSlapPoints(Command[Acted]):
    """Settle a slap point that everyone has watched or missed: its moves, the burned cards, the fastest slap."""

    is_alone: ClassVar[bool] = True
    #: The version at which the point begins; None means the match's current version.
    version: int | None = None

    def decide(self, change: ChangeSet) -> Acted:
        """Settle the point, or open the one that should be here."""
        table = change.table
        if table.status != Match.Status.RUNNING:
            raise Refused("over", _("This match is over."))
        if not table.at_slap_point or self.version not in (None, table.version):
            raise Refused("stale", _("The table has already moved on."))
        point = of(change).point
        if point is not None and point.version != table.version:
            raise Refused("stale", _("The table has already moved on."))
        if not go_on(change):
            raise Refused("waiting", _("Not all players have seen the cards yet."))
        return Acted(table.version, is_new=bool(change.entries))


def go_on(change: ChangeSet) -> bool:
    """Settle a slap point that no one still has to watch, or open a missing one. False if a player has to watch."""
    table, watching = change.table, of(change)
    if table.status != Match.Status.RUNNING or not table.at_slap_point:
        return False
    if watching.point is None:
        change.opens_point = True
        return True
    if watching.unfinished():
        return False
    _settle(change, watching.point)
    return True


def _settle(change: ChangeSet, point: SlapPoint) -> None:
    table = change.table
    state = cast(SlapState, table.state)
    first = table.version
    last = first + len(segments.ahead(state).moves)
    stored = SlapAttempt.objects.filter(match=table.match_id, version__gt=first, version__lte=last).order_by("pk")
    attempts = stored.exclude(result__in=(SlapAttempt.Result.EARLY, SlapAttempt.Result.LATE))
    pressed = list(attempts)
    # A slap may have been stored in the meantime; once the point is settled, none can be.
    keys = attempts.values_list("pk", flat=True)
    change.also.append(partial(require_unchanged, lambda: list(keys.all()), [press.pk for press in pressed]))
    settlement = settle(state, first, pressed, table.seed)
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
    """Store the settled point, inside the transaction. Raises ``IntegrityError`` if it was settled meanwhile."""
    if not SlapPoint.objects.filter(pk=point_id, settled_at=None).update(**settled):
        raise IntegrityError("settled by another process")
