"""Armed, sentence by sentence."""

import json
import re
from random import Random

import pytest

from games.engine import BadOptions, Chance, Event, IllegalMove, Match, freeze, replay, thaw
from games.engine.cards import CODES, decode, encode
from games.rules.armed import RULES as ARMED
from games.rules.armed.rules import VALUE, ArmedState

SEED = "00112233445566778899aabbccddeeff"
NAMES = ("Ann", "Ben")


def deal(first=(), second=(), **options):
    """A match in which the tops of the two decks are these cards, first drawn first."""
    rest = [code for code in CODES[:52] if code not in {*first, *second}]
    need = 26 - len(first)
    piles = [*rest[:need], *reversed(first)], [*rest[need:], *reversed(second)]
    deck = [code for pair in zip(*piles, strict=True) for code in pair]
    return ARMED.deal(2, options, SEED, deck=deck, dealer=1)


def position(hands, decks, **options):
    """A match with these cards; the others are out of the way. Top of a deck last."""
    state = ARMED.deal(2, options, SEED)
    state.hands = [sorted(decode(hand.split())) for hand in hands]
    state.decks = [decode(deck.split()) for deck in decks]
    return state


def battle(state, first, second):
    """Let both play a card; returns the events."""
    told = []
    state.apply(0, f"play:{first}", told.append)
    state.apply(1, f"play:{second}", told.append)
    return told


def zone(state, seat, name):
    return state.view(seat).zone(name)


def counts(state):
    return {zone.id: zone.count for zone in state.view(None).zones}


def play_at_random(state, rng):
    """Yield after every move of a random match, with the move and its events."""
    while waiting := state.to_move():
        seat = rng.choice(waiting)
        move = rng.choice(state.legal_moves(seat))
        told = []
        state.apply(seat, move, told.append)
        yield seat, move, told


# Set-up


def test_52_cards_26_each_of_which_each_draws_6():
    state = ARMED.deal(2, {}, SEED)
    assert counts(state) == {
        "hand:0": 6,
        "deck:0": 20,
        "battleground:0": 0,
        "hand:1": 6,
        "deck:1": 20,
        "battleground:1": 0,
    }
    held = state.decks[0] + state.decks[1] + state.hands[0] + state.hands[1]
    assert sorted(held) == list(range(52))


def test_the_pack_is_shuffled_as_chance_1_and_the_dealer_is_chance_0():
    chance = Chance(bytes.fromhex(SEED))
    dealer = chance.below(2)
    pack = list(range(52))
    chance.shuffle(pack)
    state = ARMED.deal(2, {}, SEED)
    left = 1 - dealer
    assert state.hands[left] == sorted(pack[0::2][-6:])
    assert state.hands[dealer] == sorted(pack[1::2][-6:])
    assert state.chance.number == 2


@pytest.mark.parametrize("dealer", [0, 1])
def test_cards_are_dealt_one_at_a_time_from_the_dealers_left_the_last_card_dealt_on_top(dealer):
    deck = list(CODES[:52])
    state = ARMED.deal(2, {}, SEED, deck=deck, dealer=dealer)
    left = 1 - dealer
    assert encode(state.hands[left]) == ["2S", "4S", "6S", "8S", "TS", "QS"]
    assert encode(state.hands[dealer]) == ["3S", "5S", "7S", "9S", "JS", "KS"]
    assert encode(state.decks[left])[-1] == "KH"


def test_a_stacked_deck_and_a_given_dealer_use_up_their_chances():
    assert deal().chance.number == 2


def test_a_hand_is_seen_only_by_its_player_and_a_deck_by_no_one():
    state = ARMED.deal(2, {}, SEED)
    assert zone(state, 0, "hand:0").cards == encode(state.hands[0])
    for viewer in (1, None):
        assert zone(state, viewer, "hand:0").cards == [None] * 6
    for viewer in (0, 1, None):
        assert zone(state, viewer, "deck:0").cards is None


