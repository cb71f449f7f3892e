"""Avalanche, sentence by sentence."""

import json
from collections import Counter
from itertools import chain, pairwise
from random import Random

import pytest

from games.engine import BadOptions, Chance, Event, IllegalMove, Match, freeze, replay, thaw
from games.engine.cards import CODES, encode
from games.rules.avalanche import RULES as AVALANCHE
from games.rules.avalanche.rules import FROM_ENGINE, PACK, AvalancheState

SEED = "00112233445566778899aabbccddeeff"
NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay")


def cards_of(text):
    return [FROM_ENGINE[CODES.index(code)] for code in text.split()]


def position(*hands, stock="", turn=0, avalanche="", last=None, **options):
    """A match in which the seats hold these cards; the first card of ``stock`` is drawn first.

    ``last`` is the seat that played all of ``avalanche`` at once.
    """
    state = AVALANCHE.deal(len(hands), options, SEED)
    state.hands = [sorted(cards_of(hand)) for hand in hands]
    state.stock = cards_of(stock)[::-1]
    state.turn = turn
    if last is not None:
        state.avalanche = cards_of(avalanche)
        state.last = last
        state.last_rank = state.avalanche[-1] >> 3
        state.last_number = len(state.avalanche)
    return state


def act(state, *moves):
    """Let the players make these moves in turn; returns the kinds and seats of all events."""
    told = []
    for move in moves:
        state.apply(state.to_move()[0], move, told.append)
    return [(event.kind, event.seat) for event in told if event.to is None]


def zone(state, name, seat=None):
    return state.view(seat).zone(name)


def stores(state):
    return [seat.points for seat in state.view(None).seats]


def last(state):
    return state.view(None).facts["last"]


def play_at_random(state, rng):
    """Yield after every move of a random match, with the move and its events."""
    while waiting := state.to_move():
        (seat,) = waiting
        move = rng.choice(state.legal_moves(seat))
        told = []
        state.apply(seat, move, told.append)
        yield seat, move, told


# Set-up


def test_two_packs_and_six_jokers_110_cards():
    state = AVALANCHE.deal(2, {}, SEED)
    cards = Counter([*state.hands[0], *state.hands[1], *state.stock])
    assert cards.total() == 110
    assert cards[FROM_ENGINE[52]] == 4
    assert cards[FROM_ENGINE[53]] == 2
    assert {cards[FROM_ENGINE[card]] for card in range(52)} == {2}


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_10_cards_each_and_the_rest_is_the_stock(seats):
    view = AVALANCHE.deal(seats, {}, SEED).view(None)
    assert [view.zone(f"hand:{seat}").count for seat in range(seats)] == [10] * seats
    assert view.zone("stock").count == 110 - 10 * seats


@pytest.mark.parametrize("seats", [2, 6])
def test_the_player_left_of_the_dealer_begins(seats):
    for dealer in range(seats):
        state = AVALANCHE.deal(seats, {}, SEED, dealer=dealer)
        assert state.to_move() == ((dealer + 1) % seats,)
        assert state.view(None).facts["dealer"] == dealer


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left_and_the_stock_follows():
    pack = [CODES[card] for card in PACK]
    state = AVALANCHE.deal(3, {"packs": 1, "hand": 5}, SEED, deck=pack, dealer=0)
    assert zone(state, "hand:1", 1).cards == ["AC", "4C", "7C", "TC", "KC"]
    assert zone(state, "hand:2", 2).cards == ["2C", "5C", "8C", "JC", "AD"]
    assert zone(state, "hand:0", 0).cards == ["3C", "6C", "9C", "QC", "2D"]
    told = []
    state.apply(1, "snow", told.append)
    assert told[1].data["cards"] == ["3D"]


def test_the_dealer_is_chance_0_and_the_shuffle_from_pack_order_chance_1():
    chance = Chance(bytes.fromhex(SEED))
    dealer = chance.below(2)
    pack = [*range(52), 52, 53, 52, *range(52), 52, 53, 52]
    chance.shuffle(pack)
    state = AVALANCHE.deal(2, {}, SEED)
    assert state.view(None).facts["dealer"] == dealer
    assert zone(state, f"hand:{1 - dealer}", 1 - dealer).cards == encode(sorted(pack[0:20:2]))
    assert state.stock == [FROM_ENGINE[card] for card in pack[:19:-1]]
    assert state.chance.number == 2


