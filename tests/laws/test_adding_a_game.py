"""A ninth game is a single package: found, checked by the laws, timed and played without changes elsewhere.

Its presentation, emails and plans are tested with the table's page.

The toy also tests the laws: each of them detects the faults it is there for.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from types import ModuleType

import pytest

import games.rules
from games.devtools import terminal
from games.engine import Event, IllegalMove, Match, Rules, Zone
from games.engine.playout import playout
from tests.factories.ninth_game import ninth_game
from tests.laws import goldens, perft
from tests.laws.battery import Table, record, seen
from tests.laws.laws import LAWS

NAMES = ("Ann", "Ben", "Cat", "Dan")


@pytest.fixture
def toy() -> Iterator[ModuleType]:
    """The rules of the toy."""
    record.cache_clear()
    seen.cache_clear()
    with ninth_game() as rules:
        yield rules
    record.cache_clear()
    seen.cache_clear()


@pytest.fixture
def rules(toy: ModuleType) -> Rules:
    """The toy's rules."""
    return games.rules.get("high-card")


def check(law: str, rules: Rules) -> None:
    """Check one law for two matches at each number of seats."""
    for seats in rules.seats:
        for number in range(2):
            LAWS[law](Table(rules, seats, number))


def test_it_is_found(rules: Rules):
    assert rules in games.rules.all()
    assert len(games.rules.all()) == 9


@pytest.mark.parametrize("law", sorted(LAWS))
def test_the_new_game_obeys_every_law(law: str, rules: Rules):
    check(law, rules)


def test_it_is_counted_logged_timed_and_played(rules: Rules):
    (two, four) = perft.count(rules)
    assert two["counts"][:4] == [5, 25, 100, 400]
    assert four["counts"][:2] == [5, 25]
    match = goldens.new_match(rules, 1)
    _head, _deal, *moves = goldens.lines(rules, match)
    assert len(moves) == 5 * match.seats
    assert playout(rules, 3, 0, Random(1)).to_json()["moves_per_match"] == 15
    host = terminal.Host(rules, Match("high-card", 1, 2, {}, "0" * 32, []), lambda event: None)
    terminal.play(host, [lambda view: view.moves[0]] * 2)
    assert sum(seat.points for seat in host.view(None).seats) == 5


# Faults that the laws detect


def leak_a_hand(toy, monkeypatch):
    honest = toy.HighCardState.view

    def view(self, seat):
        shown = honest(self, seat)
        zones = [
            replace(zone, note=str(self.hands[zone.owner][0])) if _has_cards(zone) else zone for zone in shown.zones
        ]
        return replace(shown, zones=zones)

    monkeypatch.setattr(toy.HighCardState, "view", view)


def _has_cards(zone: Zone) -> bool:
    return zone.owner is not None and zone.count > 0


def tell_a_hand(toy, monkeypatch):
    honest = toy.HighCardState.apply

    def apply(self, seat, move, emit=None):
        honest(self, seat, move, emit)
        if emit:
            emit(Event("play", seat, {"card": sum(self.hands[-1])}))

    monkeypatch.setattr(toy.HighCardState, "apply", apply)


def share_a_list_with_copies(toy, monkeypatch):
    honest = toy.HighCardState.copy

    def copy(self):
        twin = honest(self)
        twin.points = self.points
        return twin

    monkeypatch.setattr(toy.HighCardState, "copy", copy)


def give_the_own_list_away(toy, monkeypatch):
    honest = toy.HighCardState.view

    def view(self, seat):
        shown = honest(self, seat)
        return replace(shown, facts={**shown.facts, "points": self.points})

    monkeypatch.setattr(toy.HighCardState, "view", view)


def forget_a_legal_move(toy, monkeypatch):
    honest = toy.HighCardState.legal_moves

    def legal_moves(self, seat):
        return honest(self, seat)[:4]

    def check(self, seat, move):
        if move not in honest(self, seat):
            raise IllegalMove("no")

    monkeypatch.setattr(toy.HighCardState, "legal_moves", legal_moves)
    monkeypatch.setattr(toy.HighCardState, "check", check)


def list_an_illegal_move(toy, monkeypatch):
    honest, check = toy.HighCardState.legal_moves, toy.HighCardState.check
    monkeypatch.setattr(
        toy.HighCardState, "legal_moves", lambda self, seat: [*honest(self, seat), "pass"] * bool(honest(self, seat))
    )
    monkeypatch.setattr(toy.HighCardState, "check", check)


def let_seats_move_out_of_turn(toy, monkeypatch):
    def legal_moves(self, seat):
        return [f"play:{toy.CODES[card]}" for card in self.hands[seat]]

    monkeypatch.setattr(toy.HighCardState, "legal_moves", legal_moves)


def advise_an_illegal_move(toy, monkeypatch):
    monkeypatch.setattr(
        toy.HighCardState, "default_move", lambda self, seat: f"play:{toy.CODES[self.hands[seat - 1][0]]}"
    )


def advise_by_the_others_hands(toy, monkeypatch):
    def default_move(self, seat):
        moves = self.legal_moves(seat)
        return moves[sum(self.hands[seat - 1]) % len(moves)]

    monkeypatch.setattr(toy.HighCardState, "default_move", default_move)


def read_moves_generously(toy, monkeypatch):
    honest, check = toy.HighCardState.apply, toy.HighCardState.check
    monkeypatch.setattr(
        toy.HighCardState, "apply", lambda self, seat, move, emit=None: honest(self, seat, move.strip(), emit)
    )
    monkeypatch.setattr(toy.HighCardState, "check", lambda self, seat, move: check(self, seat, move.strip()))


