"""The human model behind the AI players' reflexes: how fast people of three kinds slap, in ms."""

import random

#: A normal part (mean, deviation) and an exponential one.
KINDS = {"casual": (430, 65, 160), "typical": (340, 45, 90), "fast": (285, 35, 60)}
#: No person is faster.
FLOOR = 150


def reaction(kind: str, rng: random.Random) -> float:
    """One true reaction to a card that may be slapped."""
    mean, deviation, tail = KINDS[kind]
    return max(FLOOR, rng.gauss(mean, deviation) + rng.expovariate(1 / tail))
