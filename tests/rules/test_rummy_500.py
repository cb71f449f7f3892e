"""The sentences of the rules of Rummy 500, one test each; rules shared with Basic Rummy are tested there."""

import json
from collections import Counter
from random import Random

import pytest

from games.engine import BadOptions, Chance, Event, IllegalMove, View, freeze, thaw
from games.engine.cards import CARDS, CODES
from games.rules.rummy_500 import RULES, Rummy500State

SEED = "00112233445566778899aabbccddeeff"
PACK = list(CODES)
#: A hand of 13 that goes out with one more card to discard.
OUT = "2C 3C 4C 5C 6D 7D 8D TC TD TH QC QD QS"
OUT_MOVES = ("meld:2C3C4C5C", "meld:6D7D8D", "meld:TCTDTH", "meld:QCQDQS")
#: A worthless hand of 13 without a meld: 97 points.
POOR = "AH 2H 4D 5S 6S 8C 9D 9H JC JH KC KD KS"


def deal(*hands: str, up: str = "", stock: str = "", aside: str = "", **options) -> Rummy500State:
    """A first deal with these hands by seat, filled up with what is left but ``aside``, jokers last; seat 0 begins."""
    seats = len(hands)
    size = 13 if seats == 2 else 7
    pack = [CODES[13 * (n % 4) + 3 * n % 13] for n in range(52)]
    if options.get("jokers", True):
        pack += ["RJ", "BJ"]
    rest = [*(pack * 2 if seats >= 5 else pack)]
    rest.sort(key=lambda code: code in ("RJ", "BJ"))
    given = [hand.split() for hand in hands]
    for card in [*(card for hand in given for card in hand), *([up] if up else []), *stock.split(), *aside.split()]:
        rest.remove(card)
    full = [[*hand, *(rest.pop(0) for _ in range(size - len(hand)))] for hand in given]
    deck = [hand[n] for n in range(size) for hand in full]
    deck += [up or rest.pop(0), *stock.split()]
    deck += rest + aside.split()
    return RULES.deal(seats, options, SEED, deck=deck, dealer=seats - 1)


def play(state: Rummy500State, *moves: str) -> list[Event]:
    """Let the seat in turn make each move; returns the events in order."""
    events: list[Event] = []
    for move in moves:
        (seat,) = state.to_move()
        state.apply(seat, move, events.append)
    return events


def refused(state: Rummy500State, move: str, *words: str) -> None:
    """Check that ``move`` is illegal, ``check`` and ``apply`` give this reason, and nothing changes."""
    (seat,) = state.to_move()
    before = freeze(state)
    assert move not in state.legal_moves(seat)
    with pytest.raises(IllegalMove) as checked:
        state.check(seat, move)
    with pytest.raises(IllegalMove) as applied:
        state.apply(seat, move)
    assert str(checked.value) == str(applied.value)
    for word in words:
        assert word in str(checked.value)
    assert freeze(state) == before


def legal(state: Rummy500State, start: str = "") -> set[str]:
    """The legal moves of the seat in turn that begin with ``start``."""
    moves = state.legal_moves(state.to_move()[0])
    assert len(moves) == len(set(moves))
    return {move for move in moves if move.startswith(start)}


def cards(state: Rummy500State, zone: str, seat: int | None = None) -> list[str | None]:
    """The cards of a zone that ``seat`` sees."""
    return list(state.view(seat).zone(zone).cards or [])


def fact(state: Rummy500State, name: str) -> object:
    return state.view(None).facts[name]


def throw(state: Rummy500State) -> list[Event]:
    """Discard the first legal natural card."""
    (seat,) = state.to_move()
    return play(state, next(move for move in state.legal_moves(seat) if move.startswith("discard")))


def idle(state: Rummy500State) -> list[Event]:
    """A turn that draws from the stock and discards the card drawn."""
    events = play(state, "draw:stock")
    (drawn,) = (event.data["cards"][0] for event in events if event.kind == "drawn")
    return events + play(state, f"discard:{drawn}")


def piled(pile: str, *hands: str) -> Rummy500State:
    """A first deal in which the pile has these cards, from the bottom."""
    return with_pile(deal(*hands, aside=pile), pile)


def with_pile(state: Rummy500State, pile: str) -> Rummy500State:
    """The state with these cards as its pile, from the bottom; the stock provides and receives the difference."""
    state.stock += state.pile
    for code in pile.split():
        state.stock.remove(CARDS[code])
    state.pile = [CARDS[code] for code in pile.split()]
    return state


# The cards and the deal


@pytest.mark.parametrize(
    ("seats", "jokers", "size"),
    [(2, True, 54), (4, True, 54), (5, True, 108), (8, True, 108), (3, False, 52), (6, False, 104)],
)
def test_52_cards_and_2_jokers_and_with_5_or_more_players_two_such_packs(seats, jokers, size):
    view = RULES.deal(seats, {"jokers": jokers}, SEED).view(None)
    assert sum(zone.count for zone in view.zones) == size
    assert view.facts["options"]["jokers"] is jokers


