"""Amagande: every sentence of its rules, and their combinations."""

import json
from random import Random

import pytest

from games.engine import BadOptions, Chance, Event, IllegalMove, View, freeze, thaw
from games.engine.cards import CARDS, CODES
from games.rules.amagande import RULES, AmagandeState

PACK = list(CODES)
SEED = "000102030405060708090a0b0c0d0e0f"


def position(
    hands: list[str], pile: str, *, to_move: int = 0, phase: str = "play", stock: str | None = None, **facts: object
) -> AmagandeState:
    """A match with these hands and pile (top last); the stock is in any order unless ``stock`` gives it.

    All other cards are in the stock, or under the pile if ``stock`` is given.
    """
    held = [hand.split() for hand in hands]
    lying = pile.split()
    rest = [code for code in PACK if code not in lying and not any(code in hand for hand in held)]
    if stock is not None:
        lying = [code for code in rest if code not in stock.split()] + lying
        rest = stock.split()
    zones = [
        {"id": f"hand:{seat}", "owner": seat, "count": len(hand), "cards": hand, "note": ""}
        for seat, hand in enumerate(held)
    ]
    zones.append({"id": "stock", "owner": None, "count": len(rest), "cards": None, "note": ""})
    zones.append({"id": "discard", "owner": None, "count": len(lying), "cards": lying, "note": ""})
    defaults = {
        "options": {"stacking": False},
        "reference": "S",
        "suit": None,
        "colour": None,
        "penalty": 0,
        "direction": 1,
        "free": False,
        "dealer": len(hands) - 1,
        "turn": to_move,
        "turns": 20,
        "passes": 0,
        "put_back": [],
        "reason": None,
    }
    seats = [{"seat": seat, "team": None, "place": None, "points": 0, "out": False} for seat in range(len(hands))]
    view = {"game": "amagande", "seat": None, "phase": phase, "to_move": [to_move], "seats": seats, "moves": []}
    state = RULES.determinize(View.from_json({**view, "zones": zones, "facts": {**defaults, **facts}}), Random(1))
    if stock is not None:
        state.stock = [CARDS[code] for code in reversed(rest)]
    return state


def hand(state: AmagandeState, seat: int) -> list[str]:
    return list(state.view(seat).zone(f"hand:{seat}").cards or ())


def pile(state: AmagandeState) -> list[str]:
    return list(state.view(None).zone("discard").cards or ())


def fact(state: AmagandeState, name: str) -> object:
    return state.view(None).facts[name]


def plays(state: AmagandeState) -> set[str]:
    """The cards that the seat to move may play."""
    (seat,) = state.to_move()
    return {move.removeprefix("play:") for move in state.legal_moves(seat) if move.startswith("play:")}


def play(state: AmagandeState, *moves: str) -> list[Event]:
    """Let the players make each move in turn; returns all events."""
    events: list[Event] = []
    for move in moves:
        (seat,) = state.to_move()
        state.apply(seat, move, events.append)
    return events


def ended(state: AmagandeState) -> tuple[str, tuple[tuple[int, ...], ...], tuple[float, ...]]:
    outcome = state.outcome()
    assert outcome is not None
    return outcome.reason, outcome.ranking, outcome.points


def seed_with_reference(suit: int) -> str:
    for number in range(100):
        seed = f"{number:032x}"
        if Chance(bytes.fromhex(seed), 2).below(4) == suit:
            return seed
    raise AssertionError("no such seed")


