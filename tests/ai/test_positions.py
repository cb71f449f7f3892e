"""Positions with an obvious best move, which hard players must find, and medium ones, too."""

from random import Random
from statistics import fmean

import pytest

from games import rules
from games.ai.players import choose
from games.ai.policy import policy_for
from games.engine.cards import CARDS, decode
from tests.ai.positions import choices, dealt, play

SURE = pytest.mark.parametrize("level", ["medium", "hard"])

# Normal Cards. Clubs or hearts are trumps, as shown by the card turned up.


@SURE
def test_normal_cards_an_ace_is_trumped_with_a_worthless_trump(level):
    state = play(dealt("normal-cards", ["AS 3S 4S 5S", "3H 4D 5D 6D"], "6H"), "play:AS")
    assert choices(state, level) == {"play:3H"}


@SURE
def test_normal_cards_the_last_to_play_takes_a_seven_with_the_ace_of_its_suit(level):
    state = play(dealt("normal-cards", ["7S 3S 4S 5S", "AS 4D 5D 6D"], "6H"), "play:7S")
    assert choices(state, level) == {"play:AS"}


@SURE
def test_normal_cards_no_points_are_thrown_on_a_trick_that_is_lost(level):
    state = play(dealt("normal-cards", ["AS 3S 4S 5S", "AD 7D 5C AC"], "6H"), "play:AS")
    assert choices(state, level) == {"play:5C"}


@pytest.mark.parametrize("number", range(6))
def test_normal_cards_the_last_cards_are_counted_out(number):
    """With an empty stock both players know all cards: no other move would end better."""
    rng = Random(number)
    state = rules.get("normal-cards").deal(2, {}, f"{number:032x}")
    while state.stock or len(state.hands[0]) + len(state.hands[1]) > 7:
        state.apply(state.turn, rng.choice(state.legal_moves(state.turn)))
    seat = state.turn

    def worth(now):
        if not now.to_move():
            ahead = now.points[seat] - now.points[1 - seat]
            return 1000 * ((ahead > 0) - (ahead < 0)) + ahead
        values = []
        for move in now.legal_moves(now.turn):
            after = now.copy()
            after.apply(now.turn, move)
            values.append(worth(after))
        return max(values) if now.turn == seat else min(values)

    for move in choices(state, "hard"):
        after = state.copy()
        after.apply(seat, move)
        assert worth(after) == worth(state)


@SURE
def test_normal_cards_points_are_played_to_a_partner_who_wins_the_trick(level):
    state = dealt("normal-cards", ["3S 3D 3C 4C", "AS 4D 5D 6D", "4S 5S 6S 5C", "7D 3H 6C KC"], "6H")
    play(state, "play:3S", "play:AS", "play:4S")
    assert choices(state, level) <= {"play:7D", "play:KC"}


# Avalanche.


@SURE
def test_avalanche_a_big_one_is_stopped_rather_than_given_away(level):
    state = dealt("avalanche", ["KC KD KH AC AD AH 5C 6C 8C 9C", "QC QD QH 2C 2D 2H 3C 4C 7D 9D"])
    play(state, "lay:Kx2", "lay:Qx3", "lay:Ax3")
    assert choices(state, level) == {"lay:2x3"}


@SURE
def test_avalanche_what_can_grow_is_not_let_fall_when_much_lies_there(level):
    state = dealt("avalanche", ["3C 3D 4C 4D 5C 5D 5H 9C 9D 9H", "6C 6D 6H 8C 8D 8H TC JC QC KC"])
    play(state, "lay:3x2", "lay:6x3", "lay:9x3")
    assert all(not move.endswith(("x1", "x2")) for move in choices(state, level))


@SURE
def test_avalanche_a_single_low_card_is_answered_from_below_the_jokers(level):
    state = dealt("avalanche", ["2C 3C 4C 5C 6C 7C 8C 9C TC JC", "2D RJ RJ 5D 5H 9D 9H KC KD KH"])
    play(state, "lay:2x1")
    assert "lay:Xx1" not in choices(state, level)


