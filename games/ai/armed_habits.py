"""What the cards a player has turned in Armed reveal about their habits, using only what the opponent can see.

A player who chooses at random, or always by rank, turns nearly every card soon after drawing it, since each battle
brings one card into the hand. Only cards that are held back set a planning player apart. So we compare how often each
value was turned with how often it would be if cards came in random order, and check whether the three highest and the
three lowest cards are missing at the same time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from games.engine import Seat
from games.engine.cards import RANKS
from games.rules.armed.rules import PACK, VALUE, ArmedState

#: The value of each rank in the list of turned cards.
VALUE_OF = {rank: 14 if at == 0 else at + 1 for at, rank in enumerate(RANKS)}
#: Turned cards assumed of each value at first, so that a few real ones prove little.
EVEN = 0.7
#: Cards at either end that a player may hold for good, how often they are turned then, as a part of how often they
#: would come in turn, and the logarithm of the odds against meeting a player that does.
ENDS, HELD_BACK, AGAINST = 3, 0.25, 1.0

Counts = list[float]


@dataclass(frozen=True, slots=True)
class Habit:
    """A player's habits: the probability of each value coming next, and of holding cards back."""

    chances: Sequence[float]
    holds: float


def usual(state: ArmedState, seat: Seat) -> Habit:
    """The habits of ``seat`` if its cards come in random order, judged only by the cards it owns."""
    return Habit(_shares(owned_by(state, seat)), 0.0)


def noticed(state: ArmedState, seat: Seat) -> Habit:
    """The habits of ``seat``, judged by what it owns and has recently turned."""
    owned = owned_by(state, seat)
    played, due = lately(state, seat, owned)
    often = [had * (got + EVEN) / (was + EVEN) for had, got, was in zip(owned, played, due, strict=True)]
    highest = _evidence(owned, played, due, range(14, 1, -1))
    lowest = _evidence(owned, played, due, range(2, 15))
    return Habit(_shares(often), 1 / (1 + exp(AGAINST - highest - max(0.0, lowest))))


def owned_by(state: ArmedState, seat: Seat) -> Counts:
    """How many cards of each value ``seat`` owns, including its expected share of the unseen cards."""
    other = 1 - seat
    known = state.known[seat]
    seen = known | state.known[other]
    for card in (*state.hands[other], *state.laid[0], *state.laid[1], state.sealed[other]):
        if card >= 0:
            seen |= 1 << card
    number = len(state.hands[seat]) + len(state.decks[seat]) + (state.sealed[seat] >= 0)
    unseen = [card for card in PACK if not seen >> card & 1]
    share = (number - known.bit_count()) / len(unseen) if unseen else 0.0
    owned = [0.0] * 15
    for card in PACK:
        if known >> card & 1:
            owned[VALUE[card]] += 1
    for card in unseen:
        owned[VALUE[card]] += share
    return owned


def lately(state: ArmedState, seat: Seat, owned: Sequence[float]) -> tuple[Counts, Counts]:
    """How often ``seat`` recently turned each value, and how often it would have in random order."""
    had = list(owned)
    played, due = [0.0] * 15, [0.0] * 15
    # Backwards, because the cards owned then follow from the cards owned now.
    for theirs, ours in reversed(_battles(state.turned[seat], state.turned[1 - seat])):
        if sum(theirs) > sum(ours):
            for value in ours:
                had[value] = max(0.0, had[value] - 1)
        else:
            for value in theirs:
                had[value] += 1
        for value in theirs:
            played[value] += 1
        for value, share in enumerate(_shares(had)):
            due[value] += share * len(theirs)
    return played, due


def _battles(theirs: str, ours: str) -> list[tuple[list[int], list[int]]]:
    """The cards of each battle in two lists of turned ranks; a battle continues while the totals are equal."""
    battles: list[tuple[list[int], list[int]]] = []
    is_over = True
    for their, our in zip(theirs, ours, strict=True):
        if is_over:
            battles.append(([], []))
        their_cards, our_cards = battles[-1]
        their_cards.append(VALUE_OF[their])
        our_cards.append(VALUE_OF[our])
        is_over = sum(their_cards) != sum(our_cards)
    return battles


def _evidence(owned: Counts, played: Counts, due: Counts, values: Sequence[int]) -> float:
    """The log odds that the first ``ENDS`` owned cards of ``values`` are held back."""
    left, got, was = float(ENDS), 0.0, 0.0
    for value in values:
        if left > 0 and owned[value]:
            part = min(1.0, left / owned[value])
            got += part * played[value]
            was += part * due[value]
            left -= owned[value]
    return got * log(HELD_BACK) + (1 - HELD_BACK) * was


def _shares(weights: Sequence[float]) -> Counts:
    whole = sum(weights)
    return [weight / whole for weight in weights] if whole else list(weights)
