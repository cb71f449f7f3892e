"""The sentences of the rules of Basic Rummy, one test each."""

import json
from collections import Counter
from random import Random

import pytest

from games.engine import BadOptions, Chance, Event, IllegalMove, View, freeze, thaw
from games.engine.cards import CARDS, CODES, RANK
from games.rules.basic_rummy import RULES, BasicRummyState

SEED = "00112233445566778899aabbccddeeff"
PACK = list(CODES[:52])
#: A hand that goes out in one turn with any additional card: a run of four, a run of three, a set.
OUT = "AC 2C 3C 4C 5D 6D 7D 9C 9H 9S"
OUT_MOVES = ("meld:AC2C3C4C", "meld:5D6D7D", "meld:9C9H9S")


def deal(*hands: str, up: str = "", stock: str = "", **options) -> BasicRummyState:
    """A first deal with these hands by seat, completed from the rest of the pack; seat 0 begins."""
    size = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}[len(hands)]
    given = [hand.split() for hand in hands]
    named = {card for hand in given for card in hand} | set(up.split()) | set(stock.split())
    # Cards three ranks apart in alternating suits make no melds.
    spread = [CODES[13 * (n % 4) + 3 * n % 13] for n in range(52)]
    rest = [card for card in spread if card not in named]
    full = [[*hand, *(rest.pop() for _ in range(size - len(hand)))] for hand in given]
    dealt = [hand[n] for n in range(size) for hand in full]
    deck = [*dealt, up or rest.pop(), *stock.split()]
    deck += [card for card in rest if card not in deck]
    return RULES.deal(len(hands), options, SEED, deck=deck, dealer=len(hands) - 1)


def play(state: BasicRummyState, *moves: str) -> list[Event]:
    """Let the seat in turn make each move; returns the events in order."""
    events: list[Event] = []
    for move in moves:
        (seat,) = state.to_move()
        state.apply(seat, move, events.append)
    return events


def refused(state: BasicRummyState, move: str, *words: str, seat: int | None = None) -> None:
    """Check that ``move`` is illegal, ``check`` and ``apply`` give this reason, and nothing changes."""
    who = state.to_move()[0] if seat is None else seat
    before = freeze(state)
    assert move not in state.legal_moves(who)
    with pytest.raises(IllegalMove) as checked:
        state.check(who, move)
    with pytest.raises(IllegalMove) as applied:
        state.apply(who, move)
    assert str(checked.value) == str(applied.value)
    for word in words:
        assert word in str(checked.value)
    assert freeze(state) == before


def cards(state: BasicRummyState, zone: str, seat: int | None = None) -> list[str | None]:
    """The cards of a zone that ``seat`` sees."""
    return list(state.view(seat).zone(zone).cards or [])


def fact(state: BasicRummyState, name: str) -> object:
    return state.view(None).facts[name]


def idle(state: BasicRummyState) -> list[Event]:
    """A turn that draws from the stock and discards the card drawn."""
    events = play(state, "draw:stock")
    (drawn,) = (event.data["cards"][0] for event in events if event.kind == "drawn")
    return events + play(state, f"discard:{drawn}")


def throw(state: BasicRummyState) -> list[Event]:
    """Discard the first legal card."""
    (seat,) = state.to_move()
    return play(state, next(move for move in state.legal_moves(seat) if move.startswith("discard")))


def idle_until(state: BasicRummyState, seat: int) -> None:
    while state.to_move() != (seat,):
        idle(state)


# The cards and the deal


def test_one_52_card_pack():
    state = RULES.deal(4, {}, SEED)
    everything = [code for owner in range(4) for code in cards(state, f"hand:{owner}", owner)]
    everything += cards(state, "discard")
    assert len(everything) + state.view(None).zone("stock").count == 52
    assert set(everything) <= set(PACK)


def test_ace_is_low_never_high():
    state = deal("AS QS KS AC 2C 3C", "")
    play(state, "draw:stock")
    refused(state, "meld:QSKSAS", "ace is low")
    assert "meld:AC2C3C" in state.legal_moves(0)
    refused(state, "meld:KSASQS")


def test_an_ace_is_not_added_to_a_king():
    state = deal("JS QS KS AS 2S", "")
    play(state, "draw:stock", "meld:JSQSKS")
    refused(state, "lay:AS@1", "doesn't fit")


@pytest.mark.parametrize(("seats", "size"), [(2, 10), (3, 7), (4, 7), (5, 6), (6, 6)])
def test_two_players_get_10_cards_three_and_four_7_five_and_six_6(seats, size):
    state = RULES.deal(seats, {}, SEED)
    assert [state.view(None).zone(f"hand:{seat}").count for seat in range(seats)] == [size] * seats
    assert state.view(None).zone("stock").count == 52 - seats * size - 1


