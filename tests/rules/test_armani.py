"""The sentences of the rules of Game: Armani, one test each.

Most tests set up a state with ``hand`` (Stage 1) or ``hand2`` (Stage 2): the face-down stacks in order of play, the
rest of the pack out of the way. Seat 0 leads and sits to the dealer's left; sides alternate, so even seats are side 0.
``go`` enters moves as ``seat:move``; ``T`` is the table.
"""

import hashlib
import hmac
import json
from random import Random

import pytest

from games.engine import TABLE, BadOptions, Event, IllegalMove, View, freeze, replay, thaw
from games.engine.cards import CARDS, CODES, IS_RED, decode, encode
from games.engine.text import names_for
from games.rules.armani import RULES, ArmaniState

SEED = "00112233445566778899aabbccddeeff"
PACK = list(CODES[:52])
ALL_SLAPS = ["pair", "sandwich", "top_bottom", "marriage", "queen_of_spades", "run"]


def deal(
    seats: int, *, seed: str = SEED, deck: list[str] | None = None, dealer: int | None = -1, **options
) -> ArmaniState:
    """A new match; the last seat deals unless ``dealer`` is another seat, or ``None`` for a random one."""
    return RULES.deal(seats, options, seed, deck=deck, dealer=seats - 1 if dealer == -1 else dealer)


def go(state: ArmaniState, moves: str) -> list[Event]:
    """Enter moves such as ``0:flip T:close`` in order; returns their events."""
    events: list[Event] = []
    for entry in moves.split():
        seat, _, move = entry.partition(":")
        state.apply(TABLE if seat == "T" else int(seat), move, events.append)
    return events


def all_fold(state: ArmaniState, bet: int = 1) -> ArmaniState:
    """The opener bets, all others fold."""
    go(state, f"{state.to_move()[0]}:bet:{bet}")
    while state.phase == "bets":
        go(state, f"{state.to_move()[0]}:fold")
    return state


def hand(*stacks: str, **options) -> ArmaniState:
    """Stage 1 with these stacks, first card first; the rest has been won by seat 0."""
    state = all_fold(deal(len(stacks), teams="alternate", **options))
    state.stacks = [decode(stack.split())[::-1] for stack in stacks]
    state.won[0] = tuple(card for card in range(52) if not any(card in stack for stack in state.stacks))
    state.turn = 0
    return state


def hand2(*stacks: str, rest: int | None = None, **options) -> ArmaniState:
    """Stage 2 with these stacks; the rest of the pack is below that of seat ``rest`` (or set aside)."""
    state = hand(*stacks, **options)
    spare, state.won = state.won[0], [()] * len(stacks)
    if rest is None:
        state.won[0] = spare
    else:
        state.stacks[rest][:0] = spare
    state.phase = "stage2"
    state.stage1 = (30, 28)
    state.power = 0
    state.captains = (0, 1)
    return state


def stage1_ending(points: int, bet: int, seats: int = 2) -> ArmaniState:
    """One flip and one close before the end of Stage 1: side 0 will have ``points``, the queen of spades among them."""
    state = hand(*["2C", *[""] * (seats - 1)])
    state.bets = ((bet,), *[()] * (seats - 1))
    queen = CARDS["QS"]
    others = [card for card in range(52) if card not in (queen, CARDS["2C"])]
    mine = points - 7 - 1
    state.won = [(queen, *others[:mine]), tuple(others[mine:]), *[()] * (seats - 2)]
    return state


def zone(state: ArmaniState, zone_id: str, seat: int | None = None):
    return state.view(seat).zone(zone_id)


def facts(state: ArmaniState, seat: int | None = None):
    return state.view(seat).facts


