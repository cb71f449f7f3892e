"""The sentences of the rules of Normal Cards, one test each."""

import hashlib
import hmac
from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from games.engine import BadOptions, Event, IllegalMove
from games.engine.text import names_for
from games.rules.normal_cards import RULES, NormalCardsState

SEED = "00112233445566778899aabbccddeeff"
RANKS = "A7KJQ6543"
PACK = [rank + suit for suit in "CDHS" for rank in "A34567JQK"]


def deck(*first: str) -> list[str]:
    """A complete pack that begins with these cards."""
    return [*first, *(card for card in PACK if card not in first)]


def two_handed(first: str, second: str, main: str, stock: str = "", **options) -> NormalCardsState:
    """Two players, seat 0 dealing: seat 1 gets the cards of ``first`` and leads, seat 0 those of ``second``."""
    dealt = [card for pair in zip(first.split(), second.split(), strict=True) for card in pair]
    return RULES.deal(2, options, SEED, deck=deck(*dealt, main, *stock.split()), dealer=0)


def play(state: NormalCardsState, *cards: str) -> list[Event]:
    """Let the seat in turn play each card; returns the events in order."""
    events: list[Event] = []
    for card in cards:
        (seat,) = state.to_move()
        state.apply(seat, f"play:{card}", events.append)
    return events


def play_out(state: NormalCardsState, rng: Random) -> list[Event]:
    """Play at random to the end of the match; returns the events in order."""
    events: list[Event] = []
    while awaited := state.to_move():
        state.apply(awaited[0], rng.choice(state.legal_moves(awaited[0])), events.append)
    return events


def cards(state: NormalCardsState, zone: str, seat: int | None = None) -> list[str | None]:
    """The cards of a zone that ``seat`` sees."""
    return list(state.view(seat).zone(zone).cards or [])


def winner_of(trick: str, main: str) -> int:
    """The winner of a two-handed trick: 1 leads the first card, 0 adds the second."""
    led, added = trick.split()
    # Sixes and threes of other suits complete the hands.
    fillers = [card for card in PACK if card not in (led, added, main) and card[0] not in "A7"]
    state = two_handed(" ".join([led, *fillers[:3]]), " ".join([added, *fillers[3:6]]), main)
    play(state, led, added)
    return state.view(None).facts["leader"]


# The cards


def test_it_is_for_2_3_4_or_6_players():
    assert list(RULES.seats) == [2, 3, 4, 6]
    for seats in (0, 1, 5, 7, True, "2", None):
        with pytest.raises(BadOptions, match="2, 3, 4, 6"):
            RULES.deal(seats, {}, SEED)


def test_36_cards_a_7_k_j_q_6_5_4_3_of_each_suit():
    state = RULES.deal(2, {}, SEED)
    seen = [event.data["card"] for event in play_out(state, Random(1)) if event.kind == "play"]
    assert sorted(seen) == sorted(rank + suit for rank in RANKS for suit in "CDHS")


@pytest.mark.parametrize(("stronger", "weaker"), list(pairwise(RANKS)))
def test_strong_to_weak_in_that_order(stronger, weaker):
    assert winner_of(f"{stronger}D {weaker}D", main="3C") == 1
    assert winner_of(f"{weaker}D {stronger}D", main="3C") == 0


@pytest.mark.parametrize(
    ("card", "points"),
    [("AD", 11), ("7D", 10), ("KD", 4), ("JD", 3), ("QD", 2), ("6D", 0), ("5D", 0), ("4D", 0), ("3D", 0)],
)
def test_points_of_a_card(card, points):
    fillers = [other for other in PACK if other != card and other[0] in "3456"]
    state = two_handed(" ".join([card, *fillers[:3]]), " ".join(fillers[3:7]), "KS")
    play(state, card, fillers[3])
    assert sum(state.view(None).facts["points"]) == points


@pytest.mark.parametrize("seats", RULES.seats)
@pytest.mark.parametrize("deals", [1, 3])
def test_120_points_in_all(seats, deals):
    state = RULES.deal(seats, {"deals": deals}, SEED)
    play_out(state, Random(seats))
    assert sum(state.view(None).facts["points"]) == 120 * deals


# The deal


