"""The turn clock in matches of all games and clocks, played without a database, with absences and leave."""

import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

import pytest

from accounts.playing_times.calendars import Hours
from accounts.playing_times.models import PlayingTimes
from games import rules
from games.ai.people import NAMES
from games.matches import turn_clock
from games.matches.commit import planning
from games.matches.commit.changeset import ChangeSet
from games.matches.commit.slap_store import Windows
from games.matches.live_match import LiveMatch, Sitter
from games.matches.models import Match
from games.matches.presets import PRESETS, deadline, is_by_hours, ticked
from games.matches.turn_clock import Happened, SeatClock, fresh
from tests.factories.samples import sampled

MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)
#: Matches per game, and batches per match.
MATCHES, BATCHES = 12, 60


@dataclass
class Play:
    """A match in memory, advanced by batches as by the committer."""

    table: LiveMatch
    hours: Mapping[int, Hours]
    chance: random.Random
    now: datetime = MONDAY
    #: How many times a slap point was seen or missed.
    watched: int = 0

    def wait(self) -> None:
        """Let time pass, in which a slap point may be watched or missed."""
        longest = self.chance.choice((0, 1, 20, 200, 3000, 20_000, 90_000))
        self.now += timedelta(seconds=longest * self.chance.random())
        self.watch()

    def batch(self) -> ChangeSet:
        """Make a few moves at once, by players who must or may move."""
        table, chance = self.table, self.chance
        change = ChangeSet(table, self.now, table.version, Windows([table.match_id]))
        for _move in range(chance.choice((1, 1, 1, 2, 3))):
            if table.state.outcome() is not None:
                break
            seat = chance.choice(list(table.state.to_move()))
            move = chance.choice(list(table.state.legal_moves(seat)))
            change.enter(seat, move, f"m{table.version}", "table" if table.at_slap_point else self._source(seat))
        if table.at_slap_point:
            watchers = [seat for seat, sitter in enumerate(table.sitters) if not sitter.is_ai]
            change.asked |= {seat: table.version for seat in watchers if chance.random() < 0.8}
        return change

    def watch(self) -> None:
        """At a slap point, let its watchers see it or miss it, one after the other."""
        table = self.table
        for seat in list(table.awaited()) if table.at_slap_point else ():
            is_seen, before = self.chance.random() < 0.6, table.clocks[seat]
            happened = Happened(
                asked={seat: None}, ended=[(seat, is_seen)], acted=[seat] if is_seen else [], is_step=False
            )
            found = planning.columns(table, happened, self.hours, self.now)
            after = found.clocks[seat]
            assert (after.asked_at, after.due_at, after.turns) == (None, None, before.turns + is_seen)
            assert after.missed == (0 if is_seen else before.missed + 1)
            table.clocks = list(found.clocks)
            assert list(found.awaited) == [other for other, clock in enumerate(table.clocks) if clock.asked_at]
            due = [clock.due_at for clock in table.clocks if clock.due_at]
            assert found.due_at == (min(due, default=None) if found.awaited else self.now)
            self.watched += 1

    def _source(self, seat: int) -> str:
        if seat < 0:
            return "table"
        if self.table.sitters[seat].is_ai:
            return "ai"
        return "player" if self.chance.random() < 0.6 else "stand_in"


