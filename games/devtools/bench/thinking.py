"""AI players who think nonstop, as a load beside a live table."""

import time
from random import Random

from games import rules
from games.ai.players import choose


def think_for(seconds: float) -> int:
    """Let a hard player of Normal Cards think for ``seconds``; returns the number of moves found."""
    until = time.monotonic() + seconds
    game = rules.get("normal-cards")
    rng = Random("thinking")  # noqa: S311 - a load is no secret
    found = 0
    while time.monotonic() < until:
        state = game.deal(2, {}, f"{rng.getrandbits(128):032x}")
        while state.to_move() and time.monotonic() < until:
            seat = state.to_move()[0]
            state.apply(seat, choose(state.view(seat), "hard", f"{rng.getrandbits(64):x}"))
            found += 1
    return found
