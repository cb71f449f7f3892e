"""The pictures at the top of the rules pages are true: the game itself deals, plays or measures each."""

import re
from collections.abc import Callable, Sequence

import pytest
from django.test import Client
from django.urls import reverse

from games import rules
from games.engine.cards import CARDS, CODES, RANK, SUIT
from games.engine.lesson import SEED, deck
from games.rules.amagande import tables as amagande
from games.rules.armani import tables as armani
from games.rules.avalanche.rules import PACK as AVALANCHE_PACK
from games.rules.basic_rummy.rules import VALUE as RUMMY_VALUE
from games.rules.normal_cards import rules as normal_cards
from games.rules.ten_skip import tables as ten_skip

#: The rows of cards in one picture; an empty code is a face-down card.
Rows = Sequence[Sequence[str]]
SPADES, DIAMONDS = SUIT[CARDS["AS"]], SUIT[CARDS["AD"]]


def numbers(codes: Sequence[str]) -> list[int]:
    return [CARDS[code] for code in codes]


def has(cards: int, code: str) -> bool:
    """Whether a set of cards, one bit each, contains this one."""
    return bool(cards >> CARDS[code] & 1)


def battle(rows: Rows) -> tuple[list[int], int]:
    """Play these cards of two players of Armed against each other; returns the last totals, and the winner."""
    hands = [
        [*row, *[code for code in CODES if code[0] in filler][: 6 - len(row)]]
        for row, filler in zip(rows, ("36", "48"), strict=True)
    ]
    rest = [code for code in CODES[:52] if code not in hands[0] + hands[1]]
    # The last cards dealt are on top and are drawn.
    pack = [*rest, *(code for pair in zip(*hands, strict=True) for code in pair)]
    state = rules.get("armed").deal(2, {}, SEED, deck=pack, dealer=1)
    told = []
    for pair in zip(*rows, strict=True):
        for seat, code in enumerate(pair):
            state.apply(seat, f"play:{code}", told.append)
    totals = [event.data["totals"] for event in told if event.kind == "turned"][-1]
    return totals, next((event.seat for event in told if event.kind == "taken"), -1)


def avalanche(*lays: Sequence[str]) -> tuple[list[str], list[int]]:
    """Play these in turn at a table for two; returns the events, and each player's store."""
    mine, theirs = [*lays[0], *[code for lay in lays[2::2] for code in lay]], [*lays[1]]
    low = [f"{rank}{suit}" for rank in "234" for suit in "CDHS"]
    hands = [" ".join([*own, *low[: 10 - len(own)]]) for own in (mine, theirs)]
    pack = [CODES[card] for card in AVALANCHE_PACK] * 2
    state = rules.get("avalanche").deal(2, {}, SEED, deck=deck(pack, hands), dealer=1)
    told = []
    for number, lay in enumerate(lays):
        state.apply(number % 2, f"lay:{lay[0][0]}x{len(lay)}", told.append)
    return [event.kind for event in told], [int(seat.points) for seat in state.view(None).seats]


def rummy(slug: str, hand: Sequence[str]) -> Sequence[str]:
    """The moves of a player who holds these cards and has drawn."""
    size = {"basic-rummy": 10, "rummy-500": 13}[slug]
    pack = [*CODES[:52], *(["RJ", "BJ"] if slug == "rummy-500" else [])]
    free = [code for code in pack if code not in hand]
    mine, theirs = [*hand, *free[: size - len(hand)]], free[size : 2 * size]
    state = rules.get(slug).deal(2, {}, SEED, deck=deck(pack, (" ".join(mine), " ".join(theirs))), dealer=1)
    state.apply(0, "draw:stock", lambda _event: None)
    return state.legal_moves(0)


def melds(slug: str, rows: Rows) -> bool:
    return any(
        move.startswith("meld:") and set(re.findall(r"RJ|..", re.sub(r"=..", "", move[5:]))) == set(rows[0])
        for move in rummy(slug, rows[0])
    )


