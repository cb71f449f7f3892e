"""Rummy 500: melding scores points, so take from the pile when the gain outweighs the burden."""

from typing import NamedTuple

from games.ai.rummy_hands import RummyPolicy, keeping, left_after, meld_points
from games.ai.rummy_sight import Sight, Weights
from games.engine import Move, Seat
from games.engine.cards import RED_JOKER, Card
from games.rules._shared.pieces import Hand, add
from games.rules.rummy_500 import Rummy500State

#: The value of a card from the stock.
STOCK_WORTH = 6.0


class Scale(NamedTuple):
    """How to judge extra cards: the promise that makes one worth all its points, and the cost of those points."""

    promise: float
    burden: float


PLAIN, CAREFUL = Scale(10.0, 0.35), Scale(5.0, 0.9)


class Rummy500Policy(RummyPolicy[Rummy500State]):
    """Rules of thumb for Rummy 500."""

    slug = "rummy-500"
    # A high card is worth its points on the table, so it is kept, whatever a hand full of them may cost in the end.
    weights = Weights(out=5.0, promise=0.3, danger=14.0, burden=-1.3)

    def careful_draw(self, state: Rummy500State, seat: Seat, sight: Sight) -> Move:
        """Draw like the greedy player, but only take extra cards that promise more."""
        return self._best_draw(state, seat, CAREFUL)

    def draw(self, state: Rummy500State, seat: Seat) -> Move:
        """The most profitable take from the pile, or the stock."""
        return self._best_draw(state, seat, PLAIN)

    def _best_draw(self, state: Rummy500State, seat: Seat, scale: "Scale") -> Move:
        moves = state.legal_moves(seat)
        best, most = moves[0], STOCK_WORTH if state.stock else -5.0
        for move in moves[1:]:
            worth = self._worth_taking(state, seat, int(move[5:]), scale)
            if worth > most:
                best, most = move, worth
        return best

    def _worth_taking(self, state: Rummy500State, seat: Seat, n: int, scale: "Scale") -> float:
        hand: Hand = state.hands[seat]
        for card in state.pile[-n:]:
            hand = add(hand, card)
        chosen = state.pile[-n]
        worth, used = meld_points(state, hand, chosen)
        if not used:
            worth, used = state.value_of(chosen), 1 << chosen
        rest = left_after(hand, used)
        fits = 0
        for meld in state.melds:
            fits |= meld[4]
        for card in state.pile[-n + 1 :] if n > 1 else ():
            if card in rest:
                worth += self._worth_of_extra(state, card, hand, fits, scale)
        return worth

    def _worth_of_extra(self, state: Rummy500State, card: Card, hand: Hand, fits: Hand, scale: "Scale") -> float:
        """The gain from an extra card."""
        points = state.value_of(card)
        if card >= RED_JOKER or fits >> card & 1:
            return points
        promise = keeping(card, hand, 0, 14)
        return (min(1.0, promise / scale.promise) - scale.burden) * points


POLICY = Rummy500Policy()
