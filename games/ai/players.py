"""Ask an AI player for a move: a view goes in, a move comes out."""

from random import Random

from games.ai.policy import policy_for
from games.engine import Move, View

#: The levels, weakest first.
LEVELS = ("easy", "medium", "hard")


def choose(view: View, level: str, seed: str) -> Move:
    """Choose the move of an AI player of ``level`` for the seat of ``view``; equal arguments give equal moves.

    Raises ``ValueError`` if that seat has nothing to choose or there is no such level.
    """
    if view.seat is None or not view.moves or view.seat not in view.to_move:
        raise ValueError("there is nothing to choose")
    if level not in LEVELS:
        raise ValueError(f"no AI player is called {level}")
    return policy_for(view.game).choose(view, level, Random(seed))  # noqa: S311 - an AI player's whims are no secret
