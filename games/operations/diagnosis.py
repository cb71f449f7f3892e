"""A match as text: its players, its moves, the running clocks, and the next deadline with its reason.

Cards that a spectator may not see are left out unless the caller asks for them.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from games.engine import TABLE, BadOptions, IllegalMove
from games.matches import history, service
from games.matches.faults import place_of
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Move
from games.matches.turn_clock import SeatClock
from games.operations.models import Failure
from games.replays.positions import Viewpoint

#: Viewpoints: a spectator's, and one that sees everything.
SPECTATOR, ALL_HANDS = Viewpoint(), Viewpoint(is_open=True)


def describe(match: Match, now: datetime, *, with_hands: bool = False) -> Iterator[str]:
    """Describe a match in lines. ``with_hands`` adds every card that a player at the table knows."""
    options = ", ".join(f"{name}={value}" for name, value in match.options.items())
    yield f"{match.slug} {match.key} ({match.get_absolute_url()}): {match.status}, version {match.version}"
    yield f"id {match.pk}, rules version {match.rules_version}, clock {match.clock}, {options or 'no options'}"
    yield f"opened {_time(match.created_at)}, started {_time(match.started_at)}, finished {_time(match.finished_at)}"
    if match.started_at is None:
        yield from (f"  seat {seat.number}: {seat.name or 'free'}" for seat in match.seats.all())
        yield f"Due: {_at(match.due_at, now)}" + (": the empty table is closed" if match.due_at else "")
        return
    yield ""
    try:
        yield from _history(match, ALL_HANDS if with_hands else SPECTATOR)
        table = service.load(match.pk)
    except (BadOptions, IllegalMove, KeyError) as error:
        # Without the error message, which may name cards.
        yield f"The stored moves can't be played further: {place_of(error)}"
        return
    yield ""
    for sitter, clock in zip(table.sitters, table.clocks, strict=True):
        held_by = f"AI player, {sitter.ai_level}" if sitter.is_ai else f"person {sitter.player_id or 'gone'}"
        yield f"  seat {sitter.seat}: {sitter.name} ({held_by}): {_clock(clock, now)}"
    yield f"Due: {_at(match.due_at, now)}: {_why(match, table, now)}"
    for failure in Failure.objects.filter(match=match):
        yield f"Failed at v{failure.version}, {failure.times} times, last {_time(failure.last_at)}: {failure.error}"
    if with_hands:
        yield ""
        for zone in ALL_HANDS.view(table.state, len(table.sitters))["zones"]:
            known = " ".join(code or "??" for code in zone["cards"] or ())
            yield f"  {zone['id']}: {known or zone['count']}"


def _history(match: Match, eyes: Viewpoint) -> Iterator[str]:
    stored = {number: (at, source) for number, at, source in match.moves.values_list("number", "at", "source")}
    happened: dict[int, list[str]] = {}
    for incident in match.incidents.all():
        line = f"      {_time(incident.at)} {incident.get_kind_display()}: {incident.name} {incident.other}".rstrip()
        happened.setdefault(incident.version, []).append(line)
    for table, made, events in history.replay(match):
        said = [text for event in events if eyes.may_know(event) and (text := table.rules.say(event, table.names))]
        if made is not None:
            at, source = stored[made.number]
            mover = "table" if made.seat == TABLE else f"seat {made.seat}"
            by = "" if source in (Move.Source.PLAYER, Move.Source.TABLE) else f" by {source}"
            exact = f" {made.move}" if eyes.is_open else ""
            yield f"{made.number:4}. {_time(at)} {mover}{by}{exact}: {' '.join(said) or '(a secret move)'}"
        yield from happened.pop(table.version, ())


def _clock(clock: SeatClock, now: datetime) -> str:
    told = [f"{clock.turns} turns"]
    if clock.bank_seconds is not None:
        told.append(f"bank {timedelta(seconds=clock.bank_seconds)}")
    if clock.asked_version is not None:
        told.append(f"asked at v{clock.asked_version} {_at(clock.asked_at, now)}, due {_at(clock.due_at, now)}")
    if clock.missed:
        told.append(f"missed {clock.missed}")
    if clock.autopilot_at is not None:
        told.append(f"autopilot since {_time(clock.autopilot_at)}")
    if clock.offered_at is not None:
        told.append(f"offered since {_time(clock.offered_at)}")
    return ", ".join(told)


def _why(match: Match, table: LiveMatch, now: datetime) -> str:
    """What happens when the match is due, or why it isn't."""
    if match.status != Match.Status.RUNNING:
        return "the match is over"
    awaited = [seat for seat in table.awaited() if seat != TABLE]
    names = ", ".join(table.names[seat] for seat in awaited)
    if table.at_slap_point:
        what = f"a slap point that {names} must still watch" if names else "a slap point that all have watched"
    elif table.forced_step():
        what = (
            "the table turns the next card" if match.due_at else "the next card turns when a player comes to the table"
        )
    elif any(table.sitters[seat].is_ai for seat in awaited):
        what = f"the AI player's move, {names}"
    elif match.due_at is None:
        what = f"it waits for {names}, without a time limit"
    elif any(table.clocks[seat].autopilot_at for seat in awaited):
        what = f"autoplay moves for {names}"
    else:
        what = f"the first clock runs out: {names}"
    late = any(clock.due_at is not None and clock.due_at < now for clock in table.clocks)
    if late and match.due_at is not None and match.due_at > now:
        what += "; overdue: a sweep is working on it, and the next one may when its lease ends"
    return what


def _time(at: datetime | None) -> str:
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M:%S}"


def _at(at: datetime | None, now: datetime) -> str:
    """A time, and how far away it is."""
    if at is None:
        return "never"
    away = timedelta(seconds=round(abs(at - now).total_seconds()))
    return f"{_time(at)} ({f'in {away}' if at > now else f'{away} ago'})"
