"""Ten-Skip Challenge: collect towards a ten-skip hand, bluff at a mixed rate, and judge claims by Bayes.

The probability of a claim depends on how many cards its maker has had to choose from, which of their cards are known,
and how often a reasonable player bluffs. Bluffs and challenges are random, at rates that leave the other side no
certain answer, so that neither a pattern nor the time taken reveals them.
"""

from collections.abc import Mapping, Sequence
from math import ceil, exp2, log2
from random import Random

from games.ai.policy import Policy
from games.engine import Move, Seat, View
from games.engine.cards import CARDS, RANK, Card
from games.rules.ten_skip.rules import TenSkipState
from games.rules.ten_skip.tables import (
    DISCARDS,
    END,
    GIVE,
    GIVES,
    HAND_SIZE,
    KEEP,
    KEEPS,
    MADE,
    MADE_SIZE,
    PACK,
    SHOW,
    SWAPS,
    TOP,
    TOPS,
    VALUE,
    has_pair,
    is_made,
    value,
)

#: The probability that a collecting player who has not claimed yet has a ten-skip hand after the first, second, … turn,
#: by the size of a hand (measured on 250 rounds each).
MADE_NOW = {
    7: (0.36, 0.25, 0.27, 0.37, 0.45, 0.5),
    6: (0.62, 0.38, 0.35, 0.35),
    5: (0.47, 0.25, 0.28, 0.3),
}
#: Hands imagined to weigh what is known about a claimer's cards.
WORLDS = 60
#: How the chance of a challenge rises around a level's doubt: never this far below it, always this far above it.
DOUBT_WIDTH = 0.12


class TenSkipPolicy(Policy[TenSkipState]):
    """Rules of thumb, Bayes and mixed bluffs for Ten-Skip Challenge; nothing is searched."""

    slug = "ten-skip"
    playouts: Mapping[str, int] = {}
    forgets: Mapping[str, float] = {"easy": 0.45, "medium": 0.12}
    #: How boldly each level bluffs, relative to the rate that leaves the others no certain answer.
    bluffs: Mapping[str, float] = {"easy": 0.1, "medium": 0.6, "hard": 1.15}
    #: How likely a claim must be false for each level to challenge it half of the time. A wrong challenge loses about
    #: twice what a right one wins, and most people bluff less than would be best.
    doubtful: Mapping[str, float] = {"easy": 0.5, "medium": 0.55, "hard": 0.55}

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """The greedy move, but claims and challenges are random."""
        seat = view.seat
        if seat is None or len(view.moves) == 1:
            return view.moves[0]
        state = self.imagine(view, rng)
        if "challenge" in view.moves and rng.random() < self._doubt(state, seat, view, level, rng):
            return "challenge"
        if view.phase == END:
            true = is_made(state.hands[seat], made_size(state))
            return "claim" if true or rng.random() < self.bluffs[level] * bluff_rate(state, seat) else "end"
        if rng.random() < self.forgets.get(level, 0):
            return self.plain(state, seat, rng)
        return self.greedy(state, seat, rng)

    def greedy(self, state: TenSkipState, seat: Seat, rng: Random) -> Move:
        """Collect, claim only a true hand, challenge a claim that is more likely false than true."""
        hand = state.hands[seat]
        unseen = _unseen(state, seat)
        size = made_size(state)
        match state.phase:
            case "keep":
                return KEEPS[max(state.drawn, key=lambda card: promise([*hand, card], size, unseen))]
            case "give":
                return GIVES[_spare(hand, size, unseen)]
            case "end":
                return "claim" if is_made(hand, size) else "end"
            case "top":
                return TOPS[max(hand, key=VALUE.__getitem__)]
            case "show":
                return "hide"
        if state.notice >= 0 and false_chance(state, state.notice, 0.0) > 0.5:
            return "challenge"
        spare = _spare(hand, size, unseen)
        if state.stock:
            return DISCARDS[spare]
        victims = [other for other in state.in_round if other not in (seat, state.notice)]
        return SWAPS[rng.choice(victims)][spare] if victims else "pass"

    def plain(self, state: TenSkipState, seat: Seat, rng: Random) -> Move:
        """Discard a card that is in no sequence of the best kind, without counting what is left to come."""
        hand = state.hands[seat]
        nothing: list[int] = [1] * 10
        size = made_size(state)
        if state.phase == KEEP:
            return KEEPS[max(state.drawn, key=lambda card: promise([*hand, card], size, nothing))]
        if state.phase in (END, GIVE, TOP, SHOW) or not state.stock:
            return self.greedy(state, seat, rng)
        return DISCARDS[_spare(hand, size, nothing)]

    def _doubt(self, state: TenSkipState, seat: Seat, view: View, level: str, rng: Random) -> float:
        """The probability of a challenge."""
        claimer = state.notice
        known = [CARDS[code] for code in view.zone(f"hand:{claimer}").cards or () if code is not None]
        hidden = view.zone(f"hand:{claimer}").count - len(known)
        if not hidden:
            return 0.0 if is_made(known, made_size(state)) else 1.0
        doubt = false_chance(state, claimer, _evidence(state, known, hidden, seat, rng))
        # A player who loses little by a wrong challenge, or much by letting the claim stand, doubts sooner.
        own = value(state.hands[seat]) * (2 if has_pair(state.hands[seat]) else 1)
        others_first = _between(state, seat)
        threshold = self.doubtful[level] * (1 + 0.3 * others_first) * (0.9 if own > 60 else 1.0)
        return min(1.0, max(0.0, 0.5 + (doubt - threshold) / (2 * DOUBT_WIDTH)))