def test_own_hand_is_in_pack_order_twins_together():
    state = position("RJ KC 2S AC RJ BJ AC TD", "2C")
    assert zone(state, "hand:0", 0).cards == ["AC", "AC", "KC", "TD", "2S", "RJ", "RJ", "BJ"]


# No avalanche on the table


def test_snowfall_takes_the_top_card_of_the_stock_and_ends_the_turn():
    state = position("5C", "6C", stock="KS 2D")
    assert act(state, "snow") == [("snow", 0)]
    assert zone(state, "hand:0", 0).cards == ["5C", "KS"]
    assert zone(state, "stock").count == 1
    assert state.to_move() == (1,)


def test_start_lays_one_or_more_cards_of_one_rank_face_up():
    state = position("5C 5D 5H KC", "6C", stock="KS")
    assert state.legal_moves(0) == ["snow", "lay:5x1", "lay:5x2", "lay:5x3", "lay:Kx1"]
    assert act(state, "lay:5x2") == [("start", 0)]
    assert zone(state, "avalanche").cards == ["5C", "5D"]
    assert last(state) == {"seat": 0, "rank": "5", "n": 2}
    assert state.to_move() == (1,)


def test_a_lay_takes_the_first_cards_of_the_rank_in_pack_order():
    state = position("5S 5C 5D 5C KC", "6C")
    act(state, "lay:5x3")
    assert zone(state, "avalanche").cards == ["5C", "5C", "5D"]
    state = position("BJ RJ RJ KC", "6C")
    act(state, "lay:Xx3")
    assert zone(state, "avalanche").cards == ["RJ", "RJ", "BJ"]


# Avalanche running


@pytest.mark.parametrize(
    ("lay", "kind"),
    [
        ("lay:7x2", "grow"),
        ("lay:Kx2", "grow"),
        ("lay:Ax2", "grow"),
        ("lay:Xx2", "grow"),
        ("lay:2x3", "grow"),
        ("lay:7x3", "grow"),
        ("lay:6x2", "stop"),
        ("lay:2x2", "stop"),
        ("lay:7x1", "fall"),
        ("lay:2x1", "fall"),
        ("lay:Xx1", "fall"),
    ],
)
def test_answers_to_two_sevens(lay, kind):
    """Grow: n of rank >= r or more of any; stop: n of a lower rank; fall: fewer of any rank."""
    hand = "2C 2D 2H 6C 6D 7S 7H 7S KC KD AC AD RJ BJ"
    state = position("9C", hand, avalanche="7C 7D", last=0, turn=1, stock="3C")
    assert act(state, lay)[0] == (kind, 1)


@pytest.mark.parametrize(
    ("lay", "kind"),
    [("lay:7x1", "grow"), ("lay:8x1", "grow"), ("lay:2x2", "grow"), ("lay:6x1", "fall"), ("lay:2x1", "fall")],
)
def test_answers_to_one_seven_which_no_one_can_stop(lay, kind):
    state = position("9C", "2C 2D 6C 7S 8C KC", avalanche="7C", last=0, turn=1, stock="3C")
    assert act(state, lay)[0] == (kind, 1)


def test_ranks_from_low_to_high_are_2_to_ace_and_the_joker():
    order = "23456789TJQKAX"
    code = {"X": "BJ"}
    for low, high in pairwise(order):
        state = position("9C", f"{code.get(high, high + 'S')} 2C 2C", avalanche=low + "C", last=0, turn=1, stock="3C")
        assert act(state, f"lay:{high}x1")[0] == ("grow", 1)
        state = position("9C", f"{low}S KC KC", avalanche=code.get(high, high + "C"), last=0, turn=1, stock="3C")
        assert act(state, f"lay:{low}x1")[0] == ("fall", 1)


def test_a_joker_is_a_rank_of_its_own_and_not_wild():
    state = position("9C", "KC RJ", avalanche="7C", last=0, turn=1)
    assert "lay:Kx2" not in state.legal_moves(1)
    with pytest.raises(IllegalMove, match="only 1 king"):
        state.check(1, "lay:Kx2")


