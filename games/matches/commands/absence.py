"""What happens to a seat whose player doesn't answer: more time, a stand-in, autoplay, a replacement.

Only ``games.matches.service`` calls it. Each command checks again whether its reason still holds. So a second sweep,
the repeated task of a killed worker, or a command just after the player's own move changes nothing.
"""

import contextlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import social
from accounts.models import User
from accounts.playing_times import calendars
from accounts.playing_times.waking import Calendar
from games.matches import events, presets, turn_clock
from games.matches.commands.endings import hand_over
from games.matches.commands.moves import require_may_play, submit
from games.matches.commit import planning
from games.matches.commit.changeset import Acted, ChangeSet, Command, Refused, Unavailable
from games.matches.live_match import LiveMatch
from games.matches.models import Departure, Incident, Match, Move, Outage, Seat
from games.matches.presets import PRESETS, Preset, is_by_hours, ticked
from games.matches.slap_points import commands as slap_points
from games.matches.turn_clock import SeatClock

log = logging.getLogger(__name__)

#: A limit on the moves of a stand-in in one turn; no game needs as many, and the next sweep would continue.
MOST_MOVES_A_TURN = 50
#: What the bank is set to when leave starts to protect an expired turn.
LAST_MOMENT = timedelta(seconds=1)


@dataclass(slots=True)
class HandleDeadline(Command[Acted]):
    """Do everything that is due at a match now: more time, a stand-in, a slap point, a replacement.

    First the player gets what they have left: leave, then the one extension. After that a stand-in plays this turn or,
    at a slap point, the match stops waiting for the player. The seat of a player who is gone for good is offered to
    others; in the end an AI player takes it. If nothing is due yet, the match is due again when the first awaited clock
    runs out.
    """

    is_alone: ClassVar[bool] = True

    def decide(self, change: ChangeSet) -> Acted:
        """Do everything that is due, from one reading of the match."""
        table = change.table
        if table.status != Match.Status.RUNNING:
            raise Refused("over", _("This match is over."))
        change.holds = True
        if table.forced_step():
            # No player is at the table to see the next card, so the card waits until one comes.
            change.sleeps = True
            return Acted(table.version)
        late = [seat for seat, clock in turn_clock.late(table.clocks, change.at) if not _extended(change, seat, clock)]
        if table.at_slap_point:
            slap_points.miss(change, late)
        else:
            for seat in late:
                _stand_in(change, seat)
        if late:
            planning.catch_up(change)
        if late or any(clock.autopilot_at for clock in table.clocks):
            _replace_gone(change)
        slap_points.go_on(change)
        return Acted(table.version, is_new=bool(change.entries))


def time_out(match_id: int) -> Acted:
    """Do everything that is due at a match: see :class:`HandleDeadline`."""
    return submit(HandleDeadline(match_id)).result()


# More time.


def _extended(change: ChangeSet, number: int, clock: SeatClock) -> bool:
    """Give a player whose time is over the leave or extension they still have; False if nothing is left."""
    preset, player_id = PRESETS.get(change.table.clock), change.table.sitters[number].player_id
    if preset is None or player_id is None or clock.autopilot_at is not None:
        return False
    if preset.by_hours:
        with_leave = _with_leave(change, number, clock, player_id)
        if with_leave is not None:
            change.set_clock(number, with_leave)
            return True
    if clock.is_excused:
        return False
    calendar = _calendar(change.table, number, clock.asked_at or change.at)
    change.set_clock(number, turn_clock.excused(clock, change.at, preset, calendar))
    change.report(number, Incident.Kind.EXCUSED)
    return True


def _with_leave(change: ChangeSet, number: int, clock: SeatClock, player_id: int) -> SeatClock | None:
    """The clock with the player's leave applied, and an hour for each leave that has run out; None if there is none.

    A spent hour is stored at once, so it isn't spent again if the command is decided again.
    """
    player = User.objects.get(pk=player_id)
    while True:
        longer = turn_clock.retimed(clock, _calendar(change.table, number, clock.asked_at or change.at))
        if longer.due_at is None or longer.due_at > change.at:
            return longer
        # Start a moment earlier, so that the rest of the bank comes after the hour.
        may_leave = turn_clock.has_leave(change.table.waits(), number)
        weekends_rest = change.table.weekends_rest
        if not may_leave or not calendars.spend_hour(player, longer.due_at - LAST_MOMENT, weekends_rest=weekends_rest):
            return None


def _calendar(table: LiveMatch, number: int, asked_at: datetime) -> Calendar | None:
    """The calendar that a seat's clock follows for a turn that began at ``asked_at``."""
    player_id = table.sitters[number].player_id
    hours = calendars.of([player_id], asked_at)[player_id] if player_id is not None else None
    return turn_clock.calendar_of(table.waits(), number, hours, asked_at)


