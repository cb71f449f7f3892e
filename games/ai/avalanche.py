"""Avalanche: grow cheaply while little lies there, with all one's weight when it is worth storing."""

from itertools import groupby
from random import Random

from games.ai.policy import Policy
from games.engine import Move, Seat
from games.rules.avalanche import LAY, SNOW, AvalancheState

NO_ONE = -1
#: Cards of an avalanche from which on it is worth strong cards.
WORTH_STRENGTH = 6
#: A hand that has grown so far past the deal stops taking snow.
LONG_HAND = 6


class AvalanchePolicy(Policy[AvalancheState]):
    """Rules of thumb for Avalanche."""

    slug = "avalanche"
    playouts = {"medium": 40, "hard": 240}
    horizon = 30

    def greedy(self, state: AvalancheState, seat: Seat, rng: Random) -> Move:
        """Start with groups that are hard to beat, grow if one can, else stop, else give away one low card."""
        groups = [(rank, len(list(cards))) for rank, cards in groupby(state.hands[seat], lambda card: card >> 3)]
        if state.last == NO_ONE:
            return _start(state, seat, groups)
        rank, number = state.last_rank, state.last_number
        lying = len(state.avalanche)
        growing = [
            (held, count)
            for held, most in groups
            for count in range(number, most + 1)
            if count > number or held >= rank
        ]
        if growing:
            if lying >= WORTH_STRENGTH:
                held, count = max(growing, key=lambda lay: (lay[1], lay[0]))
            else:
                held, count = min(growing, key=lambda lay: (lay[1], lay[0]))
            return LAY[held][count]
        stopping = [held for held, most in groups if most >= number] if number > 1 else []
        if stopping:
            return LAY[stopping[0]][number]
        return LAY[groups[0][0]][1]

    def is_over(self, state: AvalancheState, start: AvalancheState) -> bool:
        """A simulated game is judged between two avalanches, some moves on."""
        return False

    def value(self, state: AvalancheState, seat: Seat, start: AvalancheState) -> float:
        """Cards stored ahead of the best of the others, those of a running avalanche going to who laid last."""
        stores = state.stores[:]
        if state.last != NO_ONE:
            stores[state.last] += len(state.avalanche)
        others = [store for at, store in enumerate(stores) if at != seat]
        lead = stores[seat] - (max(others) + sum(others) / len(others)) / 2
        if state.turn == NO_ONE:
            return 0.5 * state.returns()[seat] + 0.5 * max(-1.0, min(1.0, lead / 40))
        return max(-1.0, min(1.0, lead / 40))


def _start(state: AvalancheState, seat: Seat, groups: list[tuple[int, int]]) -> Move:
    rank, number = max(groups, key=lambda group: (min(group[1], 4) * 5 + group[0], group[1]))
    strong = number >= 3 or (number == 2 and rank >= 8)
    if state.stock and not strong and len(state.hands[seat]) < state.hand_size + LONG_HAND:
        return SNOW
    return LAY[rank][number] if strong else LAY[groups[0][0]][groups[0][1]]


POLICY = AvalanchePolicy()
