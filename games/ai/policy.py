"""An AI player's knowledge of one game: a greedy way to play, and how to look ahead with it.

Each game has a module here that defines ``POLICY``; :func:`policy_for` finds it by the game's slug. A game without one
is played by the cautious move of its rules, and looked ahead in the same way.
"""

import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, Generic, TypeVar

from games import rules
from games.ai.search import Search, best_move
from games.engine import TABLE, Move, Seat, State, View

StateType = TypeVar("StateType", bound=State)

#: How often a simulated player deviates from the greedy move, so that plans don't rely on predictable opponents.
EPSILON = 0.15


class Policy(Generic[StateType]):
    """How AI players play one game. Methods get a state imagined from a view, and use only what ``seat`` knows.

    ``playouts`` are the simulated games per move, by level; a level without any plays the greedy move. ``forgets`` is
    how often a level ignores its rules of thumb; ``horizon`` limits the moves of a simulated game.
    """

    slug = ""
    playouts: Mapping[str, int] = {"medium": 40, "hard": 200}
    forgets: Mapping[str, float] = {"easy": 0.5}
    horizon = 200
    #: By how many standard errors another move must beat the greedy one: otherwise a few playouts would favour moves by
    #: chance.
    clearly: Mapping[str, float] = {"medium": 2.0, "hard": 1.0}

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """The move of ``level`` for the seat of ``view``."""
        if len(view.moves) == 1:
            return view.moves[0]
        seat = _seat_of(view)
        state = self.imagine(view, rng)
        if rng.random() < self.forgets.get(level, 0):
            return self.plain(state, seat, rng)
        greedy = self.greedy(state, seat, rng)
        playouts = self.playouts.get(level, 0)
        moves = self.candidates(state, seat, greedy) if playouts else [greedy]
        if len(moves) < 2:
            return greedy
        return best_move(Search(self, view, seat, greedy, moves, playouts, self.clearly[level]), rng)

    def imagine(self, view: View, rng: Random) -> StateType:
        """A complete state that is consistent with ``view``."""
        state: Any = rules.get(view.game).determinize(view, rng)
        return state  # type: ignore[no-any-return]  # the rules of a slug make the states of its policy

    def greedy(self, state: StateType, seat: Seat, rng: Random) -> Move:
        """A good move by rules of thumb alone."""
        return state.default_move(seat)

    def plain(self, state: StateType, seat: Seat, rng: Random) -> Move:
        """A sound move without the finer rules of thumb."""
        return state.default_move(seat)

    def candidates(self, state: StateType, seat: Seat, greedy: Move) -> Sequence[Move]:
        """The moves worth searching, including ``greedy``."""
        return state.legal_moves(seat)

    def after(self, state: StateType, rng: Random) -> None:
        """Make the table's moves before the next player's turn, in a simulated game."""

    def moves_ahead(self, state: StateType) -> int:
        """The maximum number of moves of a simulated game that begins at ``state``."""
        return self.horizon

    def is_over(self, state: StateType, start: StateType) -> bool:
        """Whether a simulated game that began at ``start`` is far enough along to be judged."""
        return False

    def value(self, state: StateType, seat: Seat, start: StateType) -> float:
        """The value of ``state`` for ``seat``, from −1 to 1."""
        return state.returns()[seat]

    def play_out(self, state: StateType, seat: Seat, start: StateType, rng: Random) -> float:
        """Continue from ``state``, mostly greedily, and judge the result for ``seat``."""
        random = rng.random
        for _move in range(self.moves_ahead(state)):
            self.after(state, rng)
            awaited = state.to_move()
            if not awaited or awaited[0] == TABLE or self.is_over(state, start):
                break
            mover = awaited[0]
            if random() < EPSILON:
                moves = state.legal_moves(mover)
                move = moves[int(random() * len(moves))]
            else:
                move = self.greedy(state, mover, rng)
            state.apply(mover, move)
        return self.value(state, seat, start)


def _seat_of(view: View) -> Seat:
    if view.seat is None:
        raise ValueError("a spectator has no move")
    return view.seat


@cache
def _policies() -> dict[str, Policy[Any]]:
    found: dict[str, Policy[Any]] = {}
    package = __name__.rpartition(".")[0]
    for info in pkgutil.iter_modules(import_module(package).__path__):
        policy = getattr(import_module(f"{package}.{info.name}"), "POLICY", None)
        if policy is not None:
            found[policy.slug] = policy
    return found


def policy_for(slug: str) -> Policy[Any]:
    """The policy of a game, or one without rules of thumb."""
    return _policies().get(slug) or Policy()