@pytest.mark.parametrize("seats", RULES.seats)
def test_4_cards_each_then_a_card_is_turned_up_the_main_card(seats):
    state = RULES.deal(seats, {}, SEED)
    view = state.view(None)
    assert [view.zone(f"hand:{seat}").count for seat in range(seats)] == [4] * seats
    assert view.zone("main").count == 1
    assert view.zone("stock").count == 36 - 4 * seats - 1
    assert view.zone("main").cards == [view.facts["main"]]


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left():
    order = [card for card in PACK if card[0] not in "A7"]
    state = RULES.deal(3, {}, SEED, deck=deck(*order), dealer=1)
    for place, seat in enumerate((2, 0, 1)):
        assert cards(state, f"hand:{seat}", seat) == sorted(order[place:12:3], key=PACK.index)
    assert cards(state, "main") == [order[12]]


def test_the_suit_of_the_main_card_is_trumps_for_the_whole_deal():
    state = two_handed("3C 4C 5C 6C", "3D 4D 5D 6D", "KH")
    assert state.view(None).facts["trump"] == "H"
    while state.view(None).facts["deal"] == 1 and state.to_move():
        play(state, state.legal_moves(state.to_move()[0])[0].removeprefix("play:"))
        assert state.view(None).facts["trump"] == "H"
        assert state.view(None).facts["main"] == "KH"


def below(number: int, k: int) -> int:
    """The first word of chance ``number``, reduced; no word of this seed is high enough to be passed over."""
    block = hmac.new(bytes.fromhex(SEED), f"{number}/0".encode(), hashlib.sha256).digest()
    return int.from_bytes(block[:4], "big") % k


def test_an_ace_or_a_7_is_never_the_main_card():
    for number in range(300):
        state = RULES.deal(6, {}, f"{number:032x}")
        assert state.view(None).facts["main"][0] not in "A7"


def test_an_ace_or_7_turned_up_goes_back_into_the_stock_at_a_random_place_and_another_is_turned():
    hands = ("3C 4C 5C 6C", "3D 4D 5D 6D")
    rest = [card for card in PACK if card not in f"{hands} AS 7S KS"]
    state = two_handed(*hands, "AS", " ".join(["7S", "KS", *rest]))
    # Chances 0 and 1 are the dealer and the shuffle. 27 cards are left beside the one turned up.
    expected = ["7S", "KS", *rest]
    turned = "AS"
    number = 2
    put_back = []
    while turned[0] in "A7":
        put_back.append(turned)
        expected.insert(below(number, 28), turned)
        turned = expected.pop(0)
        number += 1
    assert put_back[:2] == ["AS", "7S"]
    facts = state.view(None).facts
    assert (facts["main"], facts["put_back"]) == (turned, put_back)
    drawn = []
    while state.view(None).zone("stock").count:
        events = play(state, state.legal_moves(state.to_move()[0])[0].removeprefix("play:"))
        drawn += [event.data["card"] for event in events if event.kind == "drawn"]
    assert drawn == expected


def test_the_main_card_lies_face_up_under_the_stock_and_is_the_last_card_drawn():
    state = two_handed("3C 4C 5C 6C", "3D 4D 5D 6D", "KH")
    events = play_out(state, Random(5))
    draws = [event for event in events if event.kind in ("drawn", "draw_main")]
    assert len(draws) == 28
    assert [event.kind for event in draws].index("draw_main") == 27
    assert draws[-1].data["card"] == "KH"


# A trick


@pytest.mark.parametrize("seats", RULES.seats)
def test_left_of_the_dealer_leads(seats):
    for dealer in range(seats):
        state = RULES.deal(seats, {}, SEED, dealer=dealer)
        assert list(state.to_move()) == [(dealer + 1) % seats]
        assert state.view(None).facts["leader"] == (dealer + 1) % seats


def test_everyone_plays_one_card():
    state = RULES.deal(4, {}, SEED, dealer=2)
    turns = []
    for _card in range(4):
        turns.append(state.to_move()[0])
        state.apply(turns[-1], state.legal_moves(turns[-1])[0])
    assert turns == [3, 0, 1, 2]
    assert cards(state, "trick") == []
    assert len(cards(state, "last_trick")) == 4