@pytest.mark.parametrize(("seats", "size"), [(2, 13), (3, 7), (4, 7), (5, 7), (8, 7)])
def test_two_players_get_13_cards_three_or_more_7(seats, size):
    view = RULES.deal(seats, {}, SEED).view(None)
    assert [view.zone(f"hand:{seat}").count for seat in range(seats)] == [size] * seats
    assert view.zone("discard").count == 1
    assert None not in view.zone("discard").cards


def test_a_second_pack_follows_the_first_in_pack_order():
    pack = [*range(54), *range(54)]
    Chance(bytes.fromhex(SEED), 1).shuffle(pack)
    state = RULES.deal(6, {}, SEED, dealer=5)
    assert cards(state, "hand:0", 0) == [CODES[card] for card in sorted(pack[0:42:6])]
    assert cards(state, "discard") == [CODES[pack[42]]]


def test_left_of_the_dealer_begins():
    assert RULES.deal(3, {}, SEED, dealer=1).to_move() == (2,)


# Aces


def test_the_ace_is_high_or_low_as_the_player_likes():
    state = deal("AS 2S 3S QS KS", "")
    play(state, "draw:stock")
    assert {"meld:AS2S3S", "meld:QSKSAS"} <= legal(state)


def test_a_run_does_not_go_round_the_corner():
    state = deal("AS 2S KS QS", "")
    play(state, "draw:stock")
    refused(state, "meld:KSAS2S")
    refused(state, "meld:QSKSAS2S")


def test_an_ace_is_added_at_either_end():
    state = deal("2S 3S 4S JD QD KD AS", "", "")
    play(state, "draw:stock", "meld:2S3S4S", "lay:AS@1")
    assert cards(state, "meld:1") == ["AS", "2S", "3S", "4S"]
    state = deal("2S 3S 4S JD QD KD AD", "", "")
    play(state, "draw:stock", "meld:JDQDKD", "lay:AD@1")
    assert cards(state, "meld:1") == ["JD", "QD", "KD", "AD"]


@pytest.mark.parametrize(("pack", "ace"), [("AS", "AS"), ("RJ", "RJ=AS")])
def test_an_ace_on_a_run_from_2_to_king_goes_to_the_high_end(pack, ace):
    state = deal(f"2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS {pack}", "", stock="2D")
    play(state, "draw:stock", "meld:2S3S4S5S6S7S8S9STSJSQSKS")
    assert [move for move in legal(state, "lay") if "AS" in move] == [f"lay:{ace}@1"]
    play(state, f"lay:{ace}@1")
    assert cards(state, "meld:1")[-1] == ace
    assert cards(state, "meld:1")[0] == "2S"


def test_a_run_has_each_rank_once():
    state = deal("AS 2S 3S 4S 5S 6S KC", "7S 9S TS JS QS KS AS", "", "", "", stock="KD 8S")
    play(state, "draw:stock", "meld:AS2S3S4S5S6S", "discard:KD", "draw:stock", "lay:7S@1")
    for code in ("8S", "9S", "TS", "JS", "QS", "KS"):
        play(state, f"lay:{code}@1")
    refused(state, "lay:AS@1", "doesn't fit")


# The draw


def test_the_worked_example_of_taking_from_the_pile():
    state = piled("KH 2C 8H 3D TC 4H", "3C 3S 9H", "", "")
    assert "take:3" in legal(state)
    play(state, "take:3")
    assert cards(state, "discard") == ["KH", "2C", "8H"]
    play(state, "meld:3C3D3S")
    assert {"TC", "4H"} <= set(cards(state, "hand:0", 0))
    play(state, "discard:TC")
    assert cards(state, "discard") == ["KH", "2C", "8H", "TC"]


def test_all_the_cards_above_the_chosen_one_are_taken_too():
    state = piled("KH 3D TC 4H", "3C 3S", "", "")
    (event,) = play(state, "take:3")
    assert event.data["cards"] == ["3D", "TC", "4H"]
    assert {"3D", "TC", "4H"} <= set(cards(state, "hand:0", 0))
    assert fact(state, "taken") == "3D"
    assert fact(state, "must") == "3D"


def test_the_chosen_card_must_at_once_be_melded_or_laid_off_and_nothing_is_laid_before_it():
    state = piled("KH 3D TC 4H", "3C 3S 6H 7H 8H", "", "")
    play(state, "take:3")
    assert legal(state) == {"meld:3C3D3S"}
    refused(state, "meld:6H7H8H", "First use the 3 of diamonds")
    refused(state, "discard:TC", "First use the 3 of diamonds")
    play(state, "meld:3C3D3S")
    assert fact(state, "must") is None
    assert fact(state, "taken") == "3D"


def test_it_may_be_the_top_card_alone_which_must_be_used_at_once_too():
    state = piled("KH 3D", "3C 3S", "", "")
    play(state, "take:1")
    refused(state, "discard:3D", "First use")
    play(state, "meld:3C3D3S")