def refused(state: ArmaniState, seat: int, move: str, before: object = None) -> str:
    """The reason for refusing a move, which must change nothing; ``before`` is the state if it's frozen already."""
    before = before or freeze(state)
    with pytest.raises(IllegalMove) as first:
        state.check(seat, move)
    with pytest.raises(IllegalMove) as second:
        state.apply(seat, move)
    assert str(first.value) == str(second.value)
    assert freeze(state) == before
    return str(first.value)


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def below(number: int, k: int) -> int:
    """Chance ``number`` of SEED, calculated as in the contract."""
    digest = hmac.new(bytes.fromhex(SEED), f"{number}/0".encode(), hashlib.sha256).digest()
    words = [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
    return next(word for word in words if word < 2**32 - 2**32 % k) % k


# Set-up


def test_52_cards_are_dealt_one_at_a_time_from_the_dealers_left_until_all_are_out():
    state = deal(5, deck=PACK, dealer=1)
    assert [len(stack) for stack in state.stacks] == [10, 10, 11, 11, 10]
    assert encode(state.stacks[2])[:2] == [PACK[0], PACK[5]]


def test_the_last_card_dealt_to_a_stack_is_its_top():
    state = all_fold(deal(2, deck=PACK))
    go(state, "0:flip")
    assert zone(state, "pile").cards == [PACK[50]]


def test_the_first_dealer_is_chance_0_and_the_shuffle_chance_1():
    assert deal(5, dealer=None).dealer == below(0, 5)
    assert deal(5).chance.number == 2
    assert deal(5).stacks[0] == deal(5, dealer=4).stacks[0]
    assert sorted(card for stack in deal(5).stacks for card in stack) == list(range(52))


def test_no_one_looks_at_the_cards():
    state = deal(4)
    for seat in (None, 0, 1, 2, 3):
        assert [zone(state, f"stack:{at}", seat).cards for at in range(4)] == [None] * 4
        assert [zone(state, f"stack:{at}", seat).count for at in range(4)] == [13] * 4


def test_the_player_at_the_dealers_left_opens_with_a_whole_number_of_points():
    state = deal(3, dealer=0)
    assert state.to_move() == (1,)
    assert list(state.legal_moves(1)) == [f"bet:{points}" for points in range(1, 59)]
    assert refused(state, 1, "fold") == "You bet first, so you can't fold."
    assert refused(state, 2, "bet:3") == "It's not your turn."


def test_a_bet_is_1_to_58():
    state = deal(3)
    for move in ("bet:0", "bet:59", "bet:01", "bet:+1", "bet:", "bet", "bet:1.5"):
        assert "isn't a move" in refused(state, 0, move)


def test_each_next_one_going_round_bets_higher_or_folds():
    state = deal(3)
    go(state, "0:bet:10")
    assert state.to_move() == (1,)
    assert list(state.legal_moves(1)) == [*(f"bet:{points}" for points in range(11, 59)), "fold"]
    assert refused(state, 1, "bet:10") == "Your bet must be higher than 10."
    go(state, "1:bet:11 2:bet:20")
    assert state.to_move() == (0,)
    assert facts(state)["bets"] == [[10], [11], [20]]
    assert facts(state)["bettor"] == 2


def test_a_folded_player_bets_no_more():
    state = deal(3)
    go(state, "0:bet:10 1:fold 2:bet:11 0:bet:12")
    assert state.to_move() == (2,)
    assert facts(state)["folded"] == [False, True, False]


def test_the_bets_end_when_all_but_one_have_folded():
    state = deal(3)
    go(state, "0:bet:10 1:bet:12 2:fold 0:fold")
    assert state.phase == "stage1"
    assert facts(state)["bettor"] == 1
    assert facts(state)["bets"] == [[10], [12], []]


def test_when_58_was_bet_the_others_fold_automatically():
    state = deal(4)
    events = go(state, "0:bet:10 1:fold 2:bet:58")
    assert state.phase == "stage1"
    assert facts(state)["folded"] == [True, True, False, True]
    assert [event.seat for event in events if event.kind == "fold" and event.data["forced"]] == [3, 0]


def test_with_2_players_each_is_a_side_and_side_0_sits_at_the_dealers_left():
    assert RULES.teams(deal(2)) == ((0,), (1,))
    assert RULES.teams(deal(2, dealer=0)) == ((1,), (0,))
    state = all_fold(deal(2))
    assert facts(state)["colours"] == [[], []]
    assert state.chance.number == 2


def coloured_deck(colours: str) -> list[str]:
    """A pack whose last cards, the tops of the stacks, are red (r) or black (b), from the dealer's left."""
    red = [code for code, is_red in zip(PACK, IS_RED, strict=False) if is_red]
    black = [code for code in PACK if code not in red]
    tops = [(red if colour == "r" else black).pop() for colour in colours]
    return [*red, *black, *tops]


def test_each_player_announces_the_colour_of_their_top_card_and_same_colour_is_same_team():
    state = deal(4, deck=coloured_deck("rbbr"))
    assert RULES.teams(state) is None
    assert [seat.team for seat in state.view(None).seats] == [None] * 4
    all_fold(state)
    assert facts(state)["colours"] == [["red"], ["black"], ["black"], ["red"]]
    assert RULES.teams(state) == ((0, 3), (1, 2))
    assert facts(state)["teams"] == [[0, 3], [1, 2]]
    assert [seat.team for seat in state.view(None).seats] == [0, 1, 1, 0]


def test_side_0_has_the_seat_at_the_dealers_left_whatever_its_colour():
    # Five players, seat 2 at the dealer's left: the two tops of the last round are theirs and seat 3's.
    state = all_fold(deal(5, deck=coloured_deck("rbrbr"), dealer=1))
    side_0 = RULES.teams(state)[0]
    assert 2 in side_0


def test_only_the_owner_sees_the_card_drawn_until_stage_1_ends():
    state = deal(4, deck=coloured_deck("rbbr"))
    tops = [CODES[stack[-1]] for stack in state.stacks]
    events = go(state, "0:bet:1 1:fold 2:fold 3:fold")
    for seat in range(4):
        assert facts(state, seat)["own_draw"] == [tops[seat]]
        seen = [event.seat for event in events if event.kind == "look" and event.is_for(seat)]
        assert seen == [seat]
    assert "own_draw" not in facts(state)
    told = json.dumps([[event.kind, event.data] for event in events if event.is_for(None)])
    assert not any(top in told for top in tops)
    state.stacks = [[card for stack in state.stacks for card in stack], [], [], []]
    go(state, "0:flip T:close")
    assert state.phase == "choose"
    assert all("own_draw" not in facts(state, seat) for seat in range(4))


def test_all_look_then_all_put_back_at_random_from_the_dealers_left_one_chance_each():
    deck = coloured_deck("rbbr")
    state = deal(4, deck=deck)
    before = [stack[:] for stack in state.stacks]
    all_fold(state)
    for number, seat in enumerate(range(4), start=2):
        from_top = before[seat][::-1]
        card = from_top.pop(0)
        from_top.insert(below(number, 13), card)
        assert state.stacks[seat] == from_top[::-1]
    assert state.chance.number == 6


def test_if_all_have_the_same_colour_all_do_it_again_with_whatever_card_is_then_on_top():
    state = deal(4, deck=coloured_deck("rrrr"))
    go(state, "0:bet:1 1:fold 2:fold 3:fold")
    looks = len(facts(state)["colours"][0])
    assert looks > 1
    assert state.chance.number == 2 + 4 * looks
    told = [{colours[look] for colours in facts(state)["colours"]} for look in range(looks)]
    assert all(len(colours) == 1 for colours in told[:-1])
    assert len(told[-1]) == 2
    assert len(facts(state, 0)["own_draw"]) == looks
    # Seats 0 and 1 would look at the card put back on top, if chance 2 or 3 put it there.
    second = coloured_deck("rrrr")[-8:-4]
    for seat in range(4):
        expected = facts(state, seat)["own_draw"][0] if below(2 + seat, 13) == 0 else second[seat]
        assert facts(state, seat)["own_draw"][1] == expected


def test_after_20_same_colour_draws_in_a_row_seats_alternate():
    state = deal(3)
    state.stacks = [[card for card in range(52) if IS_RED[card]][at::3] for at in range(3)]
    state.won[0] = tuple(card for card in range(52) if not IS_RED[card])
    all_fold(state)
    assert facts(state)["colours"] == [["red"] * 20] * 3
    assert RULES.teams(state) == ((0, 2), (1,))
    assert state.chance.number == 2 + 60


def test_teams_may_be_unequal_even_7_against_1():
    # The last four cards dealt are the tops of seats 0 to 3, the four before of seats 4 to 7: seat 1 is alone.
    state = all_fold(deal(8, deck=coloured_deck("bbbbbrbb")))
    assert sorted(len(side) for side in RULES.teams(state)) == [1, 7]
    go(state, "0:flip")
    state.stacks = [decode(["2C"]), [], [], [], [], [], [], []]
    state.pile, state.won[0] = [], tuple(card for card in range(52) if card != CARDS["2C"])
    state.duel_by, state.turn = -2, 0
    go(state, "0:flip T:close")
    assert facts(state)["stage1"] == [58, 0]
    go(state, f"{state.to_move()[0]}:fan:other")
    assert state.to_take == 1
    while state.phase in ("take", "dealers"):
        seat = state.to_move()[0]
        go(state, f"{seat}:{state.default_move(seat)}")
    assert [len(stack) for stack in state.stacks] == [0, 51, 1, 0, 0, 0, 0, 0]


def test_option_teams_alternate_seats_every_other_and_no_one_looks():
    state = deal(4, teams="alternate", dealer=2)
    assert RULES.teams(state) == ((1, 3), (0, 2))
    all_fold(state)
    assert facts(state)["colours"] == [[], [], [], []]
    assert state.chance.number == 2


def test_option_teams_alternate_is_for_even_numbers_of_players_only():
    for seats in (3, 5, 7):
        with pytest.raises(BadOptions):
            deal(seats, teams="alternate")
    assert RULES.teams(deal(2, teams="alternate")) == RULES.teams(deal(2))


@pytest.mark.parametrize(
    "options",
    [
        {"teams": "suits"},
        {"slaps": ["pair"]},
        {"slaps": ["pair", "sandwich", "tens"]},
        {"lockout": 11},
        {"lockout": -1},
        {"stage2_flips": 2601},
        {"stage2_flips": True},
        {"jokers": 2},
    ],
)
def test_options_out_of_bounds_are_refused(options):
    with pytest.raises(BadOptions):
        deal(4, **options)


def test_wrong_seat_counts_decks_dealers_and_seeds_are_refused():
    for arguments in ({"seats": 1}, {"seats": 9}):
        with pytest.raises(BadOptions):
            deal(**arguments)
    for keywords in ({"deck": PACK[:51]}, {"deck": [*PACK[:51], "RJ"]}, {"dealer": 4}, {"seed": "12"}):
        with pytest.raises(BadOptions):
            deal(4, **keywords)


# Playing and winning a hand


def test_each_in_turn_plays_the_top_card_onto_the_face_up_stack():
    state = hand("2C 5C", "3D 6D", "4H 7H", "9S 8S")
    events = go(state, "0:flip 1:flip 2:flip")
    assert zone(state, "pile").cards == ["2C", "3D", "4H"]
    assert state.to_move() == (3,)
    assert [event.data["source"] for event in events] == ["stack:0", "stack:1", "stack:2"]
    assert refused(state, 0, "flip") == "It's not your turn."


def test_players_with_no_face_down_cards_are_skipped_but_may_slap():
    state = hand("2C 5C", "", "2H 7H", "")
    go(state, "0:flip")
    assert state.to_move() == (2,)
    go(state, "2:flip")
    assert state.to_move() == (0,)
    assert list(state.legal_moves(1)) == ["slap"]
    go(state, "1:slap")
    assert zone(state, "won:1").count == 2


# 1. Slap


def test_anyone_may_slap_at_any_players_turn():
    state = hand("2C 5C", "3D 6D", "4H 7H", "9S 8S")
    assert [list(state.legal_moves(seat)) for seat in range(4)] == [["flip"], [], [], []]
    go(state, "0:flip")
    assert [list(state.legal_moves(seat)) for seat in range(4)] == [["slap"], ["flip", "slap"], ["slap"], ["slap"]]
    assert state.to_move() == (1,)


@pytest.mark.parametrize(
    ("slaps", "played", "right"),
    [
        (["pair", "sandwich"], "2C 2H", True),
        (["pair", "sandwich"], "2C 3H", False),
        (["pair", "sandwich"], "2C 3H 2S", True),
        (["pair", "sandwich"], "2C 2H 3S", False),
        (["pair", "sandwich"], "2C 3H 4S 2D", False),
        (["pair", "sandwich", "top_bottom"], "2C 3H 4S 2D", True),
        (["pair", "sandwich", "top_bottom"], "2C", False),
        (["pair", "sandwich", "top_bottom"], "2C 3H 4S", False),
        (["pair", "sandwich"], "KC QH", False),
        (["pair", "sandwich", "marriage"], "KC QH", True),
        (["pair", "sandwich", "marriage"], "QC KH", True),
        (["pair", "sandwich", "marriage"], "QC 4H", False),
        (["pair", "sandwich"], "QS", False),
        (["pair", "sandwich", "queen_of_spades"], "QS", True),
        (["pair", "sandwich", "queen_of_spades"], "QS 3D", False),
        (["pair", "sandwich", "queen_of_spades"], "QC", False),
        (["pair", "sandwich"], "4C 5H 6S", False),
        (["pair", "sandwich", "run"], "4C 5H 6S", True),
        (["pair", "sandwich", "run"], "6C 5H 4S", True),
        (["pair", "sandwich", "run"], "4C 6H 5S", False),
        (["pair", "sandwich", "run"], "4C 5H", False),
        (["pair", "sandwich", "run"], "AC 2H 3S", True),
        (["pair", "sandwich", "run"], "QC KH AS", True),
        (["pair", "sandwich", "run"], "AC KH QS", True),
        (["pair", "sandwich", "run"], "KC AH 2S", False),
        (ALL_SLAPS, "2C 9H", False),
    ],
)
def test_only_the_listed_patterns_may_be_slapped(slaps, played, right):
    cards = played.split()
    state = hand("2D", "3C TC 9C", slaps=slaps)
    for code in cards:  # laid straight onto the face-up pile, so that no duel interferes
        state.pile.append(CARDS[code])
    events = go(state, "1:slap")
    assert events[0].data["right"] is right
    assert (len(state.pile) == 0) is right
    assert zone(state, "won:1").count == (len(cards) if right else 0)


def test_a_slap_when_the_stack_is_not_slappable_burns_the_top_card_to_the_bottom_of_the_face_up_stack():
    state = hand("2C 5C", "3D 6D")
    events = go(state, "0:flip 1:flip 0:slap")
    assert zone(state, "pile").cards == ["5C", "2C", "3D"]
    assert zone(state, "stack:0").count == 0
    assert kinds(events) == ["flip", "flip", "slap", "burn"]


def test_with_no_face_down_card_to_burn_a_wrong_slap_costs_nothing():
    state = hand("2C 5C", "", "3D 6D", "")
    go(state, "0:flip 1:slap")
    assert zone(state, "pile").cards == ["2C"]
    assert [zone(state, f"stack:{seat}").count for seat in range(4)] == [1, 0, 2, 0]


def test_burned_cards_never_count_for_a_pattern():
    # Bottom to top 5C 2C 5H: the burned five makes no sandwich, nor top and bottom.
    state = hand("2C 5C 9C", "5H 6D 8D", slaps=ALL_SLAPS)
    go(state, "0:flip 0:slap")
    assert zone(state, "pile").cards == ["5C", "2C"]
    events = go(state, "1:flip 1:slap")
    assert events[1].data["right"] is False


def test_top_and_bottom_compare_with_the_first_card_played_under_burned_ones():
    state = hand("2C 5C 9C 4S", "3H 6D 8D 2S", slaps=["pair", "sandwich", "top_bottom"])
    go(state, "0:flip 0:slap 1:flip")  # 5C burned under 2C
    assert zone(state, "pile").cards == ["5C", "2C", "3H"]
    state.stacks[0].append(CARDS["2D"])
    go(state, "0:flip")
    events = go(state, "1:slap")
    assert events[0].data["right"] is True


def test_several_slaps_on_the_same_slappable_stack_the_first_wins_the_others_cost_nothing():
    state = hand("2C 5C", "2D 6D", "4H 7H", "9S 8S")
    go(state, "0:flip 1:flip 3:slap")
    assert zone(state, "won:3").count == 2
    assert refused(state, 2, "slap") == "There's nothing to slap: no card is face up."
    assert [zone(state, f"stack:{seat}").count for seat in range(4)] == [1, 1, 2, 2]


def test_several_wrong_slaps_on_the_same_card_each_burns_one():
    state = hand("2C 5C", "3D 6D", "4H 7H", "9S 8S")
    go(state, "0:flip 1:slap 3:slap 2:slap")
    assert zone(state, "pile").cards == ["4H", "9S", "3D", "2C"]


def test_an_empty_stack_cannot_be_slapped():
    state = hand("2C 5C", "3D 6D")
    assert "nothing to slap" in refused(state, 0, "slap")


def test_a_right_slap_collects_the_hand_at_once_and_the_slapper_leads():
    state = hand("2C 5C", "2D 6D", "4H 7H", "9S 8S")
    events = go(state, "0:flip 1:flip 3:slap")
    assert zone(state, "pile").count == 0
    assert facts(state)["winning"] is None
    assert state.to_move() == (3,)
    assert kinds(events)[-3:] == ["slap", "collect", "lead"]


def test_a_seat_may_slap_once_per_played_card():
    state = hand("2C 5C 7C", "3D 6D 8D", lockout=0)
    go(state, "0:flip 0:slap")
    assert facts(state)["lockout"] == [1, 0]
    assert "after the next card" in refused(state, 0, "slap")
    go(state, "1:flip")
    assert facts(state)["lockout"] == [0, 0]
    state.check(0, "slap")


def test_after_a_right_slap_too_the_slapper_has_slapped_this_card():
    state = hand("2C 5C", "2D 6D", lockout=0)
    go(state, "0:flip 1:flip 1:slap")
    assert facts(state)["lockout"] == [0, 1]


@pytest.mark.parametrize(("lockout", "with_card", "cardless"), [(3, 4, 7), (0, 1, 1), (10, 11, 21)])
def test_after_a_wrong_slap_on_card_v_a_seat_may_slap_again_from_v_plus_4_or_7_without_a_card(
    lockout, with_card, cardless
):
    state = hand(" ".join(f"{rank}C" for rank in "23456789T"), "", "2D 4D 6D 8D TD 3D 5D 7D 9D", "", lockout=lockout)
    go(state, "0:flip 0:slap 1:slap")
    assert facts(state)["lockout"] == [with_card, cardless, 0, 0]
    for passed in range(1, 8):
        seat = state.to_move()[0]
        go(state, f"{seat}:flip")
        assert facts(state)["lockout"][:2] == [max(0, with_card - passed), max(0, cardless - passed)]
        assert ("slap" in state.legal_moves(0)) is (passed >= with_card)
        assert ("slap" in state.legal_moves(1)) is (passed >= cardless)
    if lockout == 10:
        assert "after 4 more cards" in refused(state, 0, "slap")


def test_the_lock_out_runs_on_over_hands_and_stages():
    state = stage1_ending(38, 17)
    state.locks = [0, state.flips + 4]
    go(state, "0:flip")
    assert facts(state)["lockout"] == [0, 3]
    go(state, "T:close")
    assert state.phase == "choose"
    assert facts(state)["lockout"] == [0, 3]
    go(state, "0:fan:own")
    go(state, f"0:{state.default_move(0)}")
    assert state.phase == "stage2"
    go(state, "0:flip")
    assert facts(state)["lockout"] == [0, 2]


def test_a_slap_cancels_a_duel():
    state = hand("JC 5C 4C", "2H 6D", "2D 7D", "9S 8S")
    state.pile = [CARDS["JH"]]
    state.last = 3
    go(state, "0:flip")
    assert facts(state)["duel"] == {"by": 0, "chances": 1}
    go(state, "3:slap")
    assert facts(state)["duel"] is None
    assert zone(state, "won:3").count == 2
    assert state.to_move() == (3,)


def test_a_slap_cancels_a_hand_that_a_duel_is_about_to_win():
    state = hand("2C JC 4C", "2D 5D 6D", "7S 8S", "9S 3S")
    go(state, "0:flip")
    state.pile[:0] = [CARDS["5H"]]
    state.stacks[1].append(CARDS["JD"])
    go(state, "1:flip")
    state.stacks[2].append(CARDS["2S"])  # a sandwich 2 J 2 that is also the last chance
    go(state, "2:flip")
    assert facts(state)["winning"] == 1
    assert state.to_move() == (TABLE,)
    go(state, "0:slap")
    assert facts(state)["winning"] is None
    assert zone(state, "won:1").count == 0
    assert zone(state, "pile").count == 0
    assert state.to_move() == (0,)
    assert refused(state, TABLE, "close") == "The pile isn't won yet."


def test_a_slap_cancels_a_hand_that_the_last_card_is_about_to_win():
    state = hand("2C 5C 7C", "2H")
    go(state, "0:flip 1:flip 1:slap")  # a pair: 1 has the two cards and no stack left
    assert state.to_move() == (0,)
    state = hand("5C 5D 7C", "")
    go(state, "0:flip")
    state.pile[:0] = [CARDS["5H"]]
    assert facts(state)["winning"] == 0
    go(state, "1:slap")
    assert facts(state)["winning"] is None
    assert zone(state, "won:1").count == 2
    assert state.to_move() == (0,)


# 2. Duel


@pytest.mark.parametrize(("face", "chances"), [("JC", 1), ("QC", 2), ("KC", 3), ("AC", 4)])
def test_after_a_face_card_the_next_player_has_1_2_3_or_4_chances(face, chances):
    state = hand(f"{face} 5C", "2D 4D 6D 8D TD", "7H 3H", "9S 8S")
    events = go(state, "0:flip")
    assert facts(state)["duel"] == {"by": 0, "chances": chances}
    assert kinds(events) == ["flip", "duel"]
    for left in range(chances - 1, -1, -1):
        assert state.to_move() == (1,)
        go(state, "1:flip")
        assert facts(state)["duel"] == ({"by": 0, "chances": left} if left else None)
    assert facts(state)["winning"] == 0
    assert state.to_move() == (TABLE,)


def test_if_a_face_card_comes_the_duty_passes_on_with_the_new_cards_chances():
    state = hand("AC 5C", "2D QD 6D", "7H 3H", "9S 8S")
    go(state, "0:flip 1:flip 1:flip")
    assert facts(state)["duel"] == {"by": 1, "chances": 2}
    assert state.to_move() == (2,)


def test_if_none_comes_the_face_cards_player_wins_the_hand_and_leads_the_next():
    state = hand("2C 5C", "JD 4D", "7H 3H", "9S 8S")
    go(state, "0:flip 1:flip 2:flip")
    assert refused(state, 3, "flip") == "The pile is won. Wait until it's collected."
    assert zone(state, "pile").count == 3
    events = go(state, "T:close")
    assert zone(state, "won:1").count == 3
    assert zone(state, "pile").count == 0
    assert state.to_move() == (1,)
    assert kinds(events) == ["collect", "lead"]


def test_a_duelling_player_who_runs_out_by_playing_passes_the_rest_of_the_chances_on():
    state = hand("AC 5C", "2D", "7H 3H", "9S 8S")
    go(state, "0:flip 1:flip")
    assert facts(state)["duel"] == {"by": 0, "chances": 3}
    assert state.to_move() == (2,)


def test_a_duelling_player_who_runs_out_by_burning_passes_the_chances_on():
    state = hand("AC 5C", "2D", "7H 3H", "9S 8S")
    go(state, "0:flip 1:slap")
    assert facts(state)["duel"] == {"by": 0, "chances": 4}
    assert state.to_move() == (2,)
    assert zone(state, "pile").cards == ["2D", "AC"]


def test_chances_that_come_back_to_the_face_cards_player_win_the_hand_at_once():
    state = hand("KC 5C", "2D", "", "")
    go(state, "0:flip 1:flip")
    assert facts(state)["winning"] == 0
    assert facts(state)["duel"] is None
    state = hand("KC 5C", "2D", "", "")
    go(state, "0:flip 1:slap")
    assert facts(state)["winning"] == 0


def test_chances_that_no_one_can_take_win_the_hand_at_once():
    state = hand("KC", "2D", "", "")
    go(state, "0:flip 1:slap")
    assert facts(state)["winning"] == 0
    assert state.to_move() == (TABLE,)


def test_it_is_still_the_duellers_turn_after_another_seat_burns_a_card():
    state = hand("AC 5C", "2D 4D", "7H", "9S 8S")
    go(state, "0:flip 2:slap")
    assert state.to_move() == (1,)
    go(state, "0:slap")
    assert state.to_move() == (1,)
    assert facts(state)["duel"] == {"by": 0, "chances": 4}


# 3. Last card


def test_the_only_player_with_cards_wins_the_hand_and_all_the_cards_still_face_down():
    state = hand("2C 5C", "3D 6D 8D 9D")
    go(state, "0:flip 1:flip 0:flip 1:flip")
    assert facts(state)["winning"] == 1
    assert facts(state)["winning_by"] == "last_card"
    before = zone(state, "won:1").count
    events = go(state, "T:close")
    assert kinds(events)[:2] == ["collect", "rest"]
    assert events[1].data["cards"] == 2
    assert before == 0
    assert state.phase == "choose"
    assert zone(state, "fan:1").count == 6


def test_only_player_is_judged_as_the_card_is_played_the_card_itself_counting_as_held():
    state = hand("2C", "3D 4D")
    go(state, "0:flip")
    assert facts(state)["winning"] is None  # seat 1 had cards, too
    go(state, "1:flip")
    assert facts(state)["winning"] == 1


def test_if_a_slap_takes_the_stack_first_the_player_keeps_the_rest_and_plays_on():
    state = hand("2C", "3D 2D 8D", "", "")
    go(state, "0:flip 1:flip")
    assert facts(state)["winning"] == 1
    state.pile.append(CARDS["3H"])
    go(state, "2:slap")
    assert zone(state, "won:2").count == 3
    assert zone(state, "stack:1").count == 2
    assert state.to_move() == (1,)


def test_precedence_the_last_card_comes_before_the_duel():
    state = hand("KC", "2D 4D 5D", "", "")
    go(state, "0:flip 1:flip")
    assert facts(state)["winning"] == 1
    assert facts(state)["winning_by"] == "last_card"
    assert facts(state)["duel"] is None


def test_a_last_card_that_is_a_face_card_starts_no_duel():
    state = hand("2C", "KD 4D")
    go(state, "0:flip 1:flip")
    assert facts(state)["winning"] == 1
    assert facts(state)["duel"] is None


def test_a_winner_without_cards_the_next_to_the_left_with_cards_leads():
    state = hand("JC", "2D 3D", "", "4S 5S")
    go(state, "0:flip 1:flip T:close")
    assert state.to_move() == (1,)
    state = hand("2C 6C", "3D 3S", "", "3H 5S")
    go(state, "0:flip 1:flip 3:flip 2:slap")
    assert state.to_move() == (3,)


def test_if_no_one_has_cards_left_and_the_hand_is_not_won_it_goes_to_a_player_who_played_last():
    state = hand("2C", "3D", "", "")
    go(state, "0:flip 1:slap")
    assert facts(state)["winning"] == 0
    assert facts(state)["winning_by"] == "nobody_can_play"
    go(state, "T:close")
    assert state.phase == "choose"


def test_if_no_one_has_cards_left_it_goes_to_the_player_of_the_last_face_card():
    state = hand("AC", "2D", "3D", "")
    go(state, "0:flip 1:flip 2:slap")
    assert facts(state)["winning"] == 0


def test_a_seat_whose_turn_it_is_is_skipped_when_it_burns_its_last_card():
    state = hand("2C 4C", "3D", "5H 6H", "")
    go(state, "0:flip 1:slap")
    assert state.to_move() == (2,)


# The table


def test_close_is_legal_only_while_a_hand_is_won():
    state = hand("JC 5C", "2D 4D")
    assert refused(state, TABLE, "close") == "The pile isn't won yet."
    go(state, "0:flip")
    assert "close" not in state.legal_moves(TABLE)
    go(state, "1:flip")
    assert state.legal_moves(TABLE)[0] == "close"
    assert state.default_move(TABLE) == "close"
    assert refused(state, 0, "close") == "Only the table does that."
    assert refused(state, TABLE, "flip") == "The table doesn't play."


def test_burn_puts_a_seats_top_card_under_the_pile_with_no_lock_out():
    state = hand("2C 5C", "3D 6D", "", "9S 8S")
    assert "no face-up pile" in refused(state, TABLE, "burn:1")
    go(state, "0:flip")
    assert list(state.legal_moves(TABLE)) == ["burn:0", "burn:1", "burn:3"]
    go(state, "T:burn:3")
    assert zone(state, "pile").cards == ["9S", "2C"]
    assert facts(state)["lockout"] == [0, 0, 0, 0]
    assert state.to_move() == (1,)
    assert refused(state, TABLE, "burn:2") == "That player has no card to burn."
    assert refused(state, 1, "burn:0") == "Only the table does that."


def test_a_burn_by_the_table_that_drains_the_dueller_passes_the_chances_on():
    state = hand("KC 5C", "2D", "6H 7H", "9S 8S")
    go(state, "0:flip T:burn:1")
    assert state.to_move() == (2,)
    assert facts(state)["duel"] == {"by": 0, "chances": 3}
    state = hand("KC 5C", "2D", "", "")
    go(state, "0:flip T:burn:1")
    assert facts(state)["winning"] == 0


def test_a_card_burned_while_a_hand_waits_belongs_to_the_hand():
    state = hand("JC 5C", "2D 4D", "6H", "")
    go(state, "0:flip 1:flip T:burn:2 T:burn:1")
    assert facts(state)["winning"] == 0
    go(state, "T:close")
    assert zone(state, "won:0").count - len(hand("JC 5C", "2D 4D", "6H", "").won[0]) == 4


# Stage 1


def test_the_player_at_the_dealers_left_leads_the_first_hand():
    assert all_fold(deal(4, dealer=1)).to_move() == (2,)


def test_won_hands_are_put_aside_and_public_as_counts():
    state = hand("JC 5C", "2D 4D")
    before = zone(state, "won:0").count
    go(state, "0:flip 1:flip T:close")
    assert zone(state, "won:0").count == before + 2
    assert zone(state, "won:0", 0).cards is None
    assert zone(state, "stack:0").count == 1


def test_stage_1_ends_when_no_face_down_cards_are_left_and_the_last_hand_is_won():
    state = hand("2C", "3D")
    go(state, "0:flip 1:flip")
    assert state.phase == "stage1"
    events = go(state, "T:close")
    assert state.phase == "choose"
    assert kinds(events) == ["collect", "fan", "fan", "power"]


def test_each_side_puts_its_won_cards_together_as_its_fan_open_to_everyone():
    state = hand("2C", "3D", "", "")
    state.won = [(CARDS["KS"],), (CARDS["AC"], CARDS["4H"]), (CARDS["9C"],), (CARDS["5D"],)]
    go(state, "0:flip 1:flip T:close")
    for seat in (None, 0, 1, 2, 3):
        assert zone(state, "fan:0", seat).cards == ["9C", "KS"]
        assert zone(state, "fan:1", seat).cards == ["AC", "2C", "3D", "5D", "4H"]
    assert [zone(state, f"won:{seat}").count for seat in range(4)] == [0] * 4


def test_1_point_a_card_the_queen_of_spades_7_58_in_all():
    state = stage1_ending(38, 17)
    go(state, "0:flip T:close")
    assert facts(state)["stage1"] == [38, 20]
    assert zone(state, "fan:0").count == 32
    assert [seat.points for seat in state.view(None).seats] == [38, 20]


# Choosing Power


@pytest.mark.parametrize(
    ("points", "bet", "power"),
    [(38, 17, 0), (37, 17, 1), (38, 18, 0), (38, 19, 1), (29, 1, 1), (28, 1, 1), (30, 2, 0)],
)
def test_choosing_power_goes_to_the_betting_side_if_it_won_by_at_least_the_bet_else_to_the_other(points, bet, power):
    state = stage1_ending(points, bet)
    go(state, "0:flip T:close")
    assert facts(state)["stage1"] == [points, 58 - points]
    assert facts(state)["power"] == power
    assert state.to_move() == (power,)


def test_the_bet_is_a_promise_of_the_bettors_side_whichever_it_is():
    state = stage1_ending(38, 17)
    state.bets, state.bettor = ((), (17,)), 1
    go(state, "0:flip T:close")
    assert facts(state)["power"] == 0  # the bettor's side lost
    state = stage1_ending(20, 17)
    state.bets, state.bettor = ((), (17,)), 1
    go(state, "0:flip T:close")
    assert facts(state)["power"] == 1


def test_the_side_with_choosing_power_picks_which_fan_it_plays_with():
    own, other = stage1_ending(38, 17), stage1_ending(38, 17)
    go(own, "0:flip T:close")
    assert list(own.legal_moves(0)) == ["fan:own", "fan:other"]
    assert refused(own, 1, "fan:own") == "It's not your turn."
    fans = [zone(own, "fan:0").cards, zone(own, "fan:1").cards]
    go(own, "0:fan:own")
    assert [zone(own, "fan:0").cards, zone(own, "fan:1").cards] == fans
    go(other, "0:flip T:close 0:fan:other")
    assert [zone(other, "fan:0").cards, zone(other, "fan:1").cards] == fans[::-1]


def test_it_takes_as_many_cards_of_its_choice_as_the_other_side_has_players():
    state = stage1_ending(38, 17, seats=6)
    go(state, "0:flip T:close 0:fan:own")
    assert state.phase == "take"
    theirs = list(zone(state, "fan:1").cards)
    assert list(state.legal_moves(0)) == [f"take:{code}" for code in theirs]
    assert "The other team's fan doesn't have the" in refused(state, 0, f"take:{zone(state, 'fan:0').cards[0]}")
    events = go(state, " ".join(f"0:take:{code}" for code in theirs[:3]))
    assert state.phase == "dealers"
    assert zone(state, "fan:0").count == 32 + 3
    assert zone(state, "fan:1").count == 20 - 3
    assert events[0].data == {"card": theirs[0], "cards": [theirs[0]], "source": "fan:1", "target": "fan:0"}


def test_cards_taken_join_the_fan_in_sight_of_all():
    state = stage1_ending(38, 17, seats=6)
    go(state, "0:flip T:close 0:fan:own")
    code = zone(state, "fan:1").cards[-1]
    go(state, f"0:take:{code}")
    assert code in zone(state, "fan:0").cards
    assert zone(state, "fan:0").cards == sorted(zone(state, "fan:0").cards, key=PACK.index)


def test_all_of_them_are_taken_if_there_are_fewer_and_a_side_with_all_52_cards_has_won_at_once():
    state = hand(*["2C", *[""] * 5])
    rest = [card for card in range(52) if card not in (CARDS["2C"], CARDS["5H"], CARDS["6H"])]
    state.won = [tuple(rest), (CARDS["5H"], CARDS["6H"]), (), (), (), ()]
    go(state, "0:flip T:close 0:fan:own")
    assert state.to_take == 2
    number = state.chance.number
    go(state, "0:take:5H")
    assert state.phase == "take"
    assert list(state.legal_moves(0)) == ["take:6H"]  # a forced card is a move, too
    events = go(state, "0:take:6H")
    assert state.outcome().reason == "all_cards"
    assert state.outcome().ranking == ((0, 2, 4), (1, 3, 5))
    assert state.chance.number == number
    assert "shuffle" not in kinds(events)
    assert zone(state, "fan:0").count == 52


def test_a_side_that_keeps_a_fan_of_all_52_cards_has_won_without_taking():
    state = hand("2C", "")
    go(state, "0:flip T:close")
    assert facts(state)["stage1"] == [58, 0]
    go(state, "0:fan:own")
    assert state.phase == "over"
    assert state.outcome().reason == "all_cards"
    assert state.outcome().points == (58, 0)


def test_a_side_decides_through_its_captain_the_member_with_the_highest_bet():
    state = stage1_ending(38, 17, seats=6)
    state.bets, state.bettor = ((3,), (5, 16), (9, 17), (12,), (4,), ()), 2
    go(state, "0:flip T:close")
    assert facts(state)["captains"] == [2, 1]
    assert state.to_move() == (2,)


def test_if_none_of_them_bet_the_captain_is_the_first_from_the_dealers_left():
    state = hand(*["2C", *[""] * 5])
    state.dealer = 2
    state.bets, state.bettor = ((), (), (), (), (), ()), 3
    state.bets = ((), (), (), (1,), (), ())
    go(state, "0:flip T:close")
    assert facts(state)["captains"] == [4, 3]


def test_captains_power_and_points_are_facts_from_the_choice_on():
    state = stage1_ending(38, 17)
    assert (facts(state)["captains"], facts(state)["power"], facts(state)["stage1"]) == (None, None, None)
    go(state, "0:flip T:close")
    assert (facts(state)["captains"], facts(state)["power"], facts(state)["stage1"]) == ([0, 1], 0, [38, 20])


def stage1_over(seats: int) -> ArmaniState:
    """Before the dealers are named (or, with two players, in Stage 2): side 0 has Choosing Power."""
    state = stage1_ending(38, 17, seats)
    go(state, "0:flip T:close 0:fan:own")
    while state.phase == "take":
        go(state, f"0:{state.legal_moves(0)[0]}")
    return state


def test_each_sides_cards_are_shuffled_face_down_side_0_then_side_1_from_pack_order():
    state = stage1_ending(38, 17, seats=4)
    go(state, "0:flip T:close 0:fan:own")
    number = state.chance.number
    go(state, f"0:{state.legal_moves(0)[0]}")
    moves = state.legal_moves(0)
    fans = [list(fan) for fan in state.fans]
    fans[0] = sorted([*fans[0], CARDS[moves[0][5:]]])
    fans[1].remove(CARDS[moves[0][5:]])
    go(state, f"0:{moves[0]}")
    chance = state.chance.copy()
    chance.number = number
    for fan in fans:
        chance.shuffle(fan)
    assert [list(fan) for fan in state.fans] == fans
    assert state.chance.number == number + 2
    for seat in (None, 0, 1):
        assert [
            (zone(state, f"fan:{side}", seat).count, zone(state, f"fan:{side}", seat).cards) for side in (0, 1)
        ] == [
            (34, None),
            (18, None),
        ]


def test_the_side_without_choosing_power_names_a_dealer_for_each_side_out_of_that_side():
    state = stage1_over(6)
    assert state.phase == "dealers"
    assert state.to_move() == (1,)
    assert list(state.legal_moves(1)) == ["dealer:0", "dealer:2", "dealer:4"]
    assert "on the team that gets the cards" in refused(state, 1, "dealer:3")
    go(state, "1:dealer:2")
    assert list(state.legal_moves(1)) == ["dealer:1", "dealer:3", "dealer:5"]
    assert facts(state)["dealers"] == [2]
    go(state, "1:dealer:5")
    assert state.phase == "stage2"


def test_each_sides_cards_are_dealt_to_its_own_members_beginning_left_of_that_dealer():
    state = stage1_over(6)
    fans = state.fans
    go(state, "1:dealer:2 1:dealer:5")
    for side, order in enumerate(((4, 0, 2), (1, 3, 5))):
        for at, seat in enumerate(order):
            assert state.stacks[seat] == list(fans[side][at::3])
    assert [zone(state, f"fan:{side}").count for side in (0, 1)] == [0, 0]


def test_with_2_players_no_dealer_is_named():
    state = stage1_over(2)
    assert state.phase == "stage2"
    assert [zone(state, f"stack:{seat}").count for seat in (0, 1)] == [33, 19]


# Stage 2


def test_the_player_at_the_original_dealers_left_leads_stage_2():
    state = stage1_over(6)
    go(state, "1:dealer:2 1:dealer:5")
    assert state.to_move() == (0,)


def test_if_that_player_has_no_cards_the_next_with_cards_leads_stage_2():
    state = hand(*["2C", *[""] * 5])
    state.won = [(CARDS["5H"],), tuple(card for card in range(52) if card not in (CARDS["2C"], CARDS["5H"])), *[()] * 4]
    go(state, "0:flip T:close 1:fan:own 1:take:2C")
    assert state.outcome() is None
    go(state, "1:take:5H")
    assert state.outcome().reason == "all_cards"
    state = stage1_over(4)
    state.fans = (decode(["2C"]), tuple(card for card in range(52) if card != CARDS["2C"]))
    go(state, "1:dealer:0 1:dealer:1")
    assert zone(state, "stack:0").count == 0
    assert state.to_move() == (1,)


def test_a_won_hand_is_turned_over_and_put_under_the_winners_own_stack_order_kept():
    state = hand2("2C 5C", "JD 4D 6D", "7H 3H", "9S 8S")
    go(state, "0:flip 1:flip 2:slap 2:flip")  # 7H burned; 3H isn't a face card
    assert zone(state, "pile").cards == ["7H", "2C", "JD", "3H"]
    go(state, "T:close")
    assert encode(state.stacks[1][::-1]) == ["4D", "6D", "7H", "2C", "JD", "3H"]
    assert [zone(state, f"won:{seat}").count for seat in range(4)][1:] == [0, 0, 0]
    assert state.to_move() == (1,)


def test_a_slapper_without_cards_leads_in_stage_2_with_the_cards_just_won():
    state = hand2("2C 5C", "2D 4D", "", "9S 8S")
    go(state, "0:flip 1:flip 2:slap")
    assert encode(state.stacks[2][::-1]) == ["2C", "2D"]
    assert state.to_move() == (2,)


def test_the_match_ends_when_one_side_holds_all_52_cards_once_a_hand_has_been_collected():
    state = hand2("JC 3C", "2D", "6H", "", rest=0)
    go(state, "0:flip 1:flip")
    assert state.phase == "stage2"
    events = go(state, "T:close")
    assert state.outcome().reason == "all_cards"
    assert state.outcome().ranking == ((0, 2), (1, 3))
    assert state.returns() == (1, -1, 1, -1)
    assert [seat.place for seat in state.view(None).seats] == [1, 2, 1, 2]
    assert kinds(events)[-1] == "over"
    assert state.to_move() == ()
    assert refused(state, 0, "flip") == "The match is over."


def test_a_slap_can_bring_all_52_cards():
    state = hand2("2C 3C", "2D", "", "", rest=0)
    go(state, "0:flip 1:flip 2:slap")
    assert state.outcome().reason == "all_cards"
    assert state.outcome().ranking[0] == (0, 2)


def test_the_match_ends_when_the_last_card_rule_wins_a_hand():
    state = hand2("2C", "3D 5D", "", "", rest=1)
    go(state, "0:flip 1:flip")
    assert state.outcome() is None  # a slap could still come
    go(state, "T:close")
    assert state.outcome().reason == "last_card"
    assert state.outcome().ranking == ((1, 3), (0, 2))
    assert [zone(state, f"stack:{seat}").count for seat in range(4)] == [0, 52, 0, 0]


def test_a_slap_on_the_last_card_keeps_the_match_going():
    state = hand2("3C", "3D 5D", "", "", rest=1)
    go(state, "0:flip 1:flip 0:slap")
    assert state.outcome() is None
    assert encode(state.stacks[0][::-1]) == ["3C", "3D"]
    assert state.to_move() == (0,)


def test_the_final_lap_begins_when_the_bound_is_reached_and_the_face_up_stack_is_empty():
    state = hand("2C 5C", "3D 4D")
    go(state, "0:flip 1:flip")
    assert (facts(state)["flips"], facts(state)["flips2"]) == (2, 0)
    state = hand2("2C 5C 8C", "JD 4D 6D", "7H 3H TH", "9S 8S KD", stage2_flips=2)
    go(state, "0:flip 1:flip")
    assert facts(state)["flips2"] == 2
    assert facts(state)["final_lap"] is False
    go(state, "2:flip")
    events = go(state, "T:close")
    assert facts(state)["flips2"] == 3
    assert facts(state)["final_lap"] is True
    assert zone(state, "stack:1").count == 2 + 3  # the current hand was still won under the stack
    assert "final_lap" in kinds(events)


def test_the_final_lap_does_not_begin_before_the_bound():
    state = hand2("2C 5C", "JD 4D 6D", "7H 3H", "9S 8S", stage2_flips=4)
    go(state, "0:flip 1:flip 2:flip T:close")
    assert facts(state)["final_lap"] is False


def test_stage2_flips_0_means_2600():
    for flips, lap in ((2596, False), (2597, True)):
        state = hand2("2C 5C", "JD 4D 6D", "7H 3H", "9S 8S", stage2_flips=0)
        state.flips2 = flips
        go(state, "0:flip 1:flip 2:flip T:close")
        assert facts(state)["final_lap"] is lap


def test_the_default_limit_is_208_flips_live_and_104_turn_based():
    (option,) = (option for option in RULES.options if option.name == "stage2_flips")
    assert (option.default, option.by_mail) == (208, 104)
    assert facts(deal(2))["options"]["stage2_flips"] == 208


def lap(*stacks: str, won: tuple[str, ...] = ()) -> ArmaniState:
    """The final lap with these stacks and cards set aside."""
    state = hand2(*stacks, stage2_flips=1)
    state.flips2 = 1
    state.final_lap = True
    aside = [decode(cards.split()) for cards in won]
    held = {card for group in (*state.stacks, *aside) for card in group}
    state.won = [tuple(cards) for cards in aside] + [()] * (len(stacks) - len(aside))
    state.won[0] += tuple(card for card in range(52) if card not in held)
    return state


def test_in_the_final_lap_won_hands_are_laid_aside():
    state = lap("2C 5C", "JD 4D 6D", "7H 3H", "9S 8S")
    go(state, "0:flip 1:flip 2:flip T:close")
    assert zone(state, "won:1").count == 3
    assert zone(state, "stack:1").count == 2
    assert zone(state, "won:1", 1).cards is None


def test_in_the_final_lap_a_last_card_hand_and_the_rest_are_laid_aside_and_only_the_count_decides():
    state = lap("2C", "3D 5D 7D", won=("", ""))
    go(state, "0:flip 1:flip")
    assert facts(state)["winning_by"] == "last_card"
    events = go(state, "T:close")
    assert zone(state, "won:1").count == 4
    assert state.outcome().reason == "final_lap"
    assert state.outcome().ranking == ((0,), (1,))
    assert facts(state)["final"] == [54, 4]
    assert "count" in kinds(events)


def test_in_the_final_lap_all_cards_with_one_side_end_nothing():
    state = lap("JC 5C", "2D", "", "")
    go(state, "0:flip 1:flip T:close")
    assert state.outcome() is None
    assert state.to_move() == (0,)


def final_count(queen_with: int, cards_of_side_1: int) -> ArmaniState:
    """The final lap has ended: the queen of spades with one side, so many other cards with side 1."""
    state = lap("2C", "")
    others = [card for card in range(52) if card not in (CARDS["2C"], CARDS["QS"])]
    cut = len(others) - cards_of_side_1
    won = [others[:cut], others[cut:]]
    won[queen_with].append(CARDS["QS"])
    state.won = [tuple(cards) for cards in won]
    go(state, "0:flip T:close")
    return state


def test_the_higher_total_of_the_final_lap_wins_1_a_card_the_queen_of_spades_7():
    state = final_count(queen_with=1, cards_of_side_1=23)
    assert facts(state)["final"] == [28, 30]
    assert state.outcome().ranking == ((1,), (0,))
    state = final_count(queen_with=0, cards_of_side_1=28)
    assert facts(state)["final"] == [30, 28]
    assert state.outcome().ranking == ((0,), (1,))


@pytest.mark.parametrize(("queen_with", "cards"), [(1, 22), (0, 29)])
def test_29_to_29_goes_to_the_side_that_holds_the_queen_of_spades(queen_with, cards):
    state = final_count(queen_with, cards)
    assert facts(state)["final"] == [29, 29]
    assert state.outcome().ranking[0] == (queen_with,)


def test_points_are_the_stage_1_points_of_the_side():
    state = hand2("JC 3C", "2D", "6H", "", rest=0)
    go(state, "0:flip 1:flip T:close")
    assert state.outcome().points == (30, 28, 30, 28)


# What a player may see, and the laws on this game


def random_match(seed: int, seats: int, rng: Random, **options):
    """Yields every state of a random match with slaps and burns, and the events of the move that led to it."""
    state = RULES.deal(seats, options, f"{seed:032x}")
    yield state, []
    while state.to_move():
        slappers = [seat for seat in range(seats) if "slap" in state.legal_moves(seat)]
        burns = [move for move in state.legal_moves(TABLE) if move.startswith("burn")]
        if slappers and rng.random() < 0.15:
            seat, move = rng.choice(slappers), "slap"
        elif burns and rng.random() < 0.05:
            seat, move = TABLE, rng.choice(burns)
        else:
            seat = state.to_move()[0]
            move = "close" if seat == TABLE else rng.choice([m for m in state.legal_moves(seat) if m != "slap"])
        events: list[Event] = []
        state.apply(seat, move, events.append)
        yield state, events


@pytest.mark.parametrize("seats", range(2, 9))
def test_counts_of_all_zones_add_up_to_52_in_every_phase_and_won_is_0_from_the_choice_to_the_final_lap(seats):
    phases = set()
    for state, _events in random_match(seats, seats, Random(seats), stage2_flips=60):
        view = state.view(None)
        phases.add(view.phase)
        assert sum(zone.count for zone in view.zones) == 52
        if view.phase in ("choose", "take", "dealers", "stage2") and not view.facts["final_lap"]:
            assert sum(view.zone(f"won:{seat}").count for seat in range(seats)) == 0
    assert {"bets", "stage1", "choose", "take", "stage2", "over"} <= phases


@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_every_event_can_be_said(seats):
    names = [f"Player {seat}" for seat in range(seats)]
    for _state, events in random_match(seats + 20, seats, Random(seats), stage2_flips=30):
        for event in events:
            sentence = RULES.say(event, names)
            assert sentence[-1] in ".:"
            assert "{" not in sentence
            json.dumps(event.data)


def test_sentences_name_the_players_and_the_cards():
    names = ["Ann", "Bob"]
    state = hand("JC 5C", "2D 4D")
    said = [RULES.say(event, names) for event in go(state, "0:flip 1:flip 1:slap T:close")]
    assert said[:3] == [
        "Ann plays the jack of clubs.",
        "Bob has one chance to answer Ann with a face card.",
        "Bob plays the 2 of diamonds.",
    ]
    assert said[-2:] == ["Ann collects 3 cards.", "Ann leads."]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Event("fan", None, {"seats": [0], "cards": ["2C"], "points": 1}), "You: one card. Points in Stage 1: 1."),
        (Event("fan", None, {"seats": [1], "cards": ["2C"], "points": 1}), "Bob: one card. Points in Stage 1: 1."),
        (Event("over", None, {"seats": [0], "reason": "all_cards"}), "All 52 cards: the match goes to you."),
        (Event("over", None, {"seats": [1], "reason": "all_cards"}), "All 52 cards: the match goes to Bob."),
        (
            Event("over", None, {"seats": [0, 1], "reason": "all_cards"}),
            "All 52 cards: the match goes to Ann (you), Bob.",
        ),
    ],
)
def test_a_team_of_one_is_the_reader(event, said):
    assert RULES.say(event, names_for(["Ann", "Bob"], 0)) == said


