"""Sets, runs and joined melds: what the two rummies share about cards on the table.

*Pieces.* A piece is a card as it lies in a meld: a natural card is its own int, a joker carries what it stands for
(``RJ=5C`` in a run, ``RJ=9*`` in a set).

*Hands.* A hand is an int of which bit n says that it holds card n and bit 54 + n that it holds its twin too, so that a
hand of two packs is a set like any other and ``need & ~hand == 0`` asks whether it holds all the cards of ``need``.

*Positions.* The cards of a run stand at positions 1, the low ace, to 13, the king; where the ace may be high it is 14.
``last``, 13 or 14, says which of the two a game plays.

*Shapes.* ``(kind, a, low, high)`` is all that decides what may be added to a meld: a set of rank ``a`` has the natural
suits of the bits of ``low`` and ``high`` cards; a run of suit ``a`` reaches from position ``low`` to ``high``; a joined
meld is a run whose one end is the card of its set.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_

from games.engine.cards import BLACK_JOKER, CODES, RANKS, RED_JOKER, SUITS, Card

Piece = int
Hand = int
Shape = tuple[int, int, int, int]

SET, RUN, UP, DOWN = range(4)
#: The names of the kinds: UP and DOWN are the two ways to join a run to a set.
KINDS = ("set", "run", "joined", "joined")
#: The shape of cards that make no set and no run.
NO_MELD: Shape = (-1, 0, 0, 0)

TWIN = 54
SINGLE = (1 << TWIN) - 1
NATURAL = (1 << 52) - 1
SUIT_MASK = (1 << 13) - 1
_RED = 1 << RED_JOKER
_BLACK = 1 << BLACK_JOKER

# Pieces: 100 for the red joker or 200 for the black one, and the card stood for, or 60 and the rank of a set.
_RED_PIECE, _BLACK_PIECE, _SET_RANK = 100, 200, 60

#: How each piece is written.
TEXTS: dict[Piece, str] = {
    **dict(enumerate(CODES[:52])),
    **{
        joker + meant: f"{name}={text}"
        for joker, name in ((_RED_PIECE, "RJ"), (_BLACK_PIECE, "BJ"))
        for meant, text in (*enumerate(CODES[:52]), *((_SET_RANK + rank, f"{RANKS[rank]}*") for rank in range(13)))
    },
}
#: The piece of each text.
PIECES: dict[str, Piece] = {text: piece for piece, text in TEXTS.items()}

#: At most so many different hands' melds are remembered, by suit or rank.
_REMEMBERED = 1 << 14


# Hands


def add(hand: Hand, card: Card) -> Hand:
    """``hand`` and one more copy of ``card``."""
    bit = 1 << card
    return hand | bit << TWIN if hand & bit else hand | bit


def remove(hand: Hand, need: Hand) -> Hand:
    """``hand`` less the cards of ``need``, all of which it holds."""
    both = need >> TWIN
    if both:
        hand ^= both | both << TWIN
        need = need & SINGLE & ~both
    twins = need & hand >> TWIN
    return hand ^ (twins << TWIN | need ^ twins)


def cards_of(hand: Hand) -> list[Card]:
    """The cards of a hand in pack order, twins side by side."""
    cards = []
    rest = hand & SINGLE
    while rest:
        bit = rest & -rest
        card = bit.bit_length() - 1
        cards += [card, card] if hand >> TWIN & bit else [card]
        rest ^= bit
    return cards


def jokers_of(hand: Hand) -> tuple[int, int]:
    """How many red and how many black jokers a hand holds."""
    if not hand >> RED_JOKER & 3:
        return 0, 0
    return (
        (hand >> RED_JOKER & 1) + (hand >> TWIN + RED_JOKER & 1),
        (hand >> BLACK_JOKER & 1) + (hand >> TWIN + BLACK_JOKER & 1),
    )


# Pieces


def card_of(piece: Piece) -> Card:
    """The card that lies there: the joker, not what it stands for."""
    return piece if piece < 52 else RED_JOKER if piece < _BLACK_PIECE else BLACK_JOKER


def run_card(piece: Piece) -> Card:
    """The card for which a piece of a run stands."""
    return piece % 100


def joker_for(joker: Card, card: Card) -> Piece:
    """A joker that stands for ``card`` in a run."""
    return (_RED_PIECE if joker == RED_JOKER else _BLACK_PIECE) + card


def joker_in_set(joker: Card, rank: int) -> Piece:
    """A joker in a set of ``rank``."""
    return (_RED_PIECE if joker == RED_JOKER else _BLACK_PIECE) + _SET_RANK + rank


def pieces_in(text: str) -> tuple[Piece, ...] | None:
    """The pieces of a text without separators, ``3C4CRJ=5C``; ``None`` if it is not made of pieces."""
    pieces = []
    at = 0
    while at < len(text):
        width = 5 if text[at : at + 2] in ("RJ", "BJ") else 2
        piece = PIECES.get(text[at : at + width])
        if piece is None:
            return None
        pieces.append(piece)
        at += width
    return tuple(pieces)


def text_of(pieces: Sequence[Piece]) -> str:
    """Pieces as they are written in moves."""
    return "".join([TEXTS[piece] for piece in pieces])


def at_position(suit: int, position: int) -> Card:
    """The card of ``suit`` at a position from 1 to 14."""
    return 13 * suit + (position - 1) % 13


def needed(pieces: Sequence[Piece]) -> Hand:
    """The cards of pieces, as a hand."""
    hand = 0
    for piece in pieces:
        hand = add(hand, card_of(piece))
    return hand


# New melds


def runs(suit: int, ranks: int, reds: int, blacks: int, first: int, last: int) -> tuple[str, ...]:
    """Every run of ``suit`` within the positions ``first`` to ``last``, as it is written.

    It may be made of the natural cards of ``ranks`` (bit 0: the ace) and of at most ``reds`` and ``blacks`` jokers;
    one card of it is natural. Where a red and a black joker could change places the red one stands first.
    """
    jokers = reds + blacks
    if jokers <= 1:
        # Most often there are no three in sequence, or with a joker no two so near; said without a look into the table.
        line = ranks | (ranks & 1) << 13 if last == 14 else ranks
        if not (line & (line >> 1 | line >> 2) if jokers else line & line >> 1 & line >> 2):
            return ()
    return (_runs if jokers <= 2 else _many_runs)(suit, ranks, reds, blacks, first, last)


def _all_runs(suit: int, ranks: int, reds: int, blacks: int, first: int, last: int) -> tuple[str, ...]:
    if suit:
        # No other letter of a run of clubs is a C.
        return tuple([text.replace("C", SUITS[suit]) for text in runs(0, ranks, reds, blacks, first, last)])
    found: list[str] = []

    def grow(text: str, low: int, position: int, natural: bool, reds: int, blacks: int) -> None:
        """Add each card that can stand at ``position``."""
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


# With four jokers a suit has hundreds of runs, so that fewer such lists are kept.
_runs = lru_cache(_REMEMBERED)(_all_runs)
_many_runs = lru_cache(_REMEMBERED // 16)(_all_runs)


@lru_cache(_REMEMBERED)
def sets(rank: int, suits: int, reds: int, blacks: int) -> tuple[str, ...]:
    """Every set of ``rank``, as it is written, of cards of ``suits`` (bit 0: clubs) and at most those jokers."""
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
    """Every set and run that can be made of the cards of ``hand``, as it is written."""
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
    """The shape of the set or run that pieces make in their one spelling; ``NO_MELD`` for any others."""
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
        or any(piece % 100 != _SET_RANK + rank for piece in jokers)
        or len(set(naturals)) != len(naturals)
        or list(pieces) != sorted(pieces)
    ):
        return None
    return SET, rank, sum(1 << piece // 13 for piece in naturals), len(pieces)


def _read_run(pieces: tuple[Piece, ...]) -> Shape | None:
    """Cards of one suit from low to high, a natural one among them."""
    stand_for = [run_card(piece) for piece in pieces]
    if max(stand_for) >= _SET_RANK or min(pieces) >= 52:
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
_PARTNERS = {last: tuple(_partners(card, last) for card in range(52)) for last in (13, 14)}
#: All the cards of those pairs.
_NEIGHBOURS = {last: tuple(reduce(or_, pairs) for pairs in by_card) for last, by_card in _PARTNERS.items()}


def in_a_meld(card: Card, hand: Hand, last: int) -> bool:
    """Whether a set or run that has ``card`` in it can be made of the cards of ``hand``, which holds it."""
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
    return any(near & pair == pair for pair in _PARTNERS[last][card])


def _has_two_of_a_meld(naturals: Hand, last: int) -> bool:
    """Whether two of some natural cards and one joker make a set or a run."""
    lines = [naturals >> 13 * suit & SUIT_MASK for suit in range(4)]
    clubs, diamonds, hearts, spades = lines
    if clubs & diamonds or hearts & spades or (clubs | diamonds) & (hearts | spades):
        return True
    if last == 14:
        lines = [line | (line & 1) << 13 for line in lines]
    return any(line & (line >> 1 | line >> 2) for line in lines)


# What may be added to a meld


@lru_cache(_REMEMBERED)
def fits(shape: Shape, last: int) -> Hand:
    """The natural cards that may be laid on a meld one at a time; a joker may stand for each of them.

    Nothing if the meld can't grow.
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
    """The open position above a run, 0 if there is none: a run has each rank once."""
    kind, _, low, high = shape
    return high + 1 if kind != DOWN and high < (13 if low == 1 else last) else 0


