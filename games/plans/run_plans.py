"""Store plans, and play them at the right time, through the match service.

The database says what to do; a task does it promptly, and a sweep finds what tasks missed. Both may run twice or at the
same time: every step has a request id of its own, so it is played once.
"""

import logging
import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.restrictions import restrictions_of
from games.engine import Move, View
from games.matches import service, sql
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Seat
from games.matches.models import Move as StoredMove
from games.matches.presets import LIVE
from games.plans.models import ForcedMove, Habit, Plan
from games.plans.preconditions import MOST_STEPS, Ending, bid, broken, can_bid, candidates, highest_bid, premise

log = logging.getLogger(__name__)

#: Delay of a forced move, minimum and maximum; random each time, so that it reveals nothing.
FORCED_AFTER = (timedelta(minutes=1), timedelta(minutes=10))
#: The same during live play.
FORCED_AFTER_LIVE = (timedelta(seconds=2), timedelta(seconds=8))
#: Maximum steps per run and seat: plans are shorter, and the next run would continue.
_MOST_STEPS = 2 * MOST_STEPS
#: Maximum seats per sweep.
SWEPT_AT_ONCE = 200
#: Seats whose player has a plan; a plan of the former player stays, but isn't played.
_IS_ACTIVE = Q(plan__ending="", plan__user=F("player"))


def may_plan(match: Match, seat: Seat | None, user: User | None) -> bool:
    """Whether this person may plan here: on their own seat in a turn-based match, or one without a clock."""
    return (
        seat is not None
        and user is not None
        and seat.player_id == user.pk
        and not seat.ai_level
        and match.status == Match.Status.RUNNING
        and match.clock not in LIVE
    )


def lay(match: Match, user: User, *, moves: Sequence[Move] = (), maximum: int | None = None) -> Plan:
    """Store a plan for the seat of ``user``, replacing any earlier one.

    Args:
        match: a running match.
        user: a player in it.
        moves: moves to be played in this order, one per turn; or
        maximum: the highest bid to make.

    Raises:
        Refused: nothing can be planned here, or this can't be planned.
    """
    with transaction.atomic():
        seat = _seat(match, user)
        if not may_plan(match, seat, user):
            raise service.Refused("no_plans", _("You can plan moves only in your own turn-based matches."))
        view = service.load(match.pk).view(seat.number)
        if maximum is not None:
            if not can_bid(view):
                raise service.Refused("no_plans", _("You have no more bets to make."))
            highest = highest_bid(view)
            if not 1 <= maximum <= highest:
                text = _("Your maximum must be a number from 1 to {highest}.").format(highest=highest)
                raise service.Refused("bad_plan", text)
            moves = ()
        else:
            _check(list(moves), candidates(view))
        plan, _created = Plan.objects.get_or_create(seat=seat, defaults={"user": user, "ending": Ending.DROPPED})
        Plan.objects.filter(pk=plan.pk).update(
            user=user,
            moves=list(moves),
            maximum=maximum,
            position=0,
            edition=F("edition") + 1,
            premise=premise(view),
            laid_at=timezone.now(),
            version=None,
            ending="",
        )
    plan.refresh_from_db()
    return plan


def _check(moves: list[Move], possible: Sequence[Move]) -> None:
    """Raise ``Refused`` for an impossible sequence of moves."""
    if not 1 <= len(moves) <= MOST_STEPS:
        text = _("Choose one to {most} moves.").format(most=MOST_STEPS)
        raise service.Refused("bad_plan", text)
    if any(move not in possible for move in moves):
        raise service.Refused("bad_plan", _("Your hand has changed. Choose again."))
    cards = [move for move in moves if ":" in move and not move.startswith(("draw:", "lay:"))]
    if len({move.partition(":")[2].partition("/")[0] for move in cards}) < len(cards):
        raise service.Refused("bad_plan", _("You can play each card only once."))


def drop(match: Match, user: User) -> None:
    """Delete the plan of ``user``; moves already played stay."""
    plans = Plan.objects.filter(seat__match=match, user=user, ending="")
    plans.update(ending=Ending.DROPPED, edition=F("edition") + 1)