def test_any_card_no_duty_to_follow_suit_or_to_trump():
    state = two_handed("3C 4C 5C 6C", "AC 7C 6D KH", "QH")
    play(state, "3C")
    assert set(state.legal_moves(0)) == {"play:AC", "play:7C", "play:6D", "play:KH"}


@pytest.mark.parametrize(
    ("trick", "main", "winner"),
    [
        ("AD 3H", "KH", 0),  # the lowest trump beats the ace led
        ("3H 4H", "KH", 0),  # the higher of two trumps
        ("7H KH", "QH", 1),
        ("3H AD", "KH", 1),  # a trump led
    ],
)
def test_the_trick_goes_to_the_highest_trump(trick, main, winner):
    assert winner_of(trick, main) == winner


@pytest.mark.parametrize(
    ("trick", "winner"), [("3D 4D", 0), ("KD QD", 1), ("3D AS", 1), ("6D 7C", 1), ("KD 7D", 0), ("3D JD", 0)]
)
def test_with_no_trump_it_goes_to_the_highest_card_of_the_suit_led(trick, winner):
    assert winner_of(trick, "KH") == winner


def test_a_trick_of_six_goes_to_the_highest_of_two_trumps_played_late():
    first = ["AD", "7D", "3H", "KD", "5H", "AC"]
    others = [card for card in PACK if card not in first and card != "KH"][:18]
    state = RULES.deal(6, {"teams": False}, SEED, deck=deck(*first, *others, "KH"), dealer=5)
    play(state, *first)
    assert state.view(None).facts["leader"] == 4
    assert state.view(None).facts["points"] == [0, 0, 0, 0, 11 + 10 + 0 + 4 + 0 + 11, 0]


def test_the_winner_draws_first_then_the_others_in_turn_order():
    state = RULES.deal(3, {}, SEED, dealer=2)
    top = [f"{card}" for card in _stock_order(state)]
    for _card in range(3):
        events: list[Event] = []
        seat = state.to_move()[0]
        state.apply(seat, state.legal_moves(seat)[0], events.append)
    winner = state.view(None).facts["leader"]
    drawn = [(event.seat, event.data["card"]) for event in events if event.kind == "drawn"]
    assert drawn == [((winner + turn) % 3, top[turn]) for turn in range(3)]


def _stock_order(state: NormalCardsState) -> list[str]:
    """The stock from its top, found by continuing a copy."""
    events: list[Event] = []
    twin = state.copy()
    while twin.view(None).zone("stock").count:
        seat = twin.to_move()[0]
        twin.apply(seat, twin.legal_moves(seat)[0], events.append)
    return [event.data["card"] for event in events if event.kind == "drawn"]


def test_the_winner_leads_the_next_trick():
    state = two_handed("3C 4C 5C 6C", "AC 7C 6D KH", "QH")
    play(state, "3C", "AC")
    assert list(state.to_move()) == [0]
    play(state, "6D")
    assert list(state.to_move()) == [1]
    assert state.view(None).facts["leader"] == 0


@pytest.mark.parametrize("seats", RULES.seats)
def test_when_the_stock_is_gone_play_goes_on_until_the_hands_are_empty(seats):
    state = RULES.deal(seats, {}, SEED)
    rng = Random(3)
    without_stock = 0
    while awaited := state.to_move():
        view = state.view(None)
        sizes = sorted(view.zone(f"hand:{seat}").count for seat in range(seats))
        if view.zone("main").count:
            assert sizes[-1] == 4
        else:
            assert view.zone("stock").count == 0
            without_stock += 1
        state.apply(awaited[0], rng.choice(state.legal_moves(awaited[0])))
    assert without_stock == 4 * seats
    assert [state.view(None).zone(f"hand:{seat}").count for seat in range(seats)] == [0] * seats


# The end


def test_most_points_wins():
    for number in range(20):
        state = RULES.deal(3, {}, f"{number:032x}")
        play_out(state, Random(number))
        outcome = state.outcome()
        points = state.view(None).facts["points"]
        assert outcome.reason == "points"
        assert outcome.points == tuple(points)
        assert [points[seat] for group in outcome.ranking for seat in group] == sorted(points, reverse=True)
        assert max(points) == points[outcome.ranking[0][0]]