def plays(slug: str, count: int) -> Iterator[Play]:
    """Matches of a game with random seats, people, clocks, hours and leave."""
    chance = random.Random(f"turn clock {slug}")
    game = rules.get(slug)
    for number in range(count):
        seats = chance.choice([each for each in game.seats if each <= 6])
        ai = [seat > 0 and chance.random() < 0.3 for seat in range(seats)]
        clock = chance.choice(Match.Clock.values)
        sitters = tuple(
            Sitter(seat, NAMES[seat] if ai[seat] else f"P{seat}", None if ai[seat] else 100 + seat, "easy" * ai[seat])
            for seat in range(seats)
        )
        state = game.deal(seats, {}, f"{chance.getrandbits(128):032x}")
        has_slaps = any(option.name == "slaps" for option in game.options)
        table = LiveMatch(
            match_id=number, key=f"k{number}", slug=slug, rules=game, state=state, version=0, status="running",
            seating_epoch=0, seed="5eed" * 8, sitters=sitters, clock=clock,
            clocks=[SeatClock() if ai[seat] else fresh(PRESETS.get(clock)) for seat in range(seats)],
            pace="normal", is_rated=True, turn_since=MONDAY, snapshot_version=0, has_slaps=has_slaps,
            by_mail=has_slaps and clock not in ("table", "none"),
        )  # fmt: skip
        hours = {100 + seat: _hours(chance) for seat in range(seats) if not ai[seat]} if is_by_hours(clock) else {}
        yield Play(table, hours, chance)


def _hours(chance: random.Random) -> Hours:
    """A person's day, rest days, and leave that may fall into the match."""
    rows = [
        PlayingTimes(
            since=MONDAY + timedelta(days=day),
            zone=chance.choice(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
            wake_from=time(chance.choice((6, 8, 12))),
            wake_to=time(chance.choice((0, 2, 23))),
            rest_days=chance.choice(["", "6", "0 3"]),
        )
        for day in sorted(chance.sample(range(-3, 20), chance.choice((0, 1, 2))))
    ]
    away = [MONDAY + timedelta(hours=hour) for hour in sorted(chance.sample(range(400), 2 * chance.choice((0, 1, 2))))]
    return Hours(tuple(rows), tuple(zip(away[::2], away[1::2], strict=True)))


@pytest.fixture(autouse=True)
def _pauses_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "drawn", lambda least, most: (least + most) / 2)


def begin(play: Play) -> None:
    """Ask the first player, as at the start of a match."""
    table = play.table
    asked = dict.fromkeys(table.deciders(), 0)
    table.clocks = list(planning.columns(table, Happened(asked=asked), play.hours, play.now).clocks)


def after_each_batch(slug: str) -> Iterator[tuple[Play, list[SeatClock], ChangeSet]]:
    """Play a few matches; yields the state before and after each batch."""
    for play in plays(slug, MATCHES):
        begin(play)
        for _batch in range(BATCHES):
            play.wait()
            before = list(play.table.clocks)
            change = play.batch()
            if not change.entries:
                break
            ended = list(change.ended)
            planning.plan(change, play.hours)
            change.ended = ended
            yield play, before, change


def only_the_clocks_of_awaited_players_run(play: Play, _before: Sequence[SeatClock], change: ChangeSet) -> None:
    table = play.table
    running = {seat for seat, clock in enumerate(table.clocks) if clock.asked_at is not None}
    people = {seat for seat in change.awaited if seat >= 0 and not table.sitters[seat].is_ai}
    if table.forced_step():
        people = set()
    assert running == people
    for clock in table.clocks:
        assert (clock.asked_at is None) == (clock.asked_version is None)
        assert clock.due_at is None or clock.asked_at is not None
        assert (clock.bank_seconds is None) or (clock.due_at is not None) == (clock.asked_at is not None)


def a_clock_gains_no_more_than_an_increment_a_turn_and_keeps_to_its_cap(
    play: Play, before: Sequence[SeatClock], change: ChangeSet
) -> None:
    preset = PRESETS.get(play.table.clock)
    for seat, clock in enumerate(play.table.clocks):
        turns = sum(number == seat for number, _source in change.ended)
        gained = clock.bank - before[seat].bank
        assert gained <= turns * (preset.increment if preset else timedelta(0))
        assert preset is None or clock.bank <= preset.cap