@dataclass(slots=True)
class Retime(Command[None]):
    """Recompute the deadline of a running turn after its player's leave has changed."""

    is_alone: ClassVar[bool] = True
    player_id: int

    def decide(self, change: ChangeSet) -> None:
        """Recompute the end of the turn."""
        table = change.table
        if table.status != Match.Status.RUNNING or not is_by_hours(table.clock):
            return
        # A copy from before this turn, or from before the player had a seat, must not decide that nothing changes.
        change.holds = True
        number = table.seat_of(self.player_id)
        if number is not None:
            clock = table.clocks[number]
            change.set_clock(number, turn_clock.retimed(clock, _calendar(table, number, clock.asked_at or change.at)))


def retime(user_id: int) -> None:
    """Recompute the deadlines of a person's running turns after leave was booked or given back."""
    asked = Seat.objects.filter(
        player=user_id, due_at__isnull=False, autopilot_at__isnull=True, match__status=Match.Status.RUNNING
    )
    for match_id in asked.values_list("match_id", flat=True):
        with contextlib.suppress(Refused):  # the match has just ended
            submit(Retime(match_id, user_id)).result()


# A stand-in.


def _stand_in(change: ChangeSet, seat: int) -> None:
    """Play one turn for a player whose time is over: safe moves until the turn passes on."""
    table = change.table
    first = table.version
    while seat in table.deciders() and seat not in change.asked:
        move = table.state.default_move(seat)
        change.enter(seat, move, f"stand-in:{table.version}:{seat}", Move.Source.STAND_IN)
        if table.version - first >= MOST_MOVES_A_TURN:
            break


# Replacement.


def _replace_gone(change: ChangeSet) -> None:
    """Offer the seats of players who are gone for good, and give seats that no one took to AI players."""
    table, preset = change.table, PRESETS.get(change.table.clock)
    people = [sitter.seat for sitter in table.sitters if not sitter.is_ai]
    gone = [seat for seat in people if _is_gone(table, seat, change.at)]
    if preset is None or not gone:
        return
    if sum(table.clocks[seat].autopilot_at is None for seat in people) < 2:
        for seat in gone:
            _replace_by_ai(change, seat)
        if table.is_rated:
            change.columns["is_rated"] = False
            change.report(gone[0], Incident.Kind.UNRATED)
        return
    for seat in gone:
        offered_at = table.clocks[seat].offered_at
        if offered_at is None:
            change.set_clock(seat, table.clocks[seat]._replace(offered_at=change.at))
            change.report(seat, Incident.Kind.OFFERED)
            _note_offer(change, seat, preset)
        elif change.at >= offered_at + len(presets.OFFERED_TO) * presets.offer_lasts(preset):
            _replace_by_ai(change, seat)


def _replace_by_ai(change: ChangeSet, seat: int) -> None:
    """Hand the seat to an AI player; the result still counts for the player."""
    # Recorded first, while the seat still names the player who is to be told.
    told = change.report(seat, Incident.Kind.REPLACED)
    told.other = hand_over(change, seat, keeps_missed=True)


def _note_offer(change: ChangeSet, number: int, preset: Preset) -> None:
    """Queue notices about the open seat: the substitute now, friends after the first offer period."""
    player_id = change.table.sitters[number].player_id
    deputy = calendars.deputy_of(player_id)
    friends = social.friend_ids(player_id) if player_id is not None else set()
    match = Match.objects.defer("snapshot").get(pk=change.table.match_id)
    others = [user_id for user_id in friends if user_id != deputy]
    for offer in (
        events.SeatOffered(match, [deputy] if deputy is not None else []),
        events.SeatOffered(match, others, presets.offer_lasts(preset)),
    ):
        change.also.append(partial(events.record, offer))


def _is_gone(table: LiveMatch, number: int, now: datetime) -> bool:
    clock = table.clocks[number]
    if clock.autopilot_at is None:
        return False
    if clock.missed >= presets.OFFERED_AFTER or clock.offered_at is not None:
        return True
    calendar, player_id = None, table.sitters[number].player_id
    if is_by_hours(table.clock) and player_id is not None:
        calendar = calendars.of([player_id], clock.autopilot_at)[player_id].at(
            clock.autopilot_at, with_leave=False, weekends_rest=table.weekends_rest
        )
    return ticked(clock.autopilot_at, now, calendar) >= presets.OFFERED_LATEST


def offered_to(seat: Seat, now: datetime | None = None) -> Sequence[str]:
    """Which group of ``presets.OFFERED_TO`` may take this seat over at that moment; empty if it isn't offered."""
    preset = PRESETS.get(seat.match.clock)
    if seat.offered_at is None or preset is None:
        return ()
    passed = (now or timezone.now()) - seat.offered_at
    return presets.OFFERED_TO[: 1 + int(passed / presets.offer_lasts(preset))]