def made_size(state: TenSkipState) -> int:
    """The size of a ten-skip hand in this round."""
    return MADE_SIZE[sum(gone is None for gone in state.out_in)]


def _unseen(state: TenSkipState, seat: Seat) -> list[int]:
    """How many cards of each rank ``seat`` has seen neither in its hand nor on the discard pile."""
    left = [4] * 10
    for cards in (state.hands[seat], state.discard, state.drawn):
        for card in cards:
            left[RANK[card]] -= 1
    viewers = len(state.hands) + 1
    for other in state.in_round:
        if other != seat:
            known = state.known[other * viewers + seat]
            while known:
                bit = known & -known
                left[RANK[bit.bit_length() - 1]] -= 1
                known ^= bit
    return left


def promise(hand: Sequence[Card], size: int, unseen: Sequence[int]) -> float:
    """How close ``hand`` is to a ten-skip hand, by the cards that could come; cheap cards break ties."""
    ranks = 0
    for card in hand:
        ranks |= 1 << RANK[card]
    best = second = -100.0
    for made in MADE[size]:
        missing = made & ~ranks
        merit = 0.0
        while missing:
            bit = missing & -missing
            outs = unseen[bit.bit_length() - 1]
            merit -= (10.0 if outs > 0 else 60.0) - 1.6 * outs
            missing ^= bit
        if merit > best:
            best, second = merit, best
        elif merit > second:
            second = merit
    return best + 0.15 * second - 0.03 * sum(VALUE[card] for card in hand) - (0.6 if has_pair(hand) else 0)


def _spare(hand: Sequence[Card], size: int, unseen: Sequence[int]) -> Card:
    """The card without which ``hand`` is most promising."""
    return max(hand, key=lambda card: promise([other for other in hand if other != card], size, unseen))


def turns_taken(state: TenSkipState) -> int:
    """How many turns each player has had in this round, including this one, calculated from the stock."""
    players = sum(gone is None for gone in state.out_in)
    drawn = len(PACK) - HAND_SIZE[players] * players - len(state.stock)
    return max(1, ceil(drawn / 2 / players))


def made_chance(state: TenSkipState) -> float:
    """The probability that a collecting player has just completed a ten-skip hand."""
    table = MADE_NOW[HAND_SIZE[sum(gone is None for gone in state.out_in)]]
    return table[min(turns_taken(state), len(table)) - 1]


def bluff_rate(state: TenSkipState, seat: Seat) -> float:
    """How often to claim without a ten-skip hand, so that about a third of all claims are false."""
    made = made_chance(state)
    rate = made / (2 * (1 - made))
    players = len(state.in_round)
    if len(state.stock) <= 2 * players:
        # The round is nearly over and everyone would lose, so a bluff costs nothing extra.
        rate = max(rate, 0.8)
    if state.exposed == seat:
        # A hand that everyone has seen can't be claimed unless it has changed since.
        viewers = len(state.hands) + 1
        known = state.known[seat * viewers + viewers - 1].bit_count()
        rate *= (len(state.hands[seat]) - known) / max(1, len(state.hands[seat]))
    # Each further player is one more who may doubt it.
    return min(0.85, rate / (players - 1))


def false_chance(state: TenSkipState, claimer: Seat, evidence: float) -> float:
    """The probability that a claim is false; ``evidence`` is the log (base 2) of the odds for it."""
    made = made_chance(state)
    bluff = bluff_rate(state, claimer)
    true = made * exp2(evidence)
    return (1 - made) * bluff / ((1 - made) * bluff + true)


def _evidence(state: TenSkipState, known: Sequence[Card], hidden: int, seat: Seat, rng: Random) -> float:
    """Evidence from the cards a claimer is known to have or not to have, compared with random hands."""
    size = made_size(state)
    unseen = _unseen(state, seat)
    pool = [rank for rank, left in enumerate(unseen) for _card in range(max(0, left))]
    fresh = [rank for rank in range(10) for _suit in range(4)]

    def hits(ranks: Sequence[int], cards: Sequence[Card], count: int) -> int:
        return sum(is_made([*cards, *rng.sample(ranks, min(count, len(ranks)))], size) for _world in range(WORLDS))

    with_knowledge = hits(pool, known, hidden) + 1
    without = hits(fresh, [], hidden + len(known)) + 1
    return max(-4.0, min(4.0, log2(with_knowledge / without)))


def _between(state: TenSkipState, seat: Seat) -> int:
    """How many players can still challenge before the claim stands."""
    order = state.in_round
    at, claimer = order.index(seat), order.index(state.notice)
    return (claimer - at) % len(order) - 1


POLICY = TenSkipPolicy()