def test_you_must_play_and_a_play_always_exists():
    state = position("9C", "2C KD KH", avalanche="7C 7D", last=0, turn=1, stock="3C")
    assert state.legal_moves(1) == ["lay:2x1", "lay:Kx1", "lay:Kx2"]
    with pytest.raises(IllegalMove, match="must add to the avalanche"):
        state.apply(1, "snow")


def test_after_growth_the_next_player_to_the_left_answers_the_new_play():
    state = position("9C 9D", "8C 8D 2C", "3C 3D 3H 4C", stock="3C")
    act(state, "lay:9x1", "lay:8x2")
    assert last(state) == {"seat": 1, "rank": "8", "n": 2}
    assert state.to_move() == (2,)
    act(state, "lay:3x3")
    assert state.to_move() == (0,)
    assert zone(state, "avalanche").cards == ["9C", "8C", "8D", "3C", "3D", "3H"]


def test_a_fall_gives_all_cards_to_the_player_before():
    state = position("9C 9D", "8C 8D 2C", "3C 4C", stock="3S")
    assert act(state, "lay:9x1", "lay:8x2", "lay:3x1")[2:] == [("fall", 2), ("stored", 1)]
    assert stores(state) == [0, 4, 0]
    assert zone(state, "store:1").count == 4
    assert zone(state, "store:1", 1).cards is None
    assert last(state) is None
    assert zone(state, "avalanche").cards == []


def test_a_fall_skips_seats_without_cards_and_goes_to_the_player_who_really_played_before():
    state = position("9C 9D", "", "3C 4C", stock="3S")
    act(state, "lay:9x1")
    assert state.to_move() == (2,)
    act(state, "lay:3x1")
    assert stores(state) == [2, 0, 0]


def test_after_a_fall_the_next_player_to_the_left_may_snowfall_or_start():
    state = position("9C 9D", "8C 3C", "6C", stock="3S")
    act(state, "lay:9x1", "lay:3x1")
    assert state.to_move() == (2,)
    assert state.legal_moves(2) == ["snow", "lay:6x1"]


def test_a_stopped_avalanche_leaves_the_game():
    state = position("9C 9D 2C", "8C 8D 2D", "3C 4C", stock="3S")
    assert act(state, "lay:9x2", "lay:8x2")[1:] == [("stop", 1), ("stopped", None)]
    assert stores(state) == [0, 0, 0]
    assert zone(state, "stopped").count == 4
    assert state.view(0).facts["gone"] == ["8C", "9C", "8D", "9D"]
    assert state.to_move() == (2,)
    assert state.legal_moves(2)[0] == "snow"


# Empty hand


def test_a_player_without_cards_is_skipped():
    state = position("9C 4C", "", "TC 2D", stock="3S 3D")
    act(state, "lay:9x1", "lay:Tx1")
    assert state.to_move() == (0,)
    assert [seat.out for seat in state.view(None).seats] == [False] * 3


def test_when_an_avalanche_has_ended_an_empty_hand_draws_as_many_cards_as_were_dealt():
    state = position("9C 4C", "", "3C 2D", stock="3S 3D 5S 6S 7S 8S", hand=5)
    told = act(state, "lay:9x1", "lay:3x1")
    assert ("refilled", 1) in told
    assert zone(state, "hand:1", 1).cards == ["3D", "3S", "5S", "6S", "7S"]
    assert zone(state, "stock").count == 1


def test_an_empty_hand_draws_all_that_are_left_if_they_are_too_few():
    state = position("9C 4C", "", "3C 2D", stock="3S 3D 5S", hand=5)
    act(state, "lay:9x1", "lay:3x1")
    assert zone(state, "hand:1", 1).cards == ["3D", "3S", "5S"]
    assert zone(state, "stock").count == 0


def test_after_a_stop_too_empty_hands_are_refilled():
    state = position("9C 9D", "4C 4D 2C", "TC", stock="3S 3D 5S 6S 7S 8S", hand=5)
    act(state, "lay:9x2", "lay:4x2")
    assert zone(state, "hand:0").count == 5