@pytest.mark.parametrize("seats", [4, 6])
def test_with_4_or_6_players_seats_alternate_between_two_sides_whose_points_count_together(seats):
    state = RULES.deal(seats, {}, SEED)
    assert RULES.teams(state) == (tuple(range(0, seats, 2)), tuple(range(1, seats, 2)))
    play_out(state, Random(4))
    view = state.view(0)
    points = view.facts["points"]
    sides = sum(points[0::2]), sum(points[1::2])
    assert sum(sides) == 120
    assert sides[0] != sides[1]
    better = 0 if sides[0] > sides[1] else 1
    for seat in view.seats:
        assert seat.team == seat.seat % 2
        assert seat.points == sides[seat.team]
        assert seat.place == (1 if seat.team == better else 2)
    assert state.returns() == tuple(1.0 if seat % 2 == better else -1.0 for seat in range(seats))
    assert state.outcome().ranking == (tuple(range(better, seats, 2)), tuple(range(1 - better, seats, 2)))


@pytest.mark.parametrize("seats", [4, 6])
def test_with_teams_false_each_plays_for_themselves(seats):
    state = RULES.deal(seats, {"teams": False}, SEED)
    assert RULES.teams(state) is None
    play_out(state, Random(4))
    view = state.view(None)
    assert [seat.points for seat in view.seats] == view.facts["points"]
    assert all(seat.team is None for seat in view.seats)
    assert sum(state.outcome().points) == 120


@pytest.mark.parametrize("seats", [2, 3])
def test_with_2_or_3_players_there_are_no_sides(seats):
    assert RULES.teams(RULES.deal(seats, {"teams": True}, SEED)) is None


def test_equal_points_share_the_place_and_60_to_60_is_a_draw():
    state, number = None, 0
    while state is None or state.outcome().points != (60, 60):
        state = RULES.deal(2, {}, f"{number:032x}")
        play_out(state, Random(number))
        number += 1
    assert state.outcome().ranking == ((0, 1),)
    assert [seat.place for seat in state.view(0).seats] == [1, 1]
    assert state.returns() == (0, 0)


def test_equal_sides_share_the_place():
    state, number = None, 0
    while state is None or state.outcome().points != (60, 60, 60, 60):
        state = RULES.deal(4, {}, f"{number:032x}")
        play_out(state, Random(number))
        number += 1
    assert state.outcome().ranking == ((0, 1, 2, 3),)
    assert state.returns() == (0, 0, 0, 0)


def test_points_add_up_over_so_many_deals_and_the_deal_passes_to_the_left():
    state = RULES.deal(3, {"deals": 3}, SEED, dealer=1)
    rng = Random(6)
    dealers = {}
    taken: Counter[int] = Counter()
    while awaited := state.to_move():
        facts = state.view(None).facts
        dealers[facts["deal"]] = facts["dealer"]
        events: list[Event] = []
        state.apply(awaited[0], rng.choice(state.legal_moves(awaited[0])), events.append)
        taken.update({event.seat: event.data["points"] for event in events if event.kind == "trick"})
    assert dealers == {1: 1, 2: 2, 3: 0}
    assert state.view(None).facts["points"] == [taken[seat] for seat in range(3)]


def test_a_later_deal_is_a_shuffle_of_its_own_from_pack_order():
    state = RULES.deal(2, {"deals": 2}, SEED, dealer=0)
    number = 2 + len(state.view(None).facts["put_back"])
    events = play_out(state, Random(8))
    pack = list(PACK)
    words = b"".join(
        hmac.new(bytes.fromhex(SEED), f"{number}/{block}".encode(), hashlib.sha256).digest() for block in range(5)
    )
    for place, item in enumerate(range(35, 0, -1)):
        other = int.from_bytes(words[4 * place : 4 * place + 4], "big") % (item + 1)
        pack[item], pack[other] = pack[other], pack[item]
    dealt = [event for event in events if event.kind == "dealt"]
    # Seat 1 deals the second time, so seat 0 gets the first card.
    assert [set(event.data["cards"]) for event in dealt] == [set(pack[0:8:2]), set(pack[1:8:2])]