def test_only_draws_that_can_be_used_at_once_are_legal():
    state = piled("KH 3D TC 4H", "3C 7S", "", "")
    assert legal(state) == {"draw:stock"}
    refused(state, "take:3", "couldn't use the 3 of diamonds right away")
    refused(state, "take:9", "that many cards")
    refused(state, "draw:discard")


def test_the_other_cards_taken_may_help_to_make_that_meld():
    state = piled("KH 3D TC 3S", "3C", "", "")
    assert legal(state) == {"draw:stock", "take:3"}
    play(state, "take:3", "meld:3C3D3S")


def test_they_need_not_be_used_with_cards_of_the_hand_at_all():
    state = piled("KH 3D TC 4D 5D", "9C", "", "")
    play(state, "take:4", "meld:3D4D5D")
    assert "TC" in cards(state, "hand:0", 0)


def test_the_chosen_card_may_be_laid_off():
    state = deal("3C 4C 5C", "", "", aside="KH 6C TD")
    play(state, "draw:stock", "meld:3C4C5C")
    throw(state)
    with_pile(state, "KH 6C TD")
    play(state, "take:2")
    assert legal(state) == {"lay:6C@1"}
    play(state, "lay:6C@1")


def test_the_chosen_card_may_be_used_in_a_joined_run():
    state = deal("2C 2D 2H 2S", "4S 5S", "", aside="KH 3S TD")
    play(state, "draw:stock", "meld:2C2D2H2S")
    throw(state)
    with_pile(state, "KH 3S TD")
    play(state, "take:2")
    assert {"lay:3S4S5S@1", "meld:3S4S5S"} == legal(state)
    play(state, "lay:3S4S5S@1")
    assert fact(state, "must") is None


def test_a_joker_of_the_pile_may_be_chosen():
    state = piled("KH RJ TD", "6C 7C", "", "")
    assert "take:2" in legal(state)
    play(state, "take:2")
    assert fact(state, "must") == "RJ"
    assert {"meld:6C7CRJ=8C", "meld:RJ=5C6C7C"} <= legal(state)
    assert all("RJ" in move for move in legal(state))


def test_the_ban_on_discarding_does_not_apply_here():
    state = piled("KH 3H", "3C 3S 3D KD", "", "")
    play(state, "take:1", "meld:3D3H3S")
    play(state, "discard:3C")
    other = piled("KH 9D 9H", "9C 9S 4D 8H", "", "")
    play(other, "take:2", "meld:9C9D9S", "discard:9H")
    assert cards(other, "discard") == ["KH", "9H"]


def test_the_whole_pile_may_be_taken():
    state = piled("3D TC 4H", "3C 3S", "", "")
    play(state, "take:3")
    assert cards(state, "discard") == []
    play(state, "meld:3C3D3S", "discard:4H")
    assert cards(state, "discard") == ["4H"]
    assert "draw:stock" in legal(state)


def test_with_the_whole_pile_taken_and_the_hand_gone_the_deal_ends():
    state = piled("QH", OUT, "")
    play(state, "take:1", "meld:QCQDQHQS", "meld:2C3C4C5C", "meld:6D7D8D", "meld:TCTDTH")
    assert fact(state, "deal") == 2


# Sets and runs


def test_all_suits_of_a_set_differ_with_two_packs_as_well():
    state = deal("7C 7C 7D 2H 4S JH KH", "", "", "", "", stock="9S")
    play(state, "draw:stock")
    assert not legal(state, "meld")
    refused(state, "meld:7C7C7D")
    other = deal("7C 7C 7D 7H", "", "", "", "", stock="2D")
    play(other, "draw:stock")
    assert legal(other, "meld:7") == {"meld:7C7D7H"}
    play(other, "meld:7C7D7H")
    refused(other, "lay:7C@1", "doesn't fit")
    assert "7C" in cards(other, "hand:0", 0)


def test_twin_cards_are_one_move():
    state = deal("5H 5H 6H 7H", "", "", "", "", stock="2D")
    play(state, "draw:stock")
    assert {move for move in legal(state) if "5H" in move} == {"meld:5H6H7H", "discard:5H"}
    play(state, "discard:5H")
    assert cards(state, "hand:0", 0).count("5H") == 1


def test_a_run_takes_no_twin():
    state = deal("5H 5H 6H 7H", "", "", "", "", stock="2D")
    play(state, "draw:stock")
    refused(state, "meld:5H5H6H7H")
    refused(state, "meld:6H7H5H")


def test_at_most_one_new_meld_a_turn_and_the_meld_with_the_card_taken_is_that_turns_meld():
    state = piled("KH 3D", "3C 3S 6H 7H 8H", "", "")
    play(state, "take:1", "meld:3C3D3S")
    refused(state, "meld:6H7H8H", "second meld")


def test_going_rummy_with_a_card_taken_from_the_pile():
    state = piled("KH QH", OUT, "")
    play(state, "take:1", "meld:QCQDQHQS", "meld:2C3C4C5C", "meld:6D7D8D")
    assert legal(state) == {"meld:TCTDTH"}
    play(state, "meld:TCTDTH")
    assert fact(state, "deal") == 2


