"""Game: Armani apart from slaps: bids, the choice of a fan, the cards taken out of the other, the dealers.

Fans are judged by playing Stage 2 out, every slap going to a player by lot: which face cards win duels (jacks more
than aces, since they leave one chance to answer) and what the queen of spades counts comes out by itself.
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
    PATTERNS,
    PLAYING,
    QUEEN_OF_SPADES,
    TAKE,
    TAKE_CARD,
)

JACK = 10
#: What a card is worth in Stage 2, by the chances that it leaves to answer it; others 1.
FACE_WORTH = (1.0, 8.0, 6.0, 4.5, 3.5)
#: What the queen of spades is worth on top, because a final lap counts her 7.
QUEEN_WORTH = 2.0
#: How often a player sees a slap pattern in a simulated game.
SLAPPED = 0.9
#: The highest bid that a level makes of its own accord, by its trust in its own hands.
HIGHEST_BID: Mapping[str, int] = {"easy": 3, "medium": 2, "hard": 2}


class ArmaniPolicy(Policy[ArmaniState]):
    """Bids, fans, cards and dealers; what is slapped is decided elsewhere."""

    slug = "armani"
    playouts = {"easy": 0, "medium": 60, "hard": 160}
    forgets: Mapping[str, float] = {"easy": 0.3}
    horizon = 900

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """A bid, a choice after Stage 1, or the flip of one's card; never a slap."""
        if view.phase in PLAYING:
            return "flip"
        if view.phase == BETS:
            return bid(view, level, rng)
        return super().choose(view, level, rng)

    def greedy(self, state: ArmaniState, seat: Seat, rng: Random) -> Move:
        """The most valuable fan and cards; the longest stacks go to the players that lead and answer first."""
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
        """Count cards alone for the fan; any face card."""
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
            # It matters too little for simulated games to show which player gets the odd cards.
            return [greedy]
        return state.legal_moves(seat)

    def after(self, state: ArmaniState, rng: Random) -> None:
        """Slaps go to a player drawn by lot; won hands are handed over."""
        if state.phase not in PLAYING:
            return
        played = state.pile[state.burned :]
        if played and any(PATTERNS[pattern](played) for pattern in state.slaps) and rng.random() < SLAPPED:
            slappers = [seat for seat in range(state.seats) if state.locks[seat] <= state.flips]
            if slappers:
                state.apply(rng.choice(slappers), "slap")
        while state.to_move() == (TABLE,):
            state.apply(TABLE, "close")


def bid(view: View, level: str, rng: Random) -> Move:
    """Fold, as equals should; the opener must bid.

    Two equal players win Stage 1 by 1 or more in .49 of matches, by 10 in .37, by 20 in .22: a bet that is not
    kept gives the others Choosing Power, so that none is worth making. A small bid now and then keeps
    others from reading more into a bid than there is.
    """
    highest = max((max(bids) for bids in view.facts["bets"] if bids), default=0)
    if highest == 0:
        return "bet:1"
    most = HIGHEST_BID[level]
    if highest < most and rng.random() < 0.25:
        return f"bet:{highest + 1}"
    return "fold"


def card_worth(card: Card) -> float:
    """What a card is worth in Stage 2."""
    return FACE_WORTH[CHANCES[card]] + (QUEEN_WORTH if card == QUEEN_OF_SPADES else 0)


def worth(fan: Sequence[Card]) -> float:
    """What the cards of a fan are worth in Stage 2."""
    return sum(map(card_worth, fan))


POLICY = ArmaniPolicy()
