"""What counts of a press: reaction, never arrival."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.judging.latency import Line


def line_with(*pings: float) -> Line:
    line = Line()
    for number, ping in enumerate(pings):
        line.ping_sent(number, 100.0)
        line.pong_received(number, 100.0 + ping / 1000)
    return line


def test_the_ping_is_the_75th_percentile_of_the_last_sixteen():
    assert line_with(*range(1, 17)).ping == pytest.approx(12)
    assert line_with(*[500] * 4, *range(1, 17)).ping == pytest.approx(12)


def test_the_cap_is_the_ping_and_eight_and_never_over_350():
    assert line_with(20).cap == pytest.approx(28)
    assert line_with(900).cap == 350


def test_what_was_travelling_is_not_counted():
    # 412 ms of thinking on a line of 80 ms are received after 492.
    assert line_with(80).measure(492, 412).reaction == pytest.approx(412)


def test_two_players_who_think_alike_are_alike_whatever_their_lines():
    assert line_with(20).measure(320, 300).reaction == pytest.approx(line_with(120).measure(420, 300).reaction)


@given(st.floats(0, 350), st.floats(100, 3000), st.floats(-1000, 5000))
def test_no_claim_gains_more_than_the_cap(ping, elapsed, claimed):
    line = line_with(ping)
    assert elapsed - line.cap - 1e-6 <= line.measure(elapsed, claimed).reaction <= elapsed


def test_a_liar_who_claims_no_time_at_all_gains_at_most_cap_less_lag():
    line = line_with(60)
    honest, lie = line.measure(360, 300).reaction, line.measure(360, 0).reaction
    assert honest - lie == pytest.approx(line.cap - 60)


@pytest.mark.parametrize("nonsense", [None, float("nan"), float("inf"), -1.0])
def test_a_browser_that_cannot_measure_is_credited_with_its_usual_delay(nonsense):
    assert line_with(80).measure(500, nonsense).reaction == pytest.approx(420)


def test_a_clock_that_only_shows_multiples_of_twenty_does_not_measure():
    line = line_with(80)
    line.measure(500, 400)
    line.measure(500, 420)
    assert line.measure(600, 400).reaction == pytest.approx(520)


def test_an_answer_to_no_ping_is_passed_over():
    line = Line()
    line.pong_received(7, 1.0)
    assert line.ping == 100