def test_one_card_face_up_begins_the_discard_pile():
    assert cards(RULES.deal(3, {}, SEED), "discard") != [None]
    state = RULES.deal(3, {}, SEED, deck=PACK, dealer=0)
    assert cards(state, "discard") == [PACK[21]]


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left_and_the_next_is_on_top_of_the_stock():
    state = RULES.deal(3, {}, SEED, deck=PACK, dealer=0)
    assert cards(state, "hand:1", 1) == sorted(PACK[0:21:3], key=CARDS.__getitem__)
    assert cards(state, "hand:2", 2) == sorted(PACK[1:21:3], key=CARDS.__getitem__)
    events = play(state, "draw:stock")
    assert events[1].data["cards"] == [PACK[22]]


@pytest.mark.parametrize("dealer", range(4))
def test_left_of_the_dealer_begins(dealer):
    state = RULES.deal(4, {}, SEED, dealer=dealer)
    assert state.to_move() == ((dealer + 1) % 4,)
    assert fact(state, "dealer") == dealer


def test_dealer_is_chance_0_and_the_shuffle_chance_1():
    chance = Chance(bytes.fromhex(SEED))
    dealer = chance.below(5)
    pack = list(range(52))
    chance.shuffle(pack)
    state = RULES.deal(5, {}, SEED)
    assert fact(state, "dealer") == dealer
    first = (dealer + 1) % 5
    assert cards(state, f"hand:{first}", first) == [CODES[card] for card in sorted(pack[0:30:5])]
    assert cards(state, "discard") == [CODES[pack[30]]]


# A turn


def test_a_turn_begins_with_a_draw():
    state = deal("AC 2C 3C", "")
    assert sorted(state.legal_moves(0)) == ["draw:discard", "draw:stock"]
    refused(state, "meld:AC2C3C", "draw")
    refused(state, "discard:AC", "draw")
    refused(state, "lay:AC@1", "draw")


def test_one_card_is_drawn_from_the_stock_or_the_discard_pile():
    state = deal("", "", up="KD", stock="7H")
    other = state.copy()
    play(state, "draw:stock")
    assert "7H" in cards(state, "hand:0", 0)
    play(other, "draw:discard")
    assert "KD" in cards(other, "hand:0", 0)
    assert cards(other, "discard") == []
    refused(state, "draw:discard", "drawn")
    refused(other, "draw:stock", "drawn")


def test_the_top_of_the_discard_pile_is_drawn():
    state = deal("QH", "", up="KD")
    play(state, "draw:stock", "discard:QH", "draw:discard")
    assert "QH" in cards(state, "hand:1", 1)
    assert cards(state, "discard") == ["KD"]


def test_only_the_seat_in_turn_may_move():
    state = deal("", "", "")
    refused(state, "draw:stock", "turn", seat=1)
    assert state.legal_moves(1) == []
    for seat in (-1, 3, 99):
        refused(state, "draw:stock", seat=seat)


def test_unreadable_illegal_and_untimely_moves_are_refused_in_different_words():
    state = deal("", "")
    said = set()
    for seat, move in ((0, "hello"), (1, "draw:stock"), (0, "discard:AC")):
        with pytest.raises(IllegalMove) as refusal:
            state.check(seat, move)
        said.add(str(refusal.value))
    assert len(said) == 3


@pytest.mark.parametrize(
    "move",
    ["", "draw", "draw:", "take:1", "pass", "meld:", "meld:3", "meld:ZZ", "lay:6S", "lay:6S@", "lay:6S@0", "lay:6S@01",
     "lay:6S@1 ", "lay:6S@²", "discard:", "discard:KHKH", "discard:XX", "DRAW:STOCK", "meld:" + "AC" * 500, 7, None],
)  # fmt: skip
def test_nonsense_is_refused(move):
    state = deal("", "")
    for _ in range(2):
        with pytest.raises(IllegalMove, match="not a move in Basic Rummy"):
            state.apply(0, move)
        if state.phase == "draw":
            play(state, "draw:stock")


# Melds


def test_a_set_is_three_or_four_cards_of_a_rank():
    state = deal("7C 7D 7H 7S 9C 9D", "")
    play(state, "draw:stock")
    sets = {move for move in state.legal_moves(0) if move.startswith("meld:7")}
    assert sets == {"meld:7C7D7H", "meld:7C7D7S", "meld:7C7H7S", "meld:7D7H7S", "meld:7C7D7H7S"}
    refused(state, "meld:9C9D")
    refused(state, "meld:9C9D9H", "don't have", "the 9 of hearts")


