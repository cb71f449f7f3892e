"""Tables of Ten-Skip Challenge: cards and counts, phases and moves."""

from collections.abc import Iterable, Sequence

from games.engine import Move, Seat
from games.engine.cards import CODES, RANK, Card

#: A set of cards as an int: bit n stands for card n.
Cards = int

SEATS = range(2, 7)
ROUNDS = 60
#: How many rounds of the table with nothing but swaps end a round.
SWAP_ROUNDS = 3
PACK = [card for card in range(52) if RANK[card] < 10]
VALUE = [20 if rank == 0 else rank + 1 for rank in RANK]
NO_SEAT: Seat = -1

#: Cards dealt to each, by the number of players in the round.
HAND_SIZE = {2: 7, 3: 7, 4: 7, 5: 6, 6: 5}
#: The size of a ten-skip hand, by the number of players in the round.
MADE_SIZE = {2: 4, 3: 4, 4: 4, 5: 3, 6: 3}
#: Every skipped sequence of 4 and of 3 cards, as sets of ranks: bit n stands for rank n.
MADE = {
    size: tuple(sum(1 << rank for rank in range(low, low + 2 * size, 2)) for low in range(12 - 2 * size))
    for size in (4, 3)
}

TURN, KEEP, GIVE, END, TOP, SHOW, OVER = "turn", "keep", "give", "end", "top", "show", "over"
#: Possible actions in each phase.
VERBS = {
    TURN: ("discard", "swap", "pass", "challenge"),
    KEEP: ("keep",),
    GIVE: ("give",),
    END: ("claim", "end"),
    TOP: ("top",),
    SHOW: ("show", "hide"),
}
#: The moves by card and, for swaps, by victim.
DISCARDS, KEEPS, GIVES, TOPS = ([f"{verb}:{code}" for code in CODES] for verb in ("discard", "keep", "give", "top"))
SWAPS = [[f"swap:{code}@{victim}" for code in CODES] for victim in range(max(SEATS))]
#: Each parsed move: the verb, its card and its victim, or -1.
READABLE: dict[Move, tuple[str, Card, Seat]] = {
    word: (word, -1, NO_SEAT) for word in ("challenge", "pass", "claim", "end", "show", "hide")
}
for _card in PACK:
    for _moves in (DISCARDS, KEEPS, GIVES, TOPS):
        READABLE[_moves[_card]] = (_moves[_card].partition(":")[0], _card, NO_SEAT)
    for _victim, _moves in enumerate(SWAPS):
        READABLE[_moves[_card]] = ("swap", _card, _victim)


def is_made(hand: Iterable[Card], size: int) -> bool:
    """Whether ``hand`` has a skipped sequence of ``size`` cards of any suits."""
    ranks = 0
    for card in hand:
        ranks |= 1 << RANK[card]
    return any(ranks & made == made for made in MADE[size])


def has_pair(hand: Sequence[Card]) -> bool:
    """Whether two cards of ``hand`` have the same rank."""
    return len({RANK[card] for card in hand}) < len(hand)


def value(hand: Iterable[Card]) -> int:
    """The points of a losing hand: numbers at face value, an ace 20."""
    return sum(VALUE[card] for card in hand)


def set_of(cards: Iterable[Card]) -> Cards:
    """Some cards as a set."""
    return sum(1 << card for card in cards)


def listed(cards: Cards) -> list[Card]:
    """The cards of a set, in pack order."""
    return [card for card in PACK if cards >> card & 1]


def after(seat: Seat, among: Sequence[Seat]) -> Seat:
    """The first of ``among`` (in seat order) to the left of ``seat``."""
    return next((other for other in among if other > seat), among[0])
