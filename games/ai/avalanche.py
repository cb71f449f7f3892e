"""Avalanche: take snow, grow as cheaply as possible, and look ahead.

The cautious move of the rules is the greedy one here: measured, whoever spends strength on large avalanches as
``plain`` does loses nine matches of ten to it.
"""

from itertools import groupby
from random import Random

from games.ai.policy import Policy
from games.engine import Move, Seat
from games.rules.avalanche import LAY, SNOW, AvalancheState

NO_ONE = -1
#: Cards of an avalanche from which on it is worth strong cards.
WORTH_STRENGTH = 6


class AvalanchePolicy(Policy[AvalancheState]):
    """Rules of thumb for Avalanche."""

    slug = "avalanche"
    playouts = {"hard": 240}
    #: Moves after which a simulated game is judged.
    horizon = 30

    def plain(self, state: AvalancheState, seat: Seat, rng: Random) -> Move:
        """Take snow, grow if one can, else stop, else give away one low card."""
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
    """Take snow while there is any: a longer hand has more of each rank. Then the lowest of what is held most of."""
    if state.stock:
        return SNOW
    rank, number = max(groups, key=lambda group: (group[1], -group[0]))
    return LAY[rank][number]


POLICY = AvalanchePolicy()
