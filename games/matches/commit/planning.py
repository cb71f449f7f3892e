"""Whose clocks run after a batch, and what is due then."""

import logging
from collections.abc import Iterable, Mapping

from django.utils import timezone

from accounts import calendars
from games.matches.commit.changeset import Change
from games.matches.live_match import SeatClock
from games.matches.models import Incident, Move
from games.matches.presets import PRESETS, is_by_hours
from games.matches.slap_points.opening import plan as plan_opening
from games.matches.turn_clock import begun, calendar_of, ended, next_due, returned

log = logging.getLogger(__name__)


def hours_of(changes: Iterable[Change]) -> Mapping[int, calendars.Hours]:
    """The hours of everybody whose clock changes and runs by them: no query for live tables, two for all others."""
    people: set[int] = set()
    since = timezone.now()
    for change in changes:
        table = change.table
        if not is_by_hours(table.clock):
            continue
        for number in {*change.asked, *change.movers}:
            player_id = table.sitters[number].player_id if number >= 0 else None
            if player_id is not None:
                people.add(player_id)
                since = min(since, table.clocks[number].asked_at or since)
    return calendars.of(people, since)


def plan(change: Change, hours: Mapping[int, calendars.Hours]) -> None:
    """Work out since when the table waits and when something is due without anybody's move."""
    table = change.table
    if change.entries or change.opens_point:
        if table.open_version > change.from_version:
            table.turn_since = change.at
        _run_clocks(change, hours)
        change.due_at = next_due(
            table, change.at, after_verdict=change.verdict is not None, largest_cap=change.largest_cap
        )


def open_point(change: Change) -> None:
    """Have the cards from here on watched."""
    table = change.table
    opening = plan_opening(table, change.at, change.locks)
    change.also.append(opening.store)
    for seat in opening.watchers:
        change.asked[seat] = table.version


def _run_clocks(change: Change, hours: Mapping[int, calendars.Hours]) -> None:
    """Stop and start the clocks of the people whose turns ended or began."""
    table, at = change.table, change.at
    preset = PRESETS.get(table.clock)
    for number in {*change.asked, *change.movers}:
        if number < 0 or table.sitters[number].is_ai:
            continue
        clock = table.clocks[number]
        theirs = hours.get(table.sitters[number].player_id or 0)
        for seat, source in change.ended:
            if seat == number:
                by_player = source == Move.Source.PLAYER
                calendar = calendar_of(table, number, theirs, clock.asked_at or at)
                clock = ended(clock, at, preset, calendar, by_player=by_player)
                if not by_player:
                    _missed(change, number, clock)
        if change.movers.get(number) == Move.Source.PLAYER:
            if clock.autopilot_at is not None:
                change.report(number, Incident.Kind.RETURNED)
            clock = returned(clock)
        version = change.asked.get(number)
        if version is not None:
            clock = begun(clock, at, version, preset, calendar_of(table, number, theirs, at))
        if clock != table.clocks[number]:
            change.clocks[number] = table.clocks[number] = clock


def _missed(change: Change, number: int, clock: SeatClock) -> None:
    """Note a turn that a stand-in has played."""
    change.missed.append(number)
    if clock.autopilot_at is None:
        change.report(number, Incident.Kind.STAND_IN)
    elif clock.autopilot_at == change.at:
        change.report(number, Incident.Kind.AUTOPILOT)
