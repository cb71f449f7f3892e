"""Melds by themselves: their spellings, what fits them, and going out."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations, product
from random import Random

import pytest

from games.engine.cards import CARDS, CODES, RANKS, RED_JOKER
from games.rules._shared import going_out, melds, pieces
from games.rules._shared.melds import DOWN, RUN, SET, UP, Shape
from games.rules._shared.pieces import PIECES, TEXTS, Hand

LOW, HIGH = 13, 14


def hand(codes: str) -> Hand:
    held = 0
    for code in codes.split():
        held = pieces.add(held, CARDS[code])
    return held


def shape(text: str) -> Shape:
    """The shape of a text, or ``NO_MELD`` if it isn't a set or run in its only valid spelling."""
    return melds.meld_of(pieces.pieces_in(text) or ())


def need(text: str) -> Hand:
    return pieces.needed(pieces.pieces_in(text) or ())


def fitting(text: str, last: int = HIGH) -> str:
    return " ".join(CODES[card] for card in pieces.cards_of(melds.fits(shape(text), last)))


# Hands


def test_a_hand_holds_each_card_twice_at_most_and_lists_them_in_pack_order():
    held = hand("KS 5C RJ 5C AC")
    assert [CODES[card] for card in pieces.cards_of(held)] == ["AC", "5C", "5C", "KS", "RJ"]
    assert held.bit_count() == 5


def test_removing_takes_one_copy_of_each_card_or_both():
    held = hand("5C 5C 6C RJ RJ")
    assert pieces.remove(held, hand("5C 6C")) == hand("5C RJ RJ")
    assert pieces.remove(held, hand("5C 5C RJ RJ")) == hand("6C")
    assert pieces.remove(pieces.remove(held, hand("5C")), hand("5C")) == hand("6C RJ RJ")


def test_adding_and_removing_undo_each_other():
    rng = Random(1)
    for _ in range(200):
        cards = rng.sample([*range(54)] * 2, 20)
        held = 0
        for card in cards:
            held = pieces.add(held, card)
        assert pieces.cards_of(held) == sorted(cards)
        rng.shuffle(cards)
        for card in cards:
            held = pieces.remove(held, 1 << card)
        assert held == 0


# Spellings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3S4S5S", (RUN, 3, 3, 5)),
        ("AC2C3C", (RUN, 0, 1, 3)),
        ("QHKHAH", (RUN, 2, 12, 14)),
        ("3CRJ=4C5C", (RUN, 0, 3, 5)),
        ("RJ=QDBJ=KDAD", (RUN, 1, 12, 14)),
        ("7C7H7S", (SET, 6, 0b1101, 3)),
        ("7HRJ=7*BJ=7*", (SET, 6, 0b0100, 3)),
    ],
)
def test_a_meld_is_read_in_its_one_spelling(text, expected):
    assert shape(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3S4S",
        "5S4S3S",
        "3S4S6S",
        "3S4S5H",
        "KSAS2S",
        "7H7C7S",
        "7C7C7H",
        "7C7D7H7SRJ=7*",
        "RJ=7*7C7D",
        "7CBJ=7*RJ=7*",
        "7C7DRJ=8*",
        "7C7DRJ=7H",
        "3S4SRJ=5*",
        "3SBJ=4SRJ=5S",
        "RJ=3SRJ=4SRJ=5S",
        "RJ=7*RJ=7*BJ=7*",
        "3S4SRJ",
        "3S4SRJ=6S",
        "3S4S5",
        "AS2S3S4S5S6S7S8S9STSJSQSKSAS",
    ],
)
def test_any_other_text_is_no_meld(text):
    assert shape(text) == melds.NO_MELD


def test_every_piece_has_its_own_text():
    assert len(TEXTS) == len(PIECES) == 52 + 2 * 52 + 2 * 13
    for text, piece in PIECES.items():
        assert pieces.pieces_in(text) == (piece,)
        assert CODES[pieces.card_of(piece)] == text[:2]


# Tables of melds


def every_meld(held: Hand, last: int) -> set[str]:
    """All sets and runs of a small hand, found by trying every order and every meaning of its cards."""
    found = set()
    cards = pieces.cards_of(held)
    for size in range(3, len(cards) + 1):
        for chosen in set(combinations(cards, size)):
            for order in set(permutations(chosen)):
                meanings = [meant(CODES[card]) if card >= RED_JOKER else [CODES[card]] for card in order]
                for texts in product(*meanings):
                    kind, _, _, high = shape("".join(texts))
                    if kind == SET or (kind == RUN and high <= last):
                        found.add("".join(texts))
    return found


@cache
def meant(joker: str) -> list[str]:
    """Possible meanings of a joker near the ranks of the small hands."""
    near = "QKA23456"
    return [f"{joker}={rank}{suit}" for rank in near for suit in "CD"] + [f"{joker}={rank}*" for rank in RANKS]


