"""Card names in sentences, shared by all games."""

from collections.abc import Sequence

from games.engine.cards import CARDS, RANK, RANKS, SUIT
from games.engine.text import by_language
from games.engine.text import gettext as _

#: The rank letters in moves, including the joker's.
RANKS_AND_JOKER = f"{RANKS}X"
#: Signs of the jokers, hollow for the red one: colour alone would not tell them apart.
JOKER_SIGNS = {"RJ": "☆", "BJ": "★"}


@by_language
def card_name(code: str) -> str:
    """The name of a card within a sentence: ``the 10 of clubs``, ``the red joker``."""
    if code == "RJ":
        return _("the red joker")
    if code == "BJ":
        return _("the black joker")
    card = CARDS[code]
    return _("the {rank} of {suit}").format(rank=_card_rank(RANK[card]), suit=suit_name("CDHS"[SUIT[card]]))


def card_names(codes: Sequence[str]) -> str:
    """The names of some cards in order, as one list."""
    return listing([card_name(code) for code in codes])


def suit_name(suit: str) -> str:
    """The name of a suit, by its letter C, D, H or S."""
    match suit:
        case "C":
            return _("clubs")
        case "D":
            return _("diamonds")
        case "H":
            return _("hearts")
        case "S":
            return _("spades")
    raise KeyError(suit)


def colour_name(colour: str) -> str:
    """The name of a colour of the contract, ``red`` or ``black``."""
    return {"red": _("red"), "black": _("black")}[colour]


def listing(items: Sequence[str]) -> str:
    """``a``, ``a and b`` or ``a, b and c``; items may not be empty."""
    if len(items) == 1:
        return items[0]
    return _("{first} and {last}").format(first=", ".join(items[:-1]), last=items[-1])


def rank_label(rank: str) -> str:
    """A rank for display: ``10`` for ``T``, the joker for ``X``."""
    return {"T": "10", "X": _("joker")}.get(rank, rank)


def rank_name(rank: str, number: int) -> str:
    """The name of a rank (``X`` is the joker), singular or plural by the number of cards: ``king``, ``kings``."""
    one, several = (
        (_("ace"), _("aces")),
        (_("two"), _("twos")),
        (_("three"), _("threes")),
        (_("four"), _("fours")),
        (_("five"), _("fives")),
        (_("six"), _("sixes")),
        (_("seven"), _("sevens")),
        (_("eight"), _("eights")),
        (_("nine"), _("nines")),
        (_("ten"), _("tens")),
        (_("jack"), _("jacks")),
        (_("queen"), _("queens")),
        (_("king"), _("kings")),
        (_("joker"), _("jokers")),
    )[RANKS_AND_JOKER.index(rank)]
    return one if number == 1 else several


def _card_rank(rank: int) -> str:
    match rank:
        case 0:
            return _("ace")
        case 10:
            return _("jack")
        case 11:
            return _("queen")
        case 12:
            return _("king")
    return str(rank + 1)
