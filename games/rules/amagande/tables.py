"""Tables of Amagande: cards and their values, which cards fit, and moves."""

from collections.abc import Iterable

from games.engine import Move
from games.engine.cards import BLACK_JOKER, CARDS, CODES, IS_RED, RANK, RED_JOKER, SUIT, SUITS, Card

#: A set of cards as an int: bit n stands for card n.
Cards = int

TURNS = 400
HAND_SIZE = {2: 7, 3: 7, 4: 7, 5: 5, 6: 5}
PACK = range(54)
ACE, TWO, THREE, SEVEN, EIGHT, JACK = 0, 1, 2, 6, 7, 10
ACE_OF_SPADES = CARDS["AS"]
JOKERS = (RED_JOKER, BLACK_JOKER)
COLOURS = ("black", "red")
#: A hand that sums to more than this is eliminated at the showdown.
SAFE = 30

#: How many cards the next player must draw, by card.
PENALTY = tuple(5 if card in JOKERS else {TWO: 2, THREE: 3}.get(RANK[card], 0) for card in PACK)
#: The value of each card left in a hand.
VALUE = tuple(
    50
    if card in JOKERS
    else 60
    if card == ACE_OF_SPADES
    else (11, 20, 30, 4, 5, 6, 7, 8, 9, 10, 13, 12, 14)[RANK[card]]
    for card in PACK
)


def _cards(cards: Iterable[Card]) -> Cards:
    return sum(1 << card for card in cards)


ANY = _cards(PACK)
ACES = _cards(card for card in PACK if RANK[card] == ACE)
ELIMINATING = ACES | _cards(JOKERS)
REDS = (False, True, True, False)


def _fits_suit(suit: int) -> Cards:
    """The cards that fit a required suit: its own, the joker of its colour, any ace."""
    joker = RED_JOKER if REDS[suit] else BLACK_JOKER
    return _cards(card for card in PACK if SUIT[card] == suit or card == joker) | ACES


def _fits_colour(red: bool) -> Cards:
    """Cards that fit a required colour: the suits of that colour and any ace, no joker."""
    return _cards(card for card in PACK if IS_RED[card] == red and card not in JOKERS) | ACES


def _fits_top(top: Card) -> Cards:
    """Cards that fit the top card without a requirement: its suit as above, and its rank."""
    return FITS_SUIT[SUIT[top]] | _cards(card for card in PACK if RANK[card] == RANK[top])


FITS_SUIT = tuple(_fits_suit(suit) for suit in range(4))
FITS_COLOUR = (_fits_colour(red=False), _fits_colour(red=True))
#: By top card; jokers always leave a requirement, so they are missing.
FITS_TOP = tuple(_fits_top(top) for top in PACK if top not in JOKERS)


def _counters(faced: Card) -> Cards:
    """The cards that can be played instead of drawing the penalty of ``faced``, a two, a three or a joker."""

    def counters(card: Card) -> bool:
        if card == ACE_OF_SPADES or (PENALTY[card] and RANK[card] == RANK[faced]):
            return True
        if not PENALTY[card] or not PENALTY[faced]:
            return False
        if card in JOKERS or faced in JOKERS:
            return IS_RED[card] == IS_RED[faced]
        return SUIT[card] == SUIT[faced]

    return _cards(filter(counters, PACK))


COUNTERS = tuple(_counters(card) for card in PACK)

#: Each play parsed: the bit of its card, the card, and the suit it names or -1.
PLAYS: dict[Move, tuple[Cards, Card, int]] = {
    f"play:{CODES[card]}" + (f"/{SUITS[suit]}" if suit >= 0 else ""): (1 << card, card, suit)
    for card in PACK
    for suit in (range(4) if RANK[card] == ACE else (-1,))
}
BLOCK: Move = "play:AS"
#: Plays under a penalty: the ace of spades then names no suit.
PLAYS_UNDER_PENALTY = {
    **{move: play for move, play in PLAYS.items() if play[1] != ACE_OF_SPADES},
    BLOCK: (1 << ACE_OF_SPADES, ACE_OF_SPADES, -1),
}
DRAW, PASS = "draw", "pass"


def _by_card(plays: dict[Move, tuple[Cards, Card, int]]) -> dict[Cards, tuple[Move, ...]]:
    return {1 << card: tuple(move for move, play in plays.items() if play[1] == card) for card in PACK}


MOVES_OF = _by_card(PLAYS)
MOVES_OF_UNDER_PENALTY = _by_card(PLAYS_UNDER_PENALTY)
READABLE = frozenset({*PLAYS, BLOCK, DRAW, PASS})
ASKED = tuple((seat,) for seat in range(6))


def listed_of(cards: Cards) -> list[Card]:
    """The cards of a set, in pack order."""
    listed = []
    while cards:
        lowest = cards & -cards
        listed.append(lowest.bit_length() - 1)
        cards ^= lowest
    return listed


def sum_of(cards: Cards) -> int:
    """The total value of the cards of a set."""
    return sum(VALUE[card] for card in listed_of(cards))


def may_begin(card: Card, reference: int) -> bool:
    """Whether ``card`` may start the discard pile; otherwise it goes back into the stock at random."""
    return not PENALTY[card] and RANK[card] not in (ACE, EIGHT, JACK) and card != 13 * reference + SEVEN