@pytest.mark.parametrize("seats", [2, 3, 4, 7])
def test_determinize_shows_the_same_view_and_plays_on_to_the_end(seats):
    rng = Random(seats)
    for number, (state, _events) in enumerate(random_match(seats, seats, rng, stage2_flips=40)):
        if number % 9:
            continue
        for seat in (None, 0, seats - 1):
            view = View.from_json(json.loads(json.dumps(state.view(seat).to_json())))
            guess = RULES.determinize(view, rng)
            assert guess.view(seat).to_json() == view.to_json()
            zones = [*guess.stacks, guess.pile, *guess.won, *guess.fans]
            assert sorted(card for cards in zones for card in cards) == list(range(52))
        while guess.to_move():
            mover = guess.to_move()[0]
            guess.apply(mover, guess.default_move(mover))
        assert guess.outcome() is not None


def test_determinize_keeps_the_seats_drawn_card_in_its_own_stack_while_nothing_is_won():
    state = all_fold(deal(4))
    card = CARDS[facts(state, 2)["own_draw"][-1]]
    for number in range(30):
        guess = RULES.determinize(state.view(2), Random(number))
        assert card in guess.stacks[2]
    places = {RULES.determinize(state.view(2), Random(number)).stacks[2].index(card) for number in range(30)}
    assert len(places) > 5


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_hidden_facts_change_nothing_that_a_seat_is_shown(seats):
    """Non-interference: another state with the same view gives the same events until a hidden card is shown."""
    rng = Random(seats)
    for number, (state, _events) in enumerate(random_match(seats + 5, seats, rng, stage2_flips=40)):
        if number % 5 or not state.to_move():
            continue
        seat = rng.randrange(seats)
        twin = RULES.determinize(state.view(seat), rng)
        assert [list(twin.legal_moves(at)) for at in range(-1, seats)] == [
            list(state.legal_moves(at)) for at in range(-1, seats)
        ]
        if "slap" in state.legal_moves(seat):
            verdicts: list[list[Event]] = [[], []]
            for one, told in zip((state.copy(), twin.copy()), verdicts, strict=True):
                one.apply(seat, "slap", told.append)
            assert verdicts[0][0] == verdicts[1][0]
        for move in ("bet:0", "take:2C", "fold", "slap", "close"):
            if move not in state.legal_moves(seat):
                assert refused(state, seat, move) == refused(twin, seat, move)


