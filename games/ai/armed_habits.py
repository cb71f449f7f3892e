"""What the cards that a player turned in Armed say of how it plays, as the other player may see it.

A player that chooses without a plan, or always by height, turns nearly every card as it comes, since each battle brings
one card into the hand: only what is held for good tells it from a player that plans. So two things are asked of the
last turned cards: how often each value came, against how often it would have if all cards came in turn; and whether
the three highest and the three lowest cards stay away at the same time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from games.engine import Seat
from games.engine.cards import RANKS
from games.rules.armed.rules import PACK, VALUE, ArmedState

#: The value of each rank as it is noted among the turned cards.
VALUE_OF = {rank: 14 if at == 0 else at + 1 for at, rank in enumerate(RANKS)}
#: Turned cards of a value that are assumed from the start, so that a few real ones say little.
EVEN = 0.7
#: Cards at either end that a player may hold for good, how often they are turned then, as a part of how often they
#: would come in turn, and the logarithm of the odds against meeting a player that does.
ENDS, HELD_BACK, AGAINST = 3, 0.25, 1.0

Counts = list[float]


@dataclass(frozen=True, slots=True)
class Habit:
    """How a player plays: the chances of each value to come next, and how likely it holds cards for good."""

    chances: Sequence[float]
    holds: float


def usual(state: ArmedState, seat: Seat) -> Habit:
    """How ``seat`` plays if its cards come in turn: by what it owns alone."""
    return Habit(_shares(owned_by(state, seat)), 0.0)


def noticed(state: ArmedState, seat: Seat) -> Habit:
    """How ``seat`` plays by what it owns and has turned lately."""
    owned = owned_by(state, seat)
    played, due = lately(state, seat, owned)
    often = [had * (got + EVEN) / (was + EVEN) for had, got, was in zip(owned, played, due, strict=True)]
    highest = _evidence(owned, played, due, range(14, 1, -1))
    lowest = _evidence(owned, played, due, range(2, 15))
    return Habit(_shares(often), 1 / (1 + exp(AGAINST - highest - max(0.0, lowest))))


def owned_by(state: ArmedState, seat: Seat) -> Counts:
    """How many cards of each value ``seat`` has in hand and deck, with its share of the cards not seen by either."""
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
    """How often ``seat`` turned each value lately, and how often it would have, had its cards come in turn."""
    had = list(owned)
    played, due = [0.0] * 15, [0.0] * 15
    # Backwards, so that what was owned then follows from what is owned now.
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
    """The cards of each battle of two rows of turned ranks: it goes on while the totals are equal."""
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
    """The logarithm of the odds that the first ``ENDS`` owned cards of ``values`` are held for good."""
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
