"""How AI players slap: human-like random reaction times and mistakes, by level.

A reaction has a fixed, a normal and an exponential part. Attention wanders from card to card, and wrong slaps happen
mostly on cards that nearly made a pattern. Everything is derived from the match, the card's version and the seat, so
that every process, replay and test gets the same result.
"""

import hmac
from dataclasses import dataclass
from random import Random

from games.engine import View
from games.engine.cards import RANK, Card, decode
from games.rules.armani.tables import PATTERNS


@dataclass(frozen=True, slots=True)
class Reflexes:
    """One level's numbers; times in ms, the rest are probabilities per card."""

    mean: float
    deviation: float
    tail: float
    floor: float
    miss_pair: float
    miss_other: float
    false_ordinary: float
    false_near: float
    drifts: float
    returns: float
    drifted_delay: float
    drifted_tail: float
    drifted_miss: float


REFLEXES = {
    "easy": Reflexes(450, 75, 190, 230, 0.18, 0.35, 0.004, 0.04, 0.03, 0.12, 180, 2.0, 0.30),
    "medium": Reflexes(370, 55, 115, 200, 0.07, 0.16, 0.003, 0.025, 0.02, 0.15, 150, 2.0, 0.25),
    "hard": Reflexes(305, 42, 75, 180, 0.02, 0.06, 0.0015, 0.012, 0.008, 0.25, 120, 1.7, 0.15),
}
#: A sandwich, or any pattern but a pair, takes longer to see, in ms.
SLOWER_PATTERN = 50
#: How many cards back attention is calculated from: enough to forget its start.
MEMORY = 40
#: For how many cards a player is careful after a wrong slap.
CAREFUL = 4


def reaction(view: View, level: str, *, seed: str, version: int, seat: int) -> float | None:
    """Milliseconds until ``seat`` slaps the card that ``version`` showed; None if it doesn't."""
    reflexes = REFLEXES[level]
    played = _played(view)
    patterns = [name for name in view.facts["options"]["slaps"] if PATTERNS[name](played)]
    if not patterns and not _slips(reflexes, played, seed, view.facts["flips"], seat):
        return None
    rng = _random(seed, version, seat, "slap")
    is_away = _is_away(reflexes, seed, version, seat)
    if patterns:
        miss = reflexes.miss_pair if "pair" in patterns else reflexes.miss_other
        if rng.random() < miss + (reflexes.drifted_miss if is_away else 0):
            return None
    tail = reflexes.tail * (reflexes.drifted_tail if is_away else 1)
    time = rng.gauss(reflexes.mean, reflexes.deviation) + rng.expovariate(1 / tail)
    if is_away:
        time += reflexes.drifted_delay
    if "pair" not in patterns:
        time += SLOWER_PATTERN
    return max(reflexes.floor, time)


def _random(seed: str, version: int, seat: int, purpose: str) -> Random:
    digest = hmac.digest(seed.encode(), f"ai/{purpose}/{version}/{seat}".encode(), "sha256")
    return Random(digest)  # noqa: S311 - what must not be guessed is the key above


def _is_away(reflexes: Reflexes, seed: str, version: int, seat: int) -> bool:
    """Whether attention has wandered: a random walk between two states, one step per card."""
    is_away = False
    for earlier in range(version - MEMORY, version + 1):
        drawn = _random(seed, earlier, seat, "attention").random()
        is_away = drawn >= reflexes.returns if is_away else drawn < reflexes.drifts
    return is_away


def _played(view: View) -> list[Card]:
    """The cards played in this hand: burned ones at the bottom don't count for patterns."""
    codes = [code for code in view.zone("pile").cards or () if code is not None]
    return decode(codes[view.facts["burned"] :])


def _slips(reflexes: Reflexes, played: list[Card], seed: str, flips: int, seat: int) -> bool:
    """Whether a card that makes no pattern is slapped; never twice within ``CAREFUL`` cards.

    Cards are counted by ``flips``, since versions include other moves. Cards collected meanwhile can't be checked any
    more, so they count as near misses.
    """

    def would_slip(back: int) -> bool:
        is_near = back >= len(played) or _is_near_miss(played[: len(played) - back])
        chance = reflexes.false_near if is_near else reflexes.false_ordinary
        return _random(seed, flips - back, seat, "slip").random() < chance

    return would_slip(0) and not any(would_slip(back) for back in range(1, CAREFUL))


def _is_near_miss(played: list[Card]) -> bool:
    """Whether the last card looks like a pattern at a glance: two face cards, or one rank off the card before."""
    if len(played) < 2:
        return False
    last, before = RANK[played[-1]], RANK[played[-2]]
    far = RANK[played[-4]] if len(played) >= 4 else None
    return abs(last - before) == 1 or (last >= 10 and before >= 10) or last == far
