"""Options, seat counts, seeds and decks: defaults, and refusals with a reason."""

import re

import pytest

from games.engine import BadOptions, Option, Subset
from games.engine.options import check_dealer, check_seats, fill, read_deck, read_seed

DECLARED = (
    Option("target", 100, 50, range(50, 501), "Points that win."),
    Option("teams", "colour", "colour", ("colour", "alternate"), "How sides are found."),
    Option("doubles", False, False, (False, True), "Whether it counts twice."),
    Option("slaps", ["pair"], ["pair"], Subset(("pair",), ("run", "marriage")), "What may be slapped."),
)


def test_omitted_options_get_their_defaults_in_the_declared_order():
    filled = fill(DECLARED, {"doubles": True})
    assert list(filled.items()) == [("target", 100), ("teams", "colour"), ("doubles", True), ("slaps", ["pair"])]


def test_lists_are_fresh_so_that_no_match_shares_them():
    given = {"slaps": ["run", "pair"]}
    filled = fill(DECLARED, given)
    assert filled["slaps"] == ["run", "pair"]
    assert filled["slaps"] is not given["slaps"]
    assert fill(DECLARED, {})["slaps"] is not DECLARED[3].default


def test_all_that_a_list_must_hold_is_named():
    option = Option("slaps", ["pair", "run"], ["pair", "run"], Subset(("pair", "run"), ("marriage",)), "")
    with pytest.raises(BadOptions, match=r"^slaps must be a list: pair, run, and any of marriage\.$"):
        option.check(["pair"])


def test_a_list_may_hold_everything():
    assert fill(DECLARED, {"slaps": ["marriage", "pair", "run"]})["slaps"] == ["marriage", "pair", "run"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"joker": 1, "aces": 2}, "There's no option aces, joker."),
        ({7: 1}, "There's no option 7."),
        ({"target": 49}, "target must be a whole number from 50 to 500."),
        ({"target": 501}, "target must be"),
        ({"target": 100.0}, "target must be"),
        ({"target": True}, "target must be"),
        ({"target": "100"}, "target must be"),
        ({"target": None}, "target must be"),
        ({"teams": "none"}, "teams must be one of: colour, alternate."),
        ({"teams": ["colour"]}, "teams must be one of"),
        ({"doubles": 0}, "doubles must be one of: False, True."),
        ({"doubles": 1}, "doubles must be"),
        ({"slaps": ["run"]}, "slaps must be a list: pair, and any of run, marriage."),
        ({"slaps": ["pair", "pair"]}, "slaps must be"),
        ({"slaps": ["pair", "queen"]}, "slaps must be"),
        ({"slaps": ["pair", 3]}, "slaps must be"),
        ({"slaps": ["pair", ["run"]]}, "slaps must be"),
        ({"slaps": "pair"}, "slaps must be"),
        ({"slaps": {"pair": 1}}, "slaps must be"),
        (["target"], "Options must be given by name."),
        (None, "Options must be given by name."),
    ],
)
def test_a_wrong_option_is_refused_with_its_reason(options, reason):
    with pytest.raises(BadOptions, match=f"^{re.escape(reason)}" + "$" * reason.endswith(".")):
        fill(DECLARED, options)


@pytest.mark.parametrize("seats", [1, 5, 7, True, 2.0, "2", None])
def test_a_wrong_number_of_players_is_refused(seats):
    check_seats((2, 3, 4, 6), 6)
    with pytest.raises(BadOptions, match=r"^This game is for 2, 3, 4, 6 players\.$"):
        check_seats((2, 3, 4, 6), seats)


@pytest.mark.parametrize("dealer", [-1, 4, True, 1.0, "1"])
def test_a_wrong_dealer_is_refused(dealer):
    check_dealer(4, None)
    check_dealer(4, 3)
    with pytest.raises(BadOptions, match=r"^The dealer must be a seat from 0 to 3\.$"):
        check_dealer(4, dealer)


@pytest.mark.parametrize("seed", ["0" * 32, "0123456789abcdefABCDEF0123456789", "f" * 64, "ab" * 512])
def test_a_seed_is_a_hex_string_of_at_least_128_bits(seed):
    assert read_seed(seed) == bytes.fromhex(seed)


@pytest.mark.parametrize(
    "seed",
    [
        "",
        "0" * 31,
        "0" * 30,
        "0" * 33,
        "g" * 32,
        "0 " * 32,
        "00 " * 16,
        "0x" + "0" * 32,
        "٠" * 32,
        "ab" * 513,
        b"0" * 32,
        0,
        None,
        ["0" * 32],
    ],
)
def test_a_wrong_seed_is_refused(seed):
    with pytest.raises(
        BadOptions, match=r"^The seed must (be a string of hexadecimal digits|have at least 128 bits)\.$"
    ):
        read_seed(seed)


def test_a_deck_of_codes():
    assert read_deck(["KC", "AC", "AC"], [0, 0, 12]) == [12, 0, 0]


@pytest.mark.parametrize(
    ("deck", "reason"),
    [
        (["AC", "KC"], "The deck must contain each card of the game exactly once."),
        (["AC", "KC", "KC"], "The deck must contain each card of the game exactly once."),
        (["AC", "AC", "KC", "2C"], "The deck must contain each card of the game exactly once."),
        (["AC", "AC", "1C"], "The deck contains a card that doesn't exist."),
        (["AC", "AC", "ac"], "The deck contains a card that doesn't exist."),
        (["AC", "AC", 12], "The deck contains a card that doesn't exist."),
        (["AC", "AC", ["KC"]], "The deck contains a card that doesn't exist."),
        ("ACACKC", "The deck must be a list of card codes."),
        (7, "The deck must be a list of card codes."),
        ({"AC", "KC"}, "The deck must be a list of card codes."),
    ],
)
def test_a_wrong_deck_is_refused(deck, reason):
    with pytest.raises(BadOptions, match=f"^{re.escape(reason)}$"):
        read_deck(deck, [0, 0, 12])
