"""Sets, runs and joined melds of the two rummies.

*Positions.* The cards of a run have positions 1 (low ace) to 13 (king); if the ace may be high, it is 14. ``last``, 13
or 14, tells which of the two a game plays.

*Shapes.* ``(kind, a, low, high)`` is everything that decides what may be added to a meld: a set of rank ``a`` has the
natural suits in bits ``low`` and ``high`` cards; a run of suit ``a`` reaches from position ``low`` to ``high``; a
joined meld is a run that has the card of its set at one end.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_

from games.engine.cards import CODES, RANKS, SUITS, Card

from .pieces import NATURAL, SET_RANK, SUIT_MASK, Hand, Piece, at_position, card_of, jokers_of, run_card, text_of

Shape = tuple[int, int, int, int]

SET, RUN, UP, DOWN = range(4)
#: The names of the kinds: UP and DOWN are the two ways to join a run to a set.
KINDS = ("set", "run", "joined", "joined")
#: The shape of cards that form neither set nor run.
NO_MELD: Shape = (-1, 0, 0, 0)

#: Maximum number of hands whose melds are cached, by suit or rank.
REMEMBERED = 1 << 14


# New melds


def runs(suit: int, ranks: int, reds: int, blacks: int, first: int, last: int) -> tuple[str, ...]:
    """Every run of ``suit`` within positions ``first`` to ``last``, as text.

    It may consist of the natural cards of ``ranks`` (bit 0: the ace) and of at most ``reds`` and ``blacks`` jokers; at
    least one card is natural. Where a red and a black joker could change places, the red one comes first.
    """
    jokers = reds + blacks
    if jokers <= 1:
        # Usually no three cards are in sequence, or with a joker no two near enough, so the table isn't needed.
        line = ranks | (ranks & 1) << 13 if last == 14 else ranks
        if not (line & (line >> 1 | line >> 2) if jokers else line & line >> 1 & line >> 2):
            return ()
    return (_runs if jokers <= 2 else _many_runs)(suit, ranks, reds, blacks, first, last)


def _all_runs(suit: int, ranks: int, reds: int, blacks: int, first: int, last: int) -> tuple[str, ...]:
    if suit:
        # In a run of clubs, only clubs contain a C.
        return tuple([text.replace("C", SUITS[suit]) for text in runs(0, ranks, reds, blacks, first, last)])
    found: list[str] = []

    def grow(text: str, low: int, position: int, natural: bool, reds: int, blacks: int) -> None:
        """Add each card that fits ``position``."""
        if natural and position - low >= 3:
            found.append(text)
        if position > last or position - low == 13:
            return
        code = CODES[at_position(0, position)]
        if ranks >> (position - 1) % 13 & 1:
            grow(text + code, low, position + 1, True, reds, blacks)
        if reds:
            grow(f"{text}RJ={code}", low, position + 1, natural, reds - 1, blacks)
        if blacks:
            # No red joker after a black one.
            grow(f"{text}BJ={code}", low, position + 1, natural, 0, blacks - 1)

    for low in range(first, last - 1):
        grow("", low, low, False, reds, blacks)
    return tuple(found)


# With four jokers a suit has hundreds of runs, so fewer such lists are cached.
_runs = lru_cache(REMEMBERED)(_all_runs)
_many_runs = lru_cache(REMEMBERED // 16)(_all_runs)


@lru_cache(REMEMBERED)
def sets(rank: int, suits: int, reds: int, blacks: int) -> tuple[str, ...]:
    """Every set of ``rank`` as text, from cards of ``suits`` (bit 0: clubs) and at most those jokers."""
    held = [CODES[13 * suit + rank] for suit in range(4) if suits >> suit & 1]
    joker = f"J={RANKS[rank]}*"
    return tuple(
        "".join(naturals) + f"R{joker}" * red + f"B{joker}" * black
        for size in (3, 4)
        for red in range(reds + 1)
        for black in range(blacks + 1)
        if size - red - black >= 1
        for naturals in combinations(held, size - red - black)
    )


def new_melds(hand: Hand, last: int) -> list[str]:
    """Every set and run that the cards of ``hand`` can make, as text."""
    clubs = hand & SUIT_MASK
    diamonds = hand >> 13 & SUIT_MASK
    hearts = hand >> 26 & SUIT_MASK
    spades = hand >> 39 & SUIT_MASK
    reds, blacks = jokers_of(hand)
    jokers = reds + blacks
    found: list[str] = []
    for suit, ranks in enumerate((clubs, diamonds, hearts, spades)):
        if ranks:
            found += runs(suit, ranks, reds, blacks, 1, last)
    if jokers == 0:
        many = (clubs & diamonds & (hearts | spades)) | (hearts & spades & (clubs | diamonds))
    elif jokers == 1:
        many = (clubs & diamonds) | (hearts & spades) | ((clubs | diamonds) & (hearts | spades))
    else:
        many = clubs | diamonds | hearts | spades
    while many:
        bit = many & -many
        rank = bit.bit_length() - 1
        many ^= bit
        found += sets(rank, suits_held(hand, rank), reds, blacks)
    return found


def suits_held(hand: Hand, rank: int) -> int:
    """The suits of the natural cards of ``rank`` in a hand, as bits."""
    of_rank = hand >> rank
    return of_rank & 1 | of_rank >> 12 & 2 | of_rank >> 24 & 4 | of_rank >> 36 & 8


def meld_of(pieces: tuple[Piece, ...]) -> Shape:
    """The shape of the set or run that pieces make in their only valid order; ``NO_MELD`` for any others."""
    jokers = [card_of(piece) for piece in pieces if piece >= 52]
    if len(pieces) < 3 or jokers != sorted(jokers):
        return NO_MELD
    return _read_set(pieces) or _read_run(pieces) or NO_MELD


def _read_set(pieces: tuple[Piece, ...]) -> Shape | None:
    """Natural cards of one rank in suit order, then jokers, red before black."""
    rank = pieces[0] % 13
    naturals = [piece for piece in pieces if piece < 52]
    jokers = pieces[len(naturals) :]
    if (
        not naturals
        or len(pieces) > 4
        or any(piece % 13 != rank for piece in naturals)
        or any(piece % 100 != SET_RANK + rank for piece in jokers)
        or len(set(naturals)) != len(naturals)
        or list(pieces) != sorted(pieces)
    ):
        return None
    return SET, rank, sum(1 << piece // 13 for piece in naturals), len(pieces)


def _read_run(pieces: tuple[Piece, ...]) -> Shape | None:
    """Cards of one suit from low to high, at least one of them natural."""
    stand_for = [run_card(piece) for piece in pieces]
    if max(stand_for) >= SET_RANK or min(pieces) >= 52:
        return None
    suit, low = stand_for[0] // 13, stand_for[0] % 13 + 1
    high = low + len(pieces) - 1
    if high > 14 or len(pieces) > 13 or stand_for != [at_position(suit, at) for at in range(low, high + 1)]:
        return None
    return RUN, suit, low, high


def _partners(card: Card, last: int) -> tuple[Hand, ...]:
    """The pairs of cards that make a run of three with a natural card."""
    suit, rank = divmod(card, 13)
    return tuple(
        sum(1 << at_position(suit, at) for at in range(low, low + 3) if at != position)
        for position in ((1, 14) if rank == 0 and last == 14 else (rank + 1,))
        for low in range(max(1, position - 2), min(position, last - 2) + 1)
    )


#: The pairs by natural card, where the ace is low and where it may be high too.
PARTNERS = {last: tuple(_partners(card, last) for card in range(52)) for last in (13, 14)}
#: All the cards of those pairs.
_NEIGHBOURS = {last: tuple(reduce(or_, pairs) for pairs in by_card) for last, by_card in PARTNERS.items()}


def in_a_meld(card: Card, hand: Hand, last: int) -> bool:
    """Whether ``hand``, which holds ``card``, can make a set or run with it."""
    reds, blacks = jokers_of(hand)
    jokers = reds + blacks
    naturals = hand & NATURAL
    if jokers >= 2:
        return naturals != 0
    if card >= 52:
        return _has_two_of_a_meld(naturals, last)
    if suits_held(naturals, card % 13).bit_count() + jokers >= 3:
        return True
    near = naturals & _NEIGHBOURS[last][card]
    if not near or jokers:
        return near != 0
    return any(near & pair == pair for pair in PARTNERS[last][card])


def _has_two_of_a_meld(naturals: Hand, last: int) -> bool:
    """Whether two of some natural cards and one joker form a set or a run."""
    lines = [naturals >> 13 * suit & SUIT_MASK for suit in range(4)]
    clubs, diamonds, hearts, spades = lines
    if clubs & diamonds or hearts & spades or (clubs | diamonds) & (hearts | spades):
        return True
    if last == 14:
        lines = [line | (line & 1) << 13 for line in lines]
    return any(line & (line >> 1 | line >> 2) for line in lines)


# What may be added to a meld


@lru_cache(REMEMBERED)
def fits(shape: Shape, last: int) -> Hand:
    """The natural cards that can be laid on a meld one at a time; a joker can replace each of them.

    Empty if the meld can't grow.
    """
    kind, a, low, high = shape
    if kind == SET:
        return sum(1 << 13 * suit + a for suit in range(4) if not low >> suit & 1) if high < 4 else 0
    found = 0
    for position in (_above(shape, last), _below(shape)):
        if position:
            found |= 1 << at_position(a, position)
    return found


def _above(shape: Shape, last: int) -> int:
    """The open position above a run, or 0: a run has each rank once."""
    kind, _, low, high = shape
    return high + 1 if kind != DOWN and high < (13 if low == 1 else last) else 0


def _below(shape: Shape) -> int:
    kind, _, low, high = shape
    return low - 1 if kind != UP and low > (2 if high == 14 else 1) else 0


@lru_cache(REMEMBERED)
def joints(shape: Shape, last: int) -> tuple[tuple[Hand, Shape, Shape], ...]:
    """Where a run can be joined to a meld: its natural cards, its shape and the shape of the joined meld.

    Only to a set of four that isn't joined yet, at one of its natural cards.
    """
    kind, rank, suits, size = shape
    if kind != SET or size < 4:
        return ()
    found = []
    for suit in range(4):
        if suits >> suit & 1:
            for position in (rank + 1, 14) if rank == 0 and last == 14 else (rank + 1,):
                if position + 3 <= last:
                    found.append(((RUN, suit, position + 1, position + 3), (UP, suit, position, position + 3)))
                if position - 3 >= 1:
                    found.append(((RUN, suit, position - 3, position - 1), (DOWN, suit, position - 3, position)))
    return tuple(
        (sum(1 << at_position(run[1], at) for at in range(run[2], run[3] + 1)), run, joined) for run, joined in found
    )


def joined_runs(shape: Shape, hand: Hand, last: int) -> list[str]:
    """Every run of three that the cards of ``hand`` can join to a meld, as text."""
    found: list[str] = []
    reds, blacks = jokers_of(hand)
    enough = max(1, 3 - reds - blacks)
    for cards, (_run, suit, low, high), _joined in joints(shape, last):
        naturals = hand & cards
        if naturals.bit_count() >= enough:
            found += runs(suit, naturals >> 13 * suit, reds, blacks, low, high)
    return found


def joined_shape(shape: Shape, run: Shape, last: int) -> Shape | None:
    """The shape of a meld joined with ``run``, of exactly three cards; ``None`` if that is impossible."""
    for _cards, fitting, joined in joints(shape, last):
        if run == fitting:
            return joined
    return None


def grown(shape: Shape, piece: Piece, last: int) -> tuple[Shape, int] | None:
    """The shape of a meld with one more piece, and the piece's place in it; ``None`` if it doesn't fit.

    In a set, -1 means the place after the pieces that sort before it. An ace on a run 2–K goes to the high end.
    """
    kind, a, low, high = shape
    if kind == SET:
        if high == 4:
            return None
        if piece >= 52:
            return ((SET, a, low, high + 1), -1) if piece % 100 == SET_RANK + a else None
        suit = piece // 13
        return ((SET, a, low | 1 << suit, high + 1), -1) if piece % 13 == a and not low >> suit & 1 else None
    card = run_card(piece)
    above, below = _above(shape, last), _below(shape)
    if above and card == at_position(a, above):
        return (kind, a, low, above), high - low + 1 if kind == RUN else high - low + 4
    if below and card == at_position(a, below):
        return (kind, a, below, high), 0 if kind == RUN else 4
    return None


def shape_of(kind: str, pieces: Sequence[Piece], last: int) -> Shape:
    """The shape of a meld on the table, from the name of its kind and its pieces.

    Here a red joker may follow a black one, because they were laid one by one. Raises ``ValueError`` if the pieces
    don't form such a meld.
    """
    parts = (pieces[:4], pieces[4:]) if kind == "joined" else ((pieces, ()) if kind == "set" else ((), pieces))
    of_set, of_run = (tuple(part) for part in parts)
    shape = _read_set(of_set) if of_set else None
    run = _read_run(of_run) if of_run else None
    if kind == "joined":
        if shape is not None and run is not None:
            _, suit, low, high = run
            for _cards, _run, (way, at, bottom, top) in joints(shape, last):
                if at == suit and (bottom + 1 == low if way == UP else top - 1 == high):
                    return (UP, suit, bottom, high) if way == UP else (DOWN, suit, low, top)
    else:
        found = shape or run
        if found:
            return found
    raise ValueError(f"{text_of(pieces)} is not a meld of kind {kind}")