def _below(shape: Shape) -> int:
    kind, _, low, high = shape
    return low - 1 if kind != UP and low > (2 if high == 14 else 1) else 0


@lru_cache(_REMEMBERED)
def joints(shape: Shape, last: int) -> tuple[tuple[Hand, Shape, Shape], ...]:
    """Where a run may be joined to a meld: its natural cards, its shape and the shape of the joined meld.

    Only to a set of four that is not joined yet, at one of its natural cards.
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
    """Every run of three that the cards of ``hand`` can join to a meld, as it is written."""
    found: list[str] = []
    reds, blacks = jokers_of(hand)
    enough = max(1, 3 - reds - blacks)
    for cards, (_run, suit, low, high), _joined in joints(shape, last):
        naturals = hand & cards
        if naturals.bit_count() >= enough:
            found += runs(suit, naturals >> 13 * suit, reds, blacks, low, high)
    return found


def joined_shape(shape: Shape, run: Shape, last: int) -> Shape | None:
    """The shape of a meld to which ``run``, of exactly three cards, is joined; ``None`` if it can't be."""
    for _cards, fitting, joined in joints(shape, last):
        if run == fitting:
            return joined
    return None


def grown(shape: Shape, piece: Piece, last: int) -> tuple[Shape, int] | None:
    """The shape of a meld with one piece more, and where in the meld the piece goes; ``None`` if it doesn't fit.

    In a set the place is after the pieces that sort before it, told by -1. An ace on a run 2–K goes to the high end.
    """
    kind, a, low, high = shape
    if kind == SET:
        if high == 4:
            return None
        if piece >= 52:
            return ((SET, a, low, high + 1), -1) if piece % 100 == _SET_RANK + a else None
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
    """The shape of a meld on the table from the name of its kind and its pieces.

    A red joker may stand after a black one there, for they were laid one by one. Raises ``ValueError`` if the pieces
    are no such meld.
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


# Going rummy


def can_go_out(hand: Hand, table: Sequence[Shape], last: int) -> bool:
    """Whether all cards of ``hand`` but at most one can be melded or laid off, any number of melds being allowed.

    To join a run to a set is never needed for it: the run might be a meld of its own.
    """
    jokers = sum(jokers_of(hand))
    naturals = hand & (NATURAL | NATURAL << TWIN)
    return naturals.bit_count() + jokers <= 1 or _all_placed(naturals, jokers, tuple(sorted(table)), last)


@lru_cache(_REMEMBERED)
def _all_placed(hand: Hand, jokers: int, table: tuple[Shape, ...], last: int) -> bool:
    """:func:`can_go_out` for natural cards and a number of jokers."""
    return _search(hand, jokers, table, True, last, set())


def _lonely(hand: Hand, table: Sequence[Shape], last: int) -> Hand:
    """The cards of ``hand``, which has no jokers, that have no place without a joker."""
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
    """Place one natural card in every way, then the next; the jokers left over go wherever there is room.

    ``spare`` says that one card may still be kept for the discard; ``failed`` remembers what led nowhere.
    """
    if not hand:
        return jokers <= spare or jokers - spare <= sum(_room(shape) for shape in table)
    position = (hand, jokers, table, spare)
    if position in failed:
        return False
    lonely = _lonely(hand, table, last)
    # A run with k jokers holds at most 2(k + 1) cards that need one, a set with a joker 2.
    if lonely.bit_count() <= 4 * jokers + spare:
        choice = lonely or hand
        choice = (choice | choice >> TWIN) & SINGLE
        card = min(cards_of(choice), key=lambda card: _company(card, hand, last))
        rest = remove(hand, 1 << card)
        for left, jokers_left, grown_table in placements(card, rest, jokers, table, last):
            if _search(left, jokers_left, grown_table, spare, last, failed):
                return True
        if spare and _search(rest, jokers, table, False, last, failed):
            return True
    failed.add(position)
    return False


def _company(card: Card, hand: Hand, last: int) -> int:
    """In how many melds of three natural cards of ``hand`` a card may be: the fewer, the sooner it is placed."""
    mates = suits_held(hand, card % 13).bit_count() - 1
    return mates * (mates - 1) // 2 + sum([hand & pair == pair for pair in _PARTNERS[last][card]])


def placements(
    card: Card, hand: Hand, jokers: int, table: tuple[Shape, ...], last: int
) -> Iterator[tuple[Hand, int, tuple[Shape, ...]]]:
    """Each way to place ``card``, with the hand, the number of jokers and the table that it leaves.

    New melds of three are enough: a longer one is a shorter one and lay-offs.
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
    """Each way to fill positions with natural cards and jokers: what it leaves of both."""
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
    """How many jokers a meld can still take where the ace may be high."""
    kind, _, low, high = shape
    if kind == SET:
        return 4 - high
    above = 0 if kind == DOWN else (13 if low == 1 else 14) - high
    below = 0 if kind == UP else low - (2 if high == 14 else 1)
    # Both ends of a run may be open for the ace, which it takes only once.
    return min(above + below, 13 - (high - low + 1)) if kind == RUN else above + below
