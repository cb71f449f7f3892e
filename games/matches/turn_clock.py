"""The clock of one seat from turn to turn: how long it runs, by whose hours, and what a turn leaves on it."""

from dataclasses import replace
from datetime import datetime, timedelta

from accounts import calendars
from accounts.waking import Calendar
from games.ai.people import pause_of
from games.judging.timing import CAP_MAX, ai_pause, pause_before_step
from games.matches.live_match import SeatClock, Table
from games.matches.models import Match, Seat
from games.matches.presets import AUTOPILOT_AFTER, Preset, autopilot_pause, deadline, is_by_hours, ticked


def calendar_of(table: Table, number: int, hours: calendars.Hours | None, asked_at: datetime) -> Calendar | None:
    """By what the clock of a seat runs that is asked at a moment; None: it ticks plainly.

    There is no leave from a match whose other players are all AI players: it waits for nobody else.
    """
    if hours is None or not is_by_hours(table.clock):
        return None
    return hours.at(asked_at, with_leave=has_leave(table, number))


def has_leave(table: Table, number: int) -> bool:
    """Whether leave stops the clock of this seat."""
    return is_by_hours(table.clock) and any(not sitter.is_ai for sitter in table.sitters if sitter.seat != number)


def calendar_of_seat(match: Match, seat: Seat, asked_at: datetime) -> Calendar | None:
    """The same for a seat read from the database."""
    if not is_by_hours(match.clock) or seat.player_id is None:
        return None
    hours = calendars.of([seat.player_id], asked_at)[seat.player_id]
    return hours.at(asked_at, with_leave=seat_has_leave(match, seat))


def seat_has_leave(match: Match, seat: Seat) -> bool:
    """Whether leave stops the clock of a seat read from the database."""
    return any(not other.ai_level for other in match.seats.all() if other.number != seat.number)


def begun(clock: SeatClock, at: datetime, version: int, preset: Preset | None, calendar: Calendar | None) -> SeatClock:
    """The clock of a seat that is asked from ``version`` on."""
    if preset is None:
        due_at = None
    elif clock.autopilot_at is not None:
        due_at = at + autopilot_pause(preset)
    else:
        due_at = deadline(at, clock.bank, calendar)
    return replace(clock, asked_at=at, asked_version=version, due_at=due_at)


def ended(
    clock: SeatClock, at: datetime, preset: Preset | None, calendar: Calendar | None, *, by_player: bool
) -> SeatClock:
    """The clock of a seat that is no longer asked, with the increment for its turn."""
    bank = clock.bank_seconds
    if preset is not None:
        spent = ticked(clock.asked_at, at, calendar) if clock.asked_at else timedelta(0)
        bank = round(preset.after_turn(clock.bank, spent).total_seconds())
    missed = clock.missed + (not by_player)
    return replace(
        clock,
        asked_at=None,
        asked_version=None,
        due_at=None,
        bank_seconds=bank,
        turns=clock.turns + by_player,
        missed=missed,
        autopilot_at=clock.autopilot_at or (at if missed >= AUTOPILOT_AFTER else None),
    )


def returned(clock: SeatClock) -> SeatClock:
    """The clock of a seat whose player has just acted: whatever was missed before no longer counts."""
    if not clock.missed and clock.autopilot_at is None:
        return clock
    return replace(clock, missed=0, autopilot_at=None, offered_at=None)


def next_due(
    table: Table, at: datetime, *, after_verdict: bool = False, largest_cap: float = CAP_MAX
) -> datetime | None:
    """When something happens at ``table`` without a person's move, None if it waits for people without limit."""
    awaited = table.awaited()
    if not awaited:
        # A slap point that nobody is left to watch is settled by the sweep.
        return at if table.at_slap_point else None
    if table.forced_step():
        return at + timedelta(milliseconds=pause_before_step(table.pace, largest_cap, after_verdict=after_verdict))
    thinking = [pause_of(table.sitters[seat].name) for seat in awaited if seat >= 0 and table.sitters[seat].is_ai]
    if thinking:
        return at + timedelta(milliseconds=ai_pause(*min(thinking)))
    return min((clock.due_at for clock in table.clocks if clock.due_at is not None), default=None)