def test_going_rummy_with_jokers():
    state = deal("2C 3C 4C 5C 6D 7D 8D TC TD RJ QC QD BJ", "", stock="9H", target=1000)
    play(state, "draw:stock", "meld:2C3C4C5C", "meld:TCTDRJ=T*")
    # Two queens, three diamonds and a joker are left: no diamond may be parted from the others.
    refused(state, "meld:6D7D8DBJ=9D", "going rummy")
    assert {"meld:6D7D8D", "meld:QCQDBJ=Q*"} <= legal(state)
    play(state, "meld:QCQDBJ=Q*", "meld:6D7D8D", "discard:9H")
    assert fact(state, "deal") == 2


# Lay-offs


def test_the_laid_card_scores_for_the_player_who_lays_it_and_the_meld_grows_for_everyone():
    state = deal("TC JC QC", "9C KC", "")
    play(state, "draw:stock", "meld:TCJCQC")
    throw(state)
    play(state, "draw:stock", "lay:9C@1", "lay:KC@1")
    assert cards(state, "meld:1") == ["9C", "TC", "JC", "QC", "KC"]
    assert fact(state, "melds") == [{"n": 1, "kind": "run", "by": 0, "owners": [1, 0, 0, 0, 1]}]
    throw(state)
    idle_seat = state.to_move()
    assert idle_seat == (2,)


def test_the_cards_of_a_set_show_their_owners_too():
    state = deal("9C 9H 9S", "9D", "")
    play(state, "draw:stock", "meld:9C9H9S")
    throw(state)
    play(state, "draw:stock", "lay:9D@1")
    assert cards(state, "meld:1") == ["9C", "9D", "9H", "9S"]
    assert fact(state, "melds")[0]["owners"] == [0, 1, 0, 0]


def test_of_twin_jokers_in_a_set_the_later_one_is_last():
    state = deal("9C 9S RJ", "RJ", "", "", "")
    play(state, "draw:stock", "meld:9C9SRJ=9*")
    throw(state)
    play(state, "draw:stock", "lay:RJ=9*@1")
    assert cards(state, "meld:1") == ["9C", "9S", "RJ=9*", "RJ=9*"]
    assert fact(state, "melds")[0]["owners"] == [0, 0, 0, 1]


def test_a_run_is_joined_to_a_set_upward_to_the_ace():
    state = deal("JC JD JH JS", "QS KS AS", "")
    play(state, "draw:stock", "meld:JCJDJHJS")
    throw(state)
    play(state, "draw:stock", "lay:QSKSAS@1")
    assert cards(state, "meld:1") == ["JC", "JD", "JH", "JS", "QS", "KS", "AS"]
    assert fact(state, "melds")[0]["owners"] == [0, 0, 0, 0, 1, 1, 1]
    assert fact(state, "melds")[0]["kind"] == "joined"
    assert not legal(state, "lay")


@pytest.mark.parametrize("run", ["2H3H4H", "JHQHKH"])
def test_aces_are_joined_at_their_low_or_their_high_side(run):
    state = deal("AC AD AH AS", "2H 3H 4H JH QH KH", "")
    play(state, "draw:stock", "meld:ACADAHAS")
    throw(state)
    play(state, "draw:stock")
    assert legal(state, "lay") == {"lay:2H3H4H@1", "lay:JHQHKH@1"}
    play(state, f"lay:{run}@1")
    assert not [move for move in legal(state, "lay") if len(move) > 8]


def test_a_joined_run_does_not_meet_the_card_of_its_set_again():
    state = deal("AC AD AH AS", "2H 3H 4H 5H 6H 7H 8H", "", "", "", stock="2D 3D 9H TH JH QH KH AH")
    play(state, "draw:stock", "meld:ACADAHAS", "discard:2D")
    play(state, "draw:stock", "lay:2H3H4H@1", "lay:5H@1", "lay:6H@1", "lay:7H@1", "lay:8H@1")
    assert cards(state, "hand:1", 1) == ["3D"]
    shape_before = cards(state, "meld:1")
    # The run 2 to king after the ace is full.
    state.hands[1] = sum(1 << CARDS[code] for code in ("9H", "TH", "JH", "QH", "KH", "AH", "3D"))
    for code in ("9H", "TH", "JH", "QH", "KH"):
        play(state, f"lay:{code}@1")
    assert cards(state, "meld:1") == [*shape_before, "9H", "TH", "JH", "QH", "KH"]
    refused(state, "lay:AH@1", "doesn't fit")


# Jokers


def test_a_joker_stands_for_any_one_card_and_the_player_says_which():
    state = deal("3C 4C RJ", "", "")
    play(state, "draw:stock")
    assert {"meld:3C4CRJ=5C", "meld:RJ=2C3C4C"} <= legal(state)
    play(state, "meld:3C4CRJ=5C")
    assert cards(state, "meld:1") == ["3C", "4C", "RJ=5C"]