def test_a_run_is_three_or_more_of_a_suit_in_sequence():
    state = deal("3S 4S 5S 6S 8S 7D KC KD QH JD", "", stock="2H")
    play(state, "draw:stock")
    runs = {move for move in state.legal_moves(0) if move.startswith("meld:")}
    assert runs == {"meld:3S4S5S", "meld:4S5S6S", "meld:3S4S5S6S"}
    refused(state, "meld:5S6S7D")
    refused(state, "meld:5S6S8S")


def test_a_run_may_be_as_long_as_the_hand():
    state = deal("AH 2H 3H 4H 5H 6H 7H 8H 9H TH", "", stock="JH")
    play(state, "draw:stock", "meld:AH2H3H4H5H6H7H8H9HTHJH")
    assert fact(state, "deal") == 2


@pytest.mark.parametrize("move", ["meld:5S4S3S", "meld:4S3S5S", "meld:7D7C7H", "meld:7C7C7D", "meld:7C7D7H7S7S"])
def test_each_meld_has_one_spelling(move):
    state = deal("3S 4S 5S 7C 7D 7H", "")
    play(state, "draw:stock")
    refused(state, move)


def test_at_most_one_new_meld_a_turn():
    state = deal("3S 4S 5S 7C 7D 7H KC QD JH", "")
    play(state, "draw:stock", "meld:3S4S5S")
    refused(state, "meld:7C7D7H", "second meld")
    assert not [move for move in state.legal_moves(0) if move.startswith("meld")]


def test_melding_is_never_compulsory():
    state = deal("3S 4S 5S", "")
    play(state, "draw:stock", "discard:3S")
    assert state.to_move() == (1,)


def test_everyone_sees_the_melds_on_the_table():
    state = deal("3S 4S 5S", "")
    play(state, "draw:stock", "meld:3S4S5S")
    assert cards(state, "meld:1") == ["3S", "4S", "5S"]
    assert state.view(None).zone("meld:1").owner == 0
    (meld,) = fact(state, "melds")
    assert (meld["n"], meld["kind"], meld["by"]) == (1, "run", 0)
    assert fact(state, "laid") == [0]
    assert fact(state, "melded") is True
    assert not set(cards(state, "hand:0", 0)) & {"3S", "4S", "5S"}


# Lay-offs


def test_cards_may_be_added_to_any_meld_yours_or_anothers():
    state = deal("3S 4S 5S 6S", "7S 2S")
    play(state, "draw:stock", "meld:3S4S5S", "lay:6S@1")
    throw(state)
    play(state, "draw:stock", "lay:7S@1")
    assert cards(state, "meld:1") == ["3S", "4S", "5S", "6S", "7S"]
    assert fact(state, "laid") == [0, 1]


def test_any_number_of_lay_offs_a_turn_at_either_end_of_a_run():
    state = deal("4S 5S 6S", "2S 3S 7S 8S")
    play(state, "draw:stock", "meld:4S5S6S")
    throw(state)
    play(state, "draw:stock", "lay:3S@1", "lay:7S@1", "lay:8S@1", "lay:2S@1")
    assert cards(state, "meld:1") == ["2S", "3S", "4S", "5S", "6S", "7S", "8S"]
    assert fact(state, "melded") is False


def test_the_fourth_card_of_a_set_may_be_laid():
    state = deal("7C 7D 7S", "7H KH")
    play(state, "draw:stock", "meld:7C7D7S")
    throw(state)
    play(state, "draw:stock")
    refused(state, "lay:KH@1", "doesn't fit")
    play(state, "lay:7H@1")
    assert cards(state, "meld:1") == ["7C", "7D", "7H", "7S"]


def test_nothing_is_inserted_in_a_meld_and_a_gap_is_not_bridged():
    state = deal("4S 5S 6S", "8S 5D 5H")
    play(state, "draw:stock", "meld:4S5S6S")
    throw(state)
    play(state, "draw:stock")
    for move in ("lay:8S@1", "lay:5D@1", "lay:5H5D@1"):
        refused(state, move)
    refused(state, "lay:8S@2", "no meld 2")


def test_cards_are_laid_off_one_by_one():
    state = deal("4S 5S 6S 7S 8S 9S KC QD", "")
    play(state, "draw:stock", "meld:4S5S6S")
    refused(state, "lay:7S8S9S@1", "one at a time")
    refused(state, "lay:7S8S@1", "one at a time")
    play(state, "lay:7S@1", "lay:8S@1", "lay:9S@1")


# Joined melds


def joinable(hand: str, rank: str = "2", other: str = "") -> BasicRummyState:
    """A set of four of ``rank`` is meld 1, made by seat 1; seat 0 has ``hand`` and has drawn."""
    state = deal(hand, " ".join(rank + suit for suit in "CDHS") + " " + other)
    idle(state)
    play(state, "draw:stock", "meld:" + "".join(rank + suit for suit in "CDHS"))
    throw(state)
    play(state, "draw:stock")
    return state


