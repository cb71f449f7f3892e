"""Ten-Skip Challenge: every sentence of its rules, and their combinations."""

import json
from random import Random

import pytest

from games.engine import BadOptions, Chance, Event, IllegalMove, View, freeze, thaw
from games.engine.cards import CARDS, CODES
from games.rules.ten_skip import RULES, TenSkipState

PACK = [rank + suit for suit in "CDHS" for rank in "A23456789T"]
SEED = "000102030405060708090a0b0c0d0e0f"
MADE = "AC 3C 5C 7C"
NOT_MADE = "AC 3C 5C 8C"


def position(
    hands: list[str], stock: str = "TS 9S 8S", *, to_move: int = 0, phase: str = "turn", **facts: object
) -> TenSkipState:
    """A state of a round: these hands, the next card of the stock first; all other cards are on the discard pile.

    Seats with an empty hand are not in the round.
    """
    held = [hand.split() for hand in hands]
    next_cards = stock.split()
    lying = [code for code in PACK if code not in next_cards and not any(code in hand for hand in held)]
    seats = len(hands)
    zones = [zone(f"hand:{seat}", hand) for seat, hand in enumerate(held)]
    zones += [zone("stock", [None] * len(next_cards)), zone("discard", lying), zone("drawn", [])]
    defaults = {
        "options": {"limit": 1000, "one_claim": True},
        "round": 3,
        "dealer": seats - 1,
        "scores": [0] * seats,
        "notice": None,
        "in_round": [seat for seat in range(seats) if held[seat]],
        "shown": [[] for _seat in range(seats)],
        "swaps": 0,
        "turn": to_move,
        "offer": None,
        "exposed": None,
        "out_in": [None] * seats,
        "known": [[] for _seat in range(seats)],
    }
    standing = [{"seat": seat, "team": None, "place": None, "points": 0, "out": False} for seat in range(seats)]
    view = {"game": "ten-skip", "seat": None, "phase": phase, "to_move": [to_move], "seats": standing, "moves": []}
    state = RULES.determinize(View.from_json({**view, "zones": zones, "facts": {**defaults, **facts}}), Random(1))
    state.stock = [CARDS[code] for code in reversed(next_cards)]
    state.known = [0] * len(state.known)
    return state


def zone(name: str, cards: list[str] | list[None]) -> dict[str, object]:
    return {"id": name, "owner": None, "count": len(cards), "cards": cards, "note": ""}


def seen(state: TenSkipState, viewer: int | None, owner: int) -> list[str | None]:
    """The hand of ``owner`` as ``viewer`` sees it."""
    return list(state.view(viewer).zone(f"hand:{owner}").cards or ())


def hand(state: TenSkipState, seat: int) -> list[str | None]:
    return seen(state, seat, seat)


def pile(state: TenSkipState) -> list[str | None]:
    return list(state.view(None).zone("discard").cards or ())


def fact(state: TenSkipState, name: str) -> object:
    return state.view(None).facts[name]


def play(state: TenSkipState, *moves: str) -> list[Event]:
    """Let the players make each move in turn; returns all events."""
    events: list[Event] = []
    for move in moves:
        (seat,) = state.to_move()
        state.apply(seat, move, events.append)
    return events


