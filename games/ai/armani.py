"""Game: Armani apart from slaps: bids, choosing a fan, taking cards out of the other fan, and naming dealers.

A fan is judged by simulating Stage 2, with random winners of slaps. This shows by itself which face cards win duels
(jacks more than aces, since they leave one chance to answer) and what the queen of spades is worth.
"""

from collections.abc import Mapping, Sequence
from random import Random

from games.ai.policy import Policy
from games.engine import TABLE, Move, Seat, View
from games.engine.cards import RANK, Card
from games.rules.armani import ArmaniState
from games.rules.armani.tables import (
    BETS,
    CHANCES,
    CHOOSE,
    DEALERS,
    FANS,
    FLIP,
    PLAYING,
    QUEEN_OF_SPADES,
    TAKE,
    TAKE_CARD,
)

JACK = 10
#: Value of a card in Stage 2, by the number of chances to answer it; 1 for other cards.
FACE_WORTH = (1.0, 8.0, 6.0, 4.5, 3.5)
#: The extra value of the queen of spades, which counts 7 in a final lap.
QUEEN_WORTH = 2.0
#: How often a simulated player notices a slap pattern.
SLAPPED = 0.9
#: The highest opening bid of a level, by how much it trusts its own hands.
HIGHEST_BID: Mapping[str, int] = {"easy": 3, "medium": 2, "hard": 2}


class ArmaniPolicy(Policy[ArmaniState]):
    """Bids, fans, cards and dealers; what is slapped is decided elsewhere."""

    slug = "armani"
    playouts = {"easy": 0, "medium": 60, "hard": 160}
    forgets: Mapping[str, float] = {"easy": 0.3}
    horizon = 900

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """A bid, a choice after Stage 1, or a flip; never a slap."""
        if view.phase in PLAYING:
            return "flip"
        if view.phase == BETS:
            return bid(view, level, rng)
        return super().choose(view, level, rng)

    def greedy(self, state: ArmaniState, seat: Seat, rng: Random) -> Move:
        """The most valuable fan and cards; the longest stacks go to the players who lead and answer first."""
        if state.phase in PLAYING:
            return FLIP[0]
        if state.phase == CHOOSE:
            own, other = worth(state.fans[state.power]), worth(state.fans[1 - state.power])
            taken = len(state.sides[1 - state.power])
            own += sum(sorted(map(card_worth, state.fans[1 - state.power]))[-taken:])
            other += sum(sorted(map(card_worth, state.fans[state.power]))[-taken:])
            return FANS[0] if own >= other else FANS[1]
        if state.phase == TAKE:
            return TAKE_CARD[max(state.fans[1 - state.power], key=card_worth)]
        return state.default_move(seat)

    def plain(self, state: ArmaniState, seat: Seat, rng: Random) -> Move:
        """Choose a fan by its number of cards, and any face card."""
        if state.phase == CHOOSE:
            return FANS[0] if len(state.fans[state.power]) >= len(state.fans[1 - state.power]) else FANS[1]
        if state.phase == TAKE:
            faces = [card for card in state.fans[1 - state.power] if CHANCES[card]]
            return TAKE_CARD[rng.choice(faces)] if faces else state.default_move(seat)
        return state.default_move(seat)

    def candidates(self, state: ArmaniState, seat: Seat, greedy: Move) -> Sequence[Move]:
        """Both fans; of the cards one of each kind; a few dealers."""
        if state.phase == TAKE:
            kinds: dict[tuple[int, bool], Card] = {}
            for card in state.fans[1 - state.power]:
                if CHANCES[card] or card == QUEEN_OF_SPADES:
                    kinds[RANK[card], card == QUEEN_OF_SPADES] = card
            return list(dict.fromkeys([greedy, *(TAKE_CARD[card] for card in kinds.values())]))
        if state.phase == DEALERS:
            # Who gets the few extra cards matters too little for simulations to measure.
            return [greedy]
        return state.legal_moves(seat)

    def after(self, state: ArmaniState, rng: Random) -> None:
        """Give slaps to a random player, and hand over won hands."""
        if state.phase not in PLAYING:
            return
        if state.is_slappable() and rng.random() < SLAPPED:
            slappers = [seat for seat in range(state.seats) if state.locks[seat] <= state.flips]
            if slappers:
                state.apply(rng.choice(slappers), "slap")
        while state.turn == TABLE:
            state.apply(TABLE, "close")


def bid(view: View, level: str, rng: Random) -> Move:
    """Fold, as players of equal strength should; the opener must bid.

    Two equal players win Stage 1 by 1 or more in .49 of matches, by 10 in .37, by 20 in .22. A failed bet gives the
    others Choosing Power, so no bet is worth making. A small bid now and then keeps others from reading more into a
    bid.
    """
    highest = max((max(bids) for bids in view.facts["bets"] if bids), default=0)
    if highest == 0:
        return "bet:1"
    most = HIGHEST_BID[level]
    if highest < most and rng.random() < 0.25:
        return f"bet:{highest + 1}"
    return "fold"


def card_worth(card: Card) -> float:
    """The value of a card in Stage 2."""
    return FACE_WORTH[CHANCES[card]] + (QUEEN_WORTH if card == QUEEN_OF_SPADES else 0)


def worth(fan: Sequence[Card]) -> float:
    """The value of a fan's cards in Stage 2."""
    return sum(map(card_worth, fan))


POLICY = ArmaniPolicy()
