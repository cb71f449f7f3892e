"""Avalanche: take snow, grow as cheaply as possible, and look ahead.

The cautious move of the rules is the greedy move here. In measurements, a player who spends strong cards on large
avalanches, as ``plain`` does, lost nine matches of ten to it.
"""

from collections.abc import Sequence
from itertools import compress, groupby
from random import Random

from games.ai.policy import EPSILON, Policy
from games.engine import Move, Seat
from games.rules.avalanche.rules import LAY, SNOW, AvalancheState

NO_ONE = -1
RANKS = range(14)
#: All ranks from each one on; after the highest comes the lowest.
RANKS_FROM = tuple((*RANKS[rank:], *RANKS[:rank]) for rank in RANKS)
#: The seats left of each seat, itself last, by number of players.
LEFT_OF: tuple[tuple[tuple[Seat, ...], ...], ...] = tuple(
    tuple((*range(seat + 1, seats), *range(seat + 1)) for seat in range(seats)) for seats in range(7)
)
#: Rank and number of cards of each play.
LAYS = {move: (rank, number) for rank, moves in enumerate(LAY) for number, move in enumerate(moves) if number}
#: How many single cards to try if the avalanche can only be allowed to fall.
LOWEST = 3
#: The size from which an avalanche is worth strong cards.
WORTH_STRENGTH = 6


class AvalanchePolicy(Policy[AvalancheState]):
    """Rules of thumb for Avalanche."""

    slug = "avalanche"
    playouts = {"hard": 720}

    def plain(self, state: AvalancheState, seat: Seat, rng: Random) -> Move:
        """Take snow, grow if possible, else stop, else give away one low card."""
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

    def candidates(self, state: AvalancheState, seat: Seat, greedy: Move) -> Sequence[Move]:
        """Every start; every answer that grows or stops an avalanche, and the lowest single cards that let it fall."""
        moves = state.legal_moves(seat)
        if state.last == NO_ONE:
            return moves
        kept, falls = [greedy], 0
        for move in moves:
            rank, number = LAYS[move]
            if number > state.last_number or (number == state.last_number and (number > 1 or rank >= state.last_rank)):
                kept.append(move)
            elif number == 1 and falls < LOWEST:
                kept.append(move)
                falls += 1
        return list(dict.fromkeys(kept))

    def moves_ahead(self, state: AvalancheState) -> int:
        """Only a few for two players; with more players, simulations would otherwise end before the stock is empty."""
        return 30 if len(state.hands) == 2 else 400

    def play_out(self, state: AvalancheState, seat: Seat, start: AvalancheState, rng: Random) -> float:
        """Simulate as in every game, but count hands by rank, because searches spend most of their time here."""
        slope = Slope(state)
        hands, sizes, stock = slope.hands, slope.sizes, slope.stock
        random = rng.random
        for _move in range(self.moves_ahead(state)):
            turn = slope.turn
            if turn == NO_ONE:
                break
            may_snow = slope.last == NO_ONE and bool(stock)
            if random() < EPSILON:
                at = int(random() * (sizes[turn] + may_snow)) - may_snow
                lay = _lay_number(hands[turn], at) if at >= 0 else None
            elif may_snow:
                lay = None
            elif slope.last == NO_ONE:
                lay = _lowest(hands[turn]), 1
            else:
                lay = _answer(hands[turn], slope.rank, slope.number)
            if lay is None:
                slope.snow()
            else:
                slope.lay(*lay)
        state.turn, state.last = slope.turn, slope.last
        return self._judged(state, slope.lying, seat)

    def value(self, state: AvalancheState, seat: Seat, start: AvalancheState) -> float:
        """Stored cards ahead of the best opponent; a running avalanche counts for the player who played last."""
        return self._judged(state, len(state.avalanche), seat)

    def _judged(self, state: AvalancheState, lying: int, seat: Seat) -> float:
        stores = state.stores[:]
        if state.last != NO_ONE:
            stores[state.last] += lying
        others = [store for at, store in enumerate(stores) if at != seat]
        lead = stores[seat] - (max(others) + sum(others) / len(others)) / 2
        if state.turn == NO_ONE:
            return 0.5 * state.returns()[seat] + 0.5 * max(-1.0, min(1.0, lead / 40))
        return max(-1.0, min(1.0, lead / 40))