class TestTheDeal:
    @pytest.mark.parametrize(("seats", "size"), [(2, 7), (3, 7), (4, 7), (5, 5), (6, 5)])
    def test_deal_7_cards_each_5_with_5_or_6_players(self, seats: int, size: int) -> None:
        view = RULES.deal(seats, {}, SEED).view(None)
        assert [view.zone(f"hand:{seat}").count for seat in range(seats)] == [size] * seats
        assert view.zone("discard").count == 1
        assert view.zone("stock").count == 53 - seats * size

    def test_cards_are_dealt_one_at_a_time_from_the_dealers_left_and_left_of_the_dealer_begins(self) -> None:
        deck = [code for code in PACK if code != "4C"]
        deck.insert(21, "4C")
        state = RULES.deal(3, {}, SEED, deck=deck, dealer=1)
        assert state.to_move() == (2,)
        for seat, first in ((2, 0), (0, 1), (1, 2)):
            assert sorted(hand(state, seat)) == sorted(deck[first:21:3])
        assert pile(state) == ["4C"]
        play(state, "draw")
        assert deck[22] in hand(state, 2)

    def test_hands_are_seen_in_pack_order(self) -> None:
        for seat in range(4):
            cards = [CARDS[code] for code in hand(RULES.deal(4, {}, SEED), seat)]
            assert cards == sorted(cards)

    def test_dealer_shuffle_and_reference_suit_are_chances_0_1_and_2(self) -> None:
        state = RULES.deal(4, {}, SEED)
        chance = Chance(bytes.fromhex(SEED))
        assert fact(state, "dealer") == chance.below(4)
        stock = list(range(54))
        chance.shuffle(stock)
        assert fact(state, "reference") == "CDHS"[chance.below(4)]
        first = (state.dealer + 1) % 4
        assert hand(state, first) == [CODES[card] for card in sorted(stock[:28:4])]

    def test_a_given_deck_and_dealer_use_up_their_numbers(self) -> None:
        assert fact(RULES.deal(2, {}, SEED, deck=PACK, dealer=0), "reference") == fact(
            RULES.deal(2, {}, SEED), "reference"
        )

    @pytest.mark.parametrize("unfit", ["2C", "3D", "8H", "JS", "AD", "AS", "RJ", "BJ", "7C"])
    def test_a_card_that_may_not_begin_goes_back_into_the_stock_and_another_is_turned(self, unfit: str) -> None:
        seed = seed_with_reference(0)
        rest = [code for code in PACK if code not in (unfit, "9S")]
        deck = [*rest[:14], unfit, "9S", *rest[14:]]
        state = RULES.deal(2, {}, seed, deck=deck, dealer=0)
        chance = Chance(bytes.fromhex(seed), 3)
        stock = [unfit, "9S", *rest[14:]]
        while stock[0] == unfit:
            stock.remove(unfit)
            stock.insert(chance.below(39 + 1), unfit)
        assert pile(state) == [stock[0]] == ["9S"]
        assert fact(state, "put_back") == [unfit]
        assert [CODES[card] for card in reversed(state.stock)] == stock[1:]

    def test_everyone_knows_that_such_a_card_is_in_the_stock_until_a_card_is_drawn(self) -> None:
        rest = [code for code in PACK if code not in ("RJ", "9S")]
        state = RULES.deal(2, {}, seed_with_reference(0), deck=[*rest[:14], "RJ", "9S", *rest[14:]], dealer=0)
        for number in range(30):
            assert CARDS["RJ"] in RULES.determinize(state.view(1), Random(number)).stock

    def test_the_seven_of_another_suit_may_begin(self) -> None:
        rest = [code for code in PACK if code != "7D"]
        state = RULES.deal(2, {}, seed_with_reference(0), deck=[*rest[:14], "7D", *rest[14:]])
        assert pile(state) == ["7D"]

    def test_deals_that_cannot_be_are_refused(self) -> None:
        for seats in (1, 7):
            with pytest.raises(BadOptions):
                RULES.deal(seats, {}, SEED)
        for options in ({"stacking": 1}, {"turns": 100}):
            with pytest.raises(BadOptions):
                RULES.deal(2, options, SEED)
        with pytest.raises(BadOptions):
            RULES.deal(2, {}, SEED, deck=PACK[:-1])
        with pytest.raises(BadOptions):
            RULES.deal(2, {}, SEED, dealer=2)
        with pytest.raises(BadOptions):
            RULES.deal(2, {}, "00")


class TestATurn:
    def test_play_a_card_that_matches_the_top_cards_suit_or_rank(self) -> None:
        state = position(["4C 9C 9D KH", "5S 6S"], "9S QC")
        assert plays(state) == {"4C", "9C"}
        assert plays(position(["4C 9C 9D KH", "5S 6S"], "QC 9S")) == {"9C", "9D"}

    def test_the_card_played_is_the_new_top_and_the_next_player_goes_on(self) -> None:
        state = position(["4C KH", "5S 6S", "TS 9D"], "QC")
        play(state, "play:4C")
        assert (pile(state), hand(state, 0), state.to_move()) == (["QC", "4C"], ["KH"], (1,))

    def test_you_may_draw_even_if_you_could_play(self) -> None:
        assert "draw" in position(["4C KH", "5S 6S"], "QC").legal_moves(0)

    def test_after_drawing_you_may_play_any_card_that_fits_or_pass(self) -> None:
        state = position(["4C KH", "5S 6S"], "QC", stock="KC 7D")
        play(state, "draw")
        assert state.view(0).phase == "drawn"
        assert state.legal_moves(0) == ["play:4C", "play:KC", "pass"]
        other = state.copy()
        play(state, "pass")
        assert (state.to_move(), hand(state, 0), pile(state)[-1]) == ((1,), ["4C", "KC", "KH"], "QC")
        play(other, "play:4C")
        assert (other.to_move(), hand(other, 0)) == ((1,), ["KC", "KH"])

    def test_one_draw_a_turn(self) -> None:
        state = position(["4C KH", "5S 6S"], "QC", phase="drawn")
        with pytest.raises(IllegalMove, match="already drawn"):
            state.apply(0, "draw")

    def test_no_pass_before_drawing(self) -> None:
        with pytest.raises(IllegalMove, match="only after you draw"):
            position(["4C KH", "5S 6S"], "QC").apply(0, "pass")