@pytest.mark.parametrize(
    "options", [{"deals": 0}, {"deals": 11}, {"deals": True}, {"deals": "1"}, {"teams": 1}, {"jokers": 2}, 7]
)
def test_wrong_options_are_refused(options):
    with pytest.raises(BadOptions):
        RULES.deal(4, options, SEED)


@pytest.mark.parametrize("pack", [PACK[:-1], [*PACK[:-1], "2C"], [*PACK[:-1], PACK[0]], "".join(PACK), [*PACK[:-1], 7]])
def test_a_wrong_deck_is_refused(pack):
    with pytest.raises(BadOptions):
        RULES.deal(4, {}, SEED, deck=pack)


# What is public and what is hidden


def test_public_are_main_card_current_and_last_trick_points_hand_and_stock_sizes():
    state = two_handed("3C AC 5C 6C", "AD 4D 5D 6D", "KH")
    play(state, "AC", "4D", "3C")
    view = state.view(None)
    assert view.zone("main").cards == ["KH"]
    assert view.zone("trick").cards == ["3C"]
    assert view.zone("last_trick").cards == ["AC", "4D"]
    assert view.facts["points"] == [0, 11]
    assert [view.zone(f"hand:{seat}").count for seat in (0, 1)] == [4, 3]
    assert view.zone("stock").count == 25
    assert [view.zone(f"taken:{seat}").count for seat in (0, 1)] == [0, 2]
    assert view.zone("taken:1").cards is None


def test_hidden_are_hands_and_stock():
    state = two_handed("3C AC 5C 6C", "AD 4D 5D 6D", "KH")
    assert cards(state, "hand:1", 1) == ["AC", "3C", "5C", "6C"]
    assert cards(state, "hand:1", 0) == cards(state, "hand:1", None) == [None] * 4
    assert state.view(0).zone("stock").cards is None
    assert state.view(0).moves == []
    assert state.view(None).moves == []


def test_everyone_learns_that_a_player_drew_and_only_the_player_what():
    state = two_handed("3C AC 5C 6C", "AD 4D 5D 6D", "KH")
    events = play(state, "AC", "4D")
    assert [(event.seat, event.to) for event in events if event.kind == "drawn"] == [
        (1, frozenset({1})),
        (0, frozenset({0})),
    ]
    for event in events:
        if event.to is None and event.kind == "draw":
            assert event.data["cards"] == 1


def test_the_main_card_shows_in_its_holders_hand_from_drawing_until_it_is_played():
    state = RULES.deal(3, {}, SEED)
    main = state.view(None).facts["main"]
    rng = Random(2)
    seen = []
    while awaited := state.to_move():
        others = [card for card in state.legal_moves(awaited[0]) if card != f"play:{main}"]
        state.apply(awaited[0], rng.choice(others) if others else f"play:{main}")
        if not state.view(None).zone("main").count:
            seen.append([cards(state, f"hand:{seat}", None)[:1] for seat in range(3)].count([main]))
            assert state.view(None).zone("main").cards == []
    # Kept to the end: visible in exactly one hand, until it is played in the last trick.
    assert seen[0] == 1
    assert sorted(seen, reverse=True) == seen
    assert seen.count(1) >= 9


def test_the_last_trick_of_a_deal_stays_in_sight_in_the_next():
    state = RULES.deal(6, {"deals": 2}, SEED)
    last: list[str] = []
    while state.view(None).facts["deal"] == 1:
        seat = state.to_move()[0]
        move = state.legal_moves(seat)[0]
        last = [*cards(state, "trick"), move.removeprefix("play:")]
        state.apply(seat, move)
    assert cards(state, "last_trick") == last
    assert state.view(None).facts["played"] == []


# Moves


def test_invalid_moves_missing_cards_and_moves_out_of_turn_are_refused_in_different_words():
    state = two_handed("3C AC 5C 6C", "AD 4D 5D 6D", "KH")
    reasons = set()
    for seat, move in ((1, "play:2C"), (1, "play:AD"), (0, "play:AD")):
        with pytest.raises(IllegalMove) as refusal:
            state.check(seat, move)
        reasons.add(str(refusal.value))
        with pytest.raises(IllegalMove, match=r".+"):
            state.apply(seat, move)
    assert len(reasons) == 3
    assert state.view(1) == two_handed("3C AC 5C 6C", "AD 4D 5D 6D", "KH").view(1)


