"""Amagande: keep counters, shed what eliminates while the reference seven is out, use skips as extra turns."""

from collections.abc import Sequence
from math import exp
from random import Random

from games.ai.policy import Policy
from games.engine import Move, Seat
from games.engine.cards import RANK, SUIT, Card
from games.rules.amagande.rules import AmagandeState
from games.rules.amagande.tables import (
    ACE,
    ACE_OF_SPADES,
    ANY,
    EIGHT,
    ELIMINATING,
    FITS_COLOUR,
    FITS_SUIT,
    FITS_TOP,
    JACK,
    JOKERS,
    PACK,
    PENALTY,
    PLAYS,
    PLAYS_UNDER_PENALTY,
    SAFE,
    SEVEN,
    VALUE,
    Cards,
)

#: The value of playing each card, regardless of what follows.
MERIT = tuple(10.0 + VALUE[card] / 6 for card in PACK)
#: Cards that affect other players: penalties, aces, eights and jacks.
CHANGES = tuple(bool(PENALTY[card]) or RANK[card] in (ACE, EIGHT, JACK) for card in PACK)
#: The suits that may follow each card if it names none; after an ace that blocks a penalty, any.
FOLLOWS = tuple(
    FITS_COLOUR[int(card == JOKERS[0])] if card in JOKERS else ANY if RANK[card] == ACE else FITS_TOP[card]
    for card in PACK
)

#: The chance that a hand survives a showdown, by its number of cards, and the average points of a hidden card.
SURVIVES = (1.0, 0.88, 0.6, 0.32, 0.12, 0.03)
MEAN_CARD = 17.0
#: Play a showdown from this chance of winning on.
GOOD_SHOWDOWN = 0.62


class AmagandePolicy(Policy[AmagandeState]):
    """Rules of thumb for Amagande."""

    slug = "amagande"
    playouts = {"hard": 500}
    horizon = 120

    def greedy(self, state: AmagandeState, seat: Seat, rng: Random) -> Move:
        """The play with the highest merit; draw if no play has any."""
        moves = state.legal_moves(seat)
        choice = moves[-1]
        if len(moves) > 1:
            plays = PLAYS_UNDER_PENALTY if state.penalty else PLAYS
            hands = state.hands
            nearest = hands[(seat + state.direction) % len(hands)].bit_count()
            most = 0.0
            for move in moves[:-1]:
                merit = _merit(state, seat, plays[move], nearest)
                if merit > most:
                    choice, most = move, merit
        return choice

    def candidates(self, state: AmagandeState, seat: Seat, greedy: Move) -> Sequence[Move]:
        """All moves, but an ace only with the two suits of which the hand has most."""
        held = _suits(state.hands[seat])
        best = sorted("CDHS", key=lambda suit: -held["CDHS".index(suit)])[:2]
        return [move for move in state.legal_moves(seat) if move == greedy or "/" not in move or move[-1] in best]

    def value(self, state: AmagandeState, seat: Seat, start: AmagandeState) -> float:
        """The final place; for an unfinished game, an estimate from the sizes of the hands."""
        if state.reason is not None:
            return state.returns()[seat]
        sizes = [hand.bit_count() for hand in state.hands]
        others = (sum(sizes) - sizes[seat]) / (len(sizes) - 1)
        return max(-1.0, min(1.0, (others - sizes[seat]) / 10))


def _suits(hand: Cards) -> list[int]:
    """The number of cards of each suit in a hand; jokers come last."""
    held = [0, 0, 0, 0, 0]
    while hand:
        bit = hand & -hand
        held[SUIT[bit.bit_length() - 1]] += 1
        hand ^= bit
    return held


def _points(hand: Cards) -> int:
    points = 0
    while hand:
        bit = hand & -hand
        points += VALUE[bit.bit_length() - 1]
        hand ^= bit
    return points


def showdown_chance(rest: Cards, sizes: Sequence[int]) -> float:
    """The chance to win a showdown with ``rest`` in hand against unknown hands of ``sizes``."""
    points = _points(rest)
    safe = not rest & ELIMINATING and points <= SAFE
    chance = 1.0
    for size in sizes:
        survives = SURVIVES[min(size, len(SURVIVES) - 1)]
        # Of two equal hands, the lower sum wins.
        lower = 1 / (1 + exp(-(size * (12 if safe else MEAN_CARD) - points) / (4 + 6 * size**0.5)))
        chance *= (1 - survives) + survives * lower if safe else (1 - survives) * lower
    return chance


def _merit(state: AmagandeState, seat: Seat, play: tuple[Cards, Card, int], nearest: int) -> float:
    """The merit of a play; if it is below 0, drawing is better. The next player holds ``nearest`` cards."""
    bit, card, named = play
    rest = state.hands[seat] ^ bit
    if not rest:
        return 1000.0
    rank = RANK[card]
    if rank == SEVEN and SUIT[card] == state.reference:
        sizes = [hand.bit_count() for at, hand in enumerate(state.hands) if at != seat]
        chance = showdown_chance(rest, sizes)
        return 500.0 * chance if chance > GOOD_SHOWDOWN else -1.0
    following = (rest & (FOLLOWS[card] if named < 0 else FITS_SUIT[named])).bit_count()
    merit = MERIT[card] + 1.2 * following
    if not CHANGES[card]:
        return merit
    left = rest.bit_count()
    if PENALTY[card]:
        merit += PENALTY[card] * (2.5 if nearest <= 3 else 0.8)
        if not state.penalty and nearest > 3 and left > 3:
            # A counter in hand saves drawing a penalty later.
            merit -= 6
    elif rank != ACE and len(state.hands) == 2:
        merit += 6 if following else -2
    elif rank == EIGHT and nearest <= 2:
        merit += 5
    elif rank == ACE:
        merit -= 9 if left > 2 else 0
        if card == ACE_OF_SPADES and not state.penalty and left > 3:
            merit -= 8
    return max(merit, 0.1)


POLICY = AmagandePolicy()