class TestSpecialCards:
    @pytest.mark.parametrize(("card", "count"), [("2C", 2), ("3C", 3), ("BJ", 5)])
    def test_the_next_player_must_draw(self, card: str, count: int) -> None:
        state = position([f"{card} KH", "5S 6S", "9D TD"], "QC")
        play(state, f"play:{card}")
        assert (state.to_move(), fact(state, "penalty"), state.legal_moves(1)) == ((1,), count, ["draw"])
        play(state, "draw")
        assert (state.to_move(), fact(state, "penalty"), len(hand(state, 1))) == ((2,), 0, 2 + count)

    def test_eight_skips_the_next_player(self) -> None:
        state = position(["8C KH", "5S 6S", "9D TD", "QH QS"], "QC")
        play(state, "play:8C")
        assert state.to_move() == (2,)

    def test_eight_skips_in_the_direction_of_play(self) -> None:
        state = position(["8C KH", "5S 6S", "9D TD", "QH QS", "4D 4H"], "QC", direction=-1)
        play(state, "play:8C")
        assert state.to_move() == (3,)

    def test_jack_turns_the_direction_round(self) -> None:
        state = position(["JC KH", "5S 6S", "JD TD"], "QC")
        play(state, "play:JC")
        assert (state.to_move(), fact(state, "direction")) == ((2,), -1)
        play(state, "play:JD")
        assert (state.to_move(), fact(state, "direction")) == ((0,), 1)

    @pytest.mark.parametrize("card", ["8C", "JC"])
    def test_with_two_players_both_mean_you_play_again(self, card: str) -> None:
        state = position([f"{card} KH 4C", "5S 6S"], "QC")
        play(state, f"play:{card}")
        assert (state.to_move(), state.view(0).phase, fact(state, "turns")) == ((0,), "play", 21)
        assert "draw" in state.legal_moves(0)

    def test_an_ace_is_wild_and_names_the_suit_that_must_follow(self) -> None:
        state = position(["AH KH", "5C 6S KC AD BJ RJ AC"], "QC")
        assert {"AH/C", "AH/D", "AH/H", "AH/S"} <= plays(state)
        play(state, "play:AH/S")
        assert fact(state, "suit") == "S"
        assert plays(state) == {f"{ace}/{suit}" for ace in ("AD", "AC") for suit in "CDHS"} | {"6S", "BJ"}

    def test_the_ace_of_spades_is_as_an_ace(self) -> None:
        state = position(["AS KH", "5C 6S"], "QC")
        assert plays(state) == {"AS/C", "AS/D", "AS/H", "AS/S"}
        play(state, "play:AS/D")
        assert (fact(state, "suit"), fact(state, "free"), plays(state)) == ("D", False, set())

    def test_under_a_penalty_the_ace_of_spades_blocks_it_and_names_no_suit_and_any_card_may_follow(self) -> None:
        state = position(["2C KH", "AS 6S", "9D AD RJ 7H"], "QC")
        play(state, "play:2C")
        assert plays(state) == {"AS"}
        play(state, "play:AS")
        assert (fact(state, "penalty"), fact(state, "suit"), fact(state, "free")) == (0, None, True)
        assert state.to_move() == (2,)
        assert len(hand(state, 1)) == 1
        assert plays(state) == {"9D", "AD/C", "AD/D", "AD/H", "AD/S", "RJ", "7H"}

    def test_a_card_played_freely_counts_as_always(self) -> None:
        state = position(["RJ KH", "9D 4S"], "2C AS", free=True)
        play(state, "play:RJ")
        assert (fact(state, "free"), fact(state, "penalty"), fact(state, "colour")) == (False, 5, "red")

    @pytest.mark.parametrize(("top", "joker"), [("QH", "RJ"), ("QD", "RJ"), ("QC", "BJ"), ("QS", "BJ")])
    def test_a_joker_may_be_played_when_its_colour_fits_the_top_card(self, top: str, joker: str) -> None:
        assert plays(position(["RJ BJ", "9D 4S"], top)) == {joker}

    def test_a_joker_fits_the_required_suit_and_not_the_ace_that_named_it(self) -> None:
        assert plays(position(["RJ BJ", "9D 4S"], "AS", suit="H")) == {"RJ"}

    def test_a_joker_leaves_a_required_colour_the_next_card_must_have_it_or_be_an_ace(self) -> None:
        state = position(["RJ KH", "9D 4S", "9H 4S TC AC QD"], "QD")
        play(state, "play:RJ", "draw")
        assert fact(state, "colour") == "red"
        assert plays(state) == {"9H", "QD", "AC/C", "AC/D", "AC/H", "AC/S"}