# Battle


def test_values_are_2_to_10_as_printed_jack_11_queen_12_king_13_ace_14():
    assert [VALUE[card] for card in decode(["2C", "9C", "TC", "JC", "QC", "KC", "AC"])] == [2, 9, 10, 11, 12, 13, 14]


@pytest.mark.parametrize(("low", "high"), [("2S", "3C"), ("9H", "TC"), ("TD", "JC"), ("QD", "KC"), ("KS", "AC")])
def test_the_higher_value_takes_all_the_cards_on_the_battleground(low, high):
    state = deal([low], [high])
    battle(state, low, high)
    assert counts(state)["deck:0"] + counts(state)["hand:0"] == 25
    assert counts(state)["deck:1"] + counts(state)["hand:1"] == 27


def test_suits_never_matter():
    state = deal(["5S"], ["5C"])
    battle(state, "5S", "5C")
    assert state.view(None).phase == "war"


def test_at_the_start_of_a_battle_both_draw_until_they_hold_6():
    state = deal(["5S"], ["7C"])
    top = state.decks[0][-1]
    battle(state, "5S", "7C")
    assert [len(hand) for hand in state.hands] == [6, 6]
    assert top in state.hands[0]


def test_both_choose_in_secret_and_play_face_down():
    state = deal(["QS"], ["7C"])
    told = []
    state.apply(0, "play:QS", told.append)
    assert zone(state, 0, "battleground:0").cards == ["QS"]
    for viewer in (1, None):
        assert zone(state, viewer, "battleground:0").cards == [None]
        assert "QS" not in json.dumps(state.view(viewer).to_json())
        assert "QS" not in json.dumps([dict(event.data) for event in told if event.is_for(viewer)])
    assert [event.data["card"] for event in told if event.is_for(0) and "card" in event.data] == ["QS"]
    assert state.public_move(0, "play:QS") == "choose"


def test_a_player_who_has_chosen_waits_for_the_other():
    state = deal(["QS"], ["7C"])
    assert state.to_move() == (0, 1)
    state.apply(0, "play:QS")
    assert state.to_move() == (1,)
    assert state.legal_moves(0) == []
    with pytest.raises(IllegalMove, match="other player"):
        state.apply(0, "play:QS")


def test_the_order_of_the_two_choices_makes_no_difference():
    one, other = deal(["QS"], ["7C"]), deal(["QS"], ["7C"])
    battle(one, "QS", "7C")
    other.apply(1, "play:7C")
    other.apply(0, "play:QS")
    assert freeze(one) == freeze(other)


def test_both_are_turned_together():
    state = deal(["QS"], ["7C"])
    told = battle(state, "QS", "7C")
    turned = next(event for event in told if event.kind == "turned")
    assert turned.data == {"cards": ["QS", "7C"], "totals": [12, 7]}
    assert turned.to is None


def test_the_winners_whole_deck_with_the_cards_won_is_shuffled_from_pack_order():
    state = deal(["QS"], ["7C"])
    deck = sorted([*state.decks[0], *decode(["QS", "7C"])])
    Chance(bytes.fromhex(SEED), 2).shuffle(deck)
    loser = state.decks[1][:-1]
    hand = set(state.hands[0]) - {*decode(["QS"])}
    battle(state, "QS", "7C")
    assert state.chance.number == 3
    assert set(state.hands[0]) == hand | {deck[0]}
    assert state.decks[0] == deck[:0:-1]
    assert state.decks[1] == loser


# War


def test_equal_values_are_a_war_in_which_both_choose_another_card_in_secret():
    state = deal(["5S", "9C"], ["5C", "2H"])
    battle(state, "5S", "5C")
    assert state.to_move() == (0, 1)
    assert counts(state)["hand:0"] == 5
    state.apply(0, "play:9C")
    assert zone(state, 0, "battleground:0").cards == ["5S", "9C"]
    assert zone(state, 1, "battleground:0").cards == ["5S", None]


