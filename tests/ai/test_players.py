"""Properties of AI players in every game: legal moves, decisions from views alone, repeatable."""

from random import Random

import pytest

from games import rules
from games.ai.players import LEVELS, choose
from games.ai.policy import Policy, policy_for
from games.engine import TABLE, View
from tests.factories.samples import sampled, tables

SLUGS = [game.slug for game in rules.all()]


def _positions(slug, seats, wanted, seed=1):
    """States with a choice from a match of random moves, spread over its first moves."""
    rng = Random(f"{slug}/{seats}/{seed}")
    state = rules.get(slug).deal(seats, {}, f"{seed:032x}")
    found = 0
    while (awaited := state.to_move()) and found < wanted:
        seat = awaited[0]
        if seat == TABLE:
            state.apply(TABLE, "close")
            continue
        moves = [move for move in state.legal_moves(seat) if move != "slap"]
        if len(moves) > 1 and rng.random() < 0.3:
            found += 1
            yield state, seat
        state.apply(seat, rng.choice(moves))


@pytest.mark.parametrize(("rules", "seats"), tables(largest=False))
def test_every_level_makes_legal_moves_at_every_table(rules, seats):
    for state, seat in _positions(rules.slug, seats, 2):
        for level in LEVELS:
            state.check(seat, choose(state.view(seat), level, "luck"))


@pytest.mark.parametrize("slug", sampled(SLUGS, "armani"))
def test_a_match_of_easy_players_goes_on_to_its_end(slug):
    state = rules.get(slug).deal(2, {}, f"{7:032x}")
    for number in range(6000):
        awaited = state.to_move()
        if not awaited:
            return
        seat = awaited[0]
        state.apply(seat, "close" if seat == TABLE else choose(state.view(seat), "easy", str(number)))
    raise AssertionError("no end in sight")


@pytest.mark.parametrize("level", sampled(LEVELS, "hard"))
@pytest.mark.parametrize("slug", SLUGS)
def test_hidden_cards_make_no_difference(slug, level):
    """Two matches that look alike to a seat get the same move, whatever is hidden in them."""
    game = rules.get(slug)
    for state, seat in _positions(slug, max(game.seats), 2, seed=2):
        view = state.view(seat)
        scrambled = [game.determinize(view, Random(number)).view(seat) for number in (1, 2)]
        moves = {choose(seen, level, "luck") for seen in (view, *scrambled)}
        assert len(moves) == 1


@pytest.mark.parametrize("slug", SLUGS)
def test_the_form_in_which_a_view_travels_makes_no_difference(slug):
    for state, seat in _positions(slug, 2, 2, seed=3):
        view = state.view(seat)
        assert choose(View.from_json(view.to_json()), "hard", "luck") == choose(view, "hard", "luck")


def test_a_player_who_has_no_turn_has_nothing_to_choose():
    state = rules.get("normal-cards").deal(2, {}, f"{1:032x}", dealer=1)
    for seat in (1, None):
        with pytest.raises(ValueError, match="nothing to choose"):
            choose(state.view(seat), "hard", "luck")


def test_a_level_that_does_not_exist_is_refused():
    state = rules.get("normal-cards").deal(2, {}, f"{1:032x}", dealer=1)
    with pytest.raises(ValueError, match="godlike"):
        choose(state.view(0), "godlike", "luck")


def test_every_game_has_a_policy_of_its_own():
    assert [policy_for(slug).slug for slug in SLUGS] == SLUGS


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("slug", ["normal-cards", "avalanche", "amagande"])
def test_a_game_without_a_policy_is_played_all_the_same(slug, level):
    policy = policy_for("a-ninth-game")
    assert type(policy) is Policy
    for state, seat in _positions(slug, 2, 2, seed=5):
        state.check(seat, policy.choose(state.view(seat), level, Random(1)))