# Armed.


@SURE
def test_armed_an_ace_meets_kings_rather_than_a_two(level):
    state = dealt("armed", ["AC", "KC"])
    state.hands = [[0, 1], [12, 25]]
    state.decks = [[2, 3], [38]]
    state.known = [0, 0]
    rest = [card for card in range(52) if card not in (0, 1, 12, 25, 2, 3, 38)]
    state.decks[0] = [*rest, 2, 3]
    state.known = [sum(1 << card for card in rest), 1 << 12 | 1 << 25 | 1 << 38]
    assert choices(state, level) == {"play:AC"}


def test_armed_a_strong_player_does_not_always_play_the_same_card():
    state = dealt("armed", ["AC 2C 5D 8S JH KH", "3C"])
    assert len(choices(state, "hard", tries=12)) > 1


# Amagande.


def _amagande(hand, top, reference):
    """A match in which seat 0 holds ``hand``, of any size, and seat 1 seven cards."""
    for seed in range(40):
        state = dealt("amagande", ["6C 6D 6H 6S 9C 9D TC", "4D 5D TD KD 4S 5S 9S"], top, seed=seed)
        if state.view(0).facts["reference"] == reference:
            break
    else:
        raise AssertionError("no such seed")
    held = decode(hand.split())
    others = [card for card in range(54) if state.hands[1] >> card & 1]
    state.hands[0] = sum(1 << card for card in held)
    state.stock = [card for card in range(54) if card not in (*held, *others, *state.discard)]
    return state


@SURE
def test_amagande_the_reference_seven_is_played_when_the_hand_is_safe(level):
    assert choices(_amagande("7H 4C 5C", "9H", "H"), level) == {"play:7H"}


@SURE
def test_amagande_no_showdown_with_an_ace_and_a_joker_in_hand(level):
    state = _amagande("7H AC RJ KC QC JD", "9H", "H")
    state.stock += [card for card in range(54) if state.hands[1] >> card & 1 and card != CARDS["4D"]]
    state.hands[1] = 1 << CARDS["4D"]
    assert "play:7H" not in choices(state, level)


@SURE
def test_amagande_the_last_card_is_played(level):
    assert choices(_amagande("8H", "9H", "C"), level) == {"play:8H"}


@SURE
def test_amagande_five_cards_are_not_drawn_if_a_counter_is_in_hand(level):
    state = _amagande("BJ 4C 5C 6C TC QC", "9H", "S")
    state.seat = 1
    state.hands[1] |= 1 << 52
    state.stock.remove(52)
    play(state, "play:RJ")
    assert choices(state, level) == {"play:BJ"}


# Ten-Skip Challenge.


@SURE
def test_ten_skip_a_made_hand_is_put_on_notice(level):
    state = play(dealt("ten-skip", ["AC 3C 5C 7C TD TH 9D", "2C 2D"], "6S 8S"), "discard:TD", "keep:6S")
    assert choices(state, level) == {"claim"}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_ten_skip_a_bluff_depends_on_luck_alone_and_not_on_the_cards(level):
    """If the cards decided about bluffs, opponents could read them; here the same luck bluffs with any hand."""
    state = play(dealt("ten-skip", ["2C 2D 2H 2S 3C 3D 3H", "4C 4D"], "TC TD"), "discard:3H", "keep:TC")
    bluffs = []
    for hand in ("2C 2D 2H 2S 3C 3D TC", "AC AD 2C 9C 9D 4D TC", "6C 7C 8C 8D 8H 7D TC"):
        state.hands[0] = decode(hand.split())
        bluffs.append([choose(state.view(0), level, f"{number}") == "claim" for number in range(40)])
    assert bluffs[0] == bluffs[1] == bluffs[2]
    assert 0 < sum(bluffs[0]) < 30