def test_what_it_stands_for_never_changes():
    state = deal("3C 4C RJ", "2C 6C 7C 5C", "")
    play(state, "draw:stock", "meld:3C4CRJ=5C")
    throw(state)
    play(state, "draw:stock")
    assert {"lay:2C@1", "lay:6C@1"} <= legal(state)
    refused(state, "lay:7C@1", "doesn't fit")
    refused(state, "lay:5C@1", "doesn't fit")


def test_even_a_card_that_is_already_on_the_table_or_in_the_same_hand():
    state = deal("5C 5D 5H 3C 4C RJ", "", "")
    play(state, "draw:stock")
    assert "meld:3C4CRJ=5C" in legal(state)
    play(state, "meld:5C5D5H")
    throw(state)
    idle(state)
    idle(state)
    play(state, "draw:stock", "meld:3C4CRJ=5C")
    assert "lay:RJ=5*@1" not in legal(state)


def test_with_one_natural_card_and_two_jokers_the_player_says_set_or_run_and_which():
    state = deal("8C RJ BJ", "", "", jokers=True)
    play(state, "draw:stock")
    with_the_eight = {move for move in legal(state, "meld") if "8C" in move.replace("=8C", "") and len(move) == 17}
    assert with_the_eight == {
        "meld:8CRJ=8*BJ=8*",
        "meld:8CRJ=9CBJ=TC",
        "meld:RJ=7C8CBJ=9C",
        "meld:RJ=6CBJ=7C8C",
    }


def test_if_jokers_could_change_places_only_red_first_is_legal():
    state = deal("8C RJ BJ", "", "")
    play(state, "draw:stock")
    refused(state, "meld:BJ=7C8CRJ=9C")
    refused(state, "meld:8CBJ=8*RJ=8*")
    assert "meld:RJ=7C8CBJ=9C" in legal(state)


def test_two_red_jokers_of_two_packs_make_one_spelling():
    state = deal("8C RJ RJ BJ", "", "", "", "")
    play(state, "draw:stock")
    moves = {move for move in legal(state, "meld:8C") if "=8*" in move}
    assert moves >= {"meld:8CRJ=8*RJ=8*", "meld:8CRJ=8*BJ=8*", "meld:8CRJ=8*RJ=8*BJ=8*"}
    assert "meld:RJ=6CRJ=7C8CBJ=9C" in legal(state)
    refused(state, "meld:RJ=6CBJ=7C8CRJ=9C")
    play(state, "meld:8CRJ=8*RJ=8*BJ=8*")
    assert cards(state, "meld:1") == ["8C", "RJ=8*", "RJ=8*", "BJ=8*"]


def test_a_meld_needs_a_natural_card():
    state = deal("8C RJ RJ BJ BJ", "", "", "", "")
    play(state, "draw:stock")
    refused(state, "meld:RJ=8*RJ=8*BJ=8*")
    refused(state, "meld:RJ=7CRJ=8CBJ=9C")


def test_a_joker_in_a_set_stands_for_the_rank_alone():
    state = deal("9C 9D RJ", "9H 9S BJ", "")
    play(state, "draw:stock", "meld:9C9DRJ=9*")
    throw(state)
    play(state, "draw:stock")
    assert legal(state, "lay") == {"lay:9H@1", "lay:9S@1", "lay:BJ=9*@1"}
    refused(state, "lay:BJ=9H@1")
    play(state, "lay:9H@1")
    assert cards(state, "meld:1") == ["9C", "9D", "9H", "RJ=9*"]
    refused(state, "lay:9S@1", "doesn't fit")
    assert not legal(state, "lay")


def test_a_suit_that_is_naturally_there_is_not_added_again():
    state = deal("9C 9D RJ", "9C 9H 2C 4D 6H 8D KS", "", "", "", stock="2D JS")
    play(state, "draw:stock", "meld:9C9DRJ=9*")
    throw(state)
    play(state, "draw:stock")
    assert legal(state, "lay:9") == {"lay:9H@1"}


def test_a_joker_is_added_to_a_run_at_either_end():
    state = deal("9C TC JC RJ", "", "")
    play(state, "draw:stock", "meld:9CTCJC")
    assert legal(state, "lay") == {"lay:RJ=8C@1", "lay:RJ=QC@1"}
    refused(state, "lay:RJ=KC@1", "doesn't fit")
    refused(state, "lay:RJ@1")
    play(state, "lay:RJ=QC@1")
    assert cards(state, "meld:1")[-1] == "RJ=QC"


def test_jokers_added_one_by_one_can_be_in_any_order():
    state = deal("9C TC JC BJ", "RJ", "")
    play(state, "draw:stock", "meld:9CTCJC", "lay:BJ=8C@1")
    throw(state)
    play(state, "draw:stock", "lay:RJ=QC@1")
    assert cards(state, "meld:1") == ["BJ=8C", "9C", "TC", "JC", "RJ=QC"]
    for viewer in (None, 0, 2):
        again = RULES.determinize(state.view(viewer), Random(1))
        assert again.view(viewer).to_json() == state.view(viewer).to_json()


