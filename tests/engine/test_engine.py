"""Places, returns, views, snapshots, replays and random matches."""

import json
from itertools import count
from random import Random

import pytest

import games.rules
from games.engine import (
    BadOptions,
    Chance,
    Event,
    IllegalMove,
    Match,
    SeatView,
    View,
    Zone,
    find_rules,
    freeze,
    places,
    replay,
    returns_from,
    thaw,
)
from games.engine.cards import BLACK_JOKER, CARDS, CODES, IS_RED, RANK, RED_JOKER, SUIT, decode, encode, split
from games.engine.playout import Playout, playout, random_match

SEED = "00112233445566778899aabbccddeeff"


# Cards


def test_cards_in_pack_order_are_suits_c_d_h_s_in_each_a_2_to_k_then_rj_bj():
    assert list(CODES) == [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"] + ["RJ", "BJ"]
    assert [CARDS[code] for code in CODES] == list(range(54))
    assert (CODES[RED_JOKER], CODES[BLACK_JOKER]) == ("RJ", "BJ")


def test_ranks_suits_and_colours():
    queen = CARDS["QS"]
    assert ("A23456789TJQK"[RANK[queen]], "CDHS"[SUIT[queen]], IS_RED[queen]) == ("Q", "S", False)
    assert [code for code in CODES if IS_RED[CARDS[code]]] == [c for c in CODES if c[1] in "DH"] + ["RJ"]
    assert RANK[RED_JOKER] == RANK[BLACK_JOKER] == 13
    assert SUIT[RED_JOKER] == SUIT[BLACK_JOKER] == 4


def test_codes_are_read_and_written():
    assert decode(["AC", "KS", "BJ"]) == [0, 51, 53]
    assert encode([0, 51, 53]) == ["AC", "KS", "BJ"]
    assert split("3S4STD") == decode(["3S", "4S", "TD"])
    assert split("") == []
    for text in ("3", "3S4", "1S", "3s", "S3"):
        with pytest.raises(KeyError):
            split(text)


# Places and returns


@pytest.mark.parametrize(
    ("ranking", "place", "returns"),
    [
        (((1,), (0,)), (2, 1), (-1, 1)),
        (((0, 1),), (1, 1), (0, 0)),
        (((2,), (0,), (1,)), (2, 3, 1), (0, -1, 1)),
        (((2,), (0, 1)), (2, 2, 1), (-0.5, -0.5, 1)),
        (((0, 3), (1,), (2,)), (1, 3, 4, 1), (2 / 3, -1 / 3, -1, 2 / 3)),
        (((0, 1, 2, 3),), (1, 1, 1, 1), (0, 0, 0, 0)),
    ],
)
def test_seats_sharing_places_a_to_b_of_n_get_the_mean(ranking, place, returns):
    assert places(ranking, sides=False) == place
    assert returns_from(ranking, sides=False) == pytest.approx(returns)


@pytest.mark.parametrize(
    ("ranking", "place", "returns"),
    [
        (((1, 3), (0, 2)), (2, 1, 2, 1), (-1, 1, -1, 1)),
        (((1,), (0, 2, 3)), (2, 1, 2, 2), (-1, 1, -1, -1)),
        (((0, 1, 2, 3),), (1, 1, 1, 1), (0, 0, 0, 0)),
    ],
)
def test_of_two_sides_one_gets_1_the_other_minus_1_and_a_draw_gives_0(ranking, place, returns):
    assert places(ranking, sides=True) == place
    assert returns_from(ranking, sides=True) == returns


# Views and events


def test_a_view_goes_through_json_unchanged():
    view = View(
        game="toy",
        seat=None,
        phase="play",
        to_move=(1,),
        seats=[SeatView(0, 1, None, 2.5, out=True), SeatView(1)],
        zones=[Zone("hand:0", 0, 2, ("AC", None)), Zone("stock", None, 9, None, "low")],
        facts={"trump": "C"},
        moves=("play:AC",),
    )
    data = json.loads(json.dumps(view.to_json()))
    assert data == view.to_json()
    assert View.from_json(data).to_json() == data
    assert data["seats"][0] == {"seat": 0, "team": 1, "place": None, "points": 2.5, "out": True}
    assert data["zones"][1] == {"id": "stock", "owner": None, "count": 9, "cards": None, "note": "low"}


def test_a_zone_is_found_by_its_id():
    view = View("toy", 0, "play", (), (), [Zone("stock", None, 9, None)], {}, ())
    assert view.zone("stock").count == 9
    with pytest.raises(KeyError, match="hand:0"):
        view.zone("hand:0")


def test_an_event_is_for_everyone_or_for_those_named():
    assert all(Event("play", 0, {}).is_for(seat) for seat in (0, 1, None))
    private = Event("drawn", 0, {}, frozenset({0}))
    assert [private.is_for(seat) for seat in (0, 1, None)] == [True, False, False]


# Snapshots


class Everything:
    """Not a real state: a slot of each kind that a snapshot can hold."""

    __slots__ = ("a", "b", "c", "d", "e", "f", "g", "h", "i")


class More(Everything):
    __slots__ = ("j",)


def test_a_snapshot_holds_plain_data_of_every_kind_exactly():
    state = More()
    state.a = [1, -2.5, None, True, "ü", [[]]]
    state.b = (1, ("x", [2]), ())
    state.c = {1: "one", "two": (2,), (3, 3): {}, None: [4]}
    state.d = {3, 1, 2}
    state.e = frozenset("ab")
    state.f = b"\x00\xff"
    state.g = bytearray(b"xy")
    state.h = Chance(b"seed", 7)
    state.i = {}
    state.j = 2**200
    again = thaw(More, json.loads(json.dumps(freeze(state))))
    for slot in "abcdefgij":
        assert getattr(again, slot) == getattr(state, slot)
        assert type(getattr(again, slot)) is type(getattr(state, slot))
    assert (again.h.seed, again.h.number) == (b"seed", 7)
    assert again.h.below(100) == Chance(b"seed", 7).below(100)


def test_a_snapshot_accepts_only_plain_data():
    state = Everything()
    for slot in "abcdefghi":
        setattr(state, slot, 0)
    state.e = object()
    with pytest.raises(TypeError, match="object"):
        freeze(state)


@pytest.mark.parametrize("data", [{}, {"a": {"pickle": "x"}}, {"a": {"tuple": 3}}, {"a": {"bytes": "zz"}}])
def test_a_snapshot_of_another_shape_can_not_be_read(data):
    with pytest.raises((KeyError, TypeError, ValueError)):
        thaw(Everything, data)


def test_an_unknown_kind_of_value_is_named():
    with pytest.raises(ValueError, match="unknown kind of value: pickle"):
        thaw(Everything, {"a": {"pickle": "x"}})


# Replays


def normal_match(**changes) -> Match:
    rules = games.rules.get("normal-cards")
    state = rules.deal(2, {}, SEED)
    (first,) = state.to_move()
    entries = [(first, state.legal_moves(first)[0])]
    return Match("normal-cards", 1, 2, {}, SEED, entries)._replace(**changes)


def test_a_replay_yields_a_copy_of_every_state_the_deal_first():
    states = list(replay(normal_match()))
    assert len(states) == 2
    assert states[0].view(None).zone("trick").count == 0
    assert states[1].view(None).zone("trick").count == 1
    states[0].apply(*normal_match().entries[0])
    assert states[0].view(None) == states[1].view(None)


def test_a_match_is_replayed_from_its_fields_its_tuple_and_its_json():
    match = normal_match()
    views = [[state.view(0) for state in replay(form)] for form in (match, tuple(match), match.to_json())]
    assert views[0] == views[1] == views[2]


def test_deck_and_dealer_belong_to_the_match():
    match = normal_match(dealer=1, entries=[])
    (state,) = replay(json.loads(json.dumps(match.to_json())))
    assert list(state.to_move()) == [0]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"slug": "whist"}, KeyError),
        ({"version": 99}, KeyError),
        ({"seats": 5}, BadOptions),
        ({"options": {"deals": 0}}, BadOptions),
        ({"seed": "0"}, BadOptions),
        ({"entries": [(0, "play:2C")]}, IllegalMove),
    ],
)
def test_an_invalid_record_is_not_replayed(changes, error):
    with pytest.raises(error):
        list(replay(normal_match(**changes)))