def test_refilling_begins_left_of_the_player_who_made_the_avalanche_fall_and_that_seat_is_next():
    state = position("9C", "8C 8D 8H", "3C", "", stock="2S 3S 4S 5S 6S 7S 8S", hand=5)
    told = act(state, "lay:9x1", "lay:8x2", "lay:3x1")
    assert [seat for kind, seat in told if kind == "refilled"] == [3, 0]
    assert zone(state, "hand:3", 3).cards == ["2S", "3S", "4S", "5S", "6S"]
    assert zone(state, "hand:0", 0).cards == ["7S", "8S"]
    assert zone(state, "hand:2").count == 0
    assert state.to_move() == (3,)


def test_a_seat_that_the_stock_could_not_refill_is_skipped():
    state = position("9C 4C", "8C 3C", "", "", stock="2S", hand=5)
    act(state, "lay:9x1", "lay:3x1")
    assert zone(state, "hand:2").count == 1
    state = position("9C 4C", "", "3C 2C", stock="2S", hand=5, turn=2, avalanche="9D", last=1)
    told = act(state, "lay:3x1")
    assert told[-1] == ("refilled", 1)
    assert state.to_move() == (0,)


def test_an_avalanche_that_no_one_else_can_answer_falls_at_once_to_the_last_player():
    state = position("9C 4C", "", "", stock="2S 3S 4S 5S 6S 7S", hand=5)
    told = act(state, "lay:9x1")
    assert told == [("start", 0), ("stored", 0), ("refilled", 1), ("refilled", 2)]
    assert stores(state) == [1, 0, 0]
    assert [len(hand) for hand in state.hands] == [1, 5, 1]
    assert state.to_move() == (1,)


def test_an_automatic_fall_by_the_last_cards_of_all_refills_everyone():
    state = position("", "9C", stock="2S 3S 4S 5S 6S 7S 8S", hand=5, turn=1, avalanche="8C", last=0)
    assert act(state, "lay:9x1") == [("grow", 1), ("stored", 1), ("refilled", 0), ("refilled", 1)]
    assert stores(state) == [0, 2]
    assert [len(hand) for hand in state.hands] == [5, 2]
    assert state.to_move() == (0,)


# Stock empty


def test_with_the_stock_empty_there_is_no_snowfall_and_you_must_start():
    state = position("9C 4C", "8C", "7C")
    assert state.legal_moves(0) == ["lay:4x1", "lay:9x1"]
    with pytest.raises(IllegalMove, match="must start"):
        state.check(0, "snow")


def test_a_player_without_cards_and_with_no_stock_is_out():
    state = position("9C", "8C 7C 2C", "7C 2D")
    act(state, "lay:9x1")
    assert [seat.out for seat in state.view(None).seats] == [True, False, False]
    act(state, "lay:8x1")
    assert state.to_move() == (2,)


def test_when_one_player_alone_holds_cards_these_are_added_to_the_store_and_the_match_ends():
    state = position("9C 4C", "3C")
    told = act(state, "lay:9x1", "lay:3x1")
    assert told == [("start", 0), ("fall", 1), ("stored", 0), ("kept", 0), ("over", None)]
    assert stores(state) == [3, 0]
    assert state.to_move() == ()
    assert state.outcome().reason == "cards_out"
    assert state.view(None).phase == "over"


def test_the_running_avalanche_goes_to_the_last_player():
    state = position("9C", "3C 4C")
    told = act(state, "lay:9x1")
    assert told == [("start", 0), ("stored", 0), ("kept", 1), ("over", None)]
    assert stores(state) == [1, 2]
    state = position("9C 2C", "TC", turn=1, avalanche="8C 8D", last=0)
    act(state, "lay:Tx1")
    assert stores(state) == [5, 0]
    state = position("2C 3C", "TC TD", turn=1, avalanche="8C 8D", last=0)
    act(state, "lay:Tx2")
    assert stores(state) == [2, 4]


def test_a_stop_by_the_last_cards_ends_the_match_with_nothing_for_either():
    state = position("9C 2C", "4C 4D", turn=1, avalanche="8C 8D", last=0)
    act(state, "lay:4x2")
    assert stores(state) == [2, 0]
    assert zone(state, "stopped").count == 4