def test_a_run_is_joined_only_at_a_natural_card_of_the_set():
    state = deal("9C 9D 9H RJ", "TC JC QC TS JS QS", "")
    play(state, "draw:stock", "meld:9C9D9HRJ=9*")
    throw(state)
    play(state, "draw:stock")
    assert legal(state, "lay") == {"lay:TCJCQC@1"}
    refused(state, "lay:TSJSQS@1")


def test_a_joined_run_may_have_a_joker_that_stands_for_its_card():
    state = deal("9C 9D 9H 9S", "TC QC RJ BJ", "")
    play(state, "draw:stock", "meld:9C9D9H9S")
    throw(state)
    play(state, "draw:stock")
    assert "lay:TCRJ=JCQC@1" in legal(state)
    assert "lay:RJ=TCBJ=JCQC@1" in legal(state)
    refused(state, "lay:BJ=TCRJ=JCQC@1")
    play(state, "lay:TCRJ=JCQC@1", "lay:BJ=KC@1")
    assert cards(state, "meld:1")[4:] == ["TC", "RJ=JC", "QC", "BJ=KC"]


# How a deal ends


def test_the_hand_ends_when_a_player_is_out_of_cards():
    state = deal(OUT, POOR, stock="3H")
    events = play(state, "draw:stock", *OUT_MOVES, "discard:3H")
    assert [event.data["winner"] for event in events if event.kind == "deal_over"] == [0]
    assert fact(state, "deal") == 2


def empty_stock(*hands: str) -> Rummy500State:
    """Three players whose stock has just run out; seat 0 is in turn."""
    state = deal(*hands)
    while state.stock:
        idle(state)
    return state


def test_with_the_stock_empty_passing_ends_the_deal():
    state = empty_stock("", "", "")
    (seat,) = state.to_move()
    assert "pass" in legal(state)
    assert "draw:stock" not in legal(state)
    refused(state, "draw:stock", "stock is empty")
    events = play(state, "pass")
    assert [event.kind for event in events][:2] == ["pass", "deal_over"]
    assert events[0].seat == seat
    assert events[1].data["winner"] is None
    assert fact(state, "deal") == 2


def test_taking_stays_allowed_while_they_can():
    state = empty_stock("3C 3D KC", "", "")
    with_pile(state, " ".join(sorted(cards(state, "discard"))))
    (seat,) = state.to_move()
    takes = legal(state, "take")
    assert takes
    play(state, min(takes))
    play(state, min(legal(state)))
    if state.view(None).phase == "play":
        throw(state)
    assert fact(state, "deal") == 1
    assert state.to_move() != (seat,)


def test_no_one_passes_while_there_is_a_stock():
    refused(deal("", "", ""), "pass", "only when the stock is empty")


def test_the_stock_is_never_refilled():
    state = empty_stock("", "", "")
    assert fact(state, "refills") == 0
    assert state.view(None).zone("stock").count == 0


# Scores


def scores_after(first: str, moves: tuple[str, ...], second: str = POOR, stock: str = "3H", **options) -> list[int]:
    """The scores of two players after a deal in which seat 0 makes ``moves`` in its first turn and goes out."""
    state = deal(first, second, stock=stock, **options)
    play(state, "draw:stock", *moves)
    return fact(state, "last_deal")["gains"]


def test_each_player_gets_the_value_of_their_melds_less_their_hand():
    laid = 2 + 3 + 4 + 5 + 6 + 7 + 8 + 3 * 10 + 3 * 10
    left = 15 + 2 + 4 + 5 + 6 + 8 + 9 + 9 + 10 * 5
    assert scores_after(OUT, (*OUT_MOVES, "discard:3H")) == [laid, -left]


@pytest.mark.parametrize(("ace_scores", "aces"), [(15, 15), (5, 5), (25, 25)])
def test_an_ace_counts_what_the_table_agrees_and_1_as_the_low_end_of_a_run(ace_scores, aces):
    low = "AC 2C 3C 6D 7D 8D TC TD TH QC QD QH QS"
    moves = ("meld:AC2C3C", "meld:6D7D8D", "meld:TCTDTH", "meld:QCQDQHQS", "discard:3H")
    gains = scores_after(low, moves, ace_scores=ace_scores)
    assert gains[0] == 1 + 2 + 3 + 21 + 30 + 40
    assert gains[1] == -(aces + 2 + 4 + 5 + 6 + 8 + 9 + 9 + 50)


def test_a_high_ace_and_an_ace_in_a_set_count_15():
    hand = "QC KC AC 6D 7D 8D TC TD TH AD AS 9D 4H"
    moves = ("meld:QCKCAC", "meld:6D7D8D9D", "meld:TCTDTH", "meld:ADAHAS", "discard:4H")
    assert scores_after(hand, moves, "2H 3D 5S 6S 8C 3C 9H JC JH KD KS 7S 2S", "AH")[0] == 35 + 30 + 30 + 45


