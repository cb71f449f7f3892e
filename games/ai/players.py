"""The AI players' door: a view in, a move out."""

from random import Random

from games import rules
from games.engine import Move, View


def choose(view: View, level: str, seed: str) -> Move:
    """The move of an AI player of ``level`` for the seat of ``view``; the same for the same arguments.

    Raises ``ValueError`` if that seat has no move.
    """
    if view.seat is None or not view.moves:
        raise ValueError("there is nothing to choose")
    rng = Random(seed)  # noqa: S311 - an AI player's whims are no secret
    state = rules.get(view.game).determinize(view, rng)
    return state.default_move(view.seat)