@SURE
def test_ten_skip_the_missing_card_is_kept(level):
    state = play(dealt("ten-skip", ["AC 3C 5C TC TD TH 9D", "2C 2D"], "7S 2S"), "discard:TD")
    assert choices(state, level) == {"keep:7S"}


@SURE
def test_ten_skip_a_card_of_the_sequence_is_not_discarded(level):
    state = dealt("ten-skip", ["2C 4C 6C TC TD TH 9D", "3C 3D"])
    assert not choices(state, level) & {"discard:2C", "discard:4C", "discard:6C"}


@SURE
def test_ten_skip_a_claim_that_all_know_to_be_false_is_challenged(level):
    state = play(dealt("ten-skip", ["2C 2D 2H 2S 3C 3D 3H", "4C 4D"], "TC TD"), "discard:3H", "keep:TC", "claim")
    for viewer in range(3):
        state.known[viewer] = sum(1 << card for card in state.hands[0])
    assert choices(state, level) == {"challenge"}


@SURE
def test_ten_skip_a_claim_that_all_know_to_be_true_is_not(level):
    state = play(dealt("ten-skip", ["AC 3C 5C 7C TD TH 9D", "2C 2D"], "6S 8S"), "discard:TD", "keep:6S", "claim")
    for viewer in range(3):
        state.known[viewer] = sum(1 << card for card in state.hands[0])
    assert "challenge" not in choices(state, level)


# The rummies.


@SURE
@pytest.mark.parametrize("slug", ["basic-rummy", "rummy-500"])
def test_rummy_a_meld_in_hand_is_laid(slug, level):
    spare = " 2D 6C 8S" if slug == "rummy-500" else ""
    state = play(dealt(slug, ["KC KD KH 2C 3D 5S 7H 9D JC QD" + spare, "4C"], "8H"), "draw:stock")
    assert choices(state, level) == {"meld:KCKDKH"}


@SURE
def test_basic_rummy_the_card_that_makes_a_set_is_taken(level):
    state = dealt("basic-rummy", ["KC KD 2C 4D 5S 7H 9D JC QD AS", "4C"], "KH")
    assert choices(state, level) == {"draw:discard"}


@SURE
def test_basic_rummy_a_useless_card_is_left(level):
    state = dealt("basic-rummy", ["KC KD 2C 4D 5S 7H 9D JC QD AS", "4C"], "6H")
    assert choices(state, level) == {"draw:stock"}


@SURE
def test_basic_rummy_a_pair_is_not_broken_for_a_lonely_king(level):
    state = dealt("basic-rummy", ["8C 8D 3S 4S TH JH AC KD 6C 6D", "4C"], "2H QS")
    play(state, "draw:stock")
    assert not choices(state, level) & {"discard:8C", "discard:8D", "discard:6C", "discard:6D", "discard:4S"}


@SURE
def test_rummy_500_a_joker_is_not_discarded(level):
    state = play(dealt("rummy-500", ["RJ 2C 4D 6S 8H TC QD KS 3H 5C 7D 9S JH", "4C"], "AD 2S"), "draw:stock")
    assert "discard:RJ" not in choices(state, level)


@SURE
def test_rummy_500_three_kings_are_worth_two_cards_of_the_pile(level):
    state = dealt("rummy-500", ["KC KD 2C 4D 6S 8H TC QD 3H 5C 7D 9S JH", "4C"], "KH")
    assert choices(state, level) == {"take:1"}


# Game: Armani.


@SURE
def test_armani_equals_fold(level):
    state = play(dealt("armani", ["AC", "AD"]), "bet:5")
    assert choices(state, level) == {"fold"}


@SURE
def test_armani_a_player_who_must_open_opens_low(level):
    assert choices(dealt("armani", ["AC", "AD"]), level) == {"bet:1"}