def test_a_copy_shares_nothing_and_a_snapshot_restores_the_state():
    for state, _events in random_match(3, 4, Random(3), stage2_flips=40):
        copy = state.copy()
        before = freeze(state)
        assert freeze(copy) == before
        assert freeze(thaw(RULES.state_type, json.loads(json.dumps(before)))) == before
        if copy.to_move():
            mover = copy.to_move()[0]
            copy.apply(mover, copy.default_move(mover))
            for slapper in range(4):
                if "slap" in copy.legal_moves(slapper):
                    copy.apply(slapper, "slap")
            assert freeze(state) == before


def test_a_match_replays_from_its_record():
    rng = Random(11)
    state = deal(4, dealer=None)
    entries, views = [], [state.view(0).to_json()]
    while state.to_move():
        seat = state.to_move()[0]
        move = "close" if seat == TABLE else rng.choice(state.legal_moves(seat))
        state.apply(seat, move)
        entries.append([seat, move])
        views.append(state.view(0).to_json())
    record = {"slug": "armani", "version": 1, "seats": 4, "options": {}, "seed": SEED, "entries": entries}
    assert [again.view(0).to_json() for again in replay(json.loads(json.dumps(record)))] == views


@pytest.mark.parametrize("seats", [2, 5, 8])
def test_any_other_string_is_refused_and_every_default_is_legal(seats):
    readable = [
        *(f"bet:{points}" for points in (1, 7, 58)),
        *("fold", "flip", "slap", "close", "fan:own", "fan:other", "dealer:0", "dealer:7", "burn:0", "burn:7"),
        *("take:QS", "take:2C"),
        *("", " ", "FLIP", "flip ", "take:RJ", "take:", "fan:mine", "burn:8", "burn:-1", "dealer:8", "pass"),
    ]
    for number, (state, _events) in enumerate(random_match(seats, seats, Random(seats), stage2_flips=20)):
        for mover in state.to_move():
            assert state.default_move(mover) in state.legal_moves(mover)
        if number % 11:
            continue
        before = freeze(state)
        for seat in (TABLE, *range(seats), seats, -2):
            for move in readable:
                if move in state.legal_moves(seat):
                    state.check(seat, move)
                else:
                    refused(state, seat, move, before)


