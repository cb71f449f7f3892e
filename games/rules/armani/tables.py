"""Tables of Game: Armani: cards and values, phases, slap patterns, options and moves."""

from collections.abc import Callable, Sequence

from games.engine import TABLE, Move, Option, Seat, Subset
from games.engine.cards import CARDS, CODES, IS_RED, RANK, Card
from games.engine.text import gettext as _

# The cards.

PACK: tuple[Card, ...] = tuple(range(52))
QUEEN_OF_SPADES: Card = CARDS["QS"]
QUEEN_OF_SPADES_POINTS = 7
HIGHEST_BET = 58
SAME_COLOUR_DRAWS = 20
ENDLESS_FLIPS = 2600
#: Chances to answer a card in a duel: J 1, Q 2, K 3, A 4, others 0.
CHANCES: tuple[int, ...] = tuple({10: 1, 11: 2, 12: 3, 0: 4}.get(RANK[card], 0) for card in PACK)

# The phases, and the ways to win a hand.

BETS, STAGE1, CHOOSE, TAKE, DEALERS, STAGE2, OVER = "bets", "stage1", "choose", "take", "dealers", "stage2", "over"
DUEL, LAST_CARD, NOBODY_CAN_PLAY = "duel", "last_card", "nobody_can_play"

# The slap patterns: each checks the cards played in this hand, the last one last.

_RANKS_IN_A_ROW = "A23456789TJQKA"
_RUNS = frozenset(
    tuple("A23456789TJQK".index(rank) for rank in three)
    for at in range(len(_RANKS_IN_A_ROW) - 2)
    for three in (_RANKS_IN_A_ROW[at : at + 3], _RANKS_IN_A_ROW[at : at + 3][::-1])
)


def _is_pair(played: Sequence[Card]) -> bool:
    """The last two cards played have the same rank."""
    return len(played) >= 2 and RANK[played[-1]] == RANK[played[-2]]


def _is_sandwich(played: Sequence[Card]) -> bool:
    """The last card and the second before it have the same rank."""
    return len(played) >= 3 and RANK[played[-1]] == RANK[played[-3]]


def _is_top_bottom(played: Sequence[Card]) -> bool:
    """The last card has the rank of the first one."""
    return len(played) >= 2 and RANK[played[-1]] == RANK[played[0]]


def _is_marriage(played: Sequence[Card]) -> bool:
    """King and queen together, in either order."""
    return len(played) >= 2 and {RANK[played[-1]], RANK[played[-2]]} == {11, 12}


def _is_queen_of_spades(played: Sequence[Card]) -> bool:
    return played[-1] == QUEEN_OF_SPADES


def _is_run(played: Sequence[Card]) -> bool:
    """Three in rank order, up or down, ace high or low."""
    return tuple(RANK[card] for card in played[-3:]) in _RUNS


PATTERNS: dict[str, Callable[[Sequence[Card]], bool]] = {
    "pair": _is_pair,
    "sandwich": _is_sandwich,
    "top_bottom": _is_top_bottom,
    "marriage": _is_marriage,
    "queen_of_spades": _is_queen_of_spades,
    "run": _is_run,
}

OPTIONS = (
    Option(
        "teams",
        "colour",
        "colour",
        ("colour", "alternate"),
        _("How teams are made: by the colour of each player's top card, or every other seat (even numbers only)."),
    ),
    Option(
        "slaps",
        ["pair", "sandwich"],
        ["pair", "sandwich"],
        Subset(("pair", "sandwich"), ("top_bottom", "marriage", "queen_of_spades", "run")),
        _("What you can slap: pairs and sandwiches always, and any others you add."),
    ),
    Option(
        "lockout",
        3,
        3,
        range(11),
        _("How many cards you sit out after a wrong slap. If you had no card to lose, it's twice as many."),
    ),
    Option(
        "stage2_flips",
        208,
        104,
        range(ENDLESS_FLIPS + 1),
        _("How many cards are played in Stage 2 before the final lap; 0 means 2,600."),
    ),
)

# Moves, created once. Seats are awaited by number; -1 is the table, -2 no player.

NO_SEAT: Seat = -2
NO_SIDE = -1
AWAITED: tuple[tuple[Seat, ...], ...] = (*((seat,) for seat in range(8)), (), (TABLE,))
PLAYING = frozenset((STAGE1, STAGE2))
NO_MOVES: tuple[Move, ...] = ()
FLIP: tuple[Move, ...] = ("flip",)
SLAP: tuple[Move, ...] = ("slap",)
FLIP_OR_SLAP: tuple[Move, ...] = ("flip", "slap")
FANS: tuple[Move, ...] = ("fan:own", "fan:other")
BURN: tuple[Move, ...] = tuple(f"burn:{seat}" for seat in range(8))
TAKE_CARD: tuple[Move, ...] = tuple(f"take:{CODES[card]}" for card in PACK)
DEALER: tuple[Move, ...] = tuple(f"dealer:{seat}" for seat in range(8))
_BET: tuple[Move, ...] = tuple(f"bet:{points}" for points in range(1, HIGHEST_BET + 1))
#: The moves of a bidder by the highest bet so far; the opener (0) may not fold.
BID: tuple[tuple[Move, ...], ...] = (_BET, *((*_BET[high:], "fold") for high in range(1, HIGHEST_BET + 1)))
#: Every parsed move, and the phases in which it can be legal.
WHEN: dict[Move, frozenset[str]] = {
    **dict.fromkeys((*_BET, "fold"), frozenset((BETS,))),
    **dict.fromkeys(("flip", "slap", "close", *BURN), PLAYING),
    **dict.fromkeys(FANS, frozenset((CHOOSE,))),
    **dict.fromkeys(TAKE_CARD, frozenset((TAKE,))),
    **dict.fromkeys(DEALER, frozenset((DEALERS,))),
}
TABLE_MOVES = frozenset(("close", *BURN))
#: The seats left of each seat, itself last, by number of players.
LEFT_OF: tuple[tuple[tuple[Seat, ...], ...], ...] = tuple(
    tuple(tuple((seat + step) % seats for step in range(1, seats + 1)) for seat in range(seats)) for seats in range(9)
)


def points_of(cards: Sequence[Card]) -> int:
    """1 point per card, the queen of spades 7."""
    return len(cards) + (QUEEN_OF_SPADES_POINTS - 1 if QUEEN_OF_SPADES in cards else 0)


def colour_of(card: Card) -> str:
    """What players learn about a card in the team draw: ``"red"`` or ``"black"``."""
    return "red" if IS_RED[card] else "black"
