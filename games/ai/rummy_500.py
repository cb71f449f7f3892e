"""Rummy 500: points are made by laying, so the pile is taken when what it brings is worth its burden."""

from collections.abc import Sequence

from games.ai.rummy_hands import RummyPolicy, keeping, left_after, meld_points
from games.engine import Move, Seat
from games.engine.cards import RED_JOKER, Card
from games.rules.melds import Hand, add
from games.rules.rummy_500 import Rummy500State

#: What a card from the stock is worth.
STOCK_WORTH = 6.0
#: What a take is worth that needs no looking into, and how many others are looked into.
SURELY_WORTH = 24.0
DRAWS_TRIED = 5
#: What a card taken along costs that has no use yet, as a part of its points.
BURDEN = 0.35
#: Points of a deal that decide it.
MANY_POINTS = 100


class Rummy500Policy(RummyPolicy[Rummy500State]):
    """Rules of thumb for Rummy 500."""

    slug = "rummy-500"
    playouts = {"medium": 24, "hard": 80}

    def candidates(self, state: Rummy500State, seat: Seat, greedy: Move) -> Sequence[Move]:
        """The best discards; the draws, unless what is to be taken is worth much."""
        if state.phase != "draw":
            return super().candidates(state, seat, greedy)
        moves = state.legal_moves(seat)
        if greedy != moves[0] and self._worth_taking(state, seat, int(greedy[5:])) >= SURELY_WORTH:
            return [greedy]
        return moves if len(moves) <= DRAWS_TRIED else list(dict.fromkeys((greedy, moves[0], *moves[1:DRAWS_TRIED])))

    def draw(self, state: Rummy500State, seat: Seat) -> Move:
        """The take that brings most, or the stock."""
        moves = state.legal_moves(seat)
        best, most = moves[0], STOCK_WORTH if state.stock else -5.0
        for move in moves[1:]:
            worth = self._worth_taking(state, seat, int(move[5:]))
            if worth > most:
                best, most = move, worth
        return best

    def _worth_taking(self, state: Rummy500State, seat: Seat, n: int) -> float:
        hand: Hand = state.hands[seat]
        for card in state.pile[-n:]:
            hand = add(hand, card)
        chosen = state.pile[-n]
        worth, used = meld_points(state, hand, chosen)
        if not used:
            worth, used = state._value(chosen), 1 << chosen
        rest = left_after(hand, used)
        fits = 0
        for meld in state.melds:
            fits |= meld[4]
        for card in state.pile[-n + 1 :] if n > 1 else ():
            if card in rest:
                worth += self._worth_of_extra(state, card, hand, fits)
        return worth

    def _worth_of_extra(self, state: Rummy500State, card: Card, hand: Hand, fits: Hand) -> float:
        """What a card brings that is taken along."""
        points = state._value(card)
        if card >= RED_JOKER or fits >> card & 1:
            return points
        promise = keeping(card, hand, 0, 14)
        return min(1.0, promise / 10) * points - BURDEN * points

    def value(self, state: Rummy500State, seat: Seat, start: Rummy500State) -> float:
        """The points made in the deal, against the best of the others."""
        gains = [after - before for after, before in zip(state.scores, start.scores, strict=True)]
        if state.deal == start.deal and not state.reason:
            gains = state._gains(None)
        others = [gain for at, gain in enumerate(gains) if at != seat]
        ahead = gains[seat] - (max(others) + sum(others) / len(others)) / 2
        return max(-1.0, min(1.0, ahead / MANY_POINTS))


POLICY = Rummy500Policy()
