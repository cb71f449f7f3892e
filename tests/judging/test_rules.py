"""The rules for judging slaps, one by one: credit, order, random ties, results, and the next card."""

import hmac
from dataclasses import dataclass

import pytest

from games.judging import timing, verdicts
from games.judging.latency import REMEMBERED, LatencyMeter, Probes

SEED = "5eed" * 8


@dataclass
class Press:
    seat: int
    reaction: float
    version: int = 9
    elapsed: float = 0.0
    claimed: float | None = None
    ping: float = 0.0
    cap: float = 0.0
    handicap: float = 0.0
    by_lot: bool = False


def lot(seat: int, version: int = 9) -> bytes:
    return hmac.digest(SEED.encode(), f"slap/{version}/{seat}".encode(), "sha256")


def seats(presses: list[Press]) -> list[int]:
    return [press.seat for press in presses]


@pytest.mark.parametrize(("ping", "is_rated", "cap"), [(20, False, 28), (900, False, 350), (900, True, 150)])
def test_a_connection_is_credited_with_its_ping_and_eight_ms_up_to_a_limit(ping: float, is_rated: bool, cap: float):
    assert verdicts.cap_of(ping, is_rated=is_rated) == cap


def test_a_match_is_friendly_unless_said():
    assert verdicts.cap_of(900) == 350
    assert LatencyMeter().is_rated is False
    assert LatencyMeter(is_rated=True).cap == 108


def test_the_handicap_is_subtracted_at_a_table_with_handicaps():
    assert verdicts.compensated(500, 420, 80, 88, handicap=30) == 390
    assert verdicts.compensated(500, None, 80, 88, handicap=30) == 390


def test_a_claim_longer_than_the_whole_time_gets_no_credit():
    assert verdicts.compensated(500, 700, 80, 88) == 500


def test_the_order_is_by_reaction_and_a_lot_decides_among_those_as_good_as_the_first():
    presses = [Press(0, 400), Press(1, 305), Press(2, 300), Press(3, 305.1)]
    tied = sorted((1, 2), key=lot)
    assert seats(verdicts.in_order(presses, SEED)) == [*tied, 3, 0]
    assert verdicts.tied_with_the_first(sorted(presses, key=lambda press: press.reaction)) == 2


def test_equal_presses_that_are_not_the_first_are_in_the_order_of_their_seats():
    presses = [Press(3, 500), Press(1, 500), Press(2, 300)]
    assert seats(verdicts.in_order(presses, SEED)) == [2, 1, 3]


@pytest.mark.parametrize("version", range(8))
def test_the_lot_is_the_seals_and_another_for_each_card(version: int):
    presses = [Press(seat, 300, version) for seat in range(4)]
    assert seats(verdicts.in_order(presses, SEED)) == sorted(range(4), key=lambda seat: lot(seat, version))


def test_a_card_is_judged_once_no_one_can_be_faster():
    assert verdicts.verdict_after(300, None) == 0
    assert verdicts.verdict_after(300, 28) == 300 + 28 + timing.VERDICT_MARGIN


def test_the_first_allowed_and_correct_slap_wins_and_later_ones_are_beaten():
    presses = [Press(0, 500), Press(1, 400), Press(2, 300), Press(3, 303)]
    taken: list[int] = []

    def slap(press: Press) -> bool:
        taken.append(press.seat)
        return press.seat == 1

    found = verdicts.judge(presses, SEED, may_slap=lambda seat: seat in (1, 2, 3) and 1 not in taken, slap=slap)
    first, second = sorted((2, 3), key=lot)
    assert [(press.seat, result, by_lot) for press, result, by_lot in found] == [
        (first, "wrong", True),
        (second, "wrong", True),
        (1, "won", False),
        (0, "beaten", False),
    ]
    assert taken == [first, second, 1]


def test_a_single_press_needs_no_random_order():
    (found,) = verdicts.judge([Press(0, 500)], SEED, may_slap=lambda seat: True, slap=lambda press: True)
    assert found[1:] == ("won", False)


def test_a_row_shows_whole_numbers_that_add_up():
    press = Press(2, 411.6, elapsed=512.4, ping=60.6, handicap=30.2, by_lot=True)
    assert verdicts.row(press, "won") == {
        "seat": 2, "reaction": 412, "raw": 512, "ping": 61, "credit": 70, "handicap": 30, "by_lot": True,
        "result": "won",
    }  # fmt: skip


def test_the_next_card_comes_after_the_window_and_the_slowest_connection_or_after_a_verdict_is_seen():
    jitter = timing.JITTER
    assert timing.span_before_step("fast", 350, after_verdict=False) == (1250, 1250 + jitter)
    assert timing.span_before_step("relaxed", 28, after_verdict=False) == (1628, 1628 + jitter)
    assert timing.span_before_step("fast", 350, after_verdict=True) == (1500, 1500 + jitter)


# What a connection remembers.


def test_pings_and_probes_are_remembered_as_long_as_others_wait():
    line, wire = LatencyMeter(), Probes()
    for number in range(1, REMEMBERED + 1):
        line.ping_sent(number, 100.0)
        assert wire.sent(100.0) == number
    line.pong_received(1, 100.5)
    wire.answered(1, 100.5)
    assert (line.ping, wire.delay) == (500, 500)


def test_the_oldest_ping_and_probe_are_forgotten_first():
    line, wire = LatencyMeter(), Probes()
    for number in range(1, REMEMBERED + 2):
        line.ping_sent(number, 100.0)
        wire.sent(100.0)
    for each in (line.pong_received, wire.answered):
        each(1, 100.9)
        each(2, 100.5)
    assert (line.ping, wire.delay) == (500, 500)


def test_only_the_last_answers_of_a_wire_count():
    wire = Probes()
    for takes in [0.9] * REMEMBERED + [0.5] * REMEMBERED:
        wire.answered(wire.sent(100.0), 100.0 + takes)
    assert wire.delay == pytest.approx(500)


def test_a_wire_is_probed_with_each_ping():
    class Wire(Probes):
        def probe(self) -> None:
            self.sent(100.0)

    wire = Wire()
    line = LatencyMeter(wire=wire)
    line.ping_sent(1, 100.0)
    line.ping_sent(2, 100.0)
    assert wire.count == 2


def test_a_clock_that_was_coarse_long_ago_measures():
    line = LatencyMeter()
    line.measure(600, 413)
    for _press in range(REMEMBERED - 1):
        assert line.measure(600, 400).claimed == 400
    # The outlier is forgotten now, and the clock turns out to tick in steps of 20.
    assert line.measure(600, 400).claimed is None