@pytest.mark.parametrize(
    "codes",
    [
        "3C 4C 5C",
        "AC 2C 3C KC QC",
        "3C 3D 3H 3S",
        "3C 4C RJ",
        "2C 4C RJ BJ",
        "AC KC RJ",
        "AC RJ BJ",
        "3C 3D 4C RJ",
        "5C",
    ],
)
@pytest.mark.parametrize("last", [LOW, HIGH])
def test_all_melds_of_a_hand_are_found_each_once(codes, last):
    found = melds.new_melds(hand(codes), last)
    assert len(found) == len(set(found))
    assert set(found) == every_meld(hand(codes), last)


def test_twins_make_no_further_melds():
    assert melds.new_melds(hand("3C 3C 4C 5C 5C"), HIGH) == ["3C4C5C"]
    assert melds.new_melds(hand("3C 3C 3D 3D"), HIGH) == []


def test_two_equal_jokers_make_one_spelling():
    found = melds.new_melds(hand("8C RJ RJ"), HIGH)
    assert sorted(found) == sorted(["8CRJ=8*RJ=8*", "8CRJ=9CRJ=TC", "RJ=7C8CRJ=9C", "RJ=6CRJ=7C8C"])


def test_the_longest_run_has_thirteen_cards():
    whole = " ".join(rank + "S" for rank in RANKS)
    low = [text for text in melds.new_melds(hand(whole), LOW) if len(text) == 26]
    high = [text for text in melds.new_melds(hand(whole), HIGH) if len(text) == 26]
    assert low == ["AS2S3S4S5S6S7S8S9STSJSQSKS"]
    assert high == [*low, "2S3S4S5S6S7S8S9STSJSQSKSAS"]
    assert len(melds.new_melds(hand(whole), LOW)) == sum(14 - size for size in range(3, 14))
    assert len(melds.new_melds(hand(whole), HIGH)) == sum(15 - size for size in range(3, 14))


@pytest.mark.parametrize("last", [LOW, HIGH])
def test_a_card_is_in_a_meld_just_if_some_meld_has_it(last):
    rng = Random(last)
    pack = [*range(54 if last == HIGH else 52)]
    for _ in range(300):
        held = 0
        for card in rng.sample(pack, rng.randint(3, 12)):
            held = pieces.add(held, card)
        in_melds = 0
        for text in melds.new_melds(held, last):
            in_melds |= need(text)
        for card in pieces.cards_of(held):
            assert melds.in_a_meld(card, held, last) == bool(in_melds >> card & 1)


# What fits a meld


@pytest.mark.parametrize(
    ("meld", "cards"),
    [
        ("4S5S6S", "3S 7S"),
        ("2S3S4S", "AS 5S"),
        ("QSKSAS", "JS"),
        ("AS2S3S", "4S"),
        ("JSQSKS", "AS TS"),
        ("2S3S4S5S6S7S8S9STSJSQSKS", "AS"),
        ("AS2S3S4S5S6S7S8S9STSJSQSKS", ""),
        ("AS2S3S4S5S6S7S8S9STSJSQS", "KS"),
        ("7C7H7S", "7D"),
        ("7C7D7H7S", ""),
        ("7CRJ=7*BJ=7*", "7D 7H 7S"),
        ("7C7DRJ=7*BJ=7*", ""),
    ],
)
def test_a_meld_accepts_only_cards_that_continue_it(meld, cards):
    assert fitting(meld) == cards


def test_if_the_ace_is_low_nothing_follows_the_king():
    assert fitting("JSQSKS", LOW) == "TS"
    assert fitting("2S3S4S5S6S7S8S9STSJSQSKS", LOW) == "AS"


def test_an_ace_goes_to_the_high_end_of_a_run_from_2_to_king():
    run = shape("2S3S4S5S6S7S8S9STSJSQSKS")
    assert melds.grown(run, PIECES["AS"], HIGH) == ((RUN, 3, 2, 14), 12)
    assert melds.grown(run, PIECES["AS"], LOW) == ((RUN, 3, 1, 13), 0)


def test_runs_are_joined_at_the_natural_cards_of_a_set_of_four_up_or_down():
    found = melds.joined_runs(shape("5C5D5H5S"), hand("6C 7C 8C 2S 3S 4S 6H 7H"), HIGH)
    assert sorted(found) == ["2S3S4S", "6C7C8C"]
    assert melds.joined_runs(shape("5C5D5H"), hand("6C 7C 8C"), HIGH) == []
    assert melds.joined_runs(shape("5C5D5HRJ=5*"), hand("6S 7S 8S 6H 7H 8H"), HIGH) == ["6H7H8H"]
    assert melds.joined_shape(shape("5C5D5H5S"), shape("6C7C8C"), HIGH) == (UP, 0, 5, 8)
    assert melds.joined_shape(shape("5C5D5H5S"), shape("2S3S4S"), HIGH) == (DOWN, 3, 2, 5)
    assert melds.joined_shape(shape("5C5D5H5S"), shape("6C7C8C9C"), HIGH) is None


