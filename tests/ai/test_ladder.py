"""The ladder, and a quick gate by it: fixed deals on which nobody may fall clearly below what was measured."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from games.ai.ladder import contest, wilson
from games.management.commands.ladder import pairings


def _run(*args):
    out = StringIO()
    call_command("ladder", *args, stdout=out)
    return out.getvalue()


def test_wilsons_interval_of_ten_out_of_twenty():
    low, high = wilson(10, 20)
    assert (round(low, 3), round(high, 3)) == (0.299, 0.701)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_last_plays_all_and_each_the_one_before_it():
    assert pairings(["random", "easy", "hard"]) == [("hard", "random"), ("hard", "easy"), ("easy", "random")]


def test_seats_are_swapped_on_the_same_deal_so_that_equals_are_equal():
    standing = contest("normal-cards", "stand-in", "stand-in", pairs=5)
    assert (standing.matches, standing.points) == (10, 5.0)


def test_a_ladder_repeats_itself():
    first, second = (contest("ten-skip", "hard", "easy", pairs=2) for _time in range(2))
    assert (first.points, first.matches) == (second.points, second.matches)


def test_json_has_one_object_a_line():
    lines = _run("ten-skip", "--pairs", "1", "--levels", "random,stand-in,easy", "--json").splitlines()
    figures = [json.loads(line) for line in lines]
    assert [(f["first"], f["second"]) for f in figures] == [
        ("easy", "random"),
        ("easy", "stand-in"),
        ("stand-in", "random"),
    ]
    assert all(f["low"] <= f["rate"] <= f["high"] and f["matches"] == 2 for f in figures)


def test_slapped_piles_are_counted_in_armani():
    assert "slapped piles" in _run("armani", "--pairs", "1", "--levels", "medium,hard")


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("chess",), "no game chess"),
        (("armed", "--seats", "3"), "is for 2 players"),
        (("armed", "--levels", "easy,godlike"), "called godlike"),
        (("armed", "--levels", "easy"), "two contenders"),
    ],
)
def test_what_can_not_be_played_is_refused(args, reason):
    with pytest.raises(CommandError, match=reason):
        _run(*args)


@pytest.mark.parametrize(
    ("slug", "first", "second", "pairs", "least"),
    [
        ("normal-cards", "greedy", "random", 60, 0.85),
        ("normal-cards", "medium", "random", 10, 0.8),
        ("avalanche", "greedy", "random", 15, 0.9),
        ("avalanche", "hard", "greedy", 1, 1.0),
        ("amagande", "greedy", "random", 60, 0.65),
        ("ten-skip", "hard", "random", 20, 0.85),
        ("ten-skip", "hard", "greedy", 20, 0.65),
        ("ten-skip", "medium", "easy", 20, 0.5),
        ("basic-rummy", "greedy", "random", 20, 0.9),
        ("basic-rummy", "greedy", "easy", 40, 0.5),
        ("rummy-500", "greedy", "random", 30, 0.65),
        ("rummy-500", "medium", "easy", 15, 0.4),
    ],
)
def test_nobody_falls_clearly_below_the_table(slug, first, second, pairs, least):
    assert contest(slug, first, second, pairs).rate >= least


def test_hard_reflexes_win_most_slapped_piles_from_medium_ones():
    standing = contest("armani", "hard", "medium", 4)
    assert standing.slapped / standing.slaps >= 0.65
