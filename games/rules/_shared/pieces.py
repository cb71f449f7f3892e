"""How the two rummies represent hands and the pieces of melds.

*Pieces.* A piece is a card in a meld: a natural card is its own int, a joker includes the card it stands for (``RJ=5C``
in a run, ``RJ=9*`` in a set).

*Hands.* A hand is an int: bit n means it holds card n, and bit 54 + n that it also holds its twin. So a hand of two
packs is a set like any other, and ``need & ~hand == 0`` asks whether it holds all the cards of ``need``.
"""

from collections.abc import Sequence

from games.engine.cards import BLACK_JOKER, CODES, RANKS, RED_JOKER, Card

Piece = int
Hand = int

TWIN = 54
SINGLE = (1 << TWIN) - 1
NATURAL = (1 << 52) - 1
SUIT_MASK = (1 << 13) - 1

# Pieces: 100 for the red joker or 200 for the black one, plus the card it replaces, or 60 plus the rank of a set.
_RED_PIECE, _BLACK_PIECE, SET_RANK = 100, 200, 60

#: The text of each piece.
TEXTS: dict[Piece, str] = {
    **dict(enumerate(CODES[:52])),
    **{
        joker + meant: f"{name}={text}"
        for joker, name in ((_RED_PIECE, "RJ"), (_BLACK_PIECE, "BJ"))
        for meant, text in (*enumerate(CODES[:52]), *((SET_RANK + rank, f"{RANKS[rank]}*") for rank in range(13)))
    },
}
#: The piece of each text.
PIECES: dict[str, Piece] = {text: piece for piece, text in TEXTS.items()}


# Hands


def add(hand: Hand, card: Card) -> Hand:
    """``hand`` plus one more copy of ``card``."""
    bit = 1 << card
    return hand | bit << TWIN if hand & bit else hand | bit


def remove(hand: Hand, need: Hand) -> Hand:
    """``hand`` minus the cards of ``need``, all of which it holds."""
    both = need >> TWIN
    if both:
        hand ^= both | both << TWIN
        need = need & SINGLE & ~both
    twins = need & hand >> TWIN
    return hand ^ (twins << TWIN | need ^ twins)


def cards_of(hand: Hand) -> list[Card]:
    """The cards of a hand in pack order, twins together."""
    cards = []
    rest = hand & SINGLE
    while rest:
        bit = rest & -rest
        card = bit.bit_length() - 1
        cards += [card, card] if hand >> TWIN & bit else [card]
        rest ^= bit
    return cards


def jokers_of(hand: Hand) -> tuple[int, int]:
    """The numbers of red and black jokers in a hand."""
    if not hand >> RED_JOKER & 3:
        return 0, 0
    return (
        (hand >> RED_JOKER & 1) + (hand >> TWIN + RED_JOKER & 1),
        (hand >> BLACK_JOKER & 1) + (hand >> TWIN + BLACK_JOKER & 1),
    )


# Pieces


def card_of(piece: Piece) -> Card:
    """The card of a piece: the joker itself, not what it stands for."""
    return piece if piece < 52 else RED_JOKER if piece < _BLACK_PIECE else BLACK_JOKER


def run_card(piece: Piece) -> Card:
    """The card for which a piece of a run stands."""
    return piece % 100


def joker_for(joker: Card, card: Card) -> Piece:
    """The piece of a joker standing for ``card`` in a run."""
    return (_RED_PIECE if joker == RED_JOKER else _BLACK_PIECE) + card


def joker_in_set(joker: Card, rank: int) -> Piece:
    """The piece of a joker in a set of ``rank``."""
    return (_RED_PIECE if joker == RED_JOKER else _BLACK_PIECE) + SET_RANK + rank


def pieces_in(text: str) -> tuple[Piece, ...] | None:
    """The pieces in a text without separators, ``3C4CRJ=5C``; ``None`` if it is invalid."""
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
    """Pieces as text in moves."""
    return "".join([TEXTS[piece] for piece in pieces])


def at_position(suit: int, position: int) -> Card:
    """The card of ``suit`` at a position from 1 to 14."""
    return 13 * suit + (position - 1) % 13


def needed(pieces: Sequence[Piece]) -> Hand:
    """The cards of the pieces, as a hand."""
    hand = 0
    for piece in pieces:
        hand = add(hand, card_of(piece))
    return hand
