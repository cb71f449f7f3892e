"""What becomes of a seat whose player does not answer: more time, a stand-in, autopilot, a replacement.

``games.matches.service`` alone calls it. Everything here happens under the lock of the match's row and
looks again at what it was called for, so that a second sweep, a killed worker's repeat or the player's own move a
moment before changes nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Min
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import calendars, social
from accounts.models import User
from games.ai.people import name_for
from games.matches import events, presets
from games.matches.commit.changeset import Acted, Change, Deed, Refused
from games.matches.live_match import SeatClock
from games.matches.models import AiLevel, Departure, Incident, Match, Move, Outage, Seat
from games.matches.presets import PRESETS, Preset, deadline, is_by_hours, ticked
from games.matches.slap_points import commands as slap_points
from games.matches.turn_clock import begun, calendar_of_seat, seat_has_leave
from games.realtime import broadcast

#: Moves that a stand-in makes in one turn; no game asks for so many, and the next sweep would go on.
MOST_MOVES_A_TURN = 50
#: What is left in the bank when leave steps in.
LAST_MOMENT = timedelta(seconds=1)
#: Seats credited with an outage in one transaction.
CREDITED_AT_ONCE = 500

#: Sent with ``match_id``, ``seat`` and ``stage`` (of ``clocks.OFFERED_TO``) when a seat may be taken over by others.
seat_offered = Signal()


@dataclass(slots=True)
class StandInDeed(Deed):
    """A stand-in plays one turn for somebody whose time for it is over: cautious moves until they are not asked."""

    seat: int
    #: Names the turn, with match and seat; another one is not touched.
    asked_version: int

    def decide(self, change: Change) -> Acted:
        """Play the turn if it still is that one and its time is over."""
        table = change.table
        clock = table.clocks[self.seat]
        is_asked = self.seat in table.deciders() and clock.asked_version == self.asked_version
        is_due = clock.due_at is not None and clock.due_at <= change.at
        if table.status != Match.Status.RUNNING or not is_asked or not is_due or self.seat in change.asked:
            raise Refused("stale", _("This turn is over already."))
        first = table.version
        while self.seat in table.deciders() and self.seat not in change.asked:
            move = table.state.default_move(self.seat)
            change.enter(self.seat, move, f"stand-in:{table.version}:{self.seat}", Move.Source.STAND_IN)
            if table.version - first >= MOST_MOVES_A_TURN:
                break
        return Acted(table.version, is_new=True)


def extend(match_id: int, number: int, asked_version: int) -> bool:
    """Give somebody whose time is over what is still theirs: leave, then the one excuse. False: nothing is left.

    True also if the turn is over or its end not reached any more: then a stand-in has no business there.
    """
    with transaction.atomic():
        match = _lock(match_id)
        now = timezone.now()
        seat = match.seats.select_related("player").get(number=number)
        preset = PRESETS.get(match.clock)
        is_due = seat.asked_version == asked_version and seat.due_at is not None and seat.due_at <= now
        if match.status != Match.Status.RUNNING or preset is None or not is_due:
            return True
        if seat.autopilot_at is not None or seat.player is None:
            return False
        due_at = _due_with_leave(match, seat, seat.player, now) if preset.by_hours else None
        if due_at is None and not seat.is_excused:
            seat.is_excused = True
            calendar = calendar_of_seat(match, seat, seat.asked_at or now)
            bank = ticked(seat.asked_at or now, now, calendar) + preset.excuse
            seat.bank_seconds = round(bank.total_seconds())
            due_at = deadline(now, preset.excuse, calendar)
            _report(match, seat, Incident.Kind.EXCUSED)
        if due_at is None:
            return False
        seat.due_at = due_at
        seat.save(update_fields=["due_at", "is_excused", "bank_seconds"])
        _wake(match)
        return True


def _due_with_leave(match: Match, seat: Seat, player: User, now: datetime) -> datetime | None:
    """When the time ends with all leave that is known, and an hour more of it for each that has run out since."""
    bank = timedelta(seconds=seat.bank_seconds or 0)
    asked_at = seat.asked_at or now
    while True:
        due_at = deadline(asked_at, bank, calendar_of_seat(match, seat, asked_at))
        if due_at > now:
            return due_at
        # From a moment before, so that what is left of the bank lies behind the hour.
        if not seat_has_leave(match, seat) or not calendars.spend_hour(player, due_at - LAST_MOMENT):
            return None


def retime(user_id: int) -> None:
    """Leave was booked or given back: turns of this person that run end at another time."""
    asked = Seat.objects.filter(
        player=user_id, due_at__isnull=False, autopilot_at__isnull=True, match__status=Match.Status.RUNNING
    )
    for match_id, number in asked.values_list("match_id", "number"):
        with transaction.atomic():
            match = _lock(match_id)
            seat = match.seats.get(number=number)
            if seat.due_at is None or seat.asked_at is None or seat.autopilot_at or not is_by_hours(match.clock):
                continue
            due_at = deadline(
                seat.asked_at,
                timedelta(seconds=seat.bank_seconds or 0),
                calendar_of_seat(match, seat, seat.asked_at),
            )
            if due_at != seat.due_at:
                seat.due_at = due_at
                seat.save(update_fields=["due_at"])
                _wake(match)


# Replacement.


def replace_gone(match_id: int) -> None:
    """Offer the seats of those who are gone for good, and have AI players take what nobody took."""
    with transaction.atomic():
        match = _lock(match_id)
        preset = PRESETS.get(match.clock)
        if match.status != Match.Status.RUNNING or preset is None:
            return
        now = timezone.now()
        people = [seat for seat in match.seats.all() if not seat.ai_level]
        gone = [seat for seat in people if _is_gone(match, seat, now)]
        present = [seat for seat in people if seat.autopilot_at is None]
        if not gone:
            return
        if len(present) < 2:
            for seat in gone:
                _replace_by_ai(match, seat, now)
            if match.is_rated:
                match.is_rated = False
                match.save(update_fields=["is_rated"])
                _report(match, gone[0], Incident.Kind.UNRATED)
            _wake(match)
            return
        for seat in gone:
            if seat.offered_at is None:
                seat.offered_at = now
                seat.save(update_fields=["offered_at"])
                _report(match, seat, Incident.Kind.OFFERED)
                _note_offer(match, seat, preset)
                transaction.on_commit(partial(_tell_offered, match.pk, seat.number))
                _wake(match)
            elif now >= seat.offered_at + len(presets.OFFERED_TO) * presets.offer_lasts(preset):
                _replace_by_ai(match, seat, now)
                _wake(match)


def _note_offer(match: Match, seat: Seat, preset: Preset) -> None:
    """Have those be told to whom the seat is offered by name: the stand-in at once, friends when it is their time."""
    deputy = calendars.deputy_of(seat.player_id)
    friends = social.friend_ids(seat.player_id) if seat.player_id is not None else set()
    events.record(events.SeatOffered(match, [deputy] if deputy is not None else []))
    others = [user_id for user_id in friends if user_id != deputy]
    events.record(events.SeatOffered(match, others, presets.offer_lasts(preset)))


def _tell_offered(match_id: int, number: int) -> None:
    seat_offered.send(sender=Seat, match_id=match_id, seat=number, stage=presets.OFFERED_TO[0])


def _is_gone(match: Match, seat: Seat, now: datetime) -> bool:
    if seat.autopilot_at is None:
        return False
    if seat.missed >= presets.OFFERED_AFTER or seat.offered_at is not None:
        return True
    calendar = None
    if is_by_hours(match.clock) and seat.player_id is not None:
        calendar = calendars.of([seat.player_id], seat.autopilot_at)[seat.player_id].at(
            seat.autopilot_at, with_leave=False
        )
    return ticked(seat.autopilot_at, now, calendar) >= presets.OFFERED_LATEST


def offered_to(seat: Seat, now: datetime | None = None) -> Sequence[str]:
    """Who of ``clocks.OFFERED_TO`` may take this seat over at a moment; nobody if it is not offered."""
    preset = PRESETS.get(seat.match.clock)
    if seat.offered_at is None or preset is None:
        return ()
    passed = (now or timezone.now()) - seat.offered_at
    return presets.OFFERED_TO[: 1 + int(passed / presets.offer_lasts(preset))]


def takeable(seats: Iterable[Seat], player: User) -> list[Seat]:
    """Those of ``seats`` that are offered to ``player``, who is wanted at their tables; in a few queries for all."""
    offered = [(seat, asked) for seat in seats if (asked := offered_to(seat))]
    if not offered:
        return []
    apart, friends, wards = social.blocked_ids(player), social.friend_ids(player), calendars.wards_of(player.pk)
    found = []
    for seat, asked in offered:
        others = {other.player_id for other in seat.match.seats.all()}
        is_asked = "everybody" in asked or ("friends" in asked and seat.player_id in friends) or seat.player_id in wards
        if is_asked and player.pk not in others and not others & apart:
            found.append(seat)
    return found


def take_seat(match: Match, number: int, player: User) -> Seat:
    """Have ``player`` play on from a seat that is offered. Raises :class:`Refused` if it is not, or not to them.

    They start with a full bank; the result counts for whoever sits there at the end.
    """
    with transaction.atomic():
        match = _lock(match.pk)
        seat = match.seats.select_related("match").filter(number=number).first()
        preset = PRESETS.get(match.clock)
        if match.status != Match.Status.RUNNING or seat is None or preset is None or seat.offered_at is None:
            raise Refused("taken", _("This seat is not offered any more."))
        if match.seats.filter(player=player).exists():
            raise Refused("taken", _("You have a seat at this table already."))
        if not takeable([seat], player):
            raise Refused("taken", _("This seat is not offered to you."))
        now = timezone.now()
        Departure.objects.create(
            match=match, seat=number, player_id=seat.player_id, player_name=seat.player_name, at=now
        )
        incident = _report(match, seat, Incident.Kind.TAKEN)
        incident.other = player.name
        incident.save(update_fields=["other"])
        asked_version = seat.asked_version
        seat.player, seat.player_name = player, player.name
        seat.looked_at = seat.looked_version = None
        clock = SeatClock(bank_seconds=round(preset.start.total_seconds()), turns=0)
        if asked_version is not None:
            seat.asked_at = now
            clock = begun(clock, now, asked_version, preset, calendar_of_seat(match, seat, seat.asked_at or now))
            is_live = match.clock == Match.Clock.TABLE
            events.turns_began([events.Turn(match.pk, player.pk, number, asked_version, now, is_live)])
        clock.put(seat)
        seat.save()
        _wake(match)
    return seat


def _replace_by_ai(match: Match, seat: Seat, now: datetime) -> None:
    """An AI player goes on from here; the result stays the player's."""
    name = seat.player_name
    seat.has_resigned = True
    seat.ai_level, seat.ai_name = (
        AiLevel.EASY.value,
        name_for(match.key, seat.number, [place.name for place in match.seats.all() if place.pk != seat.pk]),
    )
    asked = seat.asked_at is not None
    SeatClock(turns=seat.turns, missed=seat.missed).put(seat)
    seat.save()
    # Nobody watches for whom an AI player plays on: a slap point must not wait for them.
    slap_points.drop(match, seat.number)
    incident = _report(match, seat, Incident.Kind.REPLACED)
    incident.name, incident.other = name, seat.ai_name
    incident.save(update_fields=["name", "other"])
    if asked:
        match.due_at = now
        match.save(update_fields=["due_at"])
        events.tell_on_commit(events.SeatTakenOver(match.pk, match.version, now))