def plan_of(seat: Seat, user: User) -> Plan | None:
    """The newest plan of ``user`` for this seat, active or ended."""
    return Plan.objects.filter(seat=seat, user=user).first()


def _seat(match: Match, user: User) -> Seat:
    seat = match.seats.filter(player=user).first()
    if seat is None:
        raise service.Refused("not_seated", _("You have no seat here."))
    return seat


_IS_PLANNED = """
SELECT 1 FROM games_seat
LEFT JOIN plans_plan ON plans_plan.seat_id = games_seat.id
    AND plans_plan.user_id = games_seat.player_id AND plans_plan.ending = ''
LEFT JOIN plans_habit ON plans_habit.user_id = games_seat.player_id AND plans_habit.plays_forced
WHERE games_seat.match_id IN ({rows}) AND (plans_plan.id IS NOT NULL OR plans_habit.user_id IS NOT NULL) LIMIT 1
"""


def is_planned(match_id: int) -> bool:
    """Whether a match's seats have plans or automatic moves; hand-written SQL, because each slow move needs it."""
    return bool(sql.fetch(_IS_PLANNED, ("bigint",), [match_id]))


def run(match_id: int) -> None:
    """Play planned moves for the seats a match waits for, and record forced moves."""
    seats = Seat.objects.filter(match=match_id, asked_version__isnull=False, ai_level="", player__isnull=False)
    wanted = _IS_ACTIVE | Q(player__playing_habit__plays_forced=True)
    for seat in seats.filter(wanted).select_related("match", "player", "plan", "player__playing_habit"):
        try:
            _process(seat)
        except service.Refused as refusal:
            log.info("match %s, seat %d: %s", seat.match.key, seat.number, refusal)


def _process(seat: Seat) -> None:
    for _step in range(_MOST_STEPS):
        plan = Plan.objects.filter(seat=seat, user=seat.player_id, ending="").first()
        if plan is None:
            break
        version = service.load(seat.match_id).version
        if not _follow(plan, seat):
            Plan.objects.filter(pk=plan.pk, edition=plan.edition).update(version=version)
            break
    seat.refresh_from_db()
    if seat.asked_version is not None and _wants_forced(seat):
        _consider(seat)


def _follow(plan: Plan, seat: Seat) -> bool:
    """Play the next step of a plan if it's due and its precondition holds; returns whether another may follow."""
    table = service.load(seat.match_id)
    if table.status != Match.Status.RUNNING:
        return False
    if plan.maximum is None and _is_played(plan, table):
        # The process that played it could not record it.
        return advance(plan, table, seat)
    if seat.number not in table.deciders():
        return False
    if Seat.objects.filter(pk=seat.pk, autopilot_at__isnull=False).exists():
        _end(plan, Ending.AWAY)
        return False
    if not restrictions_of(seat.player).may_play:
        _end(plan, Ending.BARRED)
        return False
    view = table.view(seat.number)
    reason = broken(plan.premise, view)
    move = bid(view, plan.maximum) if plan.maximum is not None else plan.left[0]
    if reason is None and (move is None or move not in view.moves):
        reason = Ending.ILLEGAL
    if reason is not None or move is None:
        _end(plan, reason or Ending.ILLEGAL)
        return False
    _act(seat, move, _name(plan, table.version), table)
    if plan.maximum is not None:
        if move == "fold":
            _end(plan, Ending.DONE)
        return False
    return advance(plan, service.load(seat.match_id), seat)


def _name(plan: Plan, version: int) -> str:
    """The request id of a plan's next step; bets have one per version."""
    return f"plan-{plan.pk}-{plan.edition}-{f'v{version}' if plan.maximum is not None else plan.position}"


def _is_played(plan: Plan, table: LiveMatch) -> bool:
    return StoredMove.objects.filter(match=table.match_id, request_id=_name(plan, table.version)).exists()


def _act(seat: Seat, move: Move, name: str, table: LiveMatch) -> None:
    """Make a move for the player, on exactly this version of the table."""
    service.act(seat.match_id, seat.number, move, request_id=name, seen_version=table.version, player=seat.player)


