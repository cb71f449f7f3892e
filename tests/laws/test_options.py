"""Declared options can be played in any combination; everything else is refused."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import games.rules
from games.engine import BadOptions, Match, Option, Rules, Subset
from tests.laws.battery import SEEDS, all_views, name, play, total, viewers

of_every_game = pytest.mark.parametrize("rules", games.rules.all(), ids=name)
quickly = settings(
    max_examples=3 * SEEDS, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)

letters = st.text("ab01 -_é☃", max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | letters,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(letters, inner, max_size=2),
    max_leaves=4,
)
hex_seeds = st.binary(min_size=16, max_size=24).map(bytes.hex)


def values(option: Option) -> st.SearchStrategy[Any]:
    """The declared values of an option."""
    choices = option.choices
    if isinstance(choices, range):
        return st.sampled_from(choices)
    if isinstance(choices, Subset):
        return st.lists(st.sampled_from(choices.extra), unique=True).map(lambda extra: [*choices.always, *extra])
    return st.sampled_from(choices)


def option_sets(rules: Rules) -> st.SearchStrategy[dict[str, Any]]:
    """Any of a game's options, each with any value."""
    return st.fixed_dictionaries({}, optional={option.name: values(option) for option in rules.options})


@of_every_game
@given(data=st.data())
@quickly
def test_any_declared_options_can_be_played_with(rules: Rules, data: st.DataObject):
    seats = data.draw(st.sampled_from(list(rules.seats)))
    options = data.draw(option_sets(rules))
    start = Match(rules.slug, rules.version, seats, options, data.draw(hex_seeds), [])
    try:
        dealt = rules.deal(seats, options, start.seed)
    except BadOptions:
        # Impossible combinations: too few cards to deal, sides of unequal size.
        return
    facts = dealt.view(None).facts
    assert facts["options"] == {option.name: options.get(option.name, option.default) for option in rules.options}
    record = play(rules, start, Random(data.draw(st.integers(0, 2**32))), longest=150)
    for step in record.steps:
        assert total(step.state) == total(dealt)
        for seat, view in zip(viewers(seats), all_views(step.state, seats), strict=True):
            sample = rules.determinize(step.state.view(seat), Random(0))
            assert sample.view(seat).to_json() == view


@of_every_game
def test_standard_options_are_declared_values_and_explained(rules: Rules):
    for option in rules.options:
        option.check(option.default)
        option.check(option.by_mail)
        assert option.text.strip().endswith(".")
    assert len({option.name for option in rules.options}) == len(rules.options)
    for seats in rules.seats:
        for proposal in ({}, {option.name: option.by_mail for option in rules.options}):
            assert rules.deal(seats, proposal, "0" * 32).to_move()


@of_every_game
@given(data=st.data())
@quickly
def test_any_other_value_is_refused(rules: Rules, data: st.DataObject):
    if not rules.options:
        return
    option = data.draw(st.sampled_from(rules.options))
    value = data.draw(json_values)
    seats = min(rules.seats)
    if not _declares(option, value):
        with pytest.raises(BadOptions):
            rules.deal(seats, {option.name: value}, "0" * 32)


def _declares(option: Option, value: Any) -> bool:
    choices = option.choices
    if isinstance(choices, range):
        return type(value) is int and value in choices
    if isinstance(choices, Subset):
        return (
            isinstance(value, list)
            and sorted(map(str, value)) == sorted(set(map(str, value)))
            and (set(choices.always) <= set(map(str, value)) <= {*choices.always, *choices.extra})
        )
    return any(type(value) is type(choice) and value == choice for choice in choices)


@of_every_game
@given(name=letters, value=json_values)
@quickly
def test_unknown_options_are_refused(rules: Rules, name: str, value: Any):
    if name not in {option.name for option in rules.options}:
        with pytest.raises(BadOptions):
            rules.deal(min(rules.seats), {name: value}, "0" * 32)


@of_every_game
@given(seats=json_values, dealer=json_values, seed=json_values, deck=json_values)
@quickly
def test_wrong_seats_dealers_seeds_and_decks_are_refused(rules: Rules, seats: Any, dealer: Any, seed: Any, deck: Any):
    fewest = min(rules.seats)
    if type(seats) is not int or seats not in rules.seats:
        with pytest.raises(BadOptions):
            rules.deal(seats, {}, "0" * 32)
    if dealer is not None and (type(dealer) is not int or not 0 <= dealer < fewest):
        with pytest.raises(BadOptions):
            rules.deal(fewest, {}, "0" * 32, dealer=dealer)
    if not isinstance(seed, str) or len(seed) < 32:
        with pytest.raises(BadOptions):
            rules.deal(fewest, {}, seed)
    if deck is not None:
        with pytest.raises(BadOptions):
            rules.deal(fewest, {}, "0" * 32, deck=deck)
