"""What counts for a press: reaction, never arrival."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.judging.latency import PAGE_TIME, LatencyMeter, Probes


def meter_with(*pings: float) -> LatencyMeter:
    meter = LatencyMeter()
    for number, ping in enumerate(pings):
        meter.ping_sent(number, 100.0)
        meter.pong_received(number, 100.0 + ping / 1000)
    return meter


def test_the_ping_is_the_75th_percentile_of_the_last_sixteen():
    assert meter_with(*range(1, 17)).ping == pytest.approx(12)
    assert meter_with(*[500] * 4, *range(1, 17)).ping == pytest.approx(12)


def test_the_cap_is_the_ping_and_eight_and_never_over_350():
    assert meter_with(20).cap == pytest.approx(28)
    assert meter_with(900).cap == 350


def test_travelling_time_is_not_counted():
    # A reaction of 412 ms over 80 ms of latency arrives after 492 ms.
    assert meter_with(80).measure(492, 412).reaction == pytest.approx(412)


def test_equally_fast_players_are_equal_whatever_their_connections():
    assert meter_with(20).measure(320, 300).reaction == pytest.approx(meter_with(120).measure(420, 300).reaction)


@given(st.floats(0, 350), st.floats(100, 3000), st.floats(-1000, 5000))
def test_no_claim_gains_more_than_the_cap(ping, elapsed, claimed):
    meter = meter_with(ping)
    assert elapsed - meter.cap - 1e-6 <= meter.measure(elapsed, claimed).reaction <= elapsed


def test_a_liar_who_claims_no_time_at_all_gains_at_most_cap_less_lag():
    meter = meter_with(60)
    honest, lie = meter.measure(360, 300).reaction, meter.measure(360, 0).reaction
    assert honest - lie == pytest.approx(meter.cap - 60)


@pytest.mark.parametrize("nonsense", [None, float("nan"), float("inf"), -1.0])
def test_a_browser_that_cannot_measure_is_credited_with_its_usual_delay(nonsense):
    assert meter_with(80).measure(500, nonsense).reaction == pytest.approx(420)


def test_a_clock_that_only_shows_multiples_of_twenty_does_not_measure():
    meter = meter_with(80)
    meter.measure(500, 400)
    meter.measure(500, 420)
    assert meter.measure(600, 400).reaction == pytest.approx(520)


def test_an_answer_to_no_ping_is_ignored():
    meter = LatencyMeter()
    meter.pong_received(7, 1.0)
    assert meter.ping == 100


class MeasuredWire(Probes):
    """A wire whose probes are answered after ``takes`` ms; None for never."""

    def __init__(self, takes: float | None) -> None:
        super().__init__()
        self.takes = takes

    def probe(self) -> None:
        number = self.sent(100.0)
        if self.takes is not None:
            self.answered(number, 100.0 + self.takes / 1000)


def meter_over(wire: MeasuredWire, *pings: float) -> LatencyMeter:
    meter = meter_with()
    meter.wire = wire
    for number, ping in enumerate(pings):
        meter.ping_sent(number, 100.0)
        meter.pong_received(number, 100.0 + ping / 1000)
    return meter


def test_a_page_that_delays_its_pongs_is_credited_with_the_wires_delay():
    assert meter_over(MeasuredWire(40), *[420] * 16).ping == pytest.approx(40 + PAGE_TIME)


def test_an_honest_page_is_credited_with_its_latency():
    assert meter_over(MeasuredWire(40), *[43] * 16).ping == pytest.approx(43)
    assert meter_over(MeasuredWire(220), *[224] * 16).cap == pytest.approx(224 + 8)


def test_without_answers_to_protocol_pings_there_is_no_credit():
    # At first, the answers may still be on their way.
    assert meter_over(MeasuredWire(None), *[300] * 4).ping == pytest.approx(300)
    assert meter_over(MeasuredWire(None), *[300] * 16).ping == pytest.approx(PAGE_TIME)


def test_without_answers_to_page_pings_the_credit_is_at_most_the_wires_delay():
    meter = meter_over(MeasuredWire(20))
    for number in range(16):
        meter.ping_sent(number, 100.0)
    assert meter.ping == pytest.approx(20 + PAGE_TIME)


def test_forged_answers_are_ignored():
    wire = MeasuredWire(30)
    wire.probe()
    wire.answered(1, 900.0)
    wire.answered(77, 900.0)
    assert wire.delay == pytest.approx(30)