@pytest.mark.parametrize(
    ("joined", "cards"),
    [
        ((UP, 3, 2, 5), "6S"),
        ((DOWN, 3, 3, 6), "2S"),
        ((UP, 3, 10, 13), "AS"),
        ((UP, 3, 1, 13), ""),
        ((DOWN, 3, 2, 14), ""),
    ],
)
def test_a_joined_meld_grows_at_its_open_end_only(joined, cards):
    assert " ".join(CODES[card] for card in pieces.cards_of(melds.fits(joined, HIGH))) == cards


@pytest.mark.parametrize("meld", ["5C5D5H5S", "4S5S6S", "QSRJ=KSAS", "9CRJ=9*BJ=9*"])
def test_the_shape_of_a_meld_is_seen_on_the_table(meld):
    laid = pieces.pieces_in(meld)
    assert laid is not None
    assert melds.shape_of("set" if shape(meld)[0] == SET else "run", laid, HIGH) == shape(meld)


def test_the_shape_of_a_joined_meld_is_seen_on_the_table():
    for run, expected in (("6C7C8C9C", (UP, 0, 5, 9)), ("AS2S3S4S", (DOWN, 3, 1, 5))):
        laid = pieces.pieces_in("5C5D5H5S" + run)
        assert laid is not None
        assert melds.shape_of("joined", laid, HIGH) == expected


@pytest.mark.parametrize(
    ("kind", "text"), [("set", "4S5S6S"), ("run", "5C5D5H"), ("joined", "5C5D5H5S7C8C9C"), ("run", "")]
)
def test_an_invalid_meld_has_no_shape(kind, text):
    with pytest.raises(ValueError, match="is not a meld"):
        melds.shape_of(kind, pieces.pieces_in(text) or (), HIGH)


# Going out


def goes_out(held: Hand, table: Sequence[Shape], last: int, seen: dict[object, bool]) -> bool:
    """The same question, answered by trying every move."""
    if held.bit_count() <= 1:
        return True
    position = (held, tuple(table))
    if position not in seen:
        seen[position] = any(
            goes_out(pieces.remove(held, laid), after, last, seen) for laid, after in every_move(held, table, last)
        )
    return seen[position]


def every_move(held: Hand, table: Sequence[Shape], last: int):
    for text in melds.new_melds(held, last):
        yield need(text), [*table, shape(text)]
    for n, on in enumerate(table):
        for piece, card in ((piece, pieces.card_of(piece)) for piece in TEXTS):
            grown = held >> card & 1 and melds.grown(on, piece, last)
            if grown:
                yield 1 << card, [*table[:n], grown[0], *table[n + 1 :]]
        for text in melds.joined_runs(on, held, last):
            yield need(text), [*table[:n], melds.joined_shape(on, shape(text), last), *table[n + 1 :]]


@pytest.mark.parametrize(("last", "packs"), [(LOW, 1), (HIGH, 1), (HIGH, 2)])
def test_going_out_is_found_just_if_some_way_leads_there(last, packs):
    rng = Random(packs * last)
    found = {True: 0, False: 0}
    for _ in range(250):
        low = rng.randrange(9)
        near = [card for card in range(52) if low <= card % 13 <= low + 3 or (last == HIGH and card % 13 == 0)]
        cards = rng.sample(near * packs, 10) + [52, 53] * rng.randrange(packs + 1 if last == HIGH else 1)
        rng.shuffle(cards)
        pool = 0
        for card in cards:
            pool = pieces.add(pool, card)
        table = []
        while len(table) < 2 and rng.random() < 0.7 and (ways := melds.new_melds(pool, last)):
            laid = rng.choice(ways)
            table.append(shape(laid))
            pool = pieces.remove(pool, need(laid))
        held = 0
        left = pieces.cards_of(pool)
        for card in rng.sample(left, min(len(left), rng.randint(2, 6))):
            held = pieces.add(held, card)
        expected = goes_out(held, table, last, {})
        assert going_out.can_go_out(held, table, last) == expected
        found[expected] += 1
    assert min(found.values()) > 10


@pytest.mark.parametrize(
    ("codes", "table", "expected"),
    [
        ("KH", "", True),
        ("KH 2C", "", False),
        ("3S 4S 5S KH", "", True),
        ("3S 4S 5S KH 2C", "", False),
        ("6S 7S 8H", "3S4S5S", True),
        ("7S 8S", "3S4S5S", False),
        ("7S 8S RJ KH", "3S4S5S", True),
        ("RJ BJ", "7C7D7H7S", False),
        ("RJ BJ", "3S4S5S", True),
        ("8S RJ BJ", "7C7D7H7S", True),
        ("AS KH", "2S3S4S5S6S7S8S9STSJSQSKS", True),
        ("AS AS 4D", "2S3S4S5S6S7S8S9STSJSQSKS", False),
        ("3C 4C 5C 5D 5H 5S", "", True),
        ("3C 4C 5C 5D 5H", "", False),
    ],
)
def test_going_out(codes, table, expected):
    assert going_out.can_go_out(hand(codes), [shape(table)] if table else [], HIGH) is expected


def test_a_large_hand_is_decided_soon():
    held = hand(" ".join(rank + suit for rank in "A23456789TJQK" for suit in "CD") + " 2H 9H KS RJ BJ")
    assert going_out.can_go_out(held, [], HIGH)