def takeable(seats: Iterable[Seat], player: User) -> list[Seat]:
    """The seats among ``seats`` that are offered to ``player`` at tables without a block, in a few queries for all."""
    offered = [(seat, asked) for seat in seats if (asked := offered_to(seat))]
    if not offered:
        return []
    apart, friends, wards = (
        social.blocked_ids(player),
        social.friend_ids(player),
        calendars.players_with_substitute(player.pk),
    )
    found = []
    for seat, asked in offered:
        others = {other.player_id for other in seat.match.seats.all()}
        is_asked = "everybody" in asked or ("friends" in asked and seat.player_id in friends) or seat.player_id in wards
        if is_asked and player.pk not in others and not others & apart:
            found.append(seat)
    return found


@dataclass(slots=True)
class TakeSeat(Command[None]):
    """Take over an offered seat with a full bank; the final result counts for the new player."""

    is_alone: ClassVar[bool] = True
    number: int
    player: User

    def decide(self, change: ChangeSet) -> None:
        """Raise :class:`Refused` if the seat is no longer offered, or not to this player."""
        table, player, number = change.table, self.player, self.number
        seats = Seat.objects.filter(match=self.match_id).select_related("match")
        seat = seats.filter(number=number).first()
        preset = PRESETS.get(table.clock)
        is_running = table.status == Match.Status.RUNNING
        if not is_running or seat is None or preset is None or table.clocks[number].offered_at is None:
            raise Refused("taken", _("This seat is no longer free."))
        if seats.filter(player=player).exists():
            raise Refused("taken", _("You already have a seat at this table."))
        if not takeable([seat], player):
            raise Refused("taken", _("This seat isn't offered to you."))
        left = Departure(
            match_id=self.match_id, seat=number, player_id=seat.player_id, player_name=seat.player_name, at=change.at
        )
        change.also.append(left.save)
        change.report(number, Incident.Kind.TAKEN, other=player.name)
        asked_version = table.clocks[number].asked_version
        change.set_clock(number, turn_clock.fresh(preset))
        if asked_version is not None:
            change.asked[number] = asked_version
        sitter = replace(table.sitters[number], player_id=player.pk, name=player.name)
        columns = {"player_id": player.pk, "player_name": player.name}
        change.reseat(number, sitter, **columns, looked_at=None, looked_version=None)


def take_seat(match: Match, number: int, player: User) -> Seat:
    """Let ``player`` take over an offered seat. Raises :class:`Refused` if it isn't offered, or not to them."""
    require_may_play(player)
    submit(TakeSeat(match.pk, number, player)).result()
    return match.seats.get(number=number)


# Outages.


@dataclass(slots=True)
class CreditOutage(Command[None]):
    """Give one seat's clock the time of an outage back, once; seats are credited in the order of their rows."""

    is_alone: ClassVar[bool] = True
    outage: Outage
    row: int
    number: int

    def decide(self, change: ChangeSet) -> None:
        """Raise :class:`Refused` if another process has credited this seat first."""
        outage = self.outage
        if not Outage.objects.filter(pk=outage.pk, last_seat=outage.last_seat, is_credited=False).exists():
            raise Refused("credited", _("You've already done this."))
        table, clock = change.table, change.table.clocks[self.number]
        change.also.append(partial(_go_on, outage, last_seat=self.row))
        if table.status == Match.Status.RUNNING:
            # On a copy from before this turn there would be nothing to credit.
            change.holds = True
            calendar = _calendar(table, self.number, clock.asked_at or change.at)
            change.set_clock(self.number, turn_clock.credited(clock, outage.since, outage.until, calendar))


def credit_outages() -> None:
    """Give every clock that ran during an outage its time back, exactly once; resumes after a killed process."""
    for outage in Outage.objects.filter(is_credited=False).order_by("since"):
        running = Seat.objects.filter(
            pk__gt=outage.last_seat, due_at__isnull=False, asked_at__lt=outage.until, match__status=Match.Status.RUNNING
        )
        for row, match_id, number in running.order_by("pk").values_list("pk", "match_id", "number"):
            if not _is_ours(CreditOutage(match_id, outage, row, number)):
                return
            outage.last_seat = row
        Outage.objects.filter(pk=outage.pk, last_seat=outage.last_seat).update(is_credited=True)


def _is_ours(command: CreditOutage) -> bool:
    """Whether this process continues the credit: the seat got it, or its match can't be read and is skipped.

    If another process is crediting, or the database is away, the next heartbeat looks again.
    """
    try:
        submit(command).result()
    except Exception as error:  # a match that can't be read may fail in any way; log it and continue with the others
        is_passing = isinstance(error, Unavailable) and error.is_passing
        if is_passing or (isinstance(error, Refused) and error.code == "credited"):
            return False
        log.exception("could not credit an outage to seat row %d", command.row)
        _go_on(command.outage, last_seat=command.row)
    return True


def _go_on(outage: Outage, *, last_seat: int) -> None:
    require_unchanged = Outage.objects.filter(pk=outage.pk, last_seat=outage.last_seat, is_credited=False)
    if not require_unchanged.update(last_seat=last_seat):
        raise IntegrityError("credited by another process")