def test_a_set_of_four_may_take_a_run_that_goes_on_from_one_of_its_cards():
    state = joinable("3S 4S 5S 6S AS KD KH")
    assert "lay:3S4S5S@1" in state.legal_moves(0)
    play(state, "lay:3S4S5S@1")
    assert cards(state, "meld:1") == ["2C", "2D", "2H", "2S", "3S", "4S", "5S"]
    assert fact(state, "melds")[0]["kind"] == "joined"


def test_a_joined_run_starts_with_exactly_three_cards():
    state = joinable("3S 4S 5S 6S")
    for move in ("lay:3S@1", "lay:3S4S@1", "lay:3S4S5S6S@1", "lay:4S5S6S@1"):
        refused(state, move)


def test_after_joining_only_the_runs_open_end_grows():
    state = joinable("3S 4S 5S 6S 7S AS")
    play(state, "lay:3S4S5S@1")
    refused(state, "lay:AS@1")
    play(state, "lay:6S@1", "lay:7S@1")
    assert cards(state, "meld:1")[4:] == ["3S", "4S", "5S", "6S", "7S"]


def test_a_run_may_be_joined_downward():
    state = joinable("3H 4H 5H 6H TH JH 9H QH", rank="7")
    play(state, "lay:4H5H6H@1")
    assert cards(state, "meld:1") == ["7C", "7D", "7H", "7S", "4H", "5H", "6H"]
    refused(state, "lay:8H@1")
    play(state, "lay:3H@1")
    assert cards(state, "meld:1")[4:] == ["3H", "4H", "5H", "6H"]


def test_one_set_is_joined_once():
    state = joinable("3S 4S 5S 3H 4H 5H KD")
    play(state, "lay:3S4S5S@1")
    refused(state, "lay:3H4H5H@1")


def test_joining_needs_a_whole_set_of_four():
    state = deal("2C 2D 2S 3S 4S 5S 9H JD", "")
    play(state, "draw:stock", "meld:2C2D2S")
    refused(state, "lay:3S4S5S@1")


def test_the_joined_run_has_the_suit_of_the_card_that_it_continues_and_no_gap():
    state = joinable("4S 5S 6S 3H 4H 5H 3D 4D")
    refused(state, "lay:4S5S6S@1")
    assert [move for move in state.legal_moves(0) if move.startswith("lay")] == ["lay:3H4H5H@1"]


@pytest.mark.parametrize(("rank", "run"), [("K", "AS2S3S"), ("A", "JSQSKS"), ("2", "QSKSAS"), ("3", "KSAS2S")])
def test_no_joined_run_goes_round_the_corner(rank, run):
    state = joinable(f"{run[:2]} {run[2:4]} {run[4:]}", rank=rank)
    refused(state, f"lay:{run}@1")


def test_joining_counts_as_a_lay_off_not_as_the_turns_meld():
    state = joinable("3S 4S 5S 9C 9D 9H KD")
    play(state, "lay:3S4S5S@1", "meld:9C9D9H")
    assert len(fact(state, "melds")) == 2
    other = joinable("3S 4S 5S 9C 9D 9H KD")
    play(other, "meld:9C9D9H", "lay:3S4S5S@1")
    assert [meld["kind"] for meld in fact(other, "melds")] == ["joined", "set"]


# The discard


def test_a_discard_ends_the_turn():
    state = deal("KC", "", "", stock="QD")
    play(state, "draw:stock", "discard:KC")
    assert state.to_move() == (1,)
    assert cards(state, "discard")[-1] == "KC"
    assert state.view(None).phase == "draw"


def test_a_card_drawn_from_the_pile_may_not_be_discarded_in_the_same_turn():
    state = deal("", "", up="KD")
    play(state, "draw:discard")
    assert fact(state, "taken") == "KD"
    refused(state, "discard:KD", "from the discard pile this turn")
    throw(state)
    assert fact(state, "taken") is None


def test_in_a_later_turn_it_may():
    state = deal("KC", "", up="KD")
    play(state, "draw:discard", "discard:KC")
    idle(state)
    play(state, "draw:stock", "discard:KD")
    assert cards(state, "discard")[-1] == "KD"


def test_unless_it_is_the_only_card_left_in_hand():
    state = deal(OUT, "", up="KD", deals=1)
    play(state, "draw:discard", *OUT_MOVES)
    assert state.legal_moves(0) == ["discard:KD"]
    play(state, "discard:KD")
    assert state.outcome().reason == "deals"


def test_a_card_drawn_from_the_stock_may_be_discarded():
    state = deal("", "", stock="KD")
    play(state, "draw:stock", "discard:KD")
    assert cards(state, "discard")[-1] == "KD"