class TestAPenaltyFacingYou:
    @pytest.mark.parametrize(
        ("faced", "counters"),
        [
            ("2H", {"2C", "2D", "2S", "3H", "RJ", "AS"}),
            ("2S", {"2C", "2D", "2H", "3S", "BJ", "AS"}),
            ("3C", {"3D", "3H", "3S", "2C", "BJ", "AS"}),
            ("3D", {"3C", "3H", "3S", "2D", "RJ", "AS"}),
            ("RJ", {"BJ", "2D", "2H", "3D", "3H", "AS"}),
            ("BJ", {"RJ", "2C", "2S", "3C", "3S", "AS"}),
        ],
    )
    def test_the_counters_of_each_card(self, faced: str, counters: set[str]) -> None:
        everything = " ".join(code for code in PACK if code not in (faced, "4C"))
        colour = {"RJ": "red", "BJ": "black"}.get(faced)
        state = position([everything, "4C"], faced, penalty=2, colour=colour)
        assert plays(state) == counters
        assert state.legal_moves(0)[-1] == "draw"

    def test_a_counter_cancels_the_penalty_and_the_next_player_faces_the_new_cards_number(self) -> None:
        state = position(["2C KH", "BJ 6S", "3S 4D", "9H 9D"], "QC")
        play(state, "play:2C", "play:BJ")
        assert (fact(state, "penalty"), fact(state, "colour")) == (5, "black")
        play(state, "play:3S")
        assert (fact(state, "penalty"), fact(state, "colour"), state.to_move()) == (3, None, (3,))
        play(state, "draw")
        assert [len(hand(state, seat)) for seat in range(4)] == [1, 1, 1, 5]

    def test_with_stacking_the_numbers_add_up_and_the_ace_of_spades_ends_it(self) -> None:
        state = position(["2C KH", "BJ 6S", "3S 4D", "AS 9H 9D"], "QC", options={"stacking": True})
        play(state, "play:2C", "play:BJ", "play:3S")
        assert fact(state, "penalty") == 10
        drawer = state.copy()
        play(drawer, "draw")
        assert len(hand(drawer, 3)) == 13
        play(state, "play:AS")
        assert (fact(state, "penalty"), [len(hand(state, seat)) for seat in range(4)]) == (0, [1, 1, 1, 2])

    def test_a_joker_countered_by_a_joker_with_two_players(self) -> None:
        state = position(["RJ KH", "BJ 6S 6D"], "QD")
        play(state, "play:RJ", "play:BJ")
        assert (state.to_move(), fact(state, "penalty"), fact(state, "colour")) == ((0,), 5, "black")
        play(state, "draw")
        assert state.to_move() == (1,)
        assert plays(state) == {"6S"}

    def test_drawing_the_penalty_ends_the_turn_and_the_top_card_stays_what_it_was(self) -> None:
        state = position(["2C KH", "5S 6S", "2D 9C 9H BJ"], "QC")
        play(state, "play:2C", "draw")
        assert plays(state) == {"2D", "9C", "BJ"}

    def test_a_required_suit_applies_until_a_card_is_played(self) -> None:
        state = position(["KH KD", "5C 6C", "4S 9D"], "AH", suit="S", stock="TD TH QD QH")
        play(state, "draw", "pass", "draw", "pass")
        assert (fact(state, "suit"), plays(state)) == ("S", {"4S"})
        play(state, "play:4S")
        assert fact(state, "suit") is None

    def test_a_required_colour_applies_until_a_card_is_played(self) -> None:
        state = position(["KH KD", "5C 6H"], "RJ", colour="red", stock="TD TH QD QH")
        play(state, "draw", "pass")
        assert (fact(state, "colour"), plays(state)) == ("red", {"6H"})
        play(state, "play:6H")
        assert fact(state, "colour") is None

    def test_the_freedom_after_a_block_lasts_until_a_card_is_played(self) -> None:
        state = position(["KH KD", "5C 6H"], "2C AS", free=True, stock="TD TH QD QH")
        play(state, "draw", "pass")
        assert (fact(state, "free"), plays(state)) == (True, {"5C", "6H"})
        play(state, "play:5C")
        assert (fact(state, "free"), plays(state)) == (False, set())

    def test_under_a_required_suit_or_colour_rank_does_not_match(self) -> None:
        assert plays(position(["AC AD 7H", "4S"], "AH", suit="S")) == {f"{a}/{s}" for a in ("AC", "AD") for s in "CDHS"}
        assert plays(position(["BJ 7S", "4S"], "RJ", colour="red")) == set()


