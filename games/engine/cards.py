"""Cards as small ints; codes are used only at the interfaces.

A card is ``13 * suit + rank`` with suits C D H S and ranks A 2 … K counted from 0, so that
sorting ints gives *pack order*. The red joker is 52, the black joker 53. Twin cards of two
packs are the same int.
"""

from collections.abc import Iterable, Sequence

Card = int

RANKS = "A23456789TJQK"
SUITS = "CDHS"
RED_JOKER: Card = 52
BLACK_JOKER: Card = 53

#: Code of each card, indexed by card: ``CODES[0] == "AC"``, ``CODES[53] == "BJ"``.
CODES: tuple[str, ...] = (*(r + s for s in SUITS for r in RANKS), "RJ", "BJ")
_code = CODES.__getitem__
#: The card of each code.
CARDS: dict[str, Card] = {code: card for card, code in enumerate(CODES)}
#: Rank of each card, 0 for an ace to 12 for a king; 13 for both jokers.
RANK: tuple[int, ...] = (*(card % 13 for card in range(52)), 13, 13)
#: Suit of each card, 0 C, 1 D, 2 H, 3 S; 4 for both jokers.
SUIT: tuple[int, ...] = (*(card // 13 for card in range(52)), 4, 4)
#: Whether a card is red (diamonds, hearts, the red joker).
IS_RED: tuple[bool, ...] = (*(card // 13 in (1, 2) for card in range(52)), True, False)


def encode(cards: Iterable[Card]) -> list[str]:
    """The codes of some cards, in the order given."""
    return [*map(_code, cards)]


def decode(codes: Sequence[str]) -> list[Card]:
    """The cards of some codes. Raises ``KeyError`` for a code that does not exist."""
    return [CARDS[code] for code in codes]


def split(text: str) -> list[Card]:
    """The cards of a list written without separators, ``"3S4S5S"``.

    Raises ``KeyError`` if any pair of characters is not a code, or if the length is odd.
    """
    return [CARDS[text[at : at + 2]] for at in range(0, len(text), 2)]