def test_a_low_ace_below_a_joined_run_counts_1():
    state = deal("5C 5D 5H 5S", "2H 3H 4H AH", "")
    play(state, "draw:stock", "meld:5C5D5H5S")
    throw(state)
    play(state, "draw:stock", "lay:2H3H4H@1")
    before, laid = state.gains(None), fact(state, "on_table")
    play(state, "lay:AH@1")
    # 15 less in hand and 1 more on the table.
    assert state.gains(None)[1] - before[1] == 15 + 1
    assert [one - other for one, other in zip(fact(state, "on_table"), laid, strict=True)] == [0, 1, 0]
    assert cards(state, "meld:1")[4:] == ["AH", "2H", "3H", "4H"]


def test_a_joker_counts_15_on_the_table():
    hand = "2C 3C RJ 5C 6D 7D 8D TC TD TH QC QD QS"
    moves = ("meld:2C3CRJ=4C5C", "meld:6D7D8D", "meld:TCTDTH", "meld:QCQDQS", "discard:3H")
    assert scores_after(hand, moves)[0] == 2 + 3 + 15 + 5 + 21 + 30 + 30


def test_a_joker_as_a_low_ace_counts_15():
    hand = "2C 3C RJ 4C 6D 7D 8D TC TD TH QC QD QS"
    moves = ("meld:RJ=AC2C3C4C", "meld:6D7D8D", "meld:TCTDTH", "meld:QCQDQS", "discard:3H")
    assert scores_after(hand, moves)[0] == 15 + 2 + 3 + 4 + 21 + 30 + 30


def test_a_joker_counts_15_in_hand_and_scores_may_go_below_zero():
    second = "AH 2H 4D 5S 6S 8C 9D 9H JC JH KC KD RJ"
    assert scores_after(OUT, (*OUT_MOVES, "discard:3H"), second)[1] == -(15 + 2 + 4 + 5 + 6 + 8 + 18 + 40 + 15)


def test_cards_added_to_other_players_melds_score_for_their_owner():
    state = deal(OUT, "9D 9C 2H AH 4D 5S 6S 8C JC JH KC KD KS", stock="3H 2S TS")
    play(state, "draw:stock", "meld:6D7D8D", "discard:3H", "draw:stock", "lay:9D@1", "discard:2S")
    # Seat 0 can't go rummy any more: one meld a turn.
    play(state, "draw:stock", "meld:2C3C4C5C", "discard:TS")
    assert fact(state, "melds")[0]["owners"] == [0, 0, 0, 1]
    state.stock.clear()
    play(state, "pass")
    gains = fact(state, "last_deal")["gains"]
    assert gains[1] == 9 - (9 + 2 + 15 + 4 + 5 + 6 + 8 + 10 * 5)
    assert gains[0] == 21 + 14 - 60


# The match


def ending(scores: list[int], **options) -> Rummy500State:
    """A match of two with these scores after a deal in which seat 0 has got 118 and seat 1 lost 108."""
    state = deal(OUT, POOR, stock="3H", **options)
    gains = scores_after(OUT, (*OUT_MOVES, "discard:3H"))
    state.scores = [score - gain for score, gain in zip(scores, gains, strict=True)]
    play(state, "draw:stock", *OUT_MOVES, "discard:3H")
    assert fact(state, "scores") == scores
    return state


def test_when_someone_is_at_the_target_the_highest_total_wins():
    assert ending([499, 20]).outcome() is None
    outcome = ending([500, 20]).outcome()
    assert (outcome.reason, outcome.ranking, outcome.points) == ("target", ((0,), (1,)), (500.0, 20.0))
    assert ending([510, 530]).outcome().ranking == ((1,), (0,))
    assert ending([100, -30], target=100).outcome().reason == "target"


def test_equal_another_deal():
    state = ending([520, 520])
    assert state.outcome() is None
    assert fact(state, "deal") == 2


def test_the_cap_is_40_deals():
    state = deal("", "", "")
    deals = 0
    while state.to_move():
        state.stock.clear()
        moves = legal(state)
        events = play(state, "pass") if "pass" in moves else throw(state)
        deals += sum(event.kind == "deal_over" for event in events)
    assert deals == 40
    assert state.outcome().reason == "deals"


def test_a_tie_at_the_cap_shares_the_place():
    state = deal(OUT, POOR, stock="3H")
    state.deal = 40
    state.scores = [600 - 118, 600 + 108]
    gains = scores_after(OUT, (*OUT_MOVES, "discard:3H"))
    state.scores = [600 - gain for gain in gains]
    play(state, "draw:stock", *OUT_MOVES, "discard:3H")
    assert (state.outcome().reason, state.outcome().ranking) == ("deals", ((0, 1),))


# What each may see


def test_the_cards_taken_from_the_pile_are_known_until_played():
    state = piled("KH 3D TC 4H", "3C 3S", "", "")
    play(state, "take:3")
    for viewer in (None, 1, 2):
        assert cards(state, "hand:0", viewer) == ["TC", "3D", "4H", *[None] * 7]
    play(state, "meld:3C3D3S")
    assert cards(state, "hand:0", 1) == ["TC", "4H", *[None] * 5]
    play(state, "discard:TC")
    assert cards(state, "hand:0", 1) == ["4H", *[None] * 5]