def change_before_refusing(toy, monkeypatch):
    honest = toy.HighCardState.apply

    def apply(self, seat, move, emit=None):
        self.leader, before = 0, self.leader
        self.check(seat, move)
        self.leader = before
        honest(self, seat, move, emit)

    monkeypatch.setattr(toy.HighCardState, "apply", apply)


def refuse_all_alike(toy, monkeypatch):
    def check(self, seat, move):
        if move not in self.legal_moves(seat):
            raise IllegalMove("No.")

    monkeypatch.setattr(toy.HighCardState, "check", check)


def play_differently_when_watched(toy, monkeypatch):
    honest = toy.HighCardState.apply

    def apply(self, seat, move, emit=None):
        honest(self, seat, move, emit)
        if emit is None:
            self.points[0] += 1

    monkeypatch.setattr(toy.HighCardState, "apply", apply)


def lose_a_card(toy, monkeypatch):
    honest = toy.HighCardState.score_trick

    def score(self, emit):
        honest(self, emit)
        self.played.append(self.played[-1])

    monkeypatch.setattr(toy.HighCardState, "score_trick", score)


def resample_another_view(toy, monkeypatch):
    honest = toy.HighCard.determinize

    def determinize(self, view, rng):
        state = honest(self, view, rng)
        state.hands.reverse()
        return state

    monkeypatch.setattr(toy.HighCard, "determinize", determinize)


def resample_without_chance(toy, monkeypatch):
    honest = toy.HighCard.determinize
    monkeypatch.setattr(toy.HighCard, "determinize", lambda self, view, rng: honest(self, view, Random(1)))


def stay_silent(toy, monkeypatch):
    monkeypatch.setattr(toy.HighCard, "say", lambda self, event, names: "")


def share_no_place(toy, monkeypatch):
    monkeypatch.setattr(toy, "places", lambda ranking, sides: tuple(range(1, sum(map(len, ranking)) + 1)))


def show_the_spectator_more(toy, monkeypatch):
    honest = toy.HighCardState.view
    monkeypatch.setattr(toy.HighCardState, "view", lambda self, seat: replace(honest(self, seat or 0), seat=seat))


def keep_hands_unsorted(toy, monkeypatch):
    honest = toy.encode
    monkeypatch.setattr(toy, "encode", lambda cards: honest(cards)[::-1])


def remember_beside_the_slots(toy, monkeypatch):
    class Forgetful(toy.HighCardState):
        """Stores something outside the snapshot."""

        bonus = 0

        def copy(self):
            twin = super().copy()
            twin.bonus = self.bonus
            return twin

        def score_trick(self, emit):
            super().score_trick(emit)
            self.bonus += 1
            self.points[0] += self.bonus

    monkeypatch.setattr(toy, "HighCardState", Forgetful)
    monkeypatch.setattr(toy.HighCard, "state_type", Forgetful)


def use_a_chance_too_few(toy, monkeypatch):
    shuffle = toy.Chance.shuffle

    def once(self, items):
        shuffle(self, items)
        items[0], items[1] = items[1], items[0]

    monkeypatch.setattr(toy.Chance, "shuffle", once)


def go_on_for_ever(toy, monkeypatch):
    def score(self, emit):
        for hand in self.hands:
            hand.append(self.table.pop())
            hand.sort()

    monkeypatch.setattr(toy.HighCardState, "score_trick", score)


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        (leak_a_hand, "non_interference"),
        (tell_a_hand, "non_interference"),
        (share_a_list_with_copies, "a_copy_shares_nothing"),
        (give_the_own_list_away, "a_view_shares_nothing_with_the_match"),
        (forget_a_legal_move, "any_other_string_is_refused_and_changes_nothing"),
        (list_an_illegal_move, "every_legal_move_is_accepted_and_listed_once"),
        (let_seats_move_out_of_turn, "every_awaited_seat_has_a_legal_move_and_nobody_else_is_waited_for"),
        (advise_an_illegal_move, "default_move_is_legal"),
        (advise_by_the_others_hands, "determinize_shows_exactly_the_view_and_plays_on"),
        (read_moves_generously, "any_other_string_is_refused_and_changes_nothing"),
        (change_before_refusing, "any_other_string_is_refused_and_changes_nothing"),
        (refuse_all_alike, "unreadable_out_of_turn_and_after_the_end_read_differently"),
        (play_differently_when_watched, "whether_anybody_listens_changes_nothing"),
        (lose_a_card, "cards_are_conserved"),
        (resample_another_view, "determinize_shows_exactly_the_view_and_plays_on"),
        (resample_without_chance, "two_determinizations_differ_where_something_is_hidden"),
        (stay_silent, "every_event_can_be_said"),
        (share_no_place, "places_and_returns_are_consistent"),
        (show_the_spectator_more, "a_spectator_sees_nothing_that_a_seat_does_not"),
        (keep_hands_unsorted, "views_are_json_and_of_one_shape"),
        (remember_beside_the_slots, "a_snapshot_gives_equal_views_and_the_same_continuation"),
        (use_a_chance_too_few, "the_deal_uses_up_chances_0_and_1_whoever_deals_and_whatever_the_deck"),
        (go_on_for_ever, "matches_of_stand_ins_alone_end"),
        (go_on_for_ever, "every_match_of_random_players_ends_within_its_bound"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_law_notices_the_fault_that_it_is_there_for(fault, law, toy, rules, monkeypatch):
    fault(toy, monkeypatch)
    with pytest.raises((AssertionError, pytest.fail.Exception, IllegalMove, AttributeError)):
        check(law, rules)