class TestTheShowdown:
    def test_the_reference_suits_seven_ends_the_match(self) -> None:
        state = position(["7S 4C", "KH 2D"], "QS")
        play(state, "play:7S")
        assert state.to_move() == ()
        assert state.view(0).phase == "over"
        assert ended(state) == ("showdown", ((0,), (1,)), (4, 34))

    def test_the_seven_of_another_suit_ends_nothing(self) -> None:
        state = position(["7H 4C", "KH 2D"], "QH")
        play(state, "play:7H")
        assert state.outcome() is None

    def test_the_seven_must_fit_and_counters_nothing(self) -> None:
        assert plays(position(["7S 4C", "KH 2D"], "QC")) == {"4C"}
        assert plays(position(["7S 4C", "KH 2D"], "2S", penalty=2)) == set()

    @pytest.mark.parametrize(
        ("cards", "total"),
        [
            *[("2C", 20), ("3C", 30), ("4C", 4), ("5C", 5), ("6D", 6), ("7D", 7), ("8D", 8), ("9D", 9), ("TH", 10)],
            *[("JH", 13), ("QH", 12), ("KH", 14), ("AH", 11), ("AS", 60), ("RJ", 50), ("BJ", 50), ("4C 5H KD", 23)],
        ],
    )
    def test_each_players_hand_is_summed(self, cards: str, total: int) -> None:
        state = position(["7S 4S", cards], "QS")
        play(state, "play:7S")
        assert ended(state)[2] == (4, total)

    @pytest.mark.parametrize(
        ("cards", "survives"),
        [
            *[("3C", True), ("2C TD", True), ("2C JD", False), ("3C 4C", False), ("AC", False), ("RJ", False)],
            *[("BJ", False), ("KC QC 4D", True), ("KC QC 5D", False)],
        ],
    )
    def test_an_ace_or_a_joker_or_more_than_30_eliminates(self, cards: str, survives: bool) -> None:
        """A survivor comes before a lone eliminated ace, whatever the sums; eliminated players never come first."""
        state = position(["7S 4S", cards, "AD"], "QS")
        play(state, "play:7S")
        places = [seat.place or 0 for seat in state.view(None).seats]
        assert (places[1] < places[2]) == survives

    def test_the_player_of_the_seven_is_judged_too_with_the_hand_left_after_it(self) -> None:
        state = position(["7S AC", "KH QH 4H"], "QS")
        play(state, "play:7S")
        assert ended(state) == ("showdown", ((1,), (0,)), (11, 30))

    def test_survivors_place_before_the_eliminated_and_within_each_group_the_lower_sum_is_better(self) -> None:
        state = position(["7S 9C", "AC", "TC TD", "RJ", "4C"], "QS")
        play(state, "play:7S")
        assert ended(state) == ("showdown", ((4,), (0,), (2,), (1,), (3,)), (9, 11, 20, 50, 4))

    def test_on_equal_sums_the_player_of_the_seven_is_behind_and_others_share_the_place(self) -> None:
        state = position(["7S 9C", "9D", "4C 5C", "KH"], "QS")
        play(state, "play:7S")
        assert ended(state)[1] == ((1, 2), (0,), (3,))
        assert [seat.place for seat in state.view(None).seats] == [3, 1, 1, 4]
        assert state.returns() == pytest.approx((-1 / 3, 2 / 3, 2 / 3, -1))

    @pytest.mark.parametrize(
        ("mine", "other", "winner"),
        [
            *[("AC", "KH", 1), ("4C", "AD", 0), ("AC", "RJ", 0), ("RJ", "AD", 1), ("4C", "5C", 0), ("5C", "4C", 1)],
            *[("4C", "4D", 1), ("AC", "AD", 1)],
        ],
    )
    def test_with_two_players(self, mine: str, other: str, winner: int) -> None:
        state = position([f"7S {mine}", other], "QS")
        play(state, "play:7S")
        assert ended(state)[1] == ((winner,), (1 - winner,))
        assert state.returns() == ((1, -1), (-1, 1))[winner]

    def test_all_hands_are_open_at_the_end(self) -> None:
        state = position(["7S 9C", "9D"], "QS")
        assert state.view(None).zone("hand:1").cards == [None]
        assert [seat.points for seat in state.view(None).seats] == [0, 0]
        play(state, "play:7S")
        assert state.view(None).zone("hand:1").cards == ["9D"]
        assert [seat.points for seat in state.view(None).seats] == [9, 9]