# Going out and going rummy


def test_the_hand_ends_at_once_when_the_last_card_is_discarded():
    state = deal(OUT, "", stock="KD")
    events = play(state, "draw:stock", *OUT_MOVES, "discard:KD")
    assert [event.data["winner"] for event in events if event.kind == "deal_over"] == [0]


def test_the_hand_ends_at_once_when_the_last_card_is_melded():
    state = deal(OUT, "", stock="8D")
    events = play(state, "draw:stock", "meld:AC2C3C4C", "meld:9C9H9S", "meld:5D6D7D8D")
    assert [event.data["winner"] for event in events if event.kind == "deal_over"] == [0]


def test_the_hand_ends_at_once_when_the_last_card_is_laid_off():
    state = deal(OUT, "", stock="8D")
    events = play(state, "draw:stock", *OUT_MOVES, "lay:8D@2")
    assert [event.data["winner"] for event in events if event.kind == "deal_over"] == [0]


def test_going_rummy_is_only_for_a_player_who_has_not_laid_anything_in_an_earlier_turn():
    state = deal("3S 4S 5S 7C 7D 7H 9C 9D 9H 9S", "", stock="KD QD")
    play(state, "draw:stock", "meld:3S4S5S", "discard:KD")
    idle_until(state, 0)
    play(state, "draw:stock", "meld:7C7D7H")
    refused(state, "meld:9C9D9H9S", "one new meld")


def test_a_lay_off_in_an_earlier_turn_rules_it_out_as_well():
    state = deal("3S 4S 5S", "6S 7C 7D 7H 9C 9D 9H 9S JD QD", stock="KD KC")
    play(state, "draw:stock", "meld:3S4S5S", "discard:KD", "draw:stock", "lay:6S@1", "discard:KC")
    idle_until(state, 1)
    play(state, "draw:stock", "meld:7C7D7H")
    refused(state, "meld:9C9D9H9S", "one new meld")


def test_a_lay_off_in_this_turn_does_not():
    state = deal("3S 4S 5S", "6S 7C 7D 7H 9C 9D 9H 9S JD QD", stock="2H KD", deals=1)
    play(state, "draw:stock", "meld:3S4S5S", "discard:2H")
    play(state, "draw:stock", "lay:6S@1", "meld:7C7D7H", "meld:9C9D9H9S", "meld:JDQDKD")
    assert state.outcome().ranking == ((1,), (0,))


def test_a_second_meld_is_legal_only_if_the_rest_of_the_hand_can_be_got_rid_of():
    hand = "AC 2C 3C 4C 5D 6D 7D 9C 9H JS"
    no = deal(hand, "", stock="KD")
    play(no, "draw:stock", "meld:AC2C3C4C")
    refused(no, "meld:5D6D7D", "second meld")
    yes = deal(hand, "", stock="9S")
    play(yes, "draw:stock", "meld:AC2C3C4C")
    assert {"meld:5D6D7D", "meld:9C9H9S"} <= set(yes.legal_moves(0))
    play(yes, "meld:5D6D7D", "meld:9C9H9S", "discard:JS")
    assert fact(yes, "deal") == 2


@pytest.mark.parametrize("melds", [True, False])
def test_lay_offs_on_the_melds_of_all_count_for_getting_rid_of_the_rest(melds):
    state = deal("QS KS 2C 3C 4C 6H 7H 8H 9H JH", "9S TS JS", stock="5C 2D AD")
    play(state, "draw:stock", "discard:JH", "draw:stock")
    if melds:
        play(state, "meld:9STSJS")
    play(state, "discard:2D", "draw:stock", "meld:2C3C4C5C")
    if melds:
        play(state, "meld:6H7H8H9H", "lay:QS@1", "lay:KS@1", "discard:AD")
        assert fact(state, "deal") == 2
    else:
        refused(state, "meld:6H7H8H9H", "second meld")


def test_after_the_second_meld_only_moves_that_keep_going_out_possible():
    state = deal("AC 2C 3C 4D 5D 6D 7C 7D 7H 8D", "", stock="4C", deals=1)
    play(state, "draw:stock", "meld:AC2C3C4C")
    assert fact(state, "rummy") is False
    play(state, "meld:4D5D6D")
    assert fact(state, "rummy") is True
    # The 7 of diamonds would fit the run as well, but then two sevens would be left.
    refused(state, "lay:7D@2", "going rummy")
    refused(state, "discard:8D", "going rummy")
    assert state.legal_moves(0) == ["meld:7C7D7H"]
    play(state, "meld:7C7D7H", "discard:8D")
    assert state.outcome().reason == "deals"


def test_before_the_second_meld_nothing_is_forced():
    state = deal("AC 2C 3C 4D 5D 6D 7C 7D 7H 8D", "", stock="4C")
    play(state, "draw:stock", "meld:AC2C3C4C", "discard:8D")
    assert state.to_move() == (1,)