def test_the_value_of_a_war_card_is_added_and_the_higher_total_takes_everything():
    state = deal(["5S", "9C"], ["5C", "2H"])
    battle(state, "5S", "5C")
    facts = state.view(0).facts
    assert (facts["war"], facts["totals"], facts["battle"]) == (True, [5, 5], 1)
    told = battle(state, "9C", "2H")
    assert next(event for event in told if event.kind == "turned").data["totals"] == [14, 7]
    assert set(next(event for event in told if event.kind == "taken").data["cards"]) == {"5S", "5C", "9C", "2H"}
    assert sum(map(len, (state.hands[0], state.decks[0]))) == 28
    facts = state.view(0).facts
    assert (facts["war"], facts["totals"], facts["battle"]) == (False, [0, 0], 2)
    assert [len(hand) for hand in state.hands] == [6, 6]


def test_a_war_repeats_while_the_totals_are_equal():
    state = deal(["5S", "9C", "KD"], ["5C", "9H", "AD"])
    battle(state, "5S", "5C")
    battle(state, "9C", "9H")
    assert state.view(None).facts["totals"] == [14, 14]
    battle(state, "KD", "AD")
    assert sum(map(len, (state.hands[1], state.decks[1]))) == 29


def test_a_war_of_six_ties_empties_both_hands_and_both_draw_again():
    ranks = "23456789"
    state = deal([f"{rank}S" for rank in ranks], [f"{rank}H" for rank in ranks])
    for rank in ranks[:5]:
        battle(state, f"{rank}S", f"{rank}H")
    assert [len(hand) for hand in state.hands] == [1, 1]
    told = battle(state, "7S", "7H")
    assert [(event.seat, event.data["cards"]) for event in told if event.kind == "drawn"] == [(0, 6), (1, 6)]
    assert state.view(0).phase == "war"
    battle(state, "8S", "9H")
    assert sum(map(len, (state.hands[1], state.decks[1]))) == 33
    assert state.view(0).facts["battle"] == 2


def test_with_an_empty_hand_in_a_war_only_that_player_draws():
    state = position(["5S", "5H 9C"], ["2C 3C 4C", "KD KH"])
    battle(state, "5S", "5H")
    assert encode(state.hands[0]) == ["2C", "3C", "4C"]
    assert encode(state.hands[1]) == ["9C"]
    assert len(state.decks[1]) == 2


def test_a_player_with_no_card_for_a_war_loses_if_the_opponent_can_go_on():
    state = position(["5S", "5H 9C"], ["", "KD"])
    told = battle(state, "5S", "5H")
    assert state.outcome().reason == "deck_out"
    assert state.outcome().ranking == ((1,), (0,))
    assert told[-1].kind == "over"
    state = position(["5S 9C", "5H"], ["", ""])
    battle(state, "5S", "5H")
    assert state.outcome().ranking == ((0,), (1,))
    state = position(["5S", "5H"], ["", "KD"])
    battle(state, "5S", "5H")
    assert state.outcome().ranking == ((1,), (0,))


def test_if_neither_can_go_on_it_is_a_draw():
    state = position(["5S", "5H"], ["", ""])
    battle(state, "5S", "5H")
    assert state.outcome().ranking == ((0, 1),)
    assert state.returns() == (0, 0)
    assert [seat.place for seat in state.view(None).seats] == [1, 1]


def test_played_cards_count_for_their_players():
    state = position(["5S", "5H 9C"], ["", "KD QD"])
    battle(state, "5S", "5H")
    assert state.outcome().points == (1, 4)
    assert counts(state)["battleground:0"] == 1
    state = deal(["5S"], ["7C"])
    state.apply(0, "play:5S")
    assert [seat.points for seat in state.view(None).seats] == [26, 26]


# End