def test_the_match_ends_if_the_refill_takes_the_last_of_the_stock_and_one_alone_has_cards():
    state = position("", "9C", stock="2S 3S", hand=5, turn=1, avalanche="8C", last=0)
    told = act(state, "lay:9x1")
    assert told == [("grow", 1), ("stored", 1), ("refilled", 0), ("kept", 0), ("over", None)]
    assert stores(state) == [2, 2]
    assert state.outcome().ranking == ((0, 1),)


# Result


def test_places_go_by_stored_cards_and_ties_are_shared():
    state = position("9C 4C", "3C", "")
    state.stores = [2, 9, 5]
    act(state, "lay:9x1", "lay:3x1")
    assert state.outcome().points == (5, 9, 5)
    assert state.outcome().ranking == ((1,), (0, 2))
    assert [seat.place for seat in state.view(0).seats] == [2, 1, 2]
    assert state.returns() == (-0.5, 1, -0.5)


def test_no_place_before_the_end():
    state = position("9C 4C", "3C", stock="2S")
    assert state.outcome() is None
    assert state.returns() == (0, 0)
    assert [seat.place for seat in state.view(0).seats] == [None, None]


def test_hands_and_stock_are_hidden_and_their_sizes_public():
    state = AVALANCHE.deal(3, {}, SEED)
    for viewer in (0, 1, 2, None):
        for owner in range(3):
            shown = zone(state, f"hand:{owner}", viewer).cards
            assert (None in shown) == (owner != viewer)
            assert len(shown) == 10
        assert zone(state, "stock", viewer).cards is None


def test_only_the_player_learns_which_cards_they_drew():
    state = position("9C 4C", "", "3C 2D", stock="3S 3D 5S KS 7S 8S", hand=5)
    told = []
    state.apply(0, "lay:9x1", told.append)
    state.apply(2, "lay:3x1", told.append)
    for viewer in (0, 2, None):
        assert "KS" not in json.dumps([dict(event.data) for event in told if event.is_for(viewer)])
    assert [event.data["cards"] for event in told if event.to == {1}] == [["3D", "3S", "5S", "7S", "KS"]]


# Options


def test_packs_are_2_or_1_to_4_with_three_jokers_each():
    for packs in (1, 4):
        state = AVALANCHE.deal(2, {"packs": packs}, SEED)
        assert sum(zone.count for zone in state.view(None).zones) == 55 * packs
        jokers = [card for cards in (*state.hands, state.stock) for card in cards if card >> 3 == 13]
        assert len(jokers) == 3 * packs
    for packs in (0, 5, "2", True, None):
        with pytest.raises(BadOptions):
            AVALANCHE.deal(2, {"packs": packs}, SEED)


def test_the_hand_is_10_or_5_to_15():
    for hand in (5, 15):
        assert zone(AVALANCHE.deal(2, {"hand": hand}, SEED), "hand:0").count == hand
    for hand in (4, 16):
        with pytest.raises(BadOptions):
            AVALANCHE.deal(2, {"hand": hand}, SEED)
    packs, hand = AVALANCHE.options
    assert (packs.name, packs.default, hand.name, hand.default) == ("packs", 2, "hand", 10)


def test_too_few_cards_to_deal_are_refused():
    AVALANCHE.deal(5, {"packs": 1, "hand": 11}, SEED)
    with pytest.raises(BadOptions, match="aren't enough cards"):
        AVALANCHE.deal(6, {"packs": 1, "hand": 10}, SEED)


def test_a_stock_that_is_empty_from_the_start():
    state = AVALANCHE.deal(5, {"packs": 1, "hand": 11}, SEED)
    assert "snow" not in state.legal_moves(state.to_move()[0])


@pytest.mark.parametrize("seats", [0, 1, 7, "2", None])
def test_it_is_for_two_to_six_players(seats):
    with pytest.raises(BadOptions):
        AVALANCHE.deal(seats, {}, SEED)


def test_a_wrong_deck_dealer_seed_or_option_name_is_refused():
    pack = [CODES[card] for card in PACK]
    for wrong in ({"deck": pack}, {"deck": [*pack, *pack[:-1], "BJ"]}, {"dealer": 2}, {"dealer": -1}):
        with pytest.raises(BadOptions):
            AVALANCHE.deal(2, {}, SEED, **wrong)
    for seed in ("00", "x" * 32, None):
        with pytest.raises(BadOptions):
            AVALANCHE.deal(2, {}, seed)
    with pytest.raises(BadOptions):
        AVALANCHE.deal(2, {"jokers": 3}, SEED)


