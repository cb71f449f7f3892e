"""What a seat at a rummy table can infer from what it sees: outs, dangers, and cards that others don't want.

A *pair* of a card is two others that make a set or a run of three with it. A card is worth keeping for its outs: unseen
cards that complete a pair with it. It is dangerous if the next player may hold one of its pairs; the cards that this
player left on the pile or discarded make nearby cards less likely.
"""

from dataclasses import dataclass
from itertools import combinations

from games.engine import Seat
from games.engine.cards import RED_JOKER, Card
from games.rules._shared.melds import in_a_meld
from games.rules._shared.pieces import NATURAL, SINGLE, Hand, at_position, cards_of
from games.rules._shared.rummy import RummyState


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each factor when a discard is chosen.

    ``out`` for each card that could complete a meld, ``promise`` for each pair that may still come, ``danger`` for a
    discard that the next player can certainly use, ``burden`` for each point of a card kept; it is negative where
    melding scores points.
    """

    out: float
    promise: float
    danger: float
    burden: float


#: A card of a meld in hand, one that fits a meld on the table, and a joker are not discarded.
IN_A_MELD, FITS_THE_TABLE, JOKER = 40.0, 60.0, 900.0
#: Factor on the chance that a player holds a card near one that they didn't want.
SHUNNED = 0.5


def _pairs_of(card: Card, last: int) -> tuple[Hand, ...]:
    suit, rank = divmod(card, 13)
    others = [other for other in range(4) if other != suit]
    pairs = [1 << 13 * first + rank | 1 << 13 * second + rank for first, second in combinations(others, 2)]
    for position in (1, 14) if rank == 0 and last == 14 else (rank + 1,):
        for low in range(max(1, position - 2), min(position, last - 2) + 1):
            pairs += [sum(1 << at_position(suit, at) for at in range(low, low + 3) if at != position)]
    return tuple(pairs)


#: The pairs of each natural card, by the highest position of a run.
PAIRS = {last: tuple(_pairs_of(card, last) for card in range(52)) for last in (13, 14)}


def _together(pairs: tuple[Hand, ...]) -> Hand:
    cards = 0
    for pair in pairs:
        cards |= pair
    return cards


#: The cards near each natural card: those of its pairs.
NEAR = {last: tuple(_together(pairs) for pairs in by_card) for last, by_card in PAIRS.items()}


class Sight:
    """What ``seat`` knows of the cards it doesn't hold: the only part of an imagined state that is used."""

    __slots__ = ("_chance", "_last", "_shunned", "_theirs", "fits", "hand", "unseen")

    def __init__(self, state: RummyState, seat: Seat) -> None:
        self.hand: Hand = state.hands[seat]
        self._last = state.LAST
        seen = self.hand & NATURAL
        self.fits: Hand = 0
        for meld in state.melds:
            self.fits |= meld[4]
            for piece in meld[2]:
                if piece < RED_JOKER:
                    seen |= 1 << piece
        for card in state.pile:
            seen |= 1 << card
        for other, known in enumerate(state.known):
            if other != seat:
                seen |= known
        packs = (sum(hand.bit_count() for hand in state.hands) + len(state.stock) + len(state.pile)) // 54
        # With two packs a card that is seen may come again.
        self.unseen: Hand = NATURAL & ~seen if packs < 2 else NATURAL
        following = (seat + 1) % len(state.hands)
        self._theirs: Hand = state.known[following] & NATURAL
        hidden = state.hands[following].bit_count() - state.known[following].bit_count()
        self._chance = hidden / max(1, self.unseen.bit_count())
        self._shunned: Hand = 0
        for card in cards_of(state.unwanted[following] & NATURAL):
            self._shunned |= NEAR[self._last][card]

    def discards(self, state: RummyState, weights: Weights) -> list[Card]:
        """The cards that may be discarded, best first."""
        banned = state.banned()
        merits = []
        for card in cards_of(self.hand & SINGLE):
            if card == banned:
                continue
            merit = JOKER if card >= RED_JOKER else self._keeping(card, weights)
            merits.append((merit - weights.burden * state.value_of(card), card))
        return [card for _merit, card in sorted(merits)]

    def _keeping(self, card: Card, weights: Weights) -> float:
        """The value of ``card`` in the seat's own hand, and what the next player would gain from it."""
        hand, unseen = self.hand, self.unseen
        worth = FITS_THE_TABLE if self.fits >> card & 1 else 0.0
        danger = 0.0
        for pair in PAIRS[self._last][card]:
            held = pair & hand
            if held == pair:
                worth += IN_A_MELD
            elif held:
                if pair & unseen:
                    worth += weights.out
            else:
                if not pair & ~unseen:
                    worth += weights.promise
                danger += self._likely(pair)
        return worth + weights.danger * min(1.0, danger)

    def _likely(self, pair: Hand) -> float:
        """The probability that the next player holds both cards of ``pair``."""
        chance = 1.0
        while pair:
            bit = pair & -pair
            pair ^= bit
            if not bit & self._theirs:
                if not bit & self.unseen:
                    return 0.0
                chance *= self._chance * (SHUNNED if bit & self._shunned else 1.0)
        return chance

    def outs(self, card: Card) -> int:
        """How many unseen cards would complete a meld with ``card`` and one of the hand."""
        found = 0
        for pair in PAIRS[self._last][card]:
            held = pair & self.hand
            if held and held != pair:
                found |= pair & self.unseen
        return found.bit_count()

    def placed(self) -> int:
        """How many cards of the hand are in a meld or fit the table."""
        return sum(
            self.fits >> card & 1 or in_a_meld(card, self.hand, self._last) for card in cards_of(self.hand & SINGLE)
        )