class TestOut:
    @pytest.mark.parametrize("card", ["QC", "2C", "8C", "JC", "BJ", "AC/S"])
    def test_playing_your_last_card_wins_at_once_whatever_the_card(self, card: str) -> None:
        state = position([card[:2], "4C", "AD", "4D"], "9C")
        play(state, f"play:{card}")
        assert state.to_move() == ()
        assert ended(state) == ("out", ((0,), (1, 3), (2,)), (0, 4, 11, 4))

    def test_the_others_are_placed_by_hand_sum_an_ace_or_a_joker_eliminates_no_one(self) -> None:
        state = position(["4C", "KD", "AD", "RJ", "3D KH KS"], "9C")
        play(state, "play:4C")
        assert ended(state) == ("out", ((0,), (2,), (1,), (3,), (4,)), (0, 14, 11, 50, 58))

    def test_a_last_seven_of_the_reference_suit_too(self) -> None:
        state = position(["7S", "4C"], "9S")
        play(state, "play:7S")
        assert ended(state) == ("out", ((0,), (1,)), (0, 4))

    def test_a_last_ace_of_spades_under_a_penalty(self) -> None:
        state = position(["4C", "AS"], "2C", to_move=1, penalty=2)
        play(state, "play:AS")
        assert ended(state)[1] == ((1,), (0,))

    def test_a_last_card_that_ends_the_match_makes_no_one_draw(self) -> None:
        state = position(["2C", "4C"], "9C")
        play(state, "play:2C")
        assert len(hand(state, 1)) == 1


class TestStockEmpty:
    def test_the_discard_pile_under_its_top_card_is_shuffled_into_a_new_stock(self) -> None:
        state = position(["4C KH", "5S 6S"], "QC", stock="")
        lying = pile(state)
        order = [CARDS[code] for code in lying[:-1]]
        state.chance.copy().shuffle(order)
        number = state.chance.number
        events = play(state, "draw")
        assert pile(state) == ["QC"]
        assert CODES[order[0]] in hand(state, 0)
        assert [CODES[card] for card in reversed(state.stock)] == [CODES[card] for card in order[1:]]
        assert state.chance.number == number + 1
        assert [event.kind for event in events] == ["refill", "draw", "drawn"]

    def test_not_before_a_card_must_be_drawn(self) -> None:
        state = position(["4C KH", "5S 6S"], "QC", stock="TD")
        play(state, "draw")
        assert state.view(None).zone("stock").count == 0
        assert len(pile(state)) > 1

    def test_in_the_middle_of_a_penalty_too(self) -> None:
        state = position(["4C KH", "5S 6S"], "3C", stock="TD TH", penalty=3)
        under = len(pile(state)) - 1
        play(state, "draw")
        assert len(hand(state, 0)) == 5
        assert {"TD", "TH"} < set(hand(state, 0))
        assert (state.view(None).zone("stock").count, pile(state)) == (under - 1, ["3C"])

    def test_a_penalty_draws_what_there_is(self) -> None:
        rest = " ".join(code for code in PACK if code not in ("4C", "KH", "BJ", "TD"))
        state = position(["4C KH", rest], "BJ", penalty=5, colour="black", stock="TD")
        play(state, "draw")
        assert (hand(state, 0), state.to_move(), fact(state, "passes")) == (["4C", "TD", "KH"], (1,), 0)

    def test_if_nothing_is_left_to_draw_draw_ends_the_turn(self) -> None:
        rest = " ".join(code for code in PACK if code not in ("4H", "KH", "QC"))
        state = position(["4H KH", rest], "QC", stock="")
        events = play(state, "draw")
        assert (state.to_move(), hand(state, 0), state.view(1).phase) == ((1,), ["4H", "KH"], "play")
        assert [event.kind for event in events] == ["nothing_to_draw"]
        assert fact(state, "passes") == 1

    def test_after_one_such_pass_by_every_player_the_match_ends_like_a_showdown_without_a_seven(self) -> None:
        state = self.blocked()
        play(state, "draw", "draw")
        assert state.outcome() is None
        play(state, "draw")
        reason, ranking, points = ended(state)
        assert (reason, ranking[0]) == ("blocked", (0, 1))
        assert points[:2] == (9, 9)

    @staticmethod
    def blocked() -> AmagandeState:
        """No one has a spade or an ace, and all cards are held: the four spades are in the pile."""
        lying = [code for code in PACK if code[1] == "S" or code[0] == "A" or code == "BJ"]
        rest = " ".join(code for code in PACK if code not in (*lying, "9C", "4C", "5C"))
        state = position(["9C", "4C 5C", rest], " ".join(lying), suit="S", stock="")
        state.discard = state.discard[-1:]
        return state

    def test_a_pass_with_a_card_that_fits_does_not_count(self) -> None:
        state = self.blocked()
        state.hands[1] |= 1 << CARDS["9S"]
        play(state, "draw", "draw")
        assert fact(state, "passes") == 0
        play(state, "draw", "draw")
        assert fact(state, "passes") == 2
        assert state.outcome() is None

    def test_a_card_played_starts_the_passes_again(self) -> None:
        state = self.blocked()
        state.hands[1] |= 1 << CARDS["9S"]
        play(state, "draw")
        assert fact(state, "passes") == 1
        play(state, "play:9S")
        assert fact(state, "passes") == 0


