"""When a player is notified of a turn."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.playing_times.waking import Calendar
from games.mail.models import Timing
from games.mail.schedule import PUSH_AFTER, Stage, Wish, next_hour, stages
from games.matches.presets import deadline

BERLIN = ZoneInfo("Europe/Berlin")
DAYTIME = Calendar(BERLIN, time(8), time(23))
NOON = datetime(2026, 11, 23, 11, tzinfo=UTC)  # a Monday, noon in Berlin
HOUR = timedelta(hours=1)


def wish(timing: str = Timing.AFTER, minutes: int = 30, hours: tuple[int, ...] = (8, 18)) -> Wish:
    return Wish(timing, timedelta(minutes=minutes), hours, BERLIN)


def local(at: datetime) -> datetime:
    return at.astimezone(BERLIN)


def test_a_turn_of_a_day_has_a_push_an_email_another_push_a_reminder_and_a_last_call():
    due_at = deadline(NOON, timedelta(hours=20), DAYTIME)
    plan = stages(NOON, due_at, wish(), DAYTIME)
    assert plan == {
        Stage.PUSH: NOON + PUSH_AFTER,
        Stage.MAIL: NOON + timedelta(minutes=30),
        Stage.HALF: deadline(NOON, 10 * HOUR, DAYTIME),
        Stage.REMINDER: deadline(NOON, 16 * HOUR, DAYTIME),
        Stage.LAST: deadline(NOON, 19 * HOUR, DAYTIME),
    }
    assert local(plan[Stage.HALF]).hour == 22


def test_the_last_call_of_a_long_turn_comes_a_twentieth_before_its_end():
    due_at = deadline(NOON, timedelta(hours=72), DAYTIME)
    assert stages(NOON, due_at, wish(), DAYTIME)[Stage.LAST] == deadline(NOON, timedelta(hours=72 * 0.95), DAYTIME)


def test_a_turn_of_a_few_hours_has_no_reminder_because_the_last_call_is_near():
    for hours in (1, 2, 4, 9):
        plan = stages(NOON, NOON + hours * HOUR, wish(), None)
        assert Stage.REMINDER not in plan
        assert plan[Stage.LAST] == NOON + hours * HOUR - min(HOUR, hours * HOUR / 2)
    plan = stages(NOON, NOON + 10 * HOUR, wish(), None)
    assert (plan[Stage.REMINDER], plan[Stage.LAST]) == (NOON + 8 * HOUR, NOON + 9 * HOUR)


def test_without_a_clock_there_is_nothing_to_remind_of():
    assert set(stages(NOON, None, wish(), DAYTIME)) == {Stage.PUSH, Stage.MAIL}


def test_a_live_table_only_pushes():
    plan = stages(NOON, NOON + timedelta(minutes=3), wish(), None, is_live=True)
    assert set(plan) == {Stage.PUSH}


def test_a_player_who_wants_no_emails_still_gets_pushes():
    plan = stages(NOON, NOON + timedelta(days=1), wish(Timing.NEVER), None)
    assert set(plan) == {Stage.PUSH, Stage.HALF, Stage.LAST}


def test_a_digest_replaces_the_first_email_and_the_reminder():
    plan = stages(NOON, NOON + timedelta(days=2), wish(Timing.DIGEST), None)
    assert Stage.REMINDER not in plan
    assert local(plan[Stage.MAIL]) == datetime(2026, 11, 23, 18, tzinfo=BERLIN)


def test_immediate_emails_wait_a_moment_for_players_who_are_present():
    assert stages(NOON, None, wish(Timing.AT_ONCE), None)[Stage.MAIL] == NOON + PUSH_AFTER


def test_a_push_and_a_delayed_email_keep_to_waking_hours_and_at_once_does_not():
    night = datetime(2026, 11, 23, 2, tzinfo=BERLIN)
    morning = datetime(2026, 11, 23, 8, tzinfo=BERLIN)
    for timing in (Timing.AFTER, Timing.TOGETHER):
        plan = stages(night, None, wish(timing), DAYTIME)
        assert plan == {Stage.PUSH: morning + PUSH_AFTER, Stage.MAIL: morning + timedelta(minutes=30)}
    plan = stages(night, None, wish(Timing.AT_ONCE), DAYTIME)
    assert plan == {Stage.PUSH: morning + PUSH_AFTER, Stage.MAIL: night + PUSH_AFTER}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (datetime(2026, 3, 29, 0, 30, tzinfo=UTC), datetime(2026, 3, 29, 8, tzinfo=BERLIN)),  # clocks go forward
        (datetime(2026, 10, 24, 17, tzinfo=UTC), datetime(2026, 10, 25, 8, tzinfo=BERLIN)),  # and back
        (datetime(2026, 11, 23, 7, tzinfo=UTC), datetime(2026, 11, 23, 18, tzinfo=BERLIN)),  # 8:00 exactly has passed
    ],
)
def test_the_hours_of_a_digest_are_those_of_the_persons_own_clock(after, expected):
    assert next_hour(after, (8, 18), BERLIN) == expected


def test_no_hours_no_digest():
    assert next_hour(NOON, (), BERLIN) is None


moments = st.integers(0, 2 * 366 * 86400).map(lambda seconds: NOON + timedelta(seconds=seconds))
zones = st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"])


@given(moments, zones, st.sets(st.integers(0, 23), min_size=1))
def test_a_digest_hour_is_the_first_such_hour(after, zone_name, hours):
    zone = ZoneInfo(zone_name)
    found = next_hour(after, hours, zone)
    assert after < found <= after + timedelta(hours=26)
    # A skipped hour is shown as the next one.
    assert found.astimezone(zone).hour in hours | {(hour + 1) % 24 for hour in hours}


@given(
    moments,
    zones,
    st.timedeltas(timedelta(minutes=1), timedelta(days=4)),
    st.sampled_from(list(Timing)),
    st.integers(1, 240),
)
def test_every_stage_comes_within_the_turn_and_none_at_night(asked_at, zone_name, budget, timing, minutes):
    zone = ZoneInfo(zone_name)
    calendar = Calendar(zone, time(8), time(23))
    due_at = deadline(asked_at, budget, calendar)
    plan = stages(asked_at, due_at, Wish(timing, timedelta(minutes=minutes), (8,), zone), calendar)
    # An immediate email may come at night, and a digest at any chosen hour.
    delayed = (Stage.MAIL,) if timing in (Timing.AFTER, Timing.TOGETHER) and plan[Stage.MAIL] <= due_at else ()
    for stage in (Stage.HALF, Stage.REMINDER, Stage.LAST, *delayed):
        if stage in plan:
            assert asked_at <= plan[stage] <= due_at
            assert time(8) <= plan[stage].astimezone(zone).time() <= time(23)
    assert plan[Stage.HALF] <= plan[Stage.LAST] + timedelta(microseconds=1)  # half of an odd number
    assert plan.get(Stage.REMINDER, asked_at) <= plan[Stage.LAST]