def _with_fans(own, other, to_take=1):
    state = play(dealt("armani", ["AC", "AD"]), "bet:1", "fold")
    state.stacks = [[], []]
    state.fans = (tuple(own), tuple(other))
    state.stage1 = (30, 28)
    state.captains = (0, 1)
    state.power = 0
    state.phase = "choose"
    state.turn = 0
    return state


FACES = [card for card in range(52) if card % 13 in (0, 10, 11, 12)]
OTHERS = [card for card in range(52) if card % 13 not in (0, 10, 11, 12)]


@SURE
def test_armani_face_cards_are_worth_more_than_many_small_ones(level):
    state = _with_fans(sorted(OTHERS + FACES[:2]), FACES[2:])
    state.fans = (tuple(sorted(OTHERS[:24] + FACES[:3])), tuple(sorted(OTHERS[24:] + FACES[3:])))
    assert choices(state, level) == {"fan:other"}


@SURE
def test_armani_a_face_card_is_taken_or_the_queen_of_spades(level):
    state = _with_fans(sorted(OTHERS[:18] + FACES[:8]), sorted(OTHERS[18:] + FACES[8:]))
    play(state, "fan:own")
    codes = {"J", "Q", "K", "A"}
    assert all(move[5] in codes for move in choices(state, level))


@SURE
def test_armani_ai_players_flip_and_leave_slaps_to_their_reflexes(level):
    state = play(dealt("armani", ["AC", "AD"]), "bet:1", "fold", "flip")
    assert choices(state, level) == {"flip"}


def _faces(rank):
    return [card for card in FACES if card % 13 == rank]


@SURE
def test_armani_of_fans_with_equal_faces_the_far_longer_one_is_chosen(level):
    faces = sorted(FACES)
    state = _with_fans(sorted(OTHERS[:4] + faces[0::2]), sorted(OTHERS[4:] + faces[1::2]))
    assert choices(state, level) == {"fan:other"}


@SURE
def test_armani_jacks_are_worth_more_than_aces(level):
    """An ace leaves four chances to answer it, a jack one."""
    jacks, aces, queens, kings = (_faces(rank) for rank in (10, 0, 11, 12))
    own = sorted(OTHERS[:18] + aces + queens[:2] + kings[:2])
    state = _with_fans(own, sorted(OTHERS[18:] + jacks + queens[2:] + kings[2:]))
    assert choices(state, level) == {"fan:other"}


@SURE
def test_armani_a_jack_is_taken_rather_than_an_ace(level):
    state = _with_fans(sorted(OTHERS[:18] + _faces(11) + _faces(12)), sorted(OTHERS[18:] + _faces(0) + _faces(10)))
    play(state, "fan:own")
    assert {move[5] for move in choices(state, level)} == {"J"}


@pytest.mark.parametrize("number", range(1, 59, 6))
@SURE
def test_armani_no_bet_of_an_equal_is_raised_far(level, number):
    """Two equal players win Stage 1 by 10 in .37 of matches: a higher bet would give away Choosing Power."""
    state = play(dealt("armani", ["AC", "AD"]), f"bet:{number}")
    assert choices(state, level, tries=12) <= {"fold", "bet:2"}


@pytest.mark.ladder
def test_armani_fans_chosen_by_value_win_more_than_those_chosen_by_count():
    """Simulate Stage 2 with new luck, where the longer fan doesn't have the better cards."""
    policy = policy_for("armani")
    rng = Random("fans")
    by_value, by_count = [], []
    while len(by_value) < 12:
        cards = rng.sample(range(52), 52)
        at = rng.randrange(18, 35)
        state = _with_fans(sorted(cards[:at]), sorted(cards[at:]))
        value, count = policy.greedy(state, 0, rng), policy.plain(state, 0, rng)
        if value == count:
            continue
        for move, results in ((choose(state.view(0), "hard", "luck"), by_value), (count, by_count)):
            after = play(state.copy(), move)
            results.append(fmean(policy.play_out(after.copy(), 0, after, Random(luck)) for luck in range(40)))
    assert fmean(by_value) > fmean(by_count) + 0.3
