"""The effect of the rule over latencies of 20 to 250 ms, on a virtual clock: the reference for real sockets."""

import pytest
from websockets.frames import Frame, Opcode

from games.devtools.bench import model
from games.devtools.bench.proxy import messages
from games.devtools.bench.slaps import SCENARIOS, Contest
from games.devtools.bench.statistics import row
from games.slaps.fairness import Seen, findings
from games.slaps.flags import is_at_cap, is_line_odd

#: Five standard deviations of the rates below are less than the distance to the goals.
CARDS = 1500


@pytest.mark.parametrize(
    ("name", "fastest", "verdict"),
    [
        pytest.param("20 vs 20", 0.96, 60, marks=pytest.mark.ladder),
        ("20 vs 120", 0.96, 170),
        pytest.param("20/60/120/250", 0.92, 320, marks=pytest.mark.ladder),
    ],
)
def test_the_truly_fastest_wins_whatever_the_connections(name, fastest, verdict):
    figures = row(model.play(SCENARIOS[name], CARDS))
    assert figures["fastest"]["rate"] >= fastest
    # The rest are reactions closer than the 5 ms that are decided at random.
    assert figures["near"]["rate"] >= 0.985
    assert figures["latency"][1] <= verdict
    if name != "20 vs 20":
        assert figures["arrival"]["rate"] <= 0.75


@pytest.mark.ladder
def test_a_liar_gains_little_and_in_a_rated_match_a_slow_connection_loses_more():
    assert row(model.play(SCENARIOS["liar at 40 vs 40"], CARDS))["liar"]["rate"] <= 0.6
    friendly, rated = (row(model.play(SCENARIOS["30 vs 220"], CARDS, is_rated=flag)) for flag in (False, True))
    assert rated["fastest"]["rate"] < friendly["fastest"]["rate"] - 0.1


@pytest.mark.ladder
@pytest.mark.parametrize("name", ["late page, says 0", "late page, 0.7", "late page, silent"])
@pytest.mark.parametrize(("is_rated", "most"), [(False, 0.6), (True, 0.55)])
def test_a_page_that_delays_its_pongs_gains_next_to_nothing(name, is_rated, most):
    assert row(model.play(SCENARIOS[name], 4 * CARDS, is_rated=is_rated))["liar"]["rate"] <= most


@pytest.mark.parametrize("is_rated", [False, True])
def test_a_program_that_holds_back_every_ping_is_flagged_within_sixty_slaps(is_rated):
    contests = model.play(SCENARIOS["late program"], 60, is_rated=is_rated)
    assert row(contests)["liar"]["rate"] > 0.6
    assert "line" in [finding.kind for finding in findings(seen(contests, 0))]
    assert findings(seen(contests, 1)) == []


@pytest.mark.parametrize("name", ["20 vs 120", "20/60/120/250"])
def test_no_honest_connection_is_flagged(name):
    scenario = SCENARIOS[name]
    contests = model.play(scenario, 60)
    assert [findings(seen(contests, seat)) for seat in range(len(scenario.lines))] == [[]] * len(scenario.lines)


def seen(contests: list[Contest], seat: int) -> list[Seen]:
    """The nightly check's result for one seat's presses, of which every third card made no pattern."""
    found = []
    for number, contest in enumerate(contests):
        press = contest.measured[seat]
        odd = {"is_at_cap": is_at_cap(press), "is_line_odd": is_line_odd(press)}
        found.append(Seen(number % 3 > 0, reaction=press.reaction, **odd))
    return found


def test_the_proxy_reads_what_a_browser_says():
    said = [b'{"t": "slap", "v": 12}', b'{"t": "pong", "n": 3}', b"x" * 300]
    chunk = b"".join(Frame(Opcode.TEXT, text).serialize(mask=True) for text in said)
    assert list(messages(chunk)) == said
    assert not list(messages(b"GET /ws/match/x/ HTTP/1.1\r\n"))