def test_rules_are_found_by_slug_the_newest_unless_a_version_is_named():
    assert find_rules("normal-cards").slug == "normal-cards"
    assert find_rules("normal-cards", 1).version == 1
    slugs = [rules.slug for rules in games.rules.all()]
    assert sorted(slugs) == sorted(
        ["armani", "armed", "avalanche", "basic-rummy", "rummy-500", "amagande", "normal-cards", "ten-skip"]
    )


# Random matches against the clock


def test_a_random_match_is_played_to_its_end_and_the_same_for_the_same_numbers():
    rules = games.rules.get("amagande")
    lengths = [random_match(rules, 3, {}, Random(1)) for _match in range(2)]
    assert lengths[0] == lengths[1] > 1
    assert random_match(games.rules.get("normal-cards"), 6, {"deals": 2}, Random(1)) == 72


def test_a_playout_counts_matches_moves_and_seconds():
    run = playout(games.rules.get("normal-cards"), 3, 0.05, Random(1), {"deals": 2})
    figures = run.to_json()
    assert run.seconds >= 0.05
    assert figures["moves"] == 72 * figures["matches"] > 0
    assert figures["shortest"] == figures["longest"] == figures["moves_per_match"] == 72
    assert 0 < figures["copy_us"] < 1000
    assert figures["matches_per_s"] == pytest.approx(run.matches / run.seconds, rel=0.01)


def test_the_figures_of_a_playout_are_rounded_and_have_rates():
    run = Playout(matches=7, moves=100, seconds=3.14159, shortest=10, longest=20, copy_us=1.23456)
    assert run.to_json() == {
        "matches": 7,
        "moves": 100,
        "seconds": 3.142,
        "matches_per_s": 2.2,
        "moves_per_s": 31.8,
        "moves_per_match": 14.29,
        "shortest": 10,
        "longest": 20,
        "copy_us": 1.23,
    }


def test_a_playout_measures_from_its_beginning(monkeypatch):
    clock = count(100, 0.5)
    monkeypatch.setattr("games.engine.playout.process_time", lambda: next(clock))
    run = playout(games.rules.get("normal-cards"), 2, 1, Random(1))
    assert (run.matches, run.seconds) == (2, 1)
    assert run.copy_us == pytest.approx(0.5e6 / 2000)


def test_a_random_match_chooses_among_all_legal_moves():
    class Last(Random):
        def random(self):
            return 0.999

    class First(Random):
        def random(self):
            return 0.0

    rules = games.rules.get("amagande")
    assert random_match(rules, 2, {}, Last(1)) != random_match(rules, 2, {}, First(1))


def test_a_playout_plays_at_least_one_match():
    assert playout(games.rules.get("normal-cards"), 2, 0, Random(1)).matches == 1
