"""What a hard player of Armed infers from turned cards."""

from random import Random

import pytest

from games import rules
from games.ai.armed_habits import lately, noticed, owned_by, usual
from games.ai.ladder import CONTENDERS
from games.rules.armed.rules import VALUE


def _after(name, battles, seed=3):
    """A match in which seat 1 has played as ``name`` against a random player, and the true counts of its cards."""
    rng = Random(seed)
    state = rules.get("armed").deal(2, {}, f"{seed:032x}")
    history = []
    while state.to_move() and state.battle <= battles:
        before = [*state.hands[1], *state.decks[1]]
        turned = len(state.turned[0])
        for seat, player in ((0, "random"), (1, name)):
            state.apply(seat, CONTENDERS[player](state, seat, rng))
        history += [before] * (len(state.turned[0]) > turned)
    return state, history


@pytest.mark.parametrize(("name", "holds"), [("middle", True), ("low", True), ("random", False), ("mixed", False)])
def test_only_a_player_who_holds_cards_back_for_good_is_noticed(name, holds):
    found = [noticed(_after(name, 45, seed)[0], 1).holds > 0.3 for seed in range(6)]
    assert found.count(holds) >= 5


def test_the_cards_that_the_other_owns_are_known_once_all_were_turned():
    state, _history = _after("random", 50)
    true = [0.0] * 15
    for card in (*state.hands[1], *state.decks[1]):
        true[VALUE[card]] += 1
    owned = owned_by(state, 1)
    assert sum(owned) == pytest.approx(sum(true))
    assert max(abs(one - other) for one, other in zip(owned, true, strict=True)) < 1


def test_expected_cards_follow_from_the_cards_owned_then():
    state, history = _after("random", 30)
    _played, due = lately(state, 1, owned_by(state, 1))
    expected = sum(sum(VALUE[card] == 14 for card in cards) / len(cards) for cards in history)
    assert due[14] == pytest.approx(expected, abs=0.6)
    assert sum(due) == pytest.approx(len(state.turned[1]))


def test_without_memory_every_card_comes_in_turn():
    state, _history = _after("middle", 30)
    owned = owned_by(state, 1)
    assert usual(state, 1).chances == [count / sum(owned) for count in owned]


def test_a_position_with_nothing_turned_yet_has_no_habit():
    state = rules.get("armed").deal(2, {}, "0" * 32)
    habit = noticed(state, 1)
    assert habit.holds < 0.3
    assert sum(habit.chances) == pytest.approx(1)
