"""Fast simulations give the same results as the rules, and clear choices aren't searched."""

from itertools import chain, repeat
from random import Random

import pytest

from games import rules
from games.ai import search
from games.ai.policy import Policy, policy_for
from games.ai.search import FEWEST_WORLDS, LOOK_FROM, MOST_SECONDS, Search, best_move
from games.engine.cards import CODES
from tests.ai.positions import dealt

FAST = [(slug, seats) for slug in ("normal-cards", "avalanche") for seats in rules.get(slug).seats]


@pytest.mark.parametrize(("slug", "seats"), FAST)
def test_a_simulated_game_is_the_one_that_the_rules_would_play(slug, seats):
    """With the same luck, it reaches the same value from any position."""
    policy = policy_for(slug)
    for number in range(30):
        rng = Random(number)
        state = rules.get(slug).deal(seats, {}, f"{number:032x}")
        for _move in range(rng.randrange(60)):
            if state.to_move():
                state.apply(state.to_move()[0], rng.choice(state.legal_moves(state.to_move()[0])))
        for seat in state.to_move():
            fast = policy.play_out(state.copy(), seat, state, Random(number))
            assert fast == pytest.approx(Policy.play_out(policy, state.copy(), seat, state, Random(number)))


class _Judged(Policy):
    """Moves have the values of a table, whatever happens."""

    def __init__(self, worth):
        self.worth = worth
        self.tried = dict.fromkeys(worth, 0)

    def play_out(self, state, seat, start, rng):
        [card] = set(start.hands[seat]) - set(state.hands[seat])
        move = f"play:{CODES[card]}"
        self.tried[move] += 1
        return self.worth[move] + rng.uniform(-0.1, 0.1)


def _searched(worth, greedy, playouts):
    state = dealt("normal-cards", ["AS 3S 4S 5S", "3H 4D 5D 6D"], "6H")
    policy = _Judged(worth)
    policy.imagine = lambda view, rng: state.copy()
    search = Search(policy, state.view(0), 0, greedy, list(worth), playouts, 1.0)
    return best_move(search, Random(1)), policy.tried


def test_a_move_that_is_clearly_behind_is_no_longer_tried():
    best, tried = _searched({"play:AS": 0.9, "play:3S": -0.9, "play:4S": -0.8}, "play:AS", 4000)
    assert best == "play:AS"
    assert tried == dict.fromkeys(tried, LOOK_FROM)


def test_the_greedy_move_is_dropped_once_it_is_clearly_behind():
    best, tried = _searched({"play:AS": 0.9, "play:3S": -0.9}, "play:3S", 4000)
    assert best == "play:AS"
    assert tried["play:3S"] == LOOK_FROM


def test_equal_moves_are_tried_to_the_end_and_the_greedy_one_is_made():
    best, tried = _searched({"play:AS": 0.5, "play:3S": 0.5}, "play:3S", 400)
    assert best == "play:3S"
    assert set(tried.values()) == {200}


def test_a_search_ends_when_its_time_is_up_but_not_before_four_worlds(monkeypatch):
    times = chain([0.0], repeat(MOST_SECONDS + 0.001))
    monkeypatch.setattr(search, "process_time", lambda: next(times))
    monkeypatch.setattr(search, "TRIED_AT_ONCE", 1)
    best, tried = _searched({"play:AS": 0.5, "play:3S": 0.5}, "play:3S", 4000)
    assert best == "play:3S"
    assert set(tried.values()) == {FEWEST_WORLDS}