class TestTheCap:
    def test_after_400_turns_the_same_end(self) -> None:
        state = position(["4C 5H", "9C"], "QC", turns=398, stock="TD KD")
        play(state, "draw", "pass")
        assert (fact(state, "turns"), state.outcome()) == (399, None)
        play(state, "draw")
        assert state.outcome() is None
        play(state, "pass")
        assert ended(state) == ("turns", ((0,), (1,)), (19, 23))

    def test_equal_sums_share_the_place_where_no_one_played_the_seven(self) -> None:
        state = position(["4C 9H", "9C"], "QC", turns=399)
        play(state, "play:4C")
        assert ended(state) == ("turns", ((0, 1),), (9, 9))
        assert state.returns() == (0, 0)

    def test_each_play_pass_or_penalty_ends_one_turn_the_extra_turn_included(self) -> None:
        state = position(["8C 2C KH", "5S 6S"], "QC", stock="TD KD TC KC", turns=0)
        turns = []
        for move in ("play:8C", "play:2C", "draw", "draw", "pass"):
            play(state, move)
            turns.append(fact(state, "turns"))
        assert turns == [1, 2, 3, 3, 4]

    def test_the_fact_turn_is_the_seat_whose_turn_it_is_and_turns_counts(self) -> None:
        state = position(["8C KH", "5S 6S", "9D TD"], "QC", turns=7)
        assert (fact(state, "turn"), fact(state, "turns")) == (0, 7)
        play(state, "play:8C")
        assert (fact(state, "turn"), state.to_move(), fact(state, "turns")) == (2, (2,), 8)

    def test_a_showdown_in_the_last_turn_is_a_showdown(self) -> None:
        state = position(["7S 9H", "9C"], "QS", turns=399)
        play(state, "play:7S")
        assert ended(state)[0] == "showdown"


class TestWhatEachMaySee:
    def test_hands_and_stock_are_hidden_and_the_rest_is_public(self) -> None:
        state = position(["4C KH", "5S 6S"], "9C QC", suit="H", penalty=0)
        view = state.view(0).to_json()
        assert [zone["cards"] for zone in view["zones"]] == [["4C", "KH"], [None, None], None, ["9C", "QC"]]
        assert state.view(None).zone("hand:0").cards == [None, None]
        assert state.view(None).moves == []
        assert {"reference", "suit", "colour", "penalty", "direction", "free", "dealer", "turn", "passes"} <= set(
            view["facts"]
        )

    def test_only_the_drawer_learns_the_card(self) -> None:
        state = position(["4C KH", "5S 6S"], "QC", stock="TD KD")
        events = play(state, "draw")
        assert [(event.to, event.data["cards"]) for event in events] == [(None, 1), (frozenset({0}), ["TD"])]

    def test_swapping_hidden_cards_changes_nothing_that_a_seat_sees(self) -> None:
        for seed in range(20):
            state = RULES.deal(3, {}, f"{seed:032x}")
            rng = Random(seed)
            while state.to_move():
                for seat in range(3):
                    other = RULES.determinize(state.view(seat), rng)
                    assert other.view(seat) == state.view(seat)
                    assert other.default_move(state.seat) if seat == state.seat else True
                    for move in ("draw", "pass", "play:4C", "play:AS", "nonsense"):
                        assert refusal(other, seat, move) == refusal(state, seat, move)
                (seat,) = state.to_move()
                state.apply(seat, rng.choice(state.legal_moves(seat)))

    def test_determinize_plays_on_to_an_end(self) -> None:
        for seed in range(10):
            state = RULES.deal(4, {"stacking": True}, f"{seed:032x}")
            rng = Random(seed)
            for _ in range(20):
                if state.to_move():
                    (seat,) = state.to_move()
                    state.apply(seat, rng.choice(state.legal_moves(seat)))
            other = RULES.determinize(state.view(2), rng)
            while other.to_move():
                (seat,) = other.to_move()
                other.apply(seat, rng.choice(other.legal_moves(seat)))
            assert other.outcome() is not None


def refusal(state: AmagandeState, seat: int, move: str) -> str | None:
    try:
        state.check(seat, move)
    except IllegalMove as reason:
        return str(reason)
    return None


