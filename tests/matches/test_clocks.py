"""The pure part of clocks: when time ends, across clock changes, leap days, nights and rest days."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from accounts.playing_times.waking import Calendar
from games.matches.presets import PRESETS, ZERO, deadline, is_live, ticked

HOUR = timedelta(hours=1)
#: Two northern zones, and a southern one with clock changes of half an hour.
ZONES = [ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")]
#: Around clock changes of each zone, a leap day, a new year.
DAYS = [
    datetime(2026, 3, 29, tzinfo=UTC),
    datetime(2026, 10, 25, tzinfo=UTC),
    datetime(2026, 3, 8, tzinfo=UTC),
    datetime(2026, 11, 1, tzinfo=UTC),
    datetime(2026, 4, 4, tzinfo=UTC),
    datetime(2026, 10, 3, tzinfo=UTC),
    datetime(2028, 2, 29, tzinfo=UTC),
    datetime(2026, 12, 31, tzinfo=UTC),
]
starts = st.builds(
    lambda day, offset: day + offset,
    st.sampled_from(DAYS),
    st.timedeltas(min_value=timedelta(days=-3), max_value=timedelta(days=3)),
)
budgets = st.timedeltas(min_value=ZERO, max_value=timedelta(days=6))
quarters = st.integers(0, 95).map(lambda n: time(n // 4, n % 4 * 15))


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    wake_from, wake_to = draw(quarters), draw(quarters)
    away = []
    for _ in range(draw(st.integers(0, 3))):
        leaves = draw(starts)
        away.append((leaves, leaves + draw(st.timedeltas(min_value=HOUR, max_value=timedelta(days=4)))))
    rest = draw(st.frozensets(st.integers(0, 6), max_size=2))
    calendar = Calendar(draw(st.sampled_from(ZONES)), wake_from, wake_to, rest, tuple(away))
    assume(calendar.hours_a_day >= 10 * HOUR)
    return calendar


@given(starts, budgets, st.none() | calendars())
def test_at_the_deadline_the_budget_is_used_up_and_not_a_moment_before(start, budget, calendar):
    end = deadline(start, budget, calendar)
    assert ticked(start, end, calendar) == budget
    just_before = end - timedelta(microseconds=1)
    assert end == start or ticked(start, just_before, calendar) < budget


@given(starts, budgets, budgets, calendars())
def test_more_time_never_ends_earlier_and_time_can_be_spent_in_two_parts(start, one, other, calendar):
    middle = deadline(start, one, calendar)
    assert deadline(middle, other, calendar) == deadline(start, one + other, calendar) >= middle


@given(starts, st.timedeltas(ZERO, timedelta(days=8)), budgets, calendars())
def test_a_player_asked_later_has_no_earlier_deadline(start, wait, budget, calendar):
    assert deadline(start + wait, budget, calendar) >= deadline(start, budget, calendar)


@given(starts, budgets, calendars())
def test_no_turn_ends_in_sleeping_hours_on_a_rest_day_or_on_leave(start, budget, calendar):
    assume(budget > ZERO)
    end = deadline(start, budget, calendar)
    last_moment = (end - timedelta(microseconds=1)).astimezone(calendar.zone)
    day, clock = last_moment.date(), last_moment.time()
    if calendar.wake_to <= calendar.wake_from and clock < calendar.wake_from:
        # After midnight the window belongs to the day before.
        day -= timedelta(days=1)
        assert clock < calendar.wake_to or calendar.wake_to == calendar.wake_from or _is_shifted(calendar, day)
    elif calendar.wake_to > calendar.wake_from:
        assert calendar.wake_from <= clock < calendar.wake_to or _is_shifted(calendar, day)
    assert day.weekday() not in calendar.rest_days
    assert not any(leaves < end <= returns for leaves, returns in calendar.away)


def _is_shifted(calendar: Calendar, day: date) -> bool:
    """Whether clocks change around this day: a window that starts or ends in the gap is shifted."""
    noons = [datetime.combine(day + n * timedelta(days=1), time(12), calendar.zone).utcoffset() for n in (-1, 0, 1, 2)]
    return len(set(noons)) > 1


@given(starts, calendars())
@example(DAYS[2], Calendar(ZONES[1], time(3), time(2, 15)))  # that night has no 2:15
def test_windows_are_in_order_and_apart(start, calendar):
    for (begin, end), (next_begin, _) in pairwise(islice(calendar.windows(start), 20)):
        assert start <= begin < end <= next_begin


@given(starts, calendars(), st.sampled_from(DAYS), st.timedeltas(HOUR, timedelta(days=3)), budgets)
def test_leave_never_shortens_a_turn(start, calendar, day, length, budget):
    longer = Calendar(
        calendar.zone,
        calendar.wake_from,
        calendar.wake_to,
        calendar.rest_days,
        (*calendar.away, (day, day + length)),
    )
    assert deadline(start, budget, longer) >= deadline(start, budget, calendar)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 28), 7),  # the night with a missing hour
        ("Europe/Berlin", date(2026, 10, 24), 9),
        ("America/New_York", date(2026, 3, 7), 7),
        ("America/New_York", date(2026, 10, 31), 9),
        ("Australia/Lord_Howe", date(2026, 10, 3), 7.5),
        ("Australia/Lord_Howe", date(2026, 4, 4), 8.5),
    ],
)
def test_a_night_that_is_an_hour_shorter_is_an_hour_shorter(zone, day, hours):
    owl = Calendar(ZoneInfo(zone), time(20), time(8))
    begin = datetime.combine(day, time(20), owl.zone).astimezone(UTC)
    end = datetime.combine(day + timedelta(days=1), time(8), owl.zone).astimezone(UTC)
    assert end - begin == (4 + hours) * HOUR
    assert deadline(begin, (4 + hours) * HOUR, owl) == end


def test_a_leap_day_is_a_day():
    calendar = Calendar(ZoneInfo("Europe/Berlin"), time(8), time(23))
    start = datetime(2028, 2, 28, 20, tzinfo=calendar.zone)
    assert deadline(start, 19 * HOUR, calendar) == datetime(2028, 3, 1, 9, tzinfo=calendar.zone)


def test_a_turn_over_the_weekend_waits_for_monday():
    calendar = Calendar(ZoneInfo("America/New_York"), time(9), time(21), frozenset({5, 6}))
    friday = datetime(2026, 11, 20, 20, tzinfo=calendar.zone)
    assert deadline(friday, 2 * HOUR, calendar) == datetime(2026, 11, 23, 10, tzinfo=calendar.zone)


@given(
    st.sampled_from(sorted(PRESETS)),
    st.lists(st.timedeltas(ZERO, timedelta(days=5)), max_size=30),
)
@example("daily", [ZERO] * 20)
def test_a_bank_is_never_above_its_cap_nor_below_the_increment(name, turns):
    preset = PRESETS[name]
    bank = preset.start
    for spent in turns:
        before = bank
        bank = preset.after_turn(bank, spent)
        assert preset.increment <= bank <= preset.cap
        assert bank == min(preset.cap, max(ZERO, before - spent) + preset.increment)


def test_the_presets_match_what_players_read():
    told = {name: (preset.start / HOUR, preset.increment / HOUR, preset.cap / HOUR) for name, preset in PRESETS.items()}
    assert told == {
        "table": (3 / 60, 15 / 3600, 5 / 60),
        "lunch": (2, 20 / 60, 4),
        "daily": (24, 8, 48),
        "relaxed": (72, 12, 96),
    }


def test_a_clock_that_is_put_back_costs_nothing():
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert ticked(now, now - HOUR, None) == ZERO
    preset = PRESETS["table"]
    assert preset.after_turn(preset.start, -HOUR) == preset.start + preset.increment


def test_a_match_is_live_by_its_clock_and_without_one_for_a_single_person():
    clocks = [*PRESETS, "none"]
    assert [clock for clock in clocks if is_live(clock, people=2)] == ["table"]
    assert [clock for clock in clocks if is_live(clock, people=1)] == ["table", "none"]