@pytest.mark.parametrize("seat", [-1, 0, 2, None])
def test_no_one_else_can_play_a_card_of_the_seat_whose_turn_it_is(seat):
    state = two_handed("3C AC 5C 6C", "AD 4D 5D 6D", "KH")
    for refuse in (state.check, state.apply):
        with pytest.raises(IllegalMove, match="not your turn"):
            refuse(seat, "play:3C")
    assert cards(state, "hand:1", 1) == ["AC", "3C", "5C", "6C"]


@pytest.mark.parametrize(
    "move", ["", "play", "play:", "play:3c", " play:3C", "play:3C3C", "PLAY:3C", None, 3, ["x"], b"x"]
)
def test_anything_else_is_refused(move):
    state = two_handed("3C AC 5C 6C", "AD 4D 5D 6D", "KH")
    with pytest.raises(IllegalMove):
        state.apply(1, move)
    with pytest.raises(IllegalMove):
        state.check(1, move)


def test_after_the_end_nothing_may_be_played():
    state = RULES.deal(2, {}, SEED)
    play_out(state, Random(1))
    assert list(state.to_move()) == []
    for seat in (-1, 0, 1):
        assert list(state.legal_moves(seat)) == []
        with pytest.raises(IllegalMove, match="over"):
            state.apply(seat, "play:3C")
        with pytest.raises(IllegalMove):
            state.default_move(seat)


@pytest.mark.parametrize(
    ("hand", "main", "cheapest"),
    [
        ("AC 7D KS 3H", "QH", "play:KS"),  # rather four points than a trump
        ("AH 7H KH 3H", "QH", "play:3H"),
        ("6C 5D JS QS", "KH", "play:5D"),  # the weakest of the cards without points
    ],
)
def test_autoplay_plays_the_cheapest_card(hand, main, cheapest):
    fillers = [card for card in PACK if card not in hand and card != main]
    state = two_handed(hand, " ".join(fillers[:4]), main)
    assert state.default_move(1) == cheapest


# Resampling


@pytest.mark.parametrize("seats", RULES.seats)
def test_a_resampled_match_still_adds_up_to_120_points_a_deal(seats):
    rng = Random(seats)
    state = RULES.deal(seats, {"deals": 2}, SEED)
    while awaited := state.to_move():
        view = state.view(awaited[0])
        sample = RULES.determinize(view, rng)
        assert sample.view(awaited[0]) == view
        play_out(sample, rng)
        assert sum(sample.view(None).facts["points"]) == 240
        state.apply(awaited[0], rng.choice(view.moves))


def test_a_resampled_deal_keeps_an_ace_that_was_put_back_in_the_stock():
    state = two_handed("3C 4C 5C 6C", "3D 4D 5D 6D", "AS")
    rng = Random(1)
    for _sample in range(50):
        sample = RULES.determinize(state.view(0), rng)
        assert "AS" not in cards(sample, "hand:1", 1)


def test_every_event_reads_as_a_sentence():
    state = RULES.deal(4, {"deals": 2}, SEED)
    kinds = {}
    for event in play_out(state, Random(1)):
        kinds[event.kind] = RULES.say(event, ["Ann", "Ben", "Cat", "Dan"])
    assert set(kinds) >= {"play", "trick", "draw", "drawn", "draw_main", "deal_over", "deal", "dealt", "main", "over"}
    assert all(sentence.endswith(".") for sentence in kinds.values())
    back = Event("put_back", None, {"card": "AS", "source": "stock", "target": "stock"})
    assert RULES.say(back, []) == "Turned up and put back into the stock: the ace of spades."
    over = Event("deal_over", None, {"deal": 1, "points": [20, 100]})
    assert RULES.say(over, names_for(["Ann", "Ben"], 0)) == "Deal 1 is over. Points: you 20, Ben 100."
    with pytest.raises(ValueError, match="shout"):
        RULES.say(Event("shout", 0, {}), ["Ann"])