# Outages.


def credit_outages() -> None:
    """Give every clock that ran while nobody could play its time back; gone on with after a kill, done once."""
    for outage_id in Outage.objects.filter(is_credited=False).order_by("since").values_list("pk", flat=True):
        while not _credit_some(outage_id):
            pass


def _credit_some(outage_id: int) -> bool:
    """Credit the next seats of an outage; whether all are done."""
    with transaction.atomic():
        outage = Outage.objects.select_for_update().get(pk=outage_id)
        if outage.is_credited:
            return True
        running = Seat.objects.filter(
            pk__gt=outage.last_seat, due_at__isnull=False, asked_at__lt=outage.until, match__status=Match.Status.RUNNING
        )
        chunk = list(running.order_by("pk").values_list("pk", "match_id", "number")[:CREDITED_AT_ONCE])
        if not chunk:
            outage.is_credited = True
            outage.save(update_fields=["is_credited"])
            return True
        for _pk, match_id, number in chunk:
            match = _lock(match_id)
            seat = match.seats.get(number=number)
            if seat.due_at is None or seat.asked_at is None:
                continue
            calendar = calendar_of_seat(match, seat, seat.asked_at)
            lost = ticked(max(seat.asked_at, outage.since), outage.until, calendar)
            bank = timedelta(seconds=seat.bank_seconds or 0) + lost
            seat.bank_seconds = round(bank.total_seconds())
            seat.due_at = seat.due_at + lost if seat.autopilot_at else deadline(seat.asked_at, bank, calendar)
            seat.save(update_fields=["bank_seconds", "due_at"])
            _wake(match)
        outage.last_seat = chunk[-1][0]
        outage.save(update_fields=["last_seat"])
        return False


# What all of it does to the match's row.


def _lock(match_id: int) -> Match:
    return Match.objects.select_for_update().get(pk=match_id)


def _wake(match: Match) -> None:
    """Clocks have changed beside the moves: the match is due when the first of them is, and everybody reads anew."""
    first = match.seats.filter(ai_level="").aggregate(first=Min("due_at"))["first"]
    asked = match.awaited_seats
    ai_is_asked = match.seats.filter(number__in=asked).exclude(ai_level="").exists()
    if not ai_is_asked and first is not None:
        match.due_at = first
    match.roster += 1
    match.save(update_fields=["due_at", "roster"])
    transaction.on_commit(partial(broadcast.reload, match.pk))


def _report(match: Match, seat: Seat, kind: str) -> Incident:
    return Incident.objects.create(
        match=match, version=match.version, seat=seat.number, kind=kind, name=seat.name, at=timezone.now()
    )