def test_a_player_who_must_draw_and_has_no_card_in_the_deck_loses():
    state = position(["2S 3S 4S 5S 6S 7S", "8D 9D TD JD QD KD"], ["", "2D 3D"])
    battle(state, "2S", "8D")
    assert state.to_move() == ()
    assert state.outcome().reason == "deck_out"
    assert state.outcome().ranking == ((1,), (0,))
    assert state.outcome().points == (5, 9)
    assert state.returns() == (-1, 1)
    assert state.view(None).phase == "over"


def test_the_winner_of_the_last_cards_always_has_some_to_draw():
    state = position(["2S 3S 4S 5S 6S 7S", "8D 9D TD JD QD KD"], ["2D", ""])
    battle(state, "2S", "8D")
    assert state.outcome() is None
    assert [len(hand) for hand in state.hands] == [6, 6]


def test_holding_all_cards_in_hand_with_an_empty_deck_does_not_lose():
    state = position(["2S 3S 4S 5S 6S 7S", "8D 9D TD JD QD KD"], ["2D", "3D 4D"])
    battle(state, "2S", "8D")
    assert state.outcome() is None
    assert state.decks[0] == []
    assert len(state.hands[0]) == 6


def test_a_deck_with_too_few_cards_is_drawn_and_the_match_goes_on():
    state = position(["2S 9S 4S", "2D 9D AD"], ["7H 6H", "KD QD JD TD"], hand_size=3)
    for card in ("2", "9"):
        battle(state, f"{card}S", f"{card}D")
    battle(state, "4S", "AD")
    assert state.outcome() is None
    assert encode(state.hands[0]) == ["6H", "7H"]
    assert [len(hand) for hand in state.hands] == [2, 3]


def test_the_number_of_cards_in_each_deck_and_hand_is_public():
    state = deal(["5S"], ["7C"])
    battle(state, "5S", "7C")
    assert counts(state) == {
        "hand:0": 6,
        "deck:0": 19,
        "battleground:0": 0,
        "hand:1": 6,
        "deck:1": 21,
        "battleground:1": 0,
    }


def test_cards_taken_from_the_battleground_were_seen_by_both():
    state = deal(["5S", "6H"], ["7C", "3D"])
    assert state.view(None).facts["known"] == [[], []]
    told = battle(state, "5S", "7C")
    assert next(event for event in told if event.kind == "taken").to is None
    assert state.view(0).facts["known"] == [[], ["7C", "5S"]]
    battle(state, "6H", "3D")
    assert state.view(1).facts["known"] == [["3D", "6H"], ["7C", "5S"]]


def test_a_known_card_on_the_battleground_is_no_longer_in_deck_or_hand():
    state = position(["5S 7H", "5H 9C"], ["2C 3C 4C", "KD KH"])
    state.known = [1 << decode(["5S"])[0], 0]
    state.apply(0, "play:5S")
    assert state.view(1).facts["known"] == [["5S"], []]
    state.apply(1, "play:5H")
    assert state.view(1).facts["known"] == [[], []]


# Options


def test_hand_size_is_6_or_3_to_10():
    for size in (3, 10):
        assert counts(deal(hand_size=size))["hand:1"] == size
    for size in (2, 11, "6", None, True, 6.0):
        with pytest.raises(BadOptions):
            deal(hand_size=size)


def test_after_so_many_battles_the_player_with_more_cards_wins():
    state = deal(["5S"], ["7C"], battles=1)
    told = battle(state, "5S", "7C")
    assert state.outcome() == state.copy().outcome()
    assert state.outcome().reason == "battles"
    assert state.outcome().ranking == ((1,), (0,))
    assert state.outcome().points == (25, 27)
    assert [seat.place for seat in state.view(None).seats] == [2, 1]
    assert state.view(None).facts["battle"] == 1
    assert ARMED.say(told[-1], NAMES) == "That was the last battle. Ben wins by 27 cards to 25."


