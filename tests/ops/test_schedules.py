"""When periodic tasks run."""

import copy
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armani_site.schedules import Every

NOON = datetime(2026, 11, 26, 12, tzinfo=UTC)


def every_five(now: datetime) -> Every:
    return Every(5, at=0.3, nowfun=lambda: now)


@pytest.mark.parametrize(
    ("last", "now", "is_due", "following"),
    [
        (0.3, 0.4, False, 4.9),
        (0.3, 5.2, False, 0.1),
        (0.3, 5.3, True, 5.0),
        (0.3, 7.0, True, 3.3),  # late: the run after it is on time again
        (7.0, 10.2, False, 0.1),
        (0.3, 61.0, True, 4.3),  # runs that were missed aren't made up for
        (0.0, 0.1, False, 0.2),
    ],
)
def test_a_task_runs_at_its_moment_of_each_period(last: float, now: float, is_due: bool, following: float):
    found = every_five(NOON + timedelta(seconds=now)).is_due(NOON + timedelta(seconds=last))
    assert found.is_due is is_due
    assert found.next == pytest.approx(following, abs=0.001)


@given(st.integers(0, 10**6), st.integers(1, 10**4))
def test_the_next_look_is_never_too_late(last: int, after: int):
    now = NOON + timedelta(milliseconds=last + after)
    found = every_five(now).is_due(NOON + timedelta(milliseconds=last))
    assert 0 < found.next <= 5.001
    moment = (now.timestamp() + found.next - 0.3) % 5
    assert min(moment, 5 - moment) < 0.001


def test_a_copy_is_the_same_schedule():
    found = copy.copy(Every(5, at=0.3))
    assert (found.seconds, found.at) == (5, 0.3)
