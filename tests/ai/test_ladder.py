"""The ladder, and a quick check with fixed deals: no level may fall clearly below its measured strength."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from games import rules
from games.ai.ladder import AIMS, PairResult, contest, wilson
from games.ai.players import choose
from games.devtools.management.commands.ladder import pairings


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


def test_at_larger_tables_each_seat_is_compared_with_each_of_the_others():
    standing = PairResult("avalanche", 4, "hard", "medium", matches=100, points=60.0, squares=46.0)
    low, high = standing.interval
    # Their variance is .1 where that of wins and losses would be .24, so it is as certain as 240 of these.
    assert (round(low, 2), round(high, 2)) == tuple(round(end, 2) for end in wilson(144, 240))
    two = PairResult("avalanche", 2, "hard", "medium", matches=100, points=60.0, squares=46.0)
    assert two.interval == wilson(60, 100)


@pytest.mark.ladder
def test_equals_are_equal_at_larger_tables_too():
    standing = contest("ten-skip", "easy", "easy", pairs=60, seats=3)
    low, high = standing.interval
    assert low < 0.5 < high
    assert 0 < standing.squares < standing.points < standing.matches


def test_a_ladder_repeats_itself():
    first, second = (contest("basic-rummy", "hard", "easy", pairs=2) for _time in range(2))
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
        (("armed", "--levels", "easy,godlike"), "no contender called godlike"),
        (("armed", "--levels", "easy"), "two contenders"),
    ],
)
def test_an_impossible_move_is_refused(args, reason):
    with pytest.raises(CommandError, match=reason):
        _run(*args)


def test_parts_of_a_contest_make_the_whole():
    whole = contest("basic-rummy", "hard", "easy", pairs=3)
    parts = contest("basic-rummy", "hard", "easy", pairs=1)
    parts.add(contest("basic-rummy", "hard", "easy", pairs=2, start=1))
    assert (parts.points, parts.matches) == (whole.points, whole.matches)


def test_rummies_are_played_by_the_deal_or_to_the_end():
    assert contest("basic-rummy", "greedy", "easy", 2).matches == 4
    assert contest("rummy-500", "greedy", "easy", 1, whole=True).matches == 2


def test_the_aims_are_played_as_rows_of_the_table():
    rows = _run("basic-rummy", "--aims", "--pairs", "1").splitlines()
    assert len(rows) == 2 + sum(aim.slug == "basic-rummy" for aim in AIMS)
    assert all(row.count("|") == 10 for row in rows)


def test_the_player_who_sees_all_cards_only_plays_in_the_ladder():
    assert [line.split()[2:5:2] for line in _run("armed", "--ceiling", "--pairs", "1").splitlines()] == [
        ["seer", "random"],
        ["seer", "greedy"],
        ["seer", "hard"],
    ]
    state = rules.get("armed").deal(2, {}, "0" * 32)
    with pytest.raises(ValueError, match="called seer"):
        choose(state.view(state.to_move()[0]), "seer", "")


def test_every_game_has_aims_and_each_level_must_beat_the_one_below():
    for slug in [game.slug for game in rules.all()]:
        pairings = {(aim.first, aim.second) for aim in AIMS if aim.slug == slug and aim.seats == 2}
        assert {("hard", "medium"), ("medium", "easy")} <= pairings


@pytest.mark.ladder
@pytest.mark.parametrize(
    ("slug", "first", "second", "pairs", "least"),
    [
        ("normal-cards", "greedy", "random", 40, 0.85),
        ("normal-cards", "hard", "easy", 8, 0.6),
        ("normal-cards", "medium", "easy", 30, 0.52),
        ("avalanche", "greedy", "random", 10, 0.9),
        ("avalanche", "hard", "greedy", 2, 1.0),
        ("avalanche", "medium", "easy", 10, 0.6),
        ("amagande", "hard", "random", 6, 0.65),
        ("amagande", "medium", "easy", 100, 0.53),
        ("armed", "hard", "random", 6, 0.65),
        ("armed", "hard", "middle", 6, 0.65),
        ("armed", "hard", "easy", 5, 0.7),
        ("armed", "medium", "easy", 10, 0.6),
        ("ten-skip", "hard", "random", 20, 0.85),
        ("ten-skip", "hard", "greedy", 20, 0.65),
        ("ten-skip", "medium", "easy", 20, 0.55),
        ("basic-rummy", "hard", "greedy", 150, 0.55),
        ("basic-rummy", "hard", "easy", 40, 0.6),
        ("basic-rummy", "medium", "easy", 150, 0.53),
        ("rummy-500", "hard", "greedy", 100, 0.55),
        ("rummy-500", "hard", "easy", 40, 0.55),
        ("rummy-500", "medium", "easy", 150, 0.53),
    ],
)
def test_no_one_falls_clearly_below_the_table(slug, first, second, pairs, least):
    assert contest(slug, first, second, pairs).rate >= least


@pytest.mark.ladder
def test_hard_reflexes_win_most_slapped_piles_from_medium_ones():
    standing = contest("armani", "hard", "medium", 4)
    assert standing.slapped / standing.slaps >= 0.65