class TestMoves:
    def test_unreadable_illegal_and_out_of_turn_read_differently(self) -> None:
        state = position(["4C KH", "5S 6S"], "QC")
        reasons = [refusal(state, 0, "sing"), refusal(state, 0, "play:KH"), refusal(state, 1, "play:5S")]
        assert len(set(reasons)) == 3
        assert None not in reasons

    @pytest.mark.parametrize(
        "move", ["", "play:", "play:AS", "play:4C/S", "play:AH", "play:KD", "PLAY:4C", "pass", " draw", "play:1C"]
    )
    def test_any_other_string_is_refused_and_changes_nothing(self, move: str) -> None:
        state = position(["4C KH AH AS", "5S 6S"], "QC")
        before = freeze(state)
        for do in (state.check, state.apply):
            with pytest.raises(IllegalMove):
                do(0, move)
        assert freeze(state) == before

    @pytest.mark.parametrize("move", [None, 5, ["draw"], {"move": "draw"}])
    def test_a_move_that_is_not_a_string_is_refused(self, move: object) -> None:
        with pytest.raises(IllegalMove):
            position(["4C KH", "5S 6S"], "QC").apply(0, move)  # type: ignore[arg-type]  # that is the test

    @pytest.mark.parametrize("seat", [1, -1, 2])
    def test_other_seats_and_seats_that_do_not_exist_are_refused(self, seat: int) -> None:
        with pytest.raises(IllegalMove, match="not your turn"):
            position(["4C KH", "5C 6S"], "QC").apply(seat, "draw")

    def test_an_ace_of_spades_that_names_a_suit_blocks_nothing(self) -> None:
        state = position(["AS KH", "5S 6S"], "2C", penalty=2)
        with pytest.raises(IllegalMove, match="doesn't choose a suit"):
            state.apply(0, "play:AS/S")

    @pytest.mark.parametrize(
        ("facts", "move", "reason"),
        [
            ({}, "play:KH", "doesn't fit on the queen of clubs"),
            ({}, "play:9C", "don't have the 9 of clubs"),
            ({}, "play:AS", "Choose the suit"),
            ({"suit": "D"}, "play:4C", "must be diamonds"),
            ({"colour": "red"}, "play:4C", "must be red"),
            ({"penalty": 2}, "play:4C", "draw 2 cards"),
        ],
    )
    def test_the_reason_says_what_is_wrong(self, facts: dict[str, object], move: str, reason: str) -> None:
        state = position(["4C KH AS", "5S 6S"], "2C" if "penalty" in facts else "QC", **facts)
        with pytest.raises(IllegalMove, match=reason):
            state.check(0, move)

    def test_over_is_over(self) -> None:
        state = position(["4C", "5S 6S"], "QC")
        play(state, "play:4C")
        with pytest.raises(IllegalMove, match="over"):
            state.apply(1, "draw")

    def test_autoplay_plays_the_most_valuable_card_but_never_the_showdown(self) -> None:
        assert position(["4S 9S 7S", "5S"], "QS").default_move(0) == "play:9S"
        assert position(["7S KH", "5S"], "QS").default_move(0) == "draw"
        assert position(["7S KH", "5S"], "QS", phase="drawn").default_move(0) == "pass"
        assert position(["AC KH QH 4D", "5S"], "TS").default_move(0) == "play:AC/H"
        assert position(["AS KH QH 4D", "5S"], "2S", penalty=2).default_move(0) == "play:AS"

    def test_nothing_is_chosen_in_secret(self) -> None:
        assert position(["4S", "5S"], "QS").public_move(0, "play:4S") == "play:4S"


def test_a_copy_and_a_snapshot_share_nothing_and_see_the_same() -> None:
    state = RULES.deal(2, {}, SEED)
    before = freeze(state)
    copy = state.copy()
    stored = thaw(AmagandeState, json.loads(json.dumps(before)))
    for other in (copy, stored):
        assert other.view(0) == state.view(0)
        play(other, "draw")
    assert freeze(state) == before


def test_every_event_can_be_said() -> None:
    rng = Random(4)
    said: dict[str, str] = {}
    for seed in range(60):
        state = RULES.deal(2 + seed % 5, {}, f"{seed:032x}")
        names = [f"Seat{seat}" for seat in range(len(state.hands))]
        while state.to_move():
            (seat,) = state.to_move()
            events: list[Event] = []
            state.apply(seat, rng.choice(state.legal_moves(seat)), events.append)
            said.update({event.kind: RULES.say(event, names) for event in events})
    state = TestStockEmpty.blocked()
    said.update({event.kind: RULES.say(event, ["A", "B", "C"]) for event in play(state, "draw", "draw", "draw")})
    assert {
        "play",
        "penalty",
        "block",
        "again",
        "skip",
        "turn_round",
        "draw",
        "drawn",
        "nothing_to_draw",
        "refill",
    } <= (set(said))
    assert {"pass", "out", "showdown", "blocked", "hand", "over"} <= set(said)
    assert all(sentence.endswith((".", "!")) and "{" not in sentence for sentence in said.values())
    with pytest.raises(ValueError, match="no event"):
        RULES.say(Event("sing", None, {}), [])