def test_equal_is_a_draw_after_the_last_battle():
    state = deal(["5S", "8H"], ["7C", "2H"], battles=2)
    battle(state, "5S", "7C")
    battle(state, "8H", "2H")
    assert state.outcome().ranking == ((0, 1),)
    assert state.outcome().points == (26, 26)


def test_a_battle_includes_its_wars():
    state = deal(["5S", "8H"], ["5C", "2H"], battles=1)
    battle(state, "5S", "5C")
    assert state.outcome() is None
    battle(state, "8H", "2H")
    assert state.outcome().reason == "battles"


def test_the_battle_limit_is_looked_at_before_the_next_draw():
    state = position(["2S 3S 4S 5S 6S 7S", "8D 9D TD JD QD KD"], ["", "2D 3D"], battles=1)
    told = battle(state, "2S", "8D")
    assert state.outcome().reason == "battles"
    assert not [event for event in told if event.kind == "drawn"]
    assert len(state.hands[1]) == 5


def test_endless_play_is_scored_after_2000_battles():
    state = deal(["5S"], ["7C"])
    state.battle = 1999
    battle(state, "5S", "7C")
    assert state.outcome() is None
    assert state.view(None).facts["battle"] == 2000
    seat0, seat1 = (max(state.hands[0], key=VALUE.__getitem__), min(state.hands[1], key=VALUE.__getitem__))
    battle(state, CODES[seat0], CODES[seat1])
    assert state.outcome().reason == "battles"


def test_live_matches_go_to_the_end_and_asynchronous_ones_over_26_battles():
    hand_size, battles = ARMED.options
    assert (hand_size.name, hand_size.default, hand_size.by_mail) == ("hand_size", 6, 6)
    assert (battles.name, battles.default, battles.by_mail) == ("battles", 0, 26)
    assert deal().view(None).facts["options"] == {"hand_size": 6, "battles": 0}
    for number in (-1, 2001, 1.5, "26"):
        with pytest.raises(BadOptions):
            deal(battles=number)


@pytest.mark.parametrize("seats", [1, 3, 0, "2", True])
def test_it_is_for_two_players(seats):
    with pytest.raises(BadOptions):
        ARMED.deal(seats, {}, SEED)


def test_a_wrong_deck_dealer_seed_or_option_name_is_refused():
    for wrong in (
        {"deck": [*CODES[:51], "AC"]},
        {"deck": CODES[:51]},
        {"deck": [*CODES[:51], "RJ"]},
        {"dealer": 2},
        {"dealer": -1},
    ):
        with pytest.raises(BadOptions):
            ARMED.deal(2, {}, SEED, **wrong)
    with pytest.raises(BadOptions):
        ARMED.deal(2, {}, "00")
    with pytest.raises(BadOptions):
        ARMED.deal(2, {"wars": 1}, SEED)


# The protocol


@pytest.mark.parametrize(
    ("seat", "move", "reason"),
    [
        (0, "5S", "couldn't read"),
        (0, "play:", "couldn't read"),
        (0, "play:RJ", "couldn't read"),
        (0, "play:5s", "couldn't read"),
        (0, "play:5S ", "couldn't read"),
        (0, "", "couldn't read"),
        (0, None, "couldn't read"),
        (0, ["play:5S"], "couldn't read"),
        (0, "play:7C", "don't hold the 7 of clubs"),
        (2, "play:5S", "no such seat"),
        (-1, "play:5S", "no such seat"),
        (None, "play:5S", "no such seat"),
    ],
)
def test_a_wrong_move_is_refused_with_its_reason_and_changes_nothing(seat, move, reason):
    state = deal(["5S"], ["7C"])
    before = freeze(state)
    told = []
    for attempt in (state.check, lambda seat, move: state.apply(seat, move, told.append)):
        with pytest.raises(IllegalMove, match=reason):
            attempt(seat, move)
    assert freeze(state) == before
    assert told == []