def test_a_played_card_removes_its_known_twin_first():
    state = piled("KH 3D TC 4H", "3C 3S TC", "", "", "", "")
    play(state, "take:3", "meld:3C3D3S", "discard:TC")
    assert cards(state, "hand:0", 0).count("TC") == 1
    assert cards(state, "hand:0", 1) == ["4H", *[None] * 5]


def test_the_whole_pile_is_public_in_order():
    state = piled("KH 2C 8H 3D TC 4H", "", "", "")
    for viewer in (None, 0, 1):
        assert cards(state, "discard", viewer) == ["KH", "2C", "8H", "3D", "TC", "4H"]


def test_the_rest_of_the_hands_and_the_stock_are_hidden():
    view = deal("", "", "").view(1)
    assert view.zone("hand:0").cards == [None] * 7
    assert view.zone("stock").cards is None


def test_an_imagined_hand_can_use_the_card_taken():
    state = piled("KH 3D TC 4H", "3C 3S", "", "")
    play(state, "take:3")
    rng = Random(3)
    for viewer in (None, 1, 2):
        for _ in range(20):
            guess = RULES.determinize(state.view(viewer), rng)
            assert guess.view(viewer).to_json() == state.view(viewer).to_json()
            assert guess.legal_moves(0)


def test_an_imagined_hand_can_finish_going_rummy():
    state = deal("2C 3C 4C 5C 6D 7D 8D TC TD RJ QC QD BJ", "", stock="9H", target=1000)
    play(state, "draw:stock", "meld:2C3C4C5C", "meld:TCTDRJ=T*")
    rng = Random(3)
    for _ in range(20):
        guess = RULES.determinize(state.view(1), rng)
        assert guess.view(1).to_json() == state.view(1).to_json()
        while guess.to_move() == (0,) and guess.phase == "play":
            guess.apply(0, rng.choice(guess.legal_moves(0)))
        assert guess.deal == 2


# Common requirements of every game


@pytest.mark.parametrize(
    "options",
    [{"target": 99}, {"target": 1001}, {"jokers": 1}, {"ace_scores": 4}, {"ace_scores": 26}, {"deals": 3}],
)
def test_wrong_options_are_refused(options):
    with pytest.raises(BadOptions):
        RULES.deal(2, options, SEED)


def test_a_deck_without_its_jokers_is_refused():
    with pytest.raises(BadOptions):
        RULES.deal(2, {}, SEED, deck=PACK[:52])
    assert RULES.deal(2, {"jokers": False}, SEED, deck=PACK[:52]).to_move()


@pytest.mark.parametrize("move", ["draw:discard", "take", "take:0", "take:01", "take:-1", "take:1 ", "meld:RJ", None])
def test_nonsense_is_refused(move):
    state = deal("", "")
    with pytest.raises(IllegalMove, match="not a move in Rummy 500"):
        state.check(0, move)


def test_default_move_never_takes_from_the_pile_and_passes_when_the_stock_is_empty():
    assert piled("KH 3D", "3C 3S", "", "").default_move(0) == "draw:stock"
    state = empty_stock("", "", "")
    assert state.default_move(state.to_move()[0]) == "pass"


def test_default_move_uses_the_card_that_was_taken_then_discards_the_most_valuable_natural_card():
    state = piled("KH 3D", "3C 3S RJ", "", "")
    play(state, "take:1")
    assert "3D" in state.default_move(0)
    play(state, "meld:3C3D3S")
    assert state.default_move(0) == "discard:AC"


def test_sentences_say_what_a_joker_stands_for():
    state = deal("3C 4C RJ", "", "")
    play(state, "draw:stock")
    (event,) = play(state, "meld:3C4CRJ=5C")
    said = RULES.say(event, ["Ann", "Bob", "Cleo"])
    assert said == ("Ann melds the 3 of clubs, the 4 of clubs and the red joker. The red joker is the 5 of clubs.")
    assert event.data["cards"] == ["3C", "4C", "RJ"]


def test_matches_are_determinized_described_stored_and_described_again():
    rng = Random(11)
    kinds: Counter[str] = Counter()
    for seats in RULES.seats:
        state = RULES.deal(seats, {"target": 100}, f"{rng.getrandbits(128):032x}")
        size = 108 if seats >= 5 else 54
        names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"][:seats]
        while awaited := state.to_move():
            for viewer in (None, *range(seats)) if rng.random() < 0.05 else ():
                view = state.view(viewer)
                again = View.from_json(json.loads(json.dumps(view.to_json())))
                assert RULES.determinize(again, rng).view(viewer).to_json() == view.to_json()
                assert sum(zone.count for zone in view.zones) == size
                stored = thaw(Rummy500State, json.loads(json.dumps(freeze(state))))
                assert freeze(stored) == freeze(state)
            moves = state.legal_moves(awaited[0])
            laying = [move for move in moves if move[:4] in ("meld", "lay:")]
            events: list[Event] = []
            state.apply(awaited[0], rng.choice(laying or moves), events.append)
            for event in events:
                kinds[event.kind] += 1
                assert "{" not in RULES.say(event, names)
    assert {"take", "lay", "meld", "deal_over", "match_over"} <= set(kinds)
