"""The search for most games: flat Monte Carlo over common worlds, with sequential halving.

All moves still in the race are tried in the same imagined worlds with the same luck, so that their differences say more
than their averages. After each round the worse half is dropped, and a hopeless move at once. A move replaces the greedy
one only if it is clearly better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2, sqrt
from random import Random
from statistics import fmean
from time import process_time
from typing import TYPE_CHECKING, Any

from games.engine import Move, Seat, View

if TYPE_CHECKING:
    from games.ai.policy import Policy

#: Processor seconds after which a search stops in any case: a safety net, since the number of playouts is fixed so that
#: equal views give equal moves.
MOST_SECONDS = 0.8
#: Worlds in which every move is tried, even then.
FEWEST_WORLDS = 4

#: Simulated games between two checks of the time.
TRIED_AT_ONCE = 48

#: Worlds at which the requirement for a better move is doubled.
CAUTION = 8
#: By how many standard errors a move must be behind to be hopeless, and the worlds before and between two checks.
BEYOND_DOUBT = 3.0
LOOK_FROM, LOOK_EVERY = 32, 16


@dataclass(frozen=True, slots=True)
class Search:
    """A search: ``moves`` of ``seat`` in ``view``, including ``greedy``, with ``playouts`` simulated games.

    ``clearly`` says by how many standard errors a move must be better than the greedy one.
    """

    policy: "Policy[Any]"
    view: View
    seat: Seat
    greedy: Move
    moves: Sequence[Move]
    playouts: int
    clearly: float


def best_move(search: Search, rng: Random) -> Move:
    """The move that did clearly best, or the greedy one."""
    stop_at = process_time() + MOST_SECONDS
    values: dict[Move, list[float]] = {move: [] for move in search.moves}
    alive = list(values)
    rounds = max(1, ceil(log2(len(alive))))
    for _round in range(rounds):
        worlds = max(FEWEST_WORLDS, search.playouts // (rounds * len(alive)))
        alive, in_time = _try_all(search, alive, worlds, values, stop_at, rng)
        if len(alive) <= 2 or not in_time:
            break
        kept = alive[: max(2, (len(alive) + 1) // 2)]
        alive = kept if search.greedy in kept or search.greedy not in alive else [*kept, search.greedy]
    best = alive[0]
    if search.greedy in alive and not _is_clearly_better(values[best], values[search.greedy], search.clearly):
        return search.greedy
    return best


def _try_all(
    search: Search, moves: Sequence[Move], worlds: int, values: dict[Move, list[float]], stop_at: float, rng: Random
) -> tuple[list[Move], bool]:
    """Try ``moves`` in more imagined worlds.

    Returns the moves that aren't hopeless, the best first, and whether there was time for all worlds.
    """
    policy, seat = search.policy, search.seat
    alive = list(moves)
    # Asking for the time takes as long as a short simulated game.
    time_every = max(1, TRIED_AT_ONCE // len(alive))
    for number in range(worlds):
        if number >= FEWEST_WORLDS and number % time_every == 0 and process_time() > stop_at:
            return _by_mean(alive, values), False
        world = policy.imagine(search.view, rng)
        luck = rng.getrandbits(32)
        for move in alive:
            state = world.copy()
            state.apply(seat, move)
            values[move].append(policy.play_out(state, seat, world, Random(luck)))  # noqa: S311 - imagined luck
        tried = len(values[alive[0]])
        if tried >= LOOK_FROM and tried % LOOK_EVERY == 0:
            alive = _not_hopeless(alive, values)
            if len(alive) == 1:
                break
    return _by_mean(alive, values), process_time() <= stop_at


def _by_mean(moves: Sequence[Move], values: dict[Move, list[float]]) -> list[Move]:
    return sorted(moves, key=lambda move: fmean(values[move]), reverse=True)


def _not_hopeless(moves: Sequence[Move], values: dict[Move, list[float]]) -> list[Move]:
    """The moves that aren't hopelessly behind the best one."""
    best = _by_mean(moves, values)[0]
    kept = []
    for move in moves:
        gain, error = _gain(values[best], values[move])
        if gain <= BEYOND_DOUBT * error:
            kept.append(move)
    return kept


def _gain(values: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """The average gain of ``values`` over ``others``, world by world, and its standard error."""
    differences = [value - other for value, other in zip(values, others, strict=True)]
    number = len(differences)
    mean = sum(differences) / number
    squares = sum([difference * difference for difference in differences])
    return mean, sqrt(max(0.0, squares - number * mean * mean) / (number - 1) / number) if number > 1 else 0.0


def _is_clearly_better(values: Sequence[float], others: Sequence[float], clearly: float) -> bool:
    """Whether ``values`` beat ``others``, world by world, by ``clearly`` standard errors of the difference."""
    gain, error = _gain(values, others)
    # The best of several moves looks better than it is after only a few tries.
    return gain > clearly * (1 + CAUTION / len(values)) * error
