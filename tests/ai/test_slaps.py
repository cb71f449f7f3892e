"""How AI players slap: speed and mistakes by level, the same whenever it is calculated."""

from itertools import pairwise
from statistics import median

import pytest

from games import rules
from games.ai.slaps import CAREFUL, REFLEXES, reaction
from games.engine.cards import CARDS

PAIR = ["4C", "9D", "9S"]
SANDWICH = ["9D", "4C", "9S"]
NOTHING = ["2C", "9D", "5S"]
NEAR_MISS = ["2C", "8D", "9S"]
CARDS_SHOWN = 300


def _view(played, flips):
    """A seat's view with these cards on the pile."""
    state = rules.get("armani").deal(2, {}, f"{1:032x}", dealer=1)
    state.apply(0, "bet:1")
    state.apply(1, "fold")
    state.pile = [CARDS[code] for code in played]
    state.flips = flips
    return state.view(0)


def _reactions(played, level, cards=CARDS_SHOWN, step=10):
    """Reactions to this many cards, far enough apart not to be influenced by caution."""
    view = _view(played, 0)
    found = []
    for number in range(cards):
        at = 100 + step * number
        view.facts["flips"] = at
        found.append(reaction(view, level, seed="a match", version=at, seat=0))
    return found


def _median(level, played=PAIR):
    return median(time for time in _reactions(played, level) if time is not None)


@pytest.mark.ladder
@pytest.mark.parametrize(
    ("level", "fastest", "slowest"), [("easy", 560, 720), ("medium", 420, 540), ("hard", 330, 400)]
)
def test_medians_are_those_of_the_level(level, fastest, slowest):
    assert fastest < _median(level) < slowest


@pytest.mark.parametrize("level", REFLEXES)
def test_no_one_is_faster_than_a_person_can_be(level):
    assert min(time for time in _reactions(PAIR, level) if time is not None) >= REFLEXES[level].floor


@pytest.mark.ladder
def test_each_level_is_faster_and_misses_less_than_the_one_below():
    times = [_median(level) for level in ("easy", "medium", "hard")]
    misses = [_reactions(PAIR, level).count(None) for level in ("easy", "medium", "hard")]
    assert times == sorted(times, reverse=True)
    assert misses == sorted(misses, reverse=True)


@pytest.mark.ladder
def test_a_sandwich_takes_longer_to_see_and_is_missed_more():
    assert _median("medium", SANDWICH) > _median("medium") + 30
    assert _reactions(SANDWICH, "medium").count(None) > _reactions(PAIR, "medium").count(None)


@pytest.mark.ladder
@pytest.mark.parametrize("level", REFLEXES)
def test_wrong_slaps_come_mostly_on_near_misses(level):
    def rate(played):
        return 1 - _reactions(played, level, cards=1500).count(None) / 1500

    reflexes = REFLEXES[level]
    assert rate(NEAR_MISS) == pytest.approx(reflexes.false_near, rel=0.6)
    assert rate(NOTHING) <= reflexes.false_ordinary * 2.5
    assert rate(NOTHING) < rate(NEAR_MISS)


def test_never_two_wrong_slaps_within_four_cards():
    """Alternating fives and sixes with tens between: never slappable, but every other card is a near miss."""
    nearly = ["5C", "6D", "TC", "2S"]
    views = [_view([nearly[at % 4] for at in range(cards)], 0) for cards in range(1, 31)]
    wrong = []
    for number in range(4, 2000):
        view = views[number % 30]
        view.facts["flips"] = number
        if reaction(view, "easy", seed="a match", version=number, seat=0) is not None:
            wrong.append(number)
    assert len(wrong) > 20
    assert all(later - earlier >= CAREFUL for earlier, later in pairwise(wrong))


def test_the_same_card_is_always_slapped_in_the_same_time():
    assert _reactions(PAIR, "hard", 50) == _reactions(PAIR, "hard", 50)


def test_seats_and_matches_differ():
    view = _view(PAIR, 100)
    times = {
        reaction(view, "hard", seed=seed, version=100, seat=seat) for seed in ("one", "another") for seat in range(2)
    }
    assert len(times) >= 3