# The protocol


@pytest.mark.parametrize(
    ("seat", "move", "reason"),
    [
        (0, "5x1", "couldn't read"),
        (0, "lay:5", "couldn't read"),
        (0, "lay:5x0", "couldn't read"),
        (0, "lay:5x01", "couldn't read"),
        (0, "lay:10x1", "couldn't read"),
        (0, "lay:RJx1", "couldn't read"),
        (0, "lay:5x1 ", "couldn't read"),
        (0, "Snow", "couldn't read"),
        (0, None, "couldn't read"),
        (0, ["snow"], "couldn't read"),
        (0, "lay:6x1", "hold no six"),
        (0, "lay:5x3", "only 2 fives"),
        (0, "lay:Xx1", "hold no joker"),
        (0, "lay:Ax2", "only 1 ace"),
        (1, "snow", "not your turn"),
        (1, "lay:6x1", "not your turn"),
        (2, "snow", "no such seat"),
        (-1, "snow", "no such seat"),
        (None, "snow", "no such seat"),
    ],
)
def test_a_wrong_move_is_refused_with_its_reason_and_changes_nothing(seat, move, reason):
    state = position("5C 5D AC", "6C", stock="3S")
    before = freeze(state)
    told = []
    for attempt in (state.check, lambda seat, move: state.apply(seat, move, told.append)):
        with pytest.raises(IllegalMove, match=reason):
            attempt(seat, move)
    assert freeze(state) == before
    assert told == []


def test_a_refused_lay_says_how_many_cards_of_that_rank_are_held():
    state = position("5C 5D 6C 6D", "6H", stock="3S")
    with pytest.raises(IllegalMove, match="only 2 fives"):
        state.check(0, "lay:5x3")


def test_only_the_seat_whose_turn_it_is_has_moves():
    state = position("5C 5D AC", "6C", stock="3S")
    assert [len(state.legal_moves(seat)) for seat in (-1, 0, 1, 2)] == [0, 4, 0, 0]


def test_nothing_may_be_done_when_it_is_over():
    state = position("9C", "3C 4C")
    act(state, "lay:9x1")
    for seat in (0, 1):
        assert state.legal_moves(seat) == []
        with pytest.raises(IllegalMove, match="over"):
            state.check(seat, "lay:3x1")
        with pytest.raises(IllegalMove):
            state.default_move(seat)


def test_every_move_is_public():
    state = position("5C 5D AC", "6C", stock="3S")
    assert [state.public_move(0, move) for move in ("snow", "lay:5x2")] == ["snow", "lay:5x2"]


@pytest.mark.parametrize(
    ("hand", "avalanche", "stock", "move"),
    [
        ("5C 5D", "", "3S", "snow"),
        ("5C 5D", "", "", "lay:5x1"),
        ("5C 8D KC", "7C", "", "lay:8x1"),
        ("5C 7D 8D", "7C", "", "lay:7x1"),
        ("5C 5D 8C 8D 9C 9D", "7C 7D", "", "lay:8x2"),
        ("4C 5C 5D 6C 6D", "7C 7D", "", "lay:5x2"),
        ("4C 5C KD", "7C 7D", "", "lay:4x1"),
        ("4C 5C", "7C", "", "lay:4x1"),
    ],
)
def test_autoplay_takes_snow_or_grows_low_or_stops_or_plays_its_lowest(hand, avalanche, stock, move):
    state = position(hand, "2C 2D", avalanche=avalanche, last=1 if avalanche else None, stock=stock)
    assert state.default_move(0) == move
    state.check(0, move)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("options", [{}, {"packs": 1, "hand": 5}, {"packs": 4, "hand": 15}])