class Slope:
    """A simulated match with hands counted by rank; stock and stores are shared with the original state."""

    __slots__ = ("hand_size", "hands", "last", "lying", "number", "rank", "sizes", "stock", "stores", "turn")

    def __init__(self, state: AvalancheState) -> None:
        self.hands = [_counted(hand) for hand in state.hands]
        self.sizes = [len(hand) for hand in state.hands]
        self.stock, self.stores, self.hand_size = state.stock, state.stores, state.hand_size
        self.turn, self.last = state.turn, state.last
        self.rank, self.number = state.last_rank, state.last_number
        self.lying = len(state.avalanche)

    def snow(self) -> None:
        """The seat whose turn it is takes the top card of the stock."""
        self.hands[self.turn][self.stock.pop() >> 3] += 1
        self.sizes[self.turn] += 1
        self.turn = (self.turn + 1) % len(self.sizes)

    def lay(self, rank: int, number: int) -> None:
        """The seat whose turn it is plays ``number`` cards of ``rank``."""
        turn, sizes = self.turn, self.sizes
        self.hands[turn][rank] -= number
        sizes[turn] -= number
        self.lying += number
        if self.last == NO_ONE or number > self.number or (number == self.number and rank >= self.rank):
            self.last, self.rank, self.number = turn, rank, number
            if not self.stock and self._end_if_one_is_left():
                return
            self.turn = self._next(turn)
            if self.turn not in (turn, NO_ONE):
                return
            # No other player can answer.
            self.stores[turn] += self.lying
        elif number < self.number or number == 1:
            self.stores[self.last] += self.lying
        self.last, self.lying = NO_ONE, 0
        self._restart(turn)

    def _restart(self, turn: Seat) -> None:
        """Empty hands draw, starting to the left of the player who played last."""
        stock, sizes = self.stock, self.sizes
        if stock and 0 in sizes:
            for seat in LEFT_OF[len(sizes)][turn]:
                if stock and not sizes[seat]:
                    drawn = stock[-self.hand_size :]
                    del stock[-self.hand_size :]
                    self.hands[seat] = _counted(drawn)
                    sizes[seat] = len(drawn)
        if stock or not self._end_if_one_is_left():
            self.turn = self._next(turn)

    def _next(self, turn: Seat) -> Seat:
        """The next seat that holds cards, perhaps ``turn`` itself; -1 if none does."""
        sizes = self.sizes
        for seat in LEFT_OF[len(sizes)][turn]:
            if sizes[seat]:
                return seat
        return NO_ONE

    def _end_if_one_is_left(self) -> bool:
        """End if the stock is empty and one hand is left: its holder stores it, the last lay gets the avalanche."""
        if len(self.sizes) - self.sizes.count(0) > 1:
            return False
        if self.last != NO_ONE:
            self.stores[self.last] += self.lying
        for seat, size in enumerate(self.sizes):
            self.stores[seat] += size
        self.turn = self.last = NO_ONE
        return True


def _counted(cards: Sequence[int]) -> list[int]:
    """The number of cards of each rank."""
    counts = [0] * 14
    for card in cards:
        counts[card >> 3] += 1
    return counts


def _lowest(hand: Sequence[int]) -> int:
    """The lowest rank in the hand."""
    return next(compress(RANKS, hand))


def _answer(hand: Sequence[int], rank: int, number: int) -> tuple[int, int]:
    """The cautious answer to ``number`` cards of ``rank``: grow as low as possible, else stop."""
    for held in RANKS_FROM[rank]:
        if hand[held] >= number:
            return held, number
    return _lowest(hand), 1


def _lay_number(hand: Sequence[int], at: int) -> tuple[int, int]:
    """Play number ``at`` of all possible plays: first one card of each rank, then two, and so on."""
    for rank, held in enumerate(hand):
        if at < held:
            return rank, at + 1
        at -= held
    raise ValueError("there is no such lay")


def _start(state: AvalancheState, seat: Seat, groups: list[tuple[int, int]]) -> Move:
    """Take snow while there is any: a longer hand has more of each rank. Then play the lowest of the largest groups."""
    if state.stock:
        return SNOW
    rank, number = max(groups, key=lambda group: (group[1], -group[0]))
    return LAY[rank][number]


POLICY = AvalanchePolicy()
