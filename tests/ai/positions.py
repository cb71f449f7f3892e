"""Positions for AI players, dealt from a stacked pack, so that they can really occur."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from games import rules
from games.ai.players import choose
from games.engine import State
from games.engine.cards import CODES
from games.rules.avalanche.rules import PACK as AVALANCHE_PACK
from games.rules.normal_cards.rules import PACK as NORMAL_PACK
from games.rules.ten_skip.tables import PACK as TEN_SKIP_PACK

PACKS: Mapping[str, Sequence[int]] = {
    "amagande": range(54),
    "armani": range(52),
    "armed": range(52),
    "avalanche": AVALANCHE_PACK * 2,
    "basic-rummy": range(52),
    "normal-cards": NORMAL_PACK,
    "rummy-500": range(54),
    "ten-skip": TEN_SKIP_PACK,
}


def dealt(slug: str, hands: Sequence[str], then: str = "", seed: int = 0, **options: Any) -> State:
    """A match of ``slug`` in which seat 0 leads and the seats have ``hands``; ``then`` are the next cards.

    Cards are codes separated by spaces; the rest of the hands and of the pack follow in pack order.
    """
    lists = [hand.split() for hand in hands]
    following = then.split()
    left = Counter(CODES[card] for card in PACKS[slug])
    left.subtract(code for codes in (*lists, following) for code in codes)
    assert min(left.values()) >= 0, "a card is dealt twice"
    longest = max(map(len, lists))
    spare = list(left.elements())
    for codes in lists:
        while len(codes) < longest:
            codes.append(spare.pop())
    deck = [codes[at] for at in range(longest) for codes in lists] + following + spare
    return rules.get(slug).deal(len(hands), options, f"{seed:032x}", deck=deck, dealer=len(hands) - 1)


def play(state: State, *moves: str) -> State:
    """Play moves of the player whose turn it is, and return ``state``."""
    for move in moves:
        state.apply(state.to_move()[0], move)
    return state


def choices(state: State, level: str, tries: int = 4) -> set[str]:
    """The choices of ``level`` in this position, with different luck."""
    seat = state.to_move()[0]
    return {choose(state.view(seat), level, f"try {number}") for number in range(tries)}