def adds(rows: Rows) -> bool:
    """Check that the other card may be added to a meld on the table."""
    pack = CODES[:52]
    free = [code for code in pack if code not in (*rows[0], *rows[1])]
    hands = [*rows[0], *rows[1], *free[: 10 - len(rows[0]) - len(rows[1])]], free[10:20]
    state = rules.get("basic-rummy").deal(2, {}, SEED, deck=deck(pack, [" ".join(hand) for hand in hands]), dealer=1)
    for move in ("draw:stock", f"meld:{''.join(rows[0])}"):
        state.apply(0, move, lambda _event: None)
    return any(move.startswith(f"lay:{rows[1][0]}@") for move in state.legal_moves(0))


def digs(rows: Rows) -> bool:
    """Let two players discard that pile; a player with two more threes may then dig for the one in it."""
    pile = rows[0]
    pack = [*CODES[:52], "RJ", "BJ"]
    mine, theirs = pile[1::2], [*pile[2::2], "3C", "3S"]
    free = [code for code in pack if code not in (*pile, "3C", "3S")]
    hands = [*mine, *free[: 13 - len(mine)]], [*theirs, *free[13 : 26 - len(theirs)]]
    state = rules.get("rummy-500").deal(
        2, {}, SEED, deck=deck(pack, [" ".join(hand) for hand in hands], pile[0]), dealer=1
    )
    for number, code in enumerate(pile[1:]):
        state.apply(number % 2, "draw:stock", lambda _event: None)
        state.apply(number % 2, f"discard:{code}", lambda _event: None)
    return f"take:{len(pile) - pile.index('3D')}" in state.legal_moves(1)


def takes(trick: Sequence[str], trump: int) -> str:
    power = normal_cards.POWER[trump][SUIT[CARDS[trick[0]]]]
    return max(trick, key=lambda code: power[CARDS[code]])


CHECKS: dict[tuple[str, str], Callable[[Rows], bool]] = {
    ("armani", "pair"): lambda rows: armani.PATTERNS["pair"](numbers(rows[0])),
    ("armani", "sandwich"): lambda rows: armani.PATTERNS["sandwich"](numbers(rows[0])),
    ("armani", "duel"): lambda rows: [armani.CHANCES[card] for card in numbers(rows[0])] == [2, 0, 3],
    ("armani", "stage1-example"): lambda rows: rows[0] == ["QS"] and 31 + 7 - (52 - 32) == 18,
    ("armed", "battle"): lambda rows: battle(rows) == ([12, 7], 0),
    ("armed", "war"): lambda rows: battle(rows) == ([5, 5], -1),
    ("armed", "totals"): lambda rows: battle(rows) == ([14, 7], 0),
    ("armed", "battle-example"): lambda rows: battle(rows) == ([13, 14], 1),
    ("avalanche", "grow"): lambda rows: not {"stored", "stopped"} & set(avalanche(*rows)[0]),
    ("avalanche", "stop"): lambda rows: "stopped" in avalanche(*rows)[0],
    ("avalanche", "fall"): lambda rows: avalanche(*rows)[1] == [3, 0],
    ("avalanche", "fall-example"): lambda rows: avalanche(rows[0][:2], rows[0][2:], rows[1])[1] == [0, 5],
    ("basic-rummy", "set"): lambda rows: melds("basic-rummy", rows),
    ("basic-rummy", "run"): lambda rows: melds("basic-rummy", rows),
    ("basic-rummy", "add"): adds,
    ("basic-rummy", "left-example"): lambda rows: sum(RUMMY_VALUE[card] for card in numbers(rows[0])) == 15,
    ("rummy-500", "set"): lambda rows: melds("rummy-500", rows),
    ("rummy-500", "dig"): digs,
    ("rummy-500", "joker"): lambda rows: any("RJ=5C" in move for move in rummy("rummy-500", rows[0])),
    ("rummy-500", "kings-example"): lambda rows: (
        sum(RUMMY_VALUE[card] for card in numbers(rows[0])) - sum(RUMMY_VALUE[card] for card in numbers(rows[1])) == 24
    ),
    ("amagande", "fits"): lambda rows: all(has(amagande.FITS_TOP[CARDS[rows[0][0]]], code) for code in rows[1]),
    ("amagande", "penalty"): lambda rows: (
        amagande.PENALTY[CARDS[rows[0][0]]] == 2 and has(amagande.COUNTERS[CARDS[rows[0][0]]], rows[1][0])
    ),
    ("amagande", "bomb"): lambda rows: RANK[CARDS[rows[0][0]]] == RANK[CARDS["7C"]],
    ("amagande", "showdown-example"): lambda rows: (
        [amagande.sum_of(sum(1 << card for card in numbers(row))) for row in rows] == [amagande.SAFE, 33]
    ),
    ("normal-cards", "led"): lambda rows: takes(rows[0], SPADES) == "AD",
    ("normal-cards", "trump"): lambda rows: takes(rows[0], SPADES) == "3S",
    ("normal-cards", "best"): lambda rows: (
        [normal_cards.VALUE[card] for card in numbers(rows[0])] == [11, 10]
        and sum(normal_cards.VALUE[card] for card in normal_cards.PACK) == 120
    ),
    ("normal-cards", "worth-example"): lambda rows: sum(normal_cards.VALUE[card] for card in numbers(rows[0])) == 25,
    ("ten-skip", "made"): lambda rows: ten_skip.is_made(numbers(rows[0]), 4),
    ("ten-skip", "hidden"): lambda rows: rows == [[""] * 4],
    ("ten-skip", "lie"): lambda rows: not ten_skip.is_made(numbers(rows[0]), 4),
    ("ten-skip", "lost-example"): lambda rows: (
        ten_skip.has_pair(numbers(rows[0])) and 2 * ten_skip.value(numbers(rows[0])) == 78
    ),
}


