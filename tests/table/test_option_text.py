"""Texts for the options of a match, and the facts that a table shows of them."""

import pytest

from games import rules
from games.table.facts import facts
from games.table.option_text import value_in_words

SEED = "00" * 16


@pytest.mark.parametrize(
    ("slug", "option", "value", "words"),
    [
        ("armed", "battles", 0, "no limit"),
        ("armed", "battles", 26, "26"),
        ("basic-rummy", "deals", 0, "until a player has enough points"),
        ("basic-rummy", "rummy_doubles", True, "yes"),
    ],
)
def test_a_special_option_value_has_its_own_text(slug: str, option: str, value: object, words: str) -> None:
    assert value_in_words(slug, value, option) == words


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"deals": 1}, {"Deal": "1 / 1"}),
        ({"target": 150}, {"Deal": "1", "Points to win": "150"}),
    ],
)
def test_a_match_with_a_fixed_number_of_deals_shows_no_target(options: dict[str, int], told: dict[str, str]) -> None:
    game = rules.get("basic-rummy")
    options = {option.name: option.default for option in game.options} | options
    state = game.deal(2, options, SEED)
    found = {fact.label: fact.value for fact in facts(state.view(0), ("Ann", "Ben"))}
    assert {label: found[label] for label in ("Deal", "Points to win") if label in found} == told