def test_nothing_may_be_played_when_it_is_over():
    state = position(["5S", "5H 9C"], ["", "KD"])
    battle(state, "5S", "5H")
    for seat in (0, 1):
        assert state.legal_moves(seat) == []
        with pytest.raises(IllegalMove, match="over"):
            state.check(seat, "play:9C")


def test_autoplay_plays_the_lowest_card():
    state = position(["AS KS 4H 4D", "5H"], ["", "KD"])
    assert state.default_move(0) == "play:4D"
    state.apply(0, "play:4D")
    with pytest.raises(IllegalMove):
        state.default_move(0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("options", [{}, {"hand_size": 3, "battles": 40}, {"hand_size": 10, "battles": 60}])
def test_random_matches_keep_the_laws(seed, options):
    rng = Random(seed)
    state = ARMED.deal(2, options, f"{rng.getrandbits(128):032x}")
    for number, (seat, _move, told) in enumerate(play_at_random(state, rng)):
        assert sum(counts(state).values()) == 52
        for event in told:
            assert "{" not in ARMED.say(event, NAMES)
            assert event.kind != "drawn" or event.data["cards"] > 0
        if number % 16 == 0 or not state.to_move():
            assert thaw(ArmedState, json.loads(json.dumps(freeze(state)))).view(seat) == state.view(seat)
            for viewer in (0, 1, None):
                guess = ARMED.determinize(state.view(viewer), rng)
                assert guess.view(viewer) == state.view(viewer)
                assert guess.hands == [sorted(hand) for hand in guess.hands]
                everything = [*guess.hands, *guess.decks, *guess.laid, guess.sealed]
                assert sorted(card for cards in everything for card in cards if card >= 0) == list(range(52))
    outcome = state.outcome()
    assert sum(outcome.points) == 52
    assert sum(state.returns()) == 0


def test_the_cards_known_to_be_someones_stay_theirs_in_every_guess():
    rng = Random(7)
    state = deal()
    for number, _step in enumerate(play_at_random(state, rng)):
        if number == 40:
            break
    for viewer in (0, 1, None):
        known = state.view(viewer).facts["known"]
        assert known[0]
        assert known[1]
        guess = ARMED.determinize(state.view(viewer), rng)
        for seat in (0, 1):
            owned = encode([*guess.hands[seat], *guess.decks[seat], *guess.laid[seat], guess.sealed[seat]])
            assert set(known[seat]) <= set(owned)


def test_a_guess_plays_on_to_the_end_with_chances_of_its_own():
    rng = Random(3)
    state = deal()
    state.apply(0, state.default_move(0))
    guess = ARMED.determinize(state.view(1), rng)
    assert guess.chance.seed != state.chance.seed
    for _step in play_at_random(guess, rng):
        pass
    assert guess.outcome().reason == "deck_out"


def test_a_copy_shares_nothing():
    rng = Random(2)
    state = deal()
    before = freeze(state)
    twin = state.copy()
    assert freeze(twin) == before
    for _step in play_at_random(twin, rng):
        pass
    assert freeze(state) == before


def test_a_replay_of_the_record_gives_the_same_match():
    rng = Random(9)
    state = ARMED.deal(2, {"battles": 30}, SEED)
    entries = [(seat, move) for seat, move, _told in play_at_random(state, rng)]
    record = json.loads(json.dumps(Match("armed", 1, 2, {"battles": 30}, SEED, entries).to_json()))
    states = list(replay(record))
    assert len(states) == len(entries) + 1
    assert freeze(states[-1]) == freeze(state)


def test_hidden_facts_change_nothing_that_a_seat_sees():
    """Two matches that differ only in Ben's cards look the same to Ann until they are turned."""
    one = deal(["QS"], ["7C", "9D"])
    other = one.copy()
    in_hand, in_deck = decode(["7C"])[0], one.decks[1][3]
    other.hands[1] = sorted({*one.hands[1], in_deck} - {in_hand})
    other.decks[1][3] = in_hand
    assert one.view(1) != other.view(1)
    for state in (one, other):
        state.apply(1, "play:9D")
    assert one.view(0) == other.view(0)
    assert one.view(None) == other.view(None)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (Event("laid", 0, {"cards": 1}), "Ann plays a card face down."),
        (Event("chose", 0, {"card": "QS"}), "Ann has chosen the queen of spades."),
        (
            Event("turned", None, {"cards": ["TS", "AC"], "totals": [10, 14]}),
            "Ann reveals the 10 of spades, Ben reveals the ace of clubs.",
        ),
        (Event("war", None, {"battle": 1, "totals": [5, 5]}), "War! Both have 5, so both play another card."),
        (
            Event("taken", 1, {"cards": ["TS", "AC"]}),
            "Ben wins the 10 of spades and the ace of clubs and shuffles them into their stock.",
        ),
        (Event("drawn", 1, {"cards": 2}), "Ben draws 2 cards."),
        (Event("drew", 1, {"cards": ["TS"]}), "Ben has drawn the 10 of spades."),
        (
            Event("over", None, {"reason": "deck_out", "ranking": [[1], [0]], "points": [5, 47]}),
            "Ann has no cards left to draw. Ben wins.",
        ),
        (
            Event("over", None, {"reason": "battles", "ranking": [[0, 1]], "points": [26, 26]}),
            "The match is a draw.",
        ),
    ],
)
def test_every_event_is_one_sentence(event, sentence):
    assert ARMED.say(event, NAMES) == sentence