def test_random_matches_keep_the_laws(seats, options):
    rng = Random(seats)
    state = AVALANCHE.deal(seats, options, f"{rng.getrandbits(128):032x}")
    size = 55 * options.get("packs", 2)
    pack = Counter([FROM_ENGINE[card] for card in PACK] * (size // 55))
    number = 0
    for number, (seat, _move, told) in enumerate(play_at_random(state, rng), 1):
        assert sum(zone.count for zone in state.view(None).zones) == size
        for event in told:
            assert "{" not in AVALANCHE.say(event, NAMES)
        if number % 8 == 0 or not state.to_move():
            assert thaw(AvalancheState, json.loads(json.dumps(freeze(state)))).view(seat) == state.view(seat)
            for viewer in (*range(seats), None):
                guess = AVALANCHE.determinize(state.view(viewer), rng)
                assert guess.view(viewer) == state.view(viewer)
                assert Counter(chain(*guess.hands, guess.stock, guess.avalanche, guess.gone)) == pack
    assert number <= 2 * size
    outcome = state.outcome()
    assert sum(outcome.points) + state.stopped == size
    assert not any(state.hands)


def test_a_guess_plays_on_to_the_end_with_chances_of_its_own():
    rng = Random(3)
    state = AVALANCHE.deal(3, {}, SEED)
    guess = AVALANCHE.determinize(state.view(1), rng)
    assert guess.chance.seed != state.chance.seed
    for _step in play_at_random(guess, rng):
        pass
    assert guess.outcome().reason == "cards_out"


def test_a_copy_shares_nothing():
    rng = Random(2)
    state = AVALANCHE.deal(4, {}, SEED)
    before = freeze(state)
    twin = state.copy()
    assert freeze(twin) == before
    for _step in play_at_random(twin, rng):
        pass
    assert freeze(state) == before


def test_a_replay_of_the_record_gives_the_same_match():
    rng = Random(9)
    state = AVALANCHE.deal(4, {"hand": 7}, SEED, dealer=2)
    entries = [(seat, move) for seat, move, _told in play_at_random(state, rng)]
    record = Match("avalanche", 1, 4, {"hand": 7}, SEED, entries, dealer=2)
    states = list(replay(json.loads(json.dumps(record.to_json()))))
    assert len(states) == len(entries) + 1
    assert freeze(states[-1]) == freeze(state)


def test_hidden_facts_change_nothing_that_a_seat_sees():
    one = position("5C 5D", "6C 7C", "8C", stock="9S TS JS")
    other = position("5C 5D", "6C TS", "9S", stock="8C 7C JS")
    for state in (one, other):
        act(state, "lay:5x1", "lay:6x1")
    assert one.view(0) == other.view(0)
    assert one.view(None) == other.view(None)
    assert one.view(1) != other.view(1)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (Event("start", 0, {"rank": "5", "n": 3}), "Ann starts an avalanche with 3 fives."),
        (Event("grow", 1, {"rank": "K", "n": 1}), "Ben plays 1 king. The avalanche grows."),
        (Event("stop", 1, {"rank": "T", "n": 2}), "Ben plays 2 tens: as many, but lower. The avalanche stops."),
        (Event("fall", 2, {"rank": "X", "n": 1}), "Cat plays 1 joker. The avalanche falls."),
        (Event("stored", 2, {"cards": 7}), "Cat stores the avalanche (+7)."),
        (Event("stopped", None, {"cards": 4}), "The avalanche leaves the game (4 cards)."),
        (Event("snow", 0, {"cards": 1}), "Snowfall: Ann takes a card from the stock."),
        (Event("refilled", 0, {"cards": 9}), "Ann has no cards left and draws 9 from the stock."),
        (Event("drew", 0, {"cards": ["QS", "RJ"]}), "Ann has drawn the queen of spades and the red joker."),
        (Event("kept", 0, {"cards": 2}), "Only Ann still has cards, and stores them (+2)."),
        (Event("over", None, {"ranking": [[1], [0]], "points": [3, 9]}), "Ben wins with 9 stored cards."),
        (
            Event("over", None, {"ranking": [[0, 1], [2]], "points": [9, 9, 1]}),
            "Ann and Ben share first place with 9 stored cards.",
        ),
    ],
)
def test_every_event_is_one_sentence(event, sentence):
    assert AVALANCHE.say(event, NAMES) == sentence


def test_an_unknown_event_is_not_said():
    with pytest.raises(ValueError, match="dance"):
        AVALANCHE.say(Event("dance", 0, {}), NAMES)