def pictures(slug: str) -> dict[tuple[str, str], Rows]:
    page = Client().get(reverse("rules_page", args=[slug])).content.decode()
    found = re.findall(r'<figure class="example[^"]*" data-shows="([\w-]+)">(.*?)</figure>', page, re.DOTALL)
    return {
        (slug, shows): [
            [code for _kind, code in re.findall(r'<li class="card card--([\w-]+)"(?: data-card="(\w+)")?', row)]
            for row in re.findall(r'<ul class="cards".*?</ul>', figure, re.DOTALL)
        ]
        for shows, figure in found
    }


@pytest.mark.django_db
@pytest.mark.parametrize("slug", [game.slug for game in rules.all()])
def test_each_picture_is_what_the_game_makes_of_those_cards(slug: str) -> None:
    shown = pictures(slug)
    assert shown.keys() == {each for each in CHECKS if each[0] == slug}
    assert [shows for (_slug, shows), rows in shown.items() if not CHECKS[slug, shows](rows)] == []


@pytest.mark.parametrize(("slug", "ranks"), [("normal-cards", "3456QJK7A"), ("avalanche", "23456789TJQKAR")])
@pytest.mark.django_db
def test_odd_ranks_are_shown_from_low_to_high(slug: str, ranks: str) -> None:
    page = Client().get(reverse("rules_page", args=[slug])).content.decode()
    strip = page.partition('<div class="ranks">')[2].partition("</ul>")[0]
    assert "".join(code[0] for code in re.findall(r'data-card="(\w+)"', strip)) == ranks


def test_the_check_finds_a_wrong_picture() -> None:
    assert not CHECKS["armani", "pair"]([["4C", "9D", "8S"]])
    assert not CHECKS["avalanche", "grow"]([["7C", "7D"], ["6C", "6S"]])
    assert not CHECKS["basic-rummy", "run"]([["5H", "6H", "7H", "9H"]])
