"""The model of people behind the AI players' reflexes: how fast three kinds of people slap, in ms."""

import random

#: A normal part (mean, deviation) and an exponential part.
KINDS = {"casual": (430, 65, 160), "typical": (340, 45, 90), "fast": (285, 35, 60)}
#: The fastest possible reaction.
FLOOR = 150


def reaction(kind: str, rng: random.Random) -> float:
    """A random true reaction to a slappable card."""
    mean, deviation, tail = KINDS[kind]
    return max(FLOOR, rng.gauss(mean, deviation) + rng.expovariate(1 / tail))