def advance(plan: Plan, table: LiveMatch, seat: Seat) -> bool:
    """Record a step as played; the precondition becomes the player's current view. Repeating it changes nothing."""
    position = plan.position + 1
    now: dict[str, object] = {"position": position, "premise": premise(table.view(seat.number))}
    if position >= len(plan.moves):
        now["ending"] = Ending.DONE
    Plan.objects.filter(pk=plan.pk, edition=plan.edition, position=plan.position, ending="").update(**now)
    return position < len(plan.moves)


def _end(plan: Plan, ending: Ending) -> None:
    Plan.objects.filter(pk=plan.pk, edition=plan.edition, position=plan.position, ending="").update(ending=ending)


# Forced moves.


def _wants_forced(seat: Seat) -> bool:
    """Whether the table plays this seat's only legal move; not for an absent player."""
    if seat.match.clock in LIVE or seat.missed or seat.autopilot_at is not None:
        return False
    return Habit.objects.filter(user=seat.player_id, plays_forced=True).exists()


def only_move(view: View) -> Move | None:
    """The only legal move of a seat; None if there is a choice."""
    if view.seat not in view.to_move:
        return None
    moves = [move for move in view.moves if move != "slap"]
    return moves[0] if len(moves) == 1 else None


def _consider(seat: Seat) -> None:
    """Record when the table plays a seat's only move, or that there is a choice at this version."""
    table = service.load(seat.match_id)
    known = ForcedMove.objects.filter(seat=seat).first()
    if known is not None and known.version == table.version:
        return
    move = only_move(table.view(seat.number)) if seat.number in table.deciders() else None
    after = FORCED_AFTER_LIVE if seat.match.is_played_live else FORCED_AFTER
    wait = random.uniform(*(span.total_seconds() for span in after))  # noqa: S311 - a pause is no secret
    due_at = None if move is None else timezone.now() + timedelta(seconds=wait)
    if known is not None and known.move == move and known.due_at is not None and known.due_at > timezone.now():
        due_at = known.due_at  # another player's sealed card must not delay it
    fields = {"version": table.version, "move": move or "", "due_at": due_at}
    ForcedMove.objects.update_or_create(seat=seat, defaults=fields)


def _play_forced(forced: ForcedMove) -> None:
    """Play a forced move that is due, if it's still the only one."""
    seat = forced.seat
    table = service.load(seat.match_id)
    if table.version == forced.version and seat.player is not None and _wants_forced(seat):
        try:
            _act(seat, forced.move, f"forced-{seat.pk}-{forced.version}", table)
        except service.Unavailable:
            return  # the next sweep tries again
        except service.Refused as refusal:  # the match is over, or the moderators have paused this player's play
            log.info("match %s, seat %d: %s", seat.match.key, seat.number, refusal)
    ForcedMove.objects.filter(pk=forced.pk, version=forced.version).update(due_at=None)


def sweep() -> None:
    """Process everything that is due: forced moves, and seats whose task was lost."""
    now = timezone.now()
    due = ForcedMove.objects.filter(due_at__lte=now).select_related("seat__match", "seat__player").order_by("due_at")
    for forced in due[:SWEPT_AT_ONCE]:
        _guarded(_play_forced, forced)
    asked = Seat.objects.filter(asked_version__isnull=False, ai_level="", match__status=Match.Status.RUNNING)
    is_left = Q(plan__version__isnull=True) | ~Q(plan__version=F("match__version"))
    not_considered = Q(forced_move__isnull=True) | ~Q(forced_move__version=F("match__version"))
    wants_forced = Q(player__playing_habit__plays_forced=True, missed=0, autopilot_at__isnull=True)
    lost = asked.exclude(match__clock__in=LIVE).filter((_IS_ACTIVE & is_left) | (wants_forced & not_considered))
    for match_id in dict.fromkeys(lost.order_by("asked_at").values_list("match_id", flat=True)[:SWEPT_AT_ONCE]):
        _guarded(run, match_id)


def _guarded(work: Callable[[Any], None], what: Any) -> None:
    """Run one of several jobs, so that an error doesn't stop the others."""
    try:
        work(what)
    except service.Refused as refusal:
        log.info("%s: %s", what, refusal)
    except Exception:  # a fault in one plan must not stop the sweep
        log.exception("%s could not be processed", what)
