"""What the turn clock needs to know about a batch, and the columns it changes."""

import random
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from accounts.playing_times import calendars
from games.matches import turn_clock
from games.matches.commit.changeset import ChangeSet
from games.matches.live_match import LiveMatch
from games.matches.models import Incident, Move
from games.matches.presets import is_by_hours
from games.matches.slap_points.opening import plan as plan_opening
from games.matches.slap_points.watching import NOT_WATCHED
from games.matches.turn_clock import Columns, Happened

#: The incident that the log shows for each kind of absence.
_TOLD = {
    turn_clock.MISSED: Incident.Kind.STAND_IN,
    turn_clock.AWAY: Incident.Kind.AUTOPILOT,
    turn_clock.BACK: Incident.Kind.RETURNED,
}


def drawn(least: float, most: float) -> float:
    """A random pause within these bounds, in ms: the table's, or an AI player's apparent thinking time."""
    return random.uniform(least, most) / settings.HURRY  # noqa: S311 - the table's rhythm is no secret


def hours_of(changes: Iterable[ChangeSet]) -> Mapping[int, calendars.Hours]:
    """The playing times of everyone whose clock changes and runs by them; live tables need no query, all others one."""
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


def columns(table: LiveMatch, happened: Happened, hours: Mapping[int, calendars.Hours], at: datetime) -> Columns:
    """The columns that :mod:`games.matches.turn_clock` computes for ``table``; ``hours`` are by person id."""
    theirs: dict[int, calendars.Hours] = {}
    for sitter in table.sitters if hours else ():
        if sitter.player_id is not None and sitter.player_id in hours:
            theirs[sitter.seat] = hours[sitter.player_id]
    return turn_clock.columns(table.waits(), table.clocks, happened, theirs, at, drawn)


def plan(change: ChangeSet, hours: Mapping[int, calendars.Hours]) -> None:
    """Work out whom the table waits for, whose clocks run, and when something is due without a move."""
    table = change.table
    has_moved_on = bool(change.entries) or change.opens_point
    if has_moved_on and table.open_version > change.from_version:
        table.turn_since = change.at
    happened = Happened(
        asked=change.asked,
        ended=[(seat, source == Move.Source.PLAYER) for seat, source in change.ended],
        acted=[seat for seat, source in change.movers.items() if source == Move.Source.PLAYER],
        is_step=has_moved_on,
        step_at=None if has_moved_on else change.step_at,
        sleeps=change.sleeps or table.awaits_pupil,
        after_verdict=change.verdict is not None,
        largest_cap=change.largest_cap,
        rest=timedelta(milliseconds=change.rest / settings.HURRY),
    )
    found = columns(table, happened, hours, change.at)
    for seat, clock in enumerate(found.clocks):
        if clock != table.clocks[seat]:
            change.clocks[seat] = table.clocks[seat] = clock
    unwatched = {seat for seat, source in change.ended if source == NOT_WATCHED}
    # If more happens and this is worked out again, nothing may count twice.
    change.ended.clear()
    for seat, word in found.told:
        if word in _TOLD and not (word == turn_clock.MISSED and seat in unwatched):
            change.report(seat, _TOLD[word])
        player_id = table.sitters[seat].player_id
        if word != turn_clock.BACK and seat not in unwatched and player_id is not None:
            change.missed.append(player_id)
    change.awaited, change.due_at, change.keeps_due = found.awaited, found.due_at, found.keeps_due


def open_point(change: ChangeSet) -> None:
    """Open a slap point for the cards from here on."""
    table = change.table
    opening = plan_opening(table, change.at, change.locks, change.watching)
    change.also.append(opening.store)
    for seat in opening.watchers:
        change.asked[seat] = table.version


def catch_up(change: ChangeSet) -> None:
    """Bring the clocks up to date, for a command that depends on them."""
    plan(change, hours_of([change]))