def test_moves_that_are_no_strings_and_seats_that_are_none_are_refused():
    state = hand("2C", "3D")
    for seat, move in ((0, None), (0, 3), (0, ["flip"]), (None, "flip"), ("0", "flip"), (True, "flip"), (9, "flip")):
        refused(state, seat, move)


def test_unreadable_illegal_and_out_of_turn_read_differently():
    state = hand("2C 4C", "3D 5D")
    reasons = [
        refused(state, 0, "jump"),
        refused(state, 0, "slap"),
        refused(state, 1, "flip"),
        refused(state, 0, "fold"),
    ]
    assert len(set(reasons)) == 4


def test_a_seat_that_is_not_awaited_has_no_default_move():
    state = hand("2C 4C", "3D 5D")
    for seat in (1, TABLE, 7):
        with pytest.raises(IllegalMove):
            state.default_move(seat)


def test_every_move_is_public():
    state = hand("2C 4C", "3D 5D")
    assert state.public_move(0, "flip") == "flip"


def test_a_match_of_random_players_ends_within_its_bound():
    for seats in range(2, 9):
        for seed in range(3):
            states = [state for state, _events in random_match(seed, seats, Random(seed), stage2_flips=50, lockout=0)]
            assert len(states) <= (seats + 2) * (50 + 155) + 80
            assert states[-1].outcome() is not None