def test_an_unknown_event_is_not_said():
    with pytest.raises(ValueError, match="dance"):
        ARMED.say(Event("dance", 0, {}), NAMES)


@pytest.mark.parametrize(
    ("seat", "move", "reason"),
    [
        (2, "play:2C", "There's no such seat at this table."),
        (0, "dance", "We couldn't read “dance”. A move is play: and a card, like play:QS."),
        (1, "play:2C", "You don't hold the 2 of clubs."),
        (0, "play:3C", "You've chosen your card. Now the other player chooses."),
    ],
)
def test_every_refusal_says_why(seat, move, reason):
    state = position(["2C 3C", "4D 5D"], ["", ""])
    state.apply(0, "play:2C")
    with pytest.raises(IllegalMove, match=f"^{re.escape(reason)}$"):
        state.check(seat, move)


def test_after_the_end_every_move_is_refused_with_that_reason():
    state = deal(["5S"], ["7C"], battles=1)
    battle(state, "5S", "7C")
    with pytest.raises(IllegalMove, match=r"^The match is over\.$"):
        state.check(0, "play:8S")
    with pytest.raises(IllegalMove, match=r"^You have nothing to choose right now\.$"):
        state.default_move(0)


def test_autoplay_plays_the_lowest_card_whatever_its_suit():
    assert position(["3C 2S", "4D"], ["", ""]).default_move(0) == "play:2S"


@pytest.mark.parametrize("winner", [0, 1])
def test_after_the_last_battle_the_player_with_more_cards_wins(winner):
    first, second = ("5S", "7C") if winner else ("7C", "5S")
    state = deal([first], [second], battles=1)
    battle(state, first, second)
    assert state.outcome().ranking == ((winner,), (1 - winner,))


def test_a_view_names_its_seat_and_the_owner_of_each_zone():
    state = position(["2C 3C", "4D 5D"], ["6C", "7D"])
    for seat in (0, 1, None):
        view = state.view(seat)
        assert view.seat == seat
        assert {zone.id: zone.owner for zone in view.zones} == {
            f"{place}:{owner}": owner for place in ("hand", "deck", "battleground") for owner in (0, 1)
        }


def test_a_position_made_from_the_view_of_a_draw_is_a_draw():
    state = deal(["5S", "8H"], ["7C", "2H"], battles=2)
    battle(state, "5S", "7C")
    battle(state, "8H", "2H")
    assert ARMED.determinize(state.view(None), Random(1)).outcome() == state.outcome()