def told(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


def refusal(state: TenSkipState, seat: int, move: str) -> str | None:
    try:
        state.check(seat, move)
    except IllegalMove as reason:
        return str(reason)
    return None


def play_out(state: TenSkipState, rng: Random, steps: int = 100_000) -> None:
    for _step in range(steps):
        if not state.to_move():
            return
        (seat,) = state.to_move()
        state.apply(seat, rng.choice(state.legal_moves(seat)))


class TestTheDeal:
    @pytest.mark.parametrize(("seats", "size"), [(2, 7), (3, 7), (4, 7), (5, 6), (6, 5)])
    def test_7_cards_each_5_players_6_cards_6_players_5_cards_and_no_discard_pile(self, seats: int, size: int) -> None:
        view = RULES.deal(seats, {}, SEED).view(None)
        assert [view.zone(f"hand:{seat}").count for seat in range(seats)] == [size] * seats
        assert view.zone("stock").count == 40 - seats * size
        assert view.zone("discard").count == 0

    def test_left_of_the_dealer_begins_and_is_dealt_to_first_one_card_at_a_time(self) -> None:
        state = RULES.deal(3, {}, SEED, deck=PACK, dealer=1)
        assert state.to_move() == (2,)
        for seat, first in ((2, 0), (0, 1), (1, 2)):
            assert sorted(map(str, hand(state, seat))) == sorted(PACK[first:21:3])
        play(state, state.legal_moves(2)[0])
        assert state.view(2).zone("drawn").cards == PACK[21:23]

    def test_dealer_and_shuffles_are_chances_0_1_2(self) -> None:
        state = RULES.deal(2, {}, SEED)
        chance = Chance(bytes.fromhex(SEED))
        dealer = chance.below(2)
        assert fact(state, "dealer") == dealer
        for number in (1, 2):
            cards = [CARDS[code] for code in PACK]
            chance.shuffle(cards)
            first = [CODES[card] for card in sorted(cards[0:14:2])]
            assert hand(state, 1 - dealer if number == 1 else dealer) == first
            state.hands[:] = [[CARDS["AC"]], [CARDS["2C"]]]
            state.stock.clear()
            state.phase = "end"
            play(state, "end")

    def test_a_given_deck_and_dealer_use_up_their_numbers(self) -> None:
        assert RULES.deal(2, {}, SEED, deck=PACK, dealer=0).chance.number == RULES.deal(2, {}, SEED).chance.number == 2

    def test_the_deal_passes_left_over_players_still_in_the_match(self) -> None:
        state = position(["2C", "", "3C", "4C"], "", phase="end", dealer=0, out_in=[None, 2, None, None])
        play(state, "end")
        assert (fact(state, "round"), fact(state, "dealer"), state.to_move()) == (4, 2, (3,))
        assert [len(cards) for cards in state.hands] == [7, 0, 7, 7]
        assert fact(state, "in_round") == [0, 2, 3]

    @pytest.mark.parametrize(("gone", "size"), [(0, 5), (1, 6), (2, 7), (3, 7)])
    def test_hand_size_follows_the_number_of_players_dealt_in_this_round(self, gone: int, size: int) -> None:
        out_in = [1] * gone + [None] * (6 - gone)
        hands = [""] * gone + ["2C", "3C", "4C", "5C", "6C", "7C"][gone:]
        state = position(hands, "", to_move=5, phase="end", out_in=out_in)
        play(state, "end")
        assert [len(cards) for cards in state.hands] == [0] * gone + [size] * (6 - gone)

    def test_deals_that_cannot_be_are_refused(self) -> None:
        for seats in (1, 7):
            with pytest.raises(BadOptions):
                RULES.deal(seats, {}, SEED)
        for options in ({"limit": 99}, {"limit": 5001}, {"one_claim": 1}, {"rounds": 3}):
            with pytest.raises(BadOptions):
                RULES.deal(2, options, SEED)
        for deck in (PACK[1:], [*PACK[1:], "KC"]):
            with pytest.raises(BadOptions):
                RULES.deal(2, {}, SEED, deck=deck)
        with pytest.raises(BadOptions):
            RULES.deal(2, {}, SEED, dealer=-1)

    def test_the_limit_of_turn_based_matches_is_300(self) -> None:
        limit = RULES.options[0]
        assert (limit.name, limit.default, limit.by_mail) == ("limit", 1000, 300)


def challenge(claimers: str, challengers: str, others: int = 1) -> TenSkipState:
    """Let seat 0 challenge seat 1, with ``others`` more players in the round."""
    hands = [challengers, claimers, "9C", "9D", "9H", "9S"][: 2 + others]
    state = position(hands, "TS TH TD", notice=1)
    play(state, "challenge")
    return state


class TestMadeHands:
    @pytest.mark.parametrize("ranks", ["A357", "2468", "3579", "468T"])
    @pytest.mark.parametrize("others", [0, 1, 2])
    def test_four_cards_in_skipped_sequence_suits_do_not_matter(self, ranks: str, others: int) -> None:
        made = " ".join(rank + suit for rank, suit in zip(ranks, "CDHC", strict=True))
        state = challenge(f"{made} 8S", "2S", others)
        assert fact(state, "round") == 4
        assert fact(state, "scores")[0] > 0  # type: ignore[index]  # the scores are a list

    @pytest.mark.parametrize("ranks", ["A35", "246", "357", "468", "579", "68T"])
    @pytest.mark.parametrize("others", [3, 4])
    def test_with_5_or_6_players_three(self, ranks: str, others: int) -> None:
        made = " ".join(rank + suit for rank, suit in zip(ranks, "CDH", strict=True))
        assert fact(challenge(made, "2S", others), "round") == 4

    @pytest.mark.parametrize("cards", ["AC 3C 5C", "AC 3C 5C 8C", "2C 3C 4C 5C", "5C 7C 9C AC", "TC 2C 4C 6C"])
    def test_nothing_else_is_made(self, cards: str) -> None:
        state = challenge(cards, "2S 3S")
        assert (fact(state, "round"), state.view(None).phase) == (3, "top")

    @pytest.mark.parametrize("cards", ["AC 3C", "AC 3C 6C", "7C 9C AC", "8C TC 2C"])
    def test_nothing_else_is_made_with_5_players(self, cards: str) -> None:
        assert challenge(cards, "2S 3S", 3).view(None).phase == "top"


class TestTheStartOfATurn:
    def test_you_choose_the_card_you_want_rid_of_and_how(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C"])
        discards, swaps = (
            {"discard:2C", "discard:3D"},
            {f"swap:{card}@{seat}" for card in ("2C", "3D") for seat in (1, 2)},
        )
        assert set(state.legal_moves(0)) == discards | swaps

    def test_if_someone_is_on_notice_you_may_challenge_instead_of_taking_a_card(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C"], notice=2)
        assert set(state.legal_moves(0)) == {"challenge", "discard:2C", "discard:3D", "swap:2C@1", "swap:3D@1"}
        assert refusal(position(["2C 3D", "4C 5C"]), 0, "challenge") == "No one has claimed a hand."

    def test_discard_and_take_the_top_two_keep_one_the_other_goes_on_top_of_the_discard_pile(self) -> None:
        state = position(["2C 3D", "4C 5C"], "TS 9S 8S")
        events = play(state, "discard:2C")
        assert (state.view(0).phase, pile(state)[-1]) == ("keep", "2C")
        assert state.view(0).zone("drawn").cards == ["TS", "9S"]
        assert state.legal_moves(0) == ["keep:TS", "keep:9S"]
        assert [(event.kind, event.to) for event in events] == [
            ("discard", None),
            ("draw", None),
            ("drawn", frozenset({0})),
        ]
        play(state, "keep:9S")
        assert (hand(state, 0), pile(state)[-2:]) == (["3D", "9S"], ["2C", "TS"])
        assert state.view(0).zone("stock").count == 1

    def test_the_others_do_not_see_the_two_nor_which_is_kept(self) -> None:
        state = position(["2C 3D", "4C 5C"], "TS 9S 8S")
        play(state, "discard:2C")
        for viewer in (1, None):
            assert state.view(viewer).zone("drawn").cards == [None, None]
        events = play(state, "keep:9S")
        assert all("9S" not in json.dumps(dict(event.data)) for event in events)
        assert seen(state, 1, 0) == [None, None]
        assert state.public_move(0, "keep:9S") == "keep"

    def test_the_victim_gives_one_of_their_cards_and_takes_yours(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C"])
        play(state, "swap:2C@1")
        assert (state.view(1).phase, state.to_move()) == ("give", (1,))
        assert state.legal_moves(1) == ["give:4C", "give:5C"]
        assert state.legal_moves(0) == []
        play(state, "give:5C")
        assert (hand(state, 0), hand(state, 1), fact(state, "swaps")) == (["5C", "3D"], ["2C", "4C"], 1)
        assert (state.to_move(), state.view(0).phase, fact(state, "offer")) == ((0,), "end", None)

    def test_everyone_sees_the_card_offered_before_the_victim_gives(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C"])
        play(state, "swap:3D@1")
        assert fact(state, "offer") == "3D"
        for viewer in (1, 2, None):
            assert seen(state, viewer, 0) == ["3D", None]
        assert hand(state, 0) == ["2C", "3D"]

    def test_a_victim_is_another_player_in_the_round_who_is_not_on_notice(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C", ""], notice=2)
        assert refusal(state, 0, "swap:2C@1") is None
        assert "yourself" in str(refusal(state, 0, "swap:2C@0"))
        assert "claimed a hand" in str(refusal(state, 0, "swap:2C@2"))
        assert "isn't in this round" in str(refusal(state, 0, "swap:2C@3"))
        assert "isn't in this round" in str(refusal(state, 0, "swap:2C@5"))

    def test_with_one_card_left_in_the_draw_pile_you_take_that_one_and_keep_it(self) -> None:
        state = position(["2C 3D", "4C 5C"], "TS")
        events = play(state, "discard:2C")
        assert (hand(state, 0), state.view(0).zone("stock").count, pile(state)[-1]) == (["3D", "TS"], 0, "2C")
        assert (state.view(0).phase, state.to_move()) == ("end", (0,))
        assert [event.to for event in events] == [None, None, frozenset({0})]
        assert seen(state, 1, 0) == [None, None]

    def test_with_no_draw_pile_only_a_victim_can_be_chosen(self) -> None:
        state = position(["2C", "4C 5C", "6C"], "", notice=2)
        assert set(state.legal_moves(0)) == {"swap:2C@1", "challenge"}
        assert "stock is empty" in str(refusal(state, 0, "discard:2C"))

    def test_with_no_victim_possible_either_you_pass_a_challenge_stays_possible(self) -> None:
        state = position(["2C 3D", "4C 5C"], "", notice=1)
        assert set(state.legal_moves(0)) == {"pass", "challenge"}
        play(state, "pass")
        assert (state.view(1).phase, state.to_move()) == ("show", (1,))

    def test_no_pass_while_a_card_can_be_taken(self) -> None:
        assert "only if" in str(refusal(position(["2C 3D", "4C 5C"], "TS", notice=1), 0, "pass"))


class TestNotice:
    def test_at_the_end_of_your_turn_you_may_claim_a_made_hand_truly_or_not(self) -> None:
        for cards in (MADE, NOT_MADE):
            state = position([f"{cards} 2D", "4D 5D", "6D"])
            play(state, "discard:2D", "keep:TS")
            assert state.legal_moves(0) == ["claim", "end"]
            play(state, "claim")
            assert (fact(state, "notice"), state.to_move(), state.view(1).phase) == (0, (1,), "turn")

    def test_you_may_end_the_turn_without_a_claim(self) -> None:
        state = position(["2C 3C", "4D 5D"], phase="end")
        play(state, "end")
        assert (fact(state, "notice"), state.to_move(), state.view(1).phase) == (None, (1,), "turn")

    def test_if_someone_is_on_notice_no_claim_is_allowed_and_the_turn_ends_by_itself(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C"], notice=2)
        play(state, "discard:2C", "keep:TS")
        assert (state.to_move(), state.view(1).phase) == ((1,), "turn")
        state = position(["2C 3D", "4C 5C", "6C"], notice=2)
        play(state, "swap:2C@1", "give:4C")
        assert (state.to_move(), state.view(1).phase) == ((1,), "turn")

    def test_if_play_comes_back_to_the_claimer_unchallenged_the_claimer_wins_and_all_others_in_the_round_lose(
        self,
    ) -> None:
        state = position(["2C 3D", "4C 5C", "6C 8C", ""], notice=2, scores=[10, 10, 10, 10])
        play(state, "discard:2C", "keep:TS")
        assert state.to_move() == (1,)
        play(state, "discard:4C")
        assert (state.to_move(), state.view(2).phase) == ((2,), "show")
        assert state.legal_moves(2) == ["show", "hide"]
        play(state, "hide")
        assert (fact(state, "scores"), fact(state, "round")) == ([10 + 13, 10 + 13, 10, 10], 4)

    def test_only_those_still_in_the_round_add_their_points(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C", ""], to_move=1, phase="show", notice=1, scores=[10, 10, 10, 10])
        play(state, "hide")
        assert (fact(state, "scores"), fact(state, "round")) == ([15, 10, 16, 10], 4)

    def test_the_claimer_need_not_show(self) -> None:
        hidden = play(position(["2C 3D", "4C 5C"], to_move=1, phase="show", notice=1), "hide")
        assert not told(hidden, "show")
        assert "4C" not in json.dumps([dict(event.data) for event in hidden if event.to is None])
        shown = play(position(["2C 3D", "4C 5C"], to_move=1, phase="show", notice=1), "show")
        assert [event.data["cards"] for event in told(shown, "show")] == [["4C", "5C"]]


class TestTheChallenge:
    def test_both_hands_are_shown(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D"], notice=1)
        events = play(state, "challenge")
        assert [(event.seat, event.data["cards"]) for event in told(events, "show")] == [
            (1, NOT_MADE.split()),
            (0, ["2D", "3D"]),
        ]
        for viewer in (0, 1, 2, None):
            assert seen(state, viewer, 1) == NOT_MADE.split()
            assert seen(state, viewer, 0) == ["2D", "3D"]

    def test_a_ten_skip_hand_ends_the_round_and_only_the_challenger_adds_the_points_of_both_hands(self) -> None:
        state = position(["2D 3D", MADE, "6D 7D"], notice=1, scores=[1, 1, 1])
        play(state, "challenge")
        assert (fact(state, "scores"), fact(state, "round")) == ([1 + 5 + 35, 1, 1], 4)

    @pytest.mark.parametrize(
        ("own", "claimed", "points"),
        [("2D 2H", MADE, 78), ("2D 3D", f"{MADE} 7D", 47), ("AD", MADE, 55), ("AD AH", MADE, 150)],
    )
    def test_a_pair_in_the_losers_own_hand_doubles_the_total_the_claimers_hand_included(
        self, own: str, claimed: str, points: int
    ) -> None:
        state = position([own, claimed, "6D 8D"], notice=1)
        play(state, "challenge")
        assert fact(state, "scores") == [points, 0, 0]

    def test_a_right_challenger_is_safe_and_chooses_the_top_card(self) -> None:
        state = position(["2D 3D TC", NOT_MADE, "6D 7D"], notice=1)
        play(state, "challenge")
        assert (state.to_move(), state.view(0).phase) == ((0,), "top")
        assert state.legal_moves(0) == ["top:TC", "top:2D", "top:3D"]
        play(state, "top:2D")
        assert pile(state)[-3:] == ["TC", "3D", "2D"]
        assert (hand(state, 0), fact(state, "in_round"), fact(state, "scores")) == ([], [1, 2], [0, 0, 0])

    def test_play_goes_on_for_the_others_the_claimer_too_and_the_claim_is_void(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D"], notice=1)
        play(state, "challenge", "top:2D")
        assert (state.to_move(), fact(state, "notice"), state.view(1).phase) == ((1,), None, "turn")
        assert "swap:AC@2" in state.legal_moves(1)

    def test_the_claimers_cards_are_now_known_to_all(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D"], notice=1)
        play(state, "challenge", "top:2D")
        assert fact(state, "shown") == [[], NOT_MADE.split(), []]
        for viewer in (0, 2, None):
            assert seen(state, viewer, 1) == NOT_MADE.split()

    def test_for_the_rest_of_the_round_only_the_exposed_player_may_claim_again(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D"], "TS 9S 8S 7S 6S", notice=1)
        play(state, "challenge", "top:2D", "discard:AC", "keep:TS")
        assert (state.to_move(), state.legal_moves(1)) == ((1,), ["claim", "end"])
        play(state, "end", "discard:6D", "keep:8S")
        assert (state.to_move(), state.view(1).phase) == ((1,), "turn")

    def test_with_one_claim_off_anyone_may(self) -> None:
        options = {"limit": 1000, "one_claim": False}
        state = position(["2D 3D", NOT_MADE, "6D 7D"], "TS 9S 8S 7S 6S", notice=1, options=options)
        play(state, "challenge", "top:2D", "discard:AC", "keep:TS", "end", "discard:6D", "keep:8S")
        assert (state.to_move(), state.legal_moves(2)) == ((2,), ["claim", "end"])

    def test_in_the_next_round_anyone_may_claim_again(self) -> None:
        state = position(["2D 3D", "6D 7D"], "", phase="end", exposed=0)
        play(state, "end")
        assert (fact(state, "round"), fact(state, "exposed")) == (4, None)

    def test_when_only_one_player_is_left_the_round_ends_at_once_and_that_player_is_its_loser(self) -> None:
        state = position(["2D 3D", NOT_MADE], notice=1)
        play(state, "challenge")
        assert (fact(state, "scores"), fact(state, "round"), state.view(None).phase) == ([0, 36], 4, "turn")

    def test_after_a_second_right_challenge_the_last_one_loses(self) -> None:
        state = position(["", NOT_MADE, "6D 7D"], to_move=2, notice=1, exposed=1)
        play(state, "challenge")
        assert (fact(state, "scores"), fact(state, "round")) == ([0, 36, 0], 4)


class TestTheRoundAlsoEnds:
    def test_when_there_is_no_draw_pile_at_the_start_of_a_turn_and_no_one_is_on_notice(self) -> None:
        state = position(["2C 3C", "4D 5D", "6H", ""], "", phase="end", scores=[1, 1, 1, 1])
        play(state, "end")
        assert (fact(state, "scores"), fact(state, "round")) == ([6, 10, 7, 1], 4)

    def test_not_while_someone_is_on_notice(self) -> None:
        state = position(["2C 3C", "4D 5D", "6H"], "", phase="end")
        play(state, "claim")
        assert (fact(state, "round"), state.to_move()) == (3, (1,))

    def test_after_a_claim_is_exposed_with_no_draw_pile_left(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D"], "", notice=1)
        play(state, "challenge", "top:2D")
        assert (fact(state, "scores"), fact(state, "round")) == ([0, 36, 13], 4)

    def test_after_three_rounds_of_the_table_of_swaps_in_a_row(self) -> None:
        state = position(["2C", "3C"], "TS 9S 8S")
        for swaps in range(1, 7):
            (seat,) = state.to_move()
            offered, given = hand(state, seat)[0], hand(state, 1 - seat)[0]
            play(state, f"swap:{offered}@{1 - seat}", f"give:{given}")
            assert fact(state, "swaps") == swaps
            play(state, "end")
        assert (fact(state, "round"), fact(state, "scores")) == (4, [2, 3])

    def test_the_limit_depends_on_the_players_in_the_round(self) -> None:
        for swaps, number in ((8, 3), (9, 4)):
            state = position(["2C", "3C", "4C"], phase="end", swaps=swaps)
            play(state, "end")
            assert fact(state, "round") == number
        state = position(["2C", "3C", "4C", ""], phase="end", swaps=9)
        play(state, "end")
        assert fact(state, "round") == 4

    def test_it_is_looked_at_when_no_one_is_on_notice(self) -> None:
        state = position(["2C", "3C", "4C"], phase="end", swaps=9)
        play(state, "claim")
        assert (fact(state, "round"), state.to_move()) == (3, (1,))

    def test_a_card_drawn_from_the_pile_starts_the_count_again(self) -> None:
        state = position(["2C", "3C", "4C"], swaps=8)
        play(state, "discard:2C")
        assert fact(state, "swaps") == 0


class TestPoints:
    @pytest.mark.parametrize(
        ("cards", "points"),
        [
            *[("2C 3C 4C", 9), ("5D 6D 7D", 18), ("8H 9H TH", 27), ("AC", 20), ("AC AD", 80), ("2C 2D 3C", 14)],
            *[("5C 5D 5H", 30), ("6C 6D 7C 7D", 52)],
        ],
    )
    def test_numbers_as_printed_ace_20_doubled_for_any_pair(self, cards: str, points: int) -> None:
        state = position([cards, "4D 5S"], "", to_move=1, phase="show", notice=1)
        play(state, "hide")
        assert fact(state, "scores") == [points, 0]
        assert [seat.points for seat in state.view(None).seats] == [points, 0]


class TestTheMatch:
    def test_1000_points_are_out_of_the_match(self) -> None:
        hands = ["TC 9C", "4D 5S", "2C"]
        for score, gone in ((980, None), (981, 3)):
            state = position(hands, "", to_move=1, phase="show", notice=1, scores=[score, 0, 0])
            play(state, "hide")
            assert fact(state, "out_in") == [gone, None, None]
            assert state.view(None).seats[0].out == (gone is not None)
            assert fact(state, "in_round") == ([0, 1, 2] if gone is None else [1, 2])

    def test_the_option_limit(self) -> None:
        options = {"limit": 100, "one_claim": True}
        state = position(["TC", "4D 5S"], "", to_move=1, phase="show", notice=1, scores=[90, 0], options=options)
        play(state, "hide")
        assert state.outcome() is not None

    def test_the_last_one_in_wins(self) -> None:
        state = position(["TC", "4D 5S"], "", to_move=1, phase="show", notice=1, scores=[990, 999])
        play(state, "hide")
        outcome = state.outcome()
        assert outcome is not None
        assert (outcome.reason, outcome.ranking, outcome.points) == ("last_in", ((1,), (0,)), (1000, 999))
        assert (state.to_move(), state.view(0).phase, state.returns()) == ((), "over", (-1, 1))

    def test_places_follow_the_order_of_going_out_and_in_one_round_the_lower_total_equal_share(self) -> None:
        state = position(
            ["TC", "9D", "", "TH", "9H"],
            "",
            phase="end",
            scores=[995, 996, 1400, 995, 10],
            out_in=[None, None, 2, None, None],
        )
        play(state, "end")
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.ranking == ((4,), (0, 1, 3), (2,))
        assert [seat.place for seat in state.view(None).seats] == [2, 2, 5, 2, 1]

    def test_of_players_going_out_in_one_round_the_lower_total_places_better(self) -> None:
        state = position(["TC", "9D", "2H"], "", phase="end", scores=[998, 995, 0])
        play(state, "end")
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.ranking == ((2,), (1,), (0,))

    def test_if_all_the_rest_go_out_in_the_same_round_the_lowest_total_wins(self) -> None:
        state = position(["TC", "9D", ""], "", phase="end", scores=[995, 995, 1000], out_in=[None, None, 1])
        play(state, "end")
        outcome = state.outcome()
        assert outcome is not None
        assert (outcome.reason, outcome.ranking) == ("last_in", ((1,), (0,), (2,)))

    def test_and_equal_totals_share(self) -> None:
        state = position(["TC", "TD"], "", phase="end", scores=[995, 995])
        play(state, "end")
        outcome = state.outcome()
        assert outcome is not None
        assert (outcome.ranking, state.returns()) == (((0, 1),), (0, 0))

    def test_after_60_rounds_the_lowest_total_wins(self) -> None:
        state = position(["TC", "9D", ""], "", phase="end", scores=[300, 400, 1100], out_in=[None, None, 1], round=59)
        play(state, "end")
        assert (fact(state, "round"), state.outcome()) == (60, None)
        state.stock.clear()
        state.phase = "end"
        play(state, "end")
        outcome = state.outcome()
        assert outcome is not None
        assert (outcome.reason, outcome.ranking) == ("rounds", ((0,), (1,), (2,)))


class TestWhoKnowsWhichCard:
    def test_hands_and_draw_pile_are_hidden_and_the_rest_is_public(self) -> None:
        state = RULES.deal(3, {}, SEED)
        view = state.view(0)
        assert seen(state, 0, 1) == seen(state, None, 0) == [None] * 7
        assert view.zone("stock").cards is None
        assert {"round", "dealer", "scores", "notice", "in_round", "shown", "swaps"} <= set(view.facts)
        assert state.view(None).moves == []

    def test_the_card_given_is_known_to_the_two_and_the_card_taken_to_all(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C 7C"])
        play(state, "swap:2C@1")
        events = play(state, "give:5C")
        assert seen(state, 1, 0) == ["5C", None]
        assert seen(state, 2, 0) == seen(state, None, 0) == [None, None]
        for viewer in (0, 2, None):
            assert seen(state, viewer, 1) == ["2C", None]
        assert [(event.to, event.data["cards"]) for event in events] == [
            (None, 1),
            (frozenset({0, 1}), ["5C"]),
            (None, ["2C"]),
        ]
        assert state.public_move(1, "give:5C") == "give"
        assert state.public_move(0, "swap:2C@1") == "swap:2C@1"

    def test_a_known_card_is_forgotten_when_a_card_leaves_that_hand_unseen(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C 7C"], notice=None)
        play(state, "swap:2C@1", "give:5C", "end")
        play(state, "swap:4C@2", "give:6C", "end")
        assert seen(state, 0, 1) == ["2C", None]
        play(state, "swap:7C@1", "give:2C", "end")
        assert seen(state, 0, 1) == ["7C", None]
        assert seen(state, None, 1) == ["7C", None]

    def test_the_taker_sees_which_card_leaves_and_forgets_nothing_else(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C 7C"])
        play(state, "swap:2C@1", "give:5C", "end", "swap:4C@2", "give:6C", "end", "swap:7C@1", "give:6C", "end")
        assert seen(state, 2, 1) == ["2C", "7C"]
        assert seen(state, 0, 1) == ["7C", None]

    def test_a_card_that_leaves_in_everyones_sight_spoils_nothing(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C 7C"])
        play(state, "swap:2C@1", "give:5C", "end", "discard:4C", "keep:TS", "end")
        assert seen(state, 0, 1) == ["2C", None]

    def test_a_known_card_that_is_discarded_is_gone(self) -> None:
        state = position(["2C 3D", "4C 5C", "6C 7C"])
        play(state, "swap:2C@1", "give:5C", "end", "discard:2C", "keep:TS", "end")
        assert seen(state, 0, 1) == [None, None]

    def test_the_shown_cards_are_the_exposed_ones_not_seen_elsewhere_since(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D", "8D 9D"], "TS 9S 8S 7S 6S", notice=1)
        play(state, "challenge", "top:2D", "discard:AC", "keep:TS", "end")
        assert fact(state, "shown") == [[], ["3C", "5C", "8C"], [], []]
        play(state, "swap:6D@1", "give:5C")
        assert fact(state, "shown") == [[], ["3C", "5C", "8C"], [], []]
        assert seen(state, 3, 1) == ["6D", None, None, None]
        play(state, "swap:8D@2", "give:5C")
        play(state, "swap:3C@3", "give:5C")
        assert fact(state, "shown") == [[], ["5C", "8C"], [], []]

    def test_an_exposed_card_offered_by_another_is_seen_elsewhere(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D", "8D 9D"], notice=1)
        play(state, "challenge", "top:2D", "swap:AC@2", "give:6D", "end")
        assert fact(state, "shown") == [[], ["3C", "5C", "8C"], [], []]
        play(state, "swap:7D@1", "give:3C", "swap:8D@2", "give:AC", "discard:5C", "keep:TS", "end")
        assert fact(state, "shown") == [[], ["3C", "8C"], [], []]
        play(state, "swap:3C@3")
        assert fact(state, "shown") == [[], ["8C"], [], []]

    def test_determinize_keeps_exposed_cards_out_of_the_stock(self) -> None:
        state = position(["2D 3D", NOT_MADE, "6D 7D", "8D 9D"], "TS 9S 8S 7S 6S", notice=1)
        play(state, "challenge", "top:2D", "swap:AC@2", "give:6D", "end", "swap:7D@1", "give:3C")
        for number in range(30):
            other = RULES.determinize(state.view(3), Random(number))
            held = {CODES[card] for cards in other.hands for card in cards}
            assert {"3C", "5C", "8C"} <= held

    def test_swapping_hidden_cards_changes_nothing_that_a_seat_sees(self) -> None:
        for seed in range(6):
            rng = Random(seed)
            state = RULES.deal(2 + seed % 5, {"limit": 100, "one_claim": seed % 2 == 0}, f"{seed:032x}")
            while state.to_move():
                for seat in (*range(len(state.hands)), None):
                    other = RULES.determinize(state.view(seat), rng)
                    assert other.view(seat) == state.view(seat)
                    if seat is None:
                        continue
                    for move in ("discard:5H", "keep:7C", "give:2C", "claim", "swap:AC@1", "challenge", "top:TS"):
                        assert refusal(other, seat, move) == refusal(state, seat, move)
                    if seat in state.to_move():
                        assert other.default_move(seat) == state.default_move(seat)
                (seat,) = state.to_move()
                state.apply(seat, rng.choice(state.legal_moves(seat)))
            assert RULES.determinize(state.view(0), rng).outcome() == state.outcome()

    def test_two_worlds_that_look_alike_stay_alike_to_the_seat(self) -> None:
        """Moves of others that look the same to the seat leave its views the same."""
        for seed in range(30):
            rng = Random(seed)
            state = RULES.deal(3, {}, f"{seed:032x}")
            play_out(state, rng, steps=8)
            other = RULES.determinize(state.view(0), rng)
            for _step in range(12):
                (seat,) = state.to_move()
                open_moves = [
                    move
                    for move in state.legal_moves(seat)
                    if move in other.legal_moves(seat)
                    and move[:4] not in ("disc", "keep", "give", "chal", "hide", "show")
                ]
                if not open_moves or fact(state, "round") != fact(other, "round"):
                    break
                move = rng.choice(open_moves)
                for world in (state, other):
                    world.apply(seat, move)
                assert state.view(0) == other.view(0)

    def test_determinize_plays_on_to_an_end(self) -> None:
        for seed in range(10):
            rng = Random(seed)
            state = RULES.deal(4, {"limit": 200}, f"{seed:032x}")
            play_out(state, rng, steps=15)
            other = RULES.determinize(state.view(1), rng)
            play_out(other, rng)
            assert other.outcome() is not None


class TestMoves:
    def test_unreadable_illegal_and_out_of_turn_read_differently(self) -> None:
        state = position(["2C 3D", "4C 5C"])
        reasons = [refusal(state, 0, "sing"), refusal(state, 0, "discard:4C"), refusal(state, 1, "discard:4C")]
        assert len(set(reasons)) == 3
        assert None not in reasons

    @pytest.mark.parametrize(
        "move",
        [
            *["", "discard:", "discard:KC", "discard:2C ", "swap:2C", "swap:2C@", "swap:2C@01", "swap:2C@6", "keep:2C"],
            *["keep", "give", "give:2C", "claim", "end", "top:2C", "show", "hide", "pass", "challenge", "Discard:2C"],
        ],
    )
    def test_any_other_string_is_refused_and_changes_nothing(self, move: str) -> None:
        state = position(["2C 3D", "4C 5C"])
        before = freeze(state)
        for do in (state.check, state.apply):
            with pytest.raises(IllegalMove):
                do(0, move)
        assert freeze(state) == before

    @pytest.mark.parametrize("move", [None, 5, ["end"], {"move": "end"}])
    def test_a_move_that_is_not_a_string_is_refused(self, move: object) -> None:
        with pytest.raises(IllegalMove):
            position(["2C 3D", "4C 5C"]).apply(0, move)  # type: ignore[arg-type]  # that is the test

    @pytest.mark.parametrize("seat", [1, -1, 7])
    def test_other_seats_and_seats_that_do_not_exist_are_refused(self, seat: int) -> None:
        with pytest.raises(IllegalMove, match="not your turn"):
            position(["2C 3D", "4C 5C"]).apply(seat, "discard:2C")

    @pytest.mark.parametrize(
        ("phase", "reason"),
        [("end", "Claim a ten-skip hand"), ("top", "on top"), ("show", "won the round")],
    )
    def test_each_phase_says_what_it_wants(self, phase: str, reason: str) -> None:
        assert reason in str(refusal(position(["2C 3D", "4C 5C"], phase=phase), 0, "discard:2C"))

    def test_keeping_and_giving_say_what_is_wrong(self) -> None:
        state = position(["2C 3D", "4C 5C"])
        play(state, "discard:2C")
        assert refusal(state, 0, "keep:3D") == "You didn't draw the 3 of diamonds."
        assert "Choose which of the two" in str(refusal(state, 0, "discard:3D"))
        state = position(["2C 3D", "4C 5C"])
        play(state, "swap:2C@1")
        assert refusal(state, 1, "give:3D") == "You don't have the 3 of diamonds."
        assert "Choose a card to give" in str(refusal(state, 1, "end"))

    def test_over_is_over(self) -> None:
        state = position(["TC", "TD"], "", phase="end", scores=[995, 995])
        play(state, "end")
        with pytest.raises(IllegalMove, match="over"):
            state.apply(0, "discard:TC")

    def test_autoplay_is_cautious(self) -> None:
        assert position(["2C TD AH", "4C"], notice=1).default_move(0) == "discard:AH"
        assert position(["2C TD", "4C", "5C"], "", notice=1).default_move(0) == "swap:TD@2"
        assert position(["2C TD", "4C"], "", notice=1).default_move(0) == "pass"
        assert position([MADE, "4D"], phase="end").default_move(0) == "claim"
        assert position([NOT_MADE, "4D"], phase="end").default_move(0) == "end"
        assert position(["2C TD", "4C"], phase="top").default_move(0) == "top:TD"
        assert position(["2C TD", "4C"], phase="show", notice=0).default_move(0) == "hide"
        state = position(["2C TD", "4C AS"], "3D 9D")
        play(state, "discard:2C")
        assert state.default_move(0) == "keep:3D"
        state = position(["2C TD", "4C AS"])
        play(state, "swap:TD@1")
        assert state.default_move(1) == "give:AS"


def test_a_copy_and_a_snapshot_share_nothing_and_see_the_same() -> None:
    rng = Random(3)
    state = RULES.deal(3, {}, SEED)
    for _step in range(60):
        before = freeze(state)
        (seat,) = state.to_move()
        for other in (state.copy(), thaw(TenSkipState, json.loads(json.dumps(before)))):
            assert other.view(seat) == state.view(seat)
            other.apply(seat, other.legal_moves(seat)[0])
        assert freeze(state) == before
        state.apply(seat, rng.choice(state.legal_moves(seat)))


def test_every_event_can_be_said() -> None:
    rng = Random(4)
    said: dict[str, str] = {}
    for seed in range(15):
        state = RULES.deal(2 + seed % 5, {"limit": 200}, f"{seed:032x}")
        names = [f"Seat{seat}" for seat in range(len(state.hands))]
        while state.to_move():
            (seat,) = state.to_move()
            events: list[Event] = []
            state.apply(seat, rng.choice(state.legal_moves(seat)), events.append)
            said.update({event.kind: RULES.say(event, names) for event in events})
    state = position(["2C 3D", "4C 5C"], "", notice=1)
    said.update({event.kind: RULES.say(event, ["A", "B"]) for event in play(state, "pass", "show")})
    state = position(["TC", "TD"], "", phase="end", scores=[995, 995])
    said.update({event.kind: RULES.say(event, ["A", "B"]) for event in play(state, "end")})
    assert {"deal", "dealt", "discard", "draw", "drawn", "keep", "reject", "offer", "give", "given", "take"} <= set(
        said
    )
    assert {"pass", "end", "claim", "challenge", "show", "hide", "safe", "leave", "round_over", "lose"} <= set(said)
    assert {"eliminated", "over"} <= set(said)
    assert all(sentence.endswith((".", "!", "!”")) and "{" not in sentence for sentence in said.values())
    with pytest.raises(ValueError, match="no event"):
        RULES.say(Event("sing", None, {}), [])


@pytest.mark.parametrize("reason", ["unchallenged", "challenge_wrong", "last_in_round", "no_draw_pile", "swaps"])
def test_every_end_of_a_round_has_its_own_sentence(reason: str) -> None:
    one, both = (
        RULES.say(Event("round_over", None, {"reason": reason, "losers": losers}), ["Ann", "Ben"])
        for losers in ([1], [0, 1])
    )
    assert one.endswith(". Ben loses the round.")
    assert both.endswith(". These players lose the round: Ann and Ben.")