def a_turn_is_not_due_before_it_begins_and_the_match_is_due_with_its_first_clock(
    play: Play, before: Sequence[SeatClock], change: ChangeSet
) -> None:
    table = play.table
    for seat, clock in enumerate(table.clocks):
        if clock.asked_version != before[seat].asked_version and clock.due_at is not None:
            assert clock.due_at >= play.now
    due = [clock.due_at for clock in table.clocks if clock.due_at is not None]
    is_thinking = any(seat >= 0 and table.sitters[seat].is_ai for seat in change.awaited)
    if table.forced_step() or is_thinking:
        assert change.due_at is not None
        assert change.due_at > play.now
    elif change.awaited:
        assert change.due_at == min(due, default=None)


def a_pause_goes_on_while_the_match_stays_where_it_is(
    play: Play, _before: Sequence[SeatClock], change: ChangeSet
) -> None:
    """Clock changes apart from moves neither delay nor shorten it."""
    table = play.table
    again = planning.columns(table, Happened(is_step=False), play.hours, play.now + timedelta(hours=1))
    assert list(again.clocks) == table.clocks
    assert again.keeps_due or again.due_at == change.due_at or not change.awaited
    given = planning.columns(table, Happened(is_step=False, step_at=MONDAY), play.hours, play.now)
    assert (given.due_at, given.keeps_due) == (MONDAY, False)


@pytest.mark.parametrize("slug", sampled([game.slug for game in rules.all()], "armani", "normal-cards", "ten-skip"))
def test_the_clocks_are_right_after_each_batch(slug: str) -> None:
    """All checks in the same matches: playing them takes most of the time."""
    for play, before, change in after_each_batch(slug):
        only_the_clocks_of_awaited_players_run(play, before, change)
        a_clock_gains_no_more_than_an_increment_a_turn_and_keeps_to_its_cap(play, before, change)
        a_turn_is_not_due_before_it_begins_and_the_match_is_due_with_its_first_clock(play, before, change)
        a_pause_goes_on_while_the_match_stays_where_it_is(play, before, change)


def test_changes_of_one_clock_apart_from_moves() -> None:
    """Commands' changes to a clock apart from moves."""
    chance = random.Random("one clock alone")
    for _case in range(300):
        preset = chance.choice(list(PRESETS.values()))
        calendar = _hours(chance).at(MONDAY) if preset.by_hours else None
        asked_at = MONDAY + timedelta(minutes=chance.randrange(5000))
        before = SeatClock(bank_seconds=chance.randrange(200_000), turns=3, missed=chance.randrange(4))
        clock = turn_clock.begun(before, asked_at, 7, preset, calendar)
        assert clock.due_at is not None
        assert clock.due_at >= asked_at
        assert turn_clock.retimed(clock, calendar) == clock
        since, until = (MONDAY + timedelta(minutes=minute) for minute in sorted(chance.sample(range(9000), 2)))
        lost = ticked(max(since, asked_at), until, calendar)
        credited = turn_clock.credited(clock, since, until, calendar)
        assert credited.bank == clock.bank + lost
        assert credited.due_at == deadline(asked_at, clock.bank + lost, calendar)
        away = clock._replace(autopilot_at=MONDAY)
        assert turn_clock.credited(away, since, until, calendar).due_at == clock.due_at + lost
        assert turn_clock.retimed(away, None) == away
        excused = turn_clock.excused(clock, until, preset, calendar)
        assert excused.is_excused
        assert ticked(until, excused.due_at, calendar) == preset.excuse
        assert turn_clock.handed_over(clock, keeps_missed=True) == SeatClock(turns=3, missed=clock.missed)
        assert turn_clock.handed_over(clock, keeps_missed=False) == SeatClock(turns=3)
    assert turn_clock.credited(fresh(PRESETS["daily"]), MONDAY, MONDAY, None) == fresh(PRESETS["daily"])


@pytest.mark.process
def test_the_module_does_not_import_the_database() -> None:
    code = "import sys, games.matches.turn_clock; print([name for name in sys.modules if name.startswith('django')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
