"""The contests of ``bench_slaps`` on a virtual clock: the same people, connections and judging, without delays.

It simulates thousands of cards in seconds, so its rates are precise: they show the effect of the rule alone.
"""

import math
import random
from dataclasses import dataclass

from games.devtools.bench import people
from games.devtools.bench.slaps import HONEST, Contest, Scenario
from games.judging import verdicts
from games.judging.latency import REMEMBERED, LatencyMeter, Probes


@dataclass(slots=True)
class Pressed:
    """A simulated press."""

    seat: int
    version: int
    reaction: float


class ModelWire(Probes):
    """A wire without a socket."""

    def probe(self) -> None:
        """Send a probe at virtual time 0."""
        self.sent(0.0)


def play(scenario: Scenario, count: int, *, is_rated: bool = False) -> list[Contest]:
    """Simulate ``count`` cards on which all players at a table of this kind press."""
    rng = random.Random(scenario.name)  # noqa: S311 - a model is no secret
    return [_contest(scenario, card, rng, is_rated=is_rated) for card in range(count)]


def _contest(scenario: Scenario, card: int, rng: random.Random, *, is_rated: bool) -> Contest:
    contest = Contest(scenario, "model", card)
    presses = []
    caps = {}
    for seat, quality in enumerate(scenario.lines):
        lie = scenario.lie if scenario.liar == seat else HONEST
        wire = ModelWire()
        meter = LatencyMeter(is_rated=is_rated, wire=wire)
        for number in range(REMEMBERED):
            meter.ping_sent(number, 0.0)
            trip = quality.one_way(rng) + quality.one_way(rng)
            wire.answered(wire.count, (trip + lie.wire) / 1000)
            meter.pong_received(number, (trip + lie.page) / 1000)
        truth = people.reaction(scenario.kind, rng)
        elapsed = quality.one_way(rng) + truth + quality.one_way(rng)
        contest.reactions[seat] = truth
        contest.arrivals[seat] = elapsed / 1000
        caps[seat] = meter.cap
        contest.measured[seat] = measured = meter.measure(elapsed, lie.claim(truth))
        presses.append(Pressed(seat, card, measured.reaction))
    presses.sort(key=lambda press: contest.arrivals[press.seat])
    # As at the table: each press may bring the verdict forward, and presses after it don't count.
    due = best = math.inf
    judged = []
    for press in presses:
        at = contest.arrivals[press.seat] * 1000
        if at > due:
            break
        judged.append(press)
        del caps[press.seat]
        best = min(best, press.reaction)
        due = min(due, max(at, verdicts.verdict_after(best, max(caps.values(), default=None))))
    contest.judged_at = due / 1000
    ordered = verdicts.in_order(judged, contest.key)
    contest.verdict = [
        {"seat": press.seat, "reaction": press.reaction, "result": verdicts.BEATEN if place else verdicts.WON}
        for place, press in enumerate(ordered)
    ]
    return contest
