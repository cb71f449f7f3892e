"""One search for most games: flat Monte Carlo over common worlds, with sequential halving.

All moves still in the race are tried in the same imagined worlds with the same luck, so that their differences
say more than their means; after each round the worse half drops out. The greedy move stays in to the end, and
another is preferred only if it was clearly better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2, sqrt
from random import Random
from statistics import fmean, stdev
from time import process_time
from typing import TYPE_CHECKING, Any

from games.engine import Move, Seat, View

if TYPE_CHECKING:
    from games.ai.policy import Policy

#: Seconds of processor time after which a search stops, whatever is left to do: a safety net, since the number
#: of playouts is fixed so that the same view gives the same move.
MOST_SECONDS = 0.8
#: Worlds that every move is tried in, even then.
FEWEST_WORLDS = 4

#: Worlds in which the demand on a better move is doubled.
CAUTION = 8


@dataclass(frozen=True, slots=True)
class Search:
    """What to look into: ``moves`` of ``seat`` in ``view``, ``greedy`` among them, with so many playouts.

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
        in_time = _try_all(search, alive, worlds, values, stop_at, rng)
        alive.sort(key=lambda move: fmean(values[move]), reverse=True)
        if len(alive) <= 2 or not in_time:
            break
        kept = alive[: max(2, (len(alive) + 1) // 2)]
        alive = kept if search.greedy in kept else [*kept, search.greedy]
    best = alive[0]
    return best if _is_clearly_better(values[best], values[search.greedy], search.clearly) else search.greedy


def _try_all(
    search: Search, moves: Sequence[Move], worlds: int, values: dict[Move, list[float]], stop_at: float, rng: Random
) -> bool:
    """Try ``moves`` in so many new worlds; whether there was time for all of them."""
    policy, seat = search.policy, search.seat
    for number in range(worlds):
        if number >= FEWEST_WORLDS and process_time() > stop_at:
            return False
        world = policy.imagine(search.view, rng)
        luck = rng.getrandbits(32)
        for move in moves:
            state = world.copy()
            state.apply(seat, move)
            values[move].append(policy.play_out(state, seat, world, Random(luck)))  # noqa: S311 - imagined luck
    return process_time() <= stop_at


def _is_clearly_better(values: Sequence[float], others: Sequence[float], clearly: float) -> bool:
    """Whether ``values`` beat ``others``, world by world, by so many standard errors of the difference."""
    differences = [value - other for value, other in zip(values, others, strict=True)]
    gain = fmean(differences)
    if len(differences) < 2:
        return gain > 0
    # The best of several moves tried a few times looks better than it is.
    doubt = clearly * (1 + CAUTION / len(differences))
    return gain > doubt * stdev(differences) / sqrt(len(differences))