def test_the_second_meld_leaves_one_card_to_discard():
    state = deal(OUT, "", stock="KD")
    play(state, "draw:stock", "meld:AC2C3C4C", "meld:5D6D7D")
    refused(state, "discard:KD", "going rummy")
    play(state, "meld:9C9H9S")
    assert state.legal_moves(0) == ["discard:KD"]


@pytest.mark.parametrize(("doubles", "points"), [(False, 100), (True, 200)])
def test_rummy_doubles_doubles_the_points_of_going_rummy(doubles, points):
    state = deal(OUT, "KC KH KS KD QC QH QD QS JC JD", stock="8D", rummy_doubles=doubles, target=50)
    play(state, "draw:stock", *OUT_MOVES, "lay:8D@2")
    assert state.outcome().points == (points, 0)


def test_nothing_is_doubled_for_a_player_who_has_laid_something_in_an_earlier_turn():
    state = deal(OUT, "KC KH KS KD QC QH QD QS JC JD", stock="2H TC 3H TH 8D", rummy_doubles=True, target=50)
    play(state, "draw:stock", OUT_MOVES[0], "discard:2H")
    idle(state)
    play(state, "draw:stock", OUT_MOVES[1], "discard:3H")
    idle(state)
    play(state, "draw:stock", OUT_MOVES[2], "lay:8D@2")
    assert state.outcome().points == (100, 0)


# The stock runs out


def test_the_top_discard_stays_and_the_others_are_shuffled_into_the_stock():
    state = deal("", "")
    for _ in range(31):
        idle(state)
    view = state.view(None)
    assert (view.zone("stock").count, view.zone("discard").count, view.facts["refills"]) == (0, 32, 0)
    pile = [CARDS[code] for code in cards(state, "discard")]
    under = pile[:-1]
    chance = Chance(bytes.fromhex(SEED), 2)
    chance.shuffle(under)
    assert "draw:stock" in state.legal_moves(state.to_move()[0])
    events = play(state, "draw:stock")
    assert [event.kind for event in events] == ["refill", "draw", "drawn"]
    assert events[2].data["cards"] == [CODES[under[0]]]
    assert cards(state, "discard") == [CODES[pile[-1]]]
    assert state.view(None).zone("stock").count == 30
    assert fact(state, "refills") == 1


def test_an_empty_stock_is_not_refilled_by_a_draw_from_the_pile():
    state = deal("", "")
    for _ in range(31):
        idle(state)
    play(state, "draw:discard")
    assert fact(state, "refills") == 0
    assert state.view(None).zone("discard").count == 31


def test_a_deal_is_void_when_a_turn_begins_with_the_stock_empty_and_refilled_twice_already():
    state = deal("", "", "")
    events: list[Event] = []
    while fact(state, "deal") == 1:
        events += idle(state)
    assert Counter(event.kind for event in events)["refill"] == 2
    (over,) = (event for event in events if event.kind == "deal_over")
    assert over.data["winner"] is None
    assert over.data["gains"] == [0, 0, 0]
    assert fact(state, "scores") == [0, 0, 0]
    assert fact(state, "dealer") == 0
    after = [event.kind for event in events[events.index(over) :]]
    assert after == ["deal_over", "deal", "hand", "hand", "hand", "turn_up"]


def test_a_deal_is_void_when_a_turn_begins_with_the_stock_empty_and_a_pile_of_one_card():
    state = deal("", "")
    play(state, "draw:discard")
    # No sequence of moves empties the stock without filling the pile.
    state.stock.clear()
    events = throw(state)
    assert [event.data["winner"] for event in events if event.kind == "deal_over"] == [None]


@pytest.mark.parametrize("seats", [2, 3])
def test_a_deal_is_void_after_100_turns_a_player(seats):
    state = deal(*[""] * seats)
    for turn in range(100 * seats):
        assert fact(state, "deal") == 1
        assert fact(state, "turns") == turn
        play(state, "draw:discard")
        throw(state)
    assert fact(state, "deal") == 2
    assert fact(state, "scores") == [0] * seats


# Scores and the match


def test_the_winner_gets_the_sum_of_the_cards_left_in_all_other_hands():
    state = deal("AC 2C 3C 4C 5C 6C 7C", "KC QD JH TS AD AH 2S", "9C 9D 8H 3D 5S 6S 7S", stock="KS", target=500)
    play(state, "draw:stock", "meld:AC2C3C4C5C6C7C", "discard:KS")
    assert fact(state, "scores") == [10 * 4 + 1 + 1 + 2 + 9 + 9 + 8 + 3 + 5 + 6 + 7, 0, 0]


