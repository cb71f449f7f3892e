"""Going rummy: whether a whole hand can be played in one turn."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from games.engine.cards import Card

from .melds import DOWN, PARTNERS, REMEMBERED, RUN, SET, UP, Shape, fits, suits_held
from .pieces import NATURAL, SINGLE, SUIT_MASK, TWIN, Hand, at_position, cards_of, jokers_of, remove


def can_go_out(hand: Hand, table: Sequence[Shape], last: int) -> bool:
    """Whether all cards of ``hand`` except at most one can be melded or laid off, in any number of melds.

    Joining a run to a set is never needed: the run could be a meld of its own.
    """
    jokers = sum(jokers_of(hand))
    naturals = hand & (NATURAL | NATURAL << TWIN)
    return naturals.bit_count() + jokers <= 1 or _all_placed(naturals, jokers, tuple(sorted(table)), last)


@lru_cache(REMEMBERED)
def _all_placed(hand: Hand, jokers: int, table: tuple[Shape, ...], last: int) -> bool:
    """:func:`can_go_out` for natural cards and some jokers."""
    return _search(hand, jokers, table, True, last, set())


def _needing_a_joker(hand: Hand, table: Sequence[Shape], last: int) -> Hand:
    """The cards of ``hand`` (which has no jokers) that can be placed only with a joker."""
    placed = 0
    for suit in range(4):
        line = hand >> 13 * suit & SUIT_MASK
        if last == 14:
            line |= (line & 1) << 13
        three = line & line >> 1 & line >> 2
        in_run = three | three << 1 | three << 2
        for kind, a, low, high in table:
            if kind != SET and a == suit:
                at = 1 << high
                while line & at:
                    in_run |= at
                    at <<= 1
                at = 1 << low - 1 >> 1
                while line & at:
                    in_run |= at
                    at >>= 1
        placed |= (in_run & SUIT_MASK | in_run >> 13) << 13 * suit
    for shape in table:
        if shape[0] == SET:
            placed |= fits(shape, last)
    for rank in range(13):
        suits = suits_held(hand, rank)
        if suits.bit_count() >= 3:
            placed |= sum(1 << 13 * suit + rank for suit in range(4) if suits >> suit & 1)
    return hand & ~(placed | placed << TWIN)


def _search(hand: Hand, jokers: int, table: tuple[Shape, ...], spare: bool, last: int, failed: set[object]) -> bool:
    """Try every place for one natural card, then the next; remaining jokers go wherever they fit.

    ``spare`` says that one card may still be kept for the discard; ``failed`` remembers dead ends.
    """
    if not hand:
        return jokers <= spare or jokers - spare <= sum(_room(shape) for shape in table)
    position = (hand, jokers, table, spare)
    if position in failed:
        return False
    lonely = _needing_a_joker(hand, table, last)
    # A run with k jokers holds at most 2(k + 1) cards that need one, a set with a joker 2.
    if lonely.bit_count() <= 4 * jokers + spare:
        choice = lonely or hand
        choice = (choice | choice >> TWIN) & SINGLE
        card = min(cards_of(choice), key=lambda card: _count_melds(card, hand, last))
        rest = remove(hand, 1 << card)
        for left, jokers_left, grown_table in placements(card, rest, jokers, table, last):
            if _search(left, jokers_left, grown_table, spare, last, failed):
                return True
        if spare and _search(rest, jokers, table, False, last, failed):
            return True
    failed.add(position)
    return False


def _count_melds(card: Card, hand: Hand, last: int) -> int:
    """How many melds of three natural cards of ``hand`` a card could be in: the fewer, the earlier it is placed."""
    mates = suits_held(hand, card % 13).bit_count() - 1
    return mates * (mates - 1) // 2 + sum([hand & pair == pair for pair in PARTNERS[last][card]])


def placements(
    card: Card, hand: Hand, jokers: int, table: tuple[Shape, ...], last: int
) -> Iterator[tuple[Hand, int, tuple[Shape, ...]]]:
    """Each way to place ``card``, with the remaining hand, jokers and table.

    New melds of three are enough: a longer meld is a shorter one with lay-offs.
    """
    suit, rank = divmod(card, 13)
    positions = (1, 14) if rank == 0 and last == 14 else (rank + 1,)
    for n, shape in enumerate(table):
        kind, a, low, high = shape
        if kind == SET:
            if fits(shape, last) >> card & 1:
                yield hand, jokers, _replaced(table, n, (SET, a, low | 1 << suit, high + 1))
        elif a == suit:
            for position in positions:
                if kind != DOWN and position > high and not (position == 14 and low == 1):
                    between, longer = range(high + 1, position), (kind, a, low, position)
                elif kind != UP and position < low and not (position == 1 and high == 14):
                    between, longer = range(position + 1, low), (kind, a, position, high)
                else:
                    continue
                for left, jokers_left in _filled(hand, jokers, suit, between):
                    yield left, jokers_left, _replaced(table, n, longer)
    others = [other for other in range(4) if other != suit and hand >> 13 * other + rank & 1]
    for count in range(min(2, len(others)) + 1):
        if jokers >= 2 - count:
            for pair in combinations(others, count):
                suits = 1 << suit | sum(1 << other for other in pair)
                left = remove(hand, sum(1 << 13 * other + rank for other in pair))
                yield left, jokers - 2 + count, tuple(sorted((*table, (SET, rank, suits, 3))))
    for position in positions:
        for low in range(max(1, position - 2), min(position, last - 2) + 1):
            between_all = [at for at in range(low, low + 3) if at != position]
            for left, jokers_left in _filled(hand, jokers, suit, between_all):
                yield left, jokers_left, tuple(sorted((*table, (RUN, suit, low, low + 2))))


def _filled(hand: Hand, jokers: int, suit: int, positions: Sequence[int]) -> Iterator[tuple[Hand, int]]:
    """Each way to fill positions with natural cards and jokers, with what remains of both."""
    if not positions:
        yield hand, jokers
        return
    card = at_position(suit, positions[0])
    if hand >> card & 1:
        yield from _filled(remove(hand, 1 << card), jokers, suit, positions[1:])
    if jokers:
        yield from _filled(hand, jokers - 1, suit, positions[1:])


def _replaced(table: tuple[Shape, ...], n: int, shape: Shape) -> tuple[Shape, ...]:
    return tuple(sorted((*table[:n], shape, *table[n + 1 :])))


def _room(shape: Shape) -> int:
    """How many jokers a meld can still take if the ace may be high."""
    kind, _, low, high = shape
    if kind == SET:
        return 4 - high
    above = 0 if kind == DOWN else (13 if low == 1 else 14) - high
    below = 0 if kind == UP else low - (2 if high == 14 else 1)
    # Both ends of a run may be open for the ace, but it fits only once.
    return min(above + below, 13 - (high - low + 1)) if kind == RUN else above + below
