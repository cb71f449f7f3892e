"""Guess a hand that must allow a certain move.

A player who has taken from the pile can use the card taken; one who is going rummy can play the whole hand. Imagined
hands must allow for that.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from random import Random

from games.engine.cards import BLACK_JOKER, RED_JOKER, Card

from .going_out import can_go_out, placements
from .melds import Shape
from .pieces import NATURAL, TWIN, Hand, add, cards_of, remove

#: Number of random guesses before a hand is constructed.
TRIES = 30


def guess_cards(pool: Sequence[Card], count: int, fits: Callable[[Sequence[Card]], bool], rng: Random) -> list[Card]:
    """``count`` cards of ``pool`` that make a hand for which ``fits`` is true; at most two of them matter.

    Raises ``ValueError`` if there are none.
    """
    for _ in range(TRIES):
        cards = rng.sample(pool, count)
        if fits(cards):
            return cards
    for size in (1, 2):
        choices = list(combinations(rng.sample(pool, len(pool)), size)) if size <= count else []
        rng.shuffle(choices)
        for right in choices:
            if fits(right):
                rest = list(pool)
                for card in right:
                    rest.remove(card)
                return [*right, *rng.sample(rest, count - size)]
    raise ValueError("no hand fits what is seen")


def guess_rummy(
    seen: Hand, pool: Sequence[Card], count: int, table: Sequence[Shape], last: int, rng: Random
) -> list[Card]:
    """``count`` cards of ``pool`` that, together with ``seen``, can all be played in one turn.

    Raises ``ValueError`` if there are none.
    """
    naturals = seen & (NATURAL | NATURAL << TWIN)
    for chosen in _leading_out(naturals, list(pool), count, tuple(table), True, last, rng):
        hand = seen
        for card in chosen:
            hand = add(hand, card)
        if can_go_out(hand, table, last):
            return chosen
    raise ValueError("no hand fits what is seen")


def _leading_out(
    seen: Hand, pool: list[Card], count: int, table: tuple[Shape, ...], spare: bool, last: int, rng: Random
) -> Iterator[list[Card]]:
    """Cards of ``pool`` that let the natural cards ``seen`` be placed, and can be placed themselves.

    Every fitting hand is proposed eventually, and some that leave over jokers or cards seen.
    """
    if count == 0:
        yield []
        return
    candidates = cards_of(seen)[:1] or rng.sample(sorted(set(pool)), len(set(pool)))
    for card in candidates:
        own: list[Card] = [] if seen else [card]
        if own and (card >= RED_JOKER or spare):
            # A joker placed wherever it fits, or the discard.
            without = _less(pool, own)
            for chosen in _leading_out(seen, without, count - 1, table, spare and card >= RED_JOKER, last, rng):
                yield [*own, *chosen]
        if card >= RED_JOKER:
            continue
        others = remove(seen, 1 << card) if seen else 0
        rest = _less(pool, own)
        held = others
        for other in rest:
            held = add(held, other) if other < RED_JOKER and not held >> TWIN + other & 1 else held
        jokers = [other for other in rest if other in (RED_JOKER, BLACK_JOKER)]
        ways = list(placements(card, held, len(jokers), table, last))
        rng.shuffle(ways)
        for left, jokers_left, grown_table in ways:
            used = cards_of(remove(held, left))
            taken = [other for other in used if not others >> other & 1]
            taken += rng.sample(jokers, len(jokers) - jokers_left)
            if len(own) + len(taken) <= count:
                still_seen = others
                for other in used:
                    still_seen = remove(still_seen, 1 << other) if others >> other & 1 else still_seen
                further = _leading_out(
                    still_seen, _less(rest, taken), count - len(own) - len(taken), grown_table, spare, last, rng
                )
                for chosen in further:
                    yield [*own, *taken, *chosen]
        if seen and spare:
            yield from _leading_out(others, pool, count, table, False, last, rng)


def _less(cards: Sequence[Card], gone: Sequence[Card]) -> list[Card]:
    rest = list(cards)
    for card in gone:
        rest.remove(card)
    return rest