def test_the_deal_passes_to_the_left_and_each_shuffle_starts_from_pack_order():
    state = deal(OUT, "", stock="KD")
    play(state, "draw:stock", *OUT_MOVES, "discard:KD")
    assert (fact(state, "deal"), fact(state, "dealer"), state.to_move()) == (2, 0, (1,))
    pack = list(range(52))
    Chance(bytes.fromhex(SEED), 2).shuffle(pack)
    assert cards(state, "hand:1", 1) == [CODES[card] for card in sorted(pack[0:20:2])]
    assert fact(state, "laid") == []
    assert fact(state, "melds") == []


def test_first_to_reach_the_target_wins_when_a_deal_ends():
    losing = "KC KH KS KD QC QH QD QS JC JD"
    short = deal(OUT, losing, stock="8D", target=101)
    play(short, "draw:stock", *OUT_MOVES, "lay:8D@2")
    assert short.outcome() is None
    reached = deal(OUT, losing, stock="8D")
    play(reached, "draw:stock", *OUT_MOVES, "lay:8D@2")
    outcome = reached.outcome()
    assert (outcome.reason, outcome.ranking, outcome.points) == ("target", ((0,), (1,)), (100.0, 0.0))
    assert reached.to_move() == ()
    assert reached.returns() == (1.0, -1.0)
    assert reached.view(0).phase == "over"


def test_the_highest_total_wins_if_several_have_reached_it():
    state = deal(OUT, "KC KH KS KD QC QH QD QS JC JD", stock="8D")
    state.scores = [40, 150]
    play(state, "draw:stock", *OUT_MOVES, "lay:8D@2")
    assert state.outcome().ranking == ((1,), (0,))


def test_deals_replaces_the_target():
    state = deal(OUT, "KC KH KS KD QC QH QD QS JC JD", stock="8D", target=50, deals=2)
    play(state, "draw:stock", *OUT_MOVES, "lay:8D@2")
    assert state.outcome() is None
    while state.to_move():
        idle(state)
    assert state.outcome().reason == "deals"
    assert state.outcome().points == (100, 0)


def test_void_deals_count_among_the_deals_and_ties_share_the_place():
    state = deal("", "", "", deals=2)
    while state.to_move():
        idle(state)
    outcome = state.outcome()
    assert (outcome.reason, outcome.ranking) == ("deals", ((0, 1, 2),))
    assert [seat.place for seat in state.view(None).seats] == [1, 1, 1]
    assert state.returns() == (0.0, 0.0, 0.0)


def test_the_cap_is_40_deals_void_ones_included():
    state = deal("", "")
    while state.to_move():
        idle(state)
    assert fact(state, "deal") == 40
    assert state.outcome().reason == "deals"


def test_places_count_the_seats_placed_better():
    state = deal("AC 2C 3C 4C 5C 6C 7C", "", "", "", stock="KS", deals=1)
    state.scores = [0, 500, 7, 7]
    play(state, "draw:stock", "meld:AC2C3C4C5C6C7C", "discard:KS")
    assert [seat.place for seat in state.view(2).seats] == [2, 1, 3, 3]


# What each may see


def test_hands_and_the_stock_are_hidden_the_rest_is_public():
    state = deal("3S 4S 5S", "", "")
    play(state, "draw:stock", "meld:3S4S5S")
    for viewer in (None, 1, 2):
        view = state.view(viewer)
        assert view.zone("hand:0").cards == [None] * 5
        assert view.zone("stock").cards is None
        assert view.zone("meld:1").cards == ["3S", "4S", "5S"]
    own = state.view(1).zone("hand:1").cards
    assert own == sorted(own, key=CARDS.__getitem__)
    assert None not in own


def test_a_card_taken_from_the_pile_is_known_until_it_is_played():
    state = deal("KC", "", up="QD")
    play(state, "draw:discard")
    assert cards(state, "hand:0", 1) == ["QD", *[None] * 10]
    assert cards(state, "hand:0", None) == ["QD", *[None] * 10]
    play(state, "discard:KC")
    assert cards(state, "hand:0", 1) == ["QD", *[None] * 9]
    idle(state)
    play(state, "draw:stock", "discard:QD")
    assert cards(state, "hand:0", 1) == [None] * 10


def test_the_pile_drawn_from_is_public_but_only_the_player_sees_a_card_from_the_stock():
    state = deal("", "", stock="7H", up="QD")
    other = state.copy()
    public, private = play(state, "draw:stock")
    assert (public.kind, public.to) == ("draw", None)
    assert "7H" not in json.dumps(dict(public.data))
    assert (private.to, private.data["cards"]) == (frozenset({0}), ["7H"])
    (taken,) = play(other, "draw:discard")
    assert (taken.kind, taken.to, taken.data["cards"]) == ("take", None, ["QD"])


def test_after_a_deal_all_remaining_hands_are_shown():
    left = "KC KH KS KD QC QH QD QS JC JD"
    state = deal(OUT, left, stock="8D", target=101)
    events = play(state, "draw:stock", *OUT_MOVES, "lay:8D@2")
    (over,) = (event for event in events if event.kind == "deal_over")
    assert over.to is None
    assert over.data["hands"] == [[], sorted(left.split(), key=CARDS.__getitem__)]
    assert fact(state, "last_deal")["hands"] == over.data["hands"]
    assert None in cards(state, "hand:1", 0)


def test_at_the_end_of_the_match_the_hands_stay_open():
    left = "KC KH KS KD QC QH QD QS JC JD"
    state = deal(OUT, left, stock="8D")
    play(state, "draw:stock", *OUT_MOVES, "lay:8D@2")
    assert cards(state, "hand:1", 0) == sorted(left.split(), key=CARDS.__getitem__)
    refused(state, "draw:stock", "over", seat=0)


# Common requirements of every game


@pytest.mark.parametrize(
    "options", [{"target": 49}, {"target": 501}, {"deals": 21}, {"deals": -1}, {"rummy_doubles": 1}, {"jokers": True}]
)
def test_wrong_options_are_refused(options):
    with pytest.raises(BadOptions):
        RULES.deal(2, options, SEED)


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_two_to_six_players(seats):
    with pytest.raises(BadOptions):
        RULES.deal(seats, {}, SEED)


def test_a_deck_must_be_the_pack():
    with pytest.raises(BadOptions):
        RULES.deal(2, {}, SEED, deck=[*PACK[:51], "AC"])


def test_default_move_draws_from_the_stock_and_discards_the_most_valuable_card():
    state = deal("3C 5D KH 2S", "", stock="4H")
    assert state.default_move(0) == "draw:stock"
    play(state, "draw:stock")
    chosen = state.default_move(0)
    assert chosen.startswith("discard:")
    value = min(RANK[CARDS[chosen[8:]]] + 1, 10)
    assert value == max(min(RANK[CARDS[code]] + 1, 10) for code in cards(state, "hand:0", 0))


def test_default_move_goes_on_going_rummy():
    state = deal(OUT, "", stock="KD")
    play(state, "draw:stock", *OUT_MOVES[:2])
    assert state.default_move(0) == "meld:9C9H9S"


def test_matches_are_determinized_described_stored_and_described_again():
    rng = Random(11)
    for seats in RULES.seats:
        state = RULES.deal(seats, {"deals": 1}, f"{rng.getrandbits(128):032x}")
        names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay"][:seats]
        while awaited := state.to_move():
            for viewer in (None, *range(seats)) if rng.random() < 0.1 else ():
                view = state.view(viewer)
                again = View.from_json(json.loads(json.dumps(view.to_json())))
                assert RULES.determinize(again, rng).view(viewer).to_json() == view.to_json()
                assert sum(zone.count for zone in view.zones) == 52
            stored = thaw(BasicRummyState, json.loads(json.dumps(freeze(state))))
            assert freeze(stored) == freeze(state)
            moves = state.legal_moves(awaited[0])
            laying = [move for move in moves if move[:4] in ("meld", "lay:")]
            events: list[Event] = []
            state.apply(awaited[0], rng.choice(laying or moves), events.append)
            for event in events:
                sentence = RULES.say(event, names)
                assert sentence.endswith(".")
                assert "{" not in sentence


def test_a_name_with_braces_is_shown_unchanged():
    state = deal(OUT, "KC KH KS KD QC QH QD QS JC JD", stock="8D")
    events = play(state, "draw:stock", *OUT_MOVES, "lay:8D@2")
    said = [RULES.say(event, ["{}", "{0}"]) for event in events]
    assert said[0] == "{} draws from the stock."
    assert said[-2:] == ["{} goes out. {} scores 100.", "{} wins the match."]


def test_a_determinized_state_plays_on_to_the_end():
    rng = Random(5)
    state = deal("3S 4S 5S", "", "", deals=1)
    play(state, "draw:stock", "meld:3S4S5S")
    other = RULES.determinize(state.view(2), rng)
    while awaited := other.to_move():
        other.apply(awaited[0], rng.choice(other.legal_moves(awaited[0])))
    assert other.outcome().reason == "deals"


def test_a_copy_shares_nothing():
    state = deal("3S 4S 5S", "")
    before = freeze(state)
    other = state.copy()
    play(other, "draw:stock", "meld:3S4S5S")
    throw(other)
    assert freeze(state) == before


def test_moves_are_public():
    state = deal("", "")
    assert state.public_move(0, "draw:stock") == "draw:stock"
