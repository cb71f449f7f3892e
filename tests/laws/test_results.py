"""At the end of a match each seat reads why it has its place, by the rule of the game that decided it."""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import pytest

import games.rules
from games.engine import Event, Outcome, Rules, Seat, State
from games.engine.cards import CARDS, CODES
from games.table.result import reasons
from tests.factories.samples import tables
from tests.laws.battery import SEEDS, choose, random_options

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")


def finished(rules: Rules, seats: int, rng: Random) -> tuple[Any, Sequence[Event]]:
    """The last state of a match, of random players or autoplay, and its last events."""
    state: State = rules.deal(seats, random_options(rules, seats, rng), f"{rng.getrandbits(128):032x}")
    is_random = rng.random() < 0.7
    told: list[Event] = []
    while awaited := state.to_move():
        is_stand_in = not is_random and awaited[0] >= 0
        seat, move = (awaited[0], state.default_move(awaited[0])) if is_stand_in else choose(state, seats, rng)
        told.clear()
        state.apply(seat, move, told.append)
    return state, [event for event in told if event.is_for(None)]


def amagande(state: Any, outcome: Outcome, seat: Seat, told: Sequence[Event]) -> str:
    held = [CODES[card] for card in range(54) if state.hands[seat] >> card & 1]
    points = outcome.points[seat]
    if not held:
        return "played the last card"
    if outcome.reason == "out":
        return f"{points:g} left in hand"
    called = any(event.kind == "showdown" and event.seat == seat for event in told)
    end = ", called the showdown" if called else ""
    if seat in outcome.ranking[0]:
        end = f", like everyone; the lowest sum wins{end}"
    if any(code[0] == "A" or code[1] == "J" for code in held):
        return rf"eliminated by the (ace|red joker|black joker)( of \w+)?{end}"
    if points > 30:
        return rf"eliminated with {points:g} \(limit 30\){end}"
    return f"safe with {points:g}" + (", called the showdown" if called else "")


def armani(state: Any, outcome: Outcome, seat: Seat, told: Sequence[Event]) -> str:
    won = seat in outcome.ranking[0]
    if outcome.reason != "final_lap":
        words = {"all_cards": ("all 52 cards", "no cards left"), "last_card": ("the last with cards", "out of cards")}
        return words[outcome.reason][not won]
    own, other = state.final if seat in state.sides[0] else state.final[::-1]
    queen = f", with{'' if won else 'out'} the queen of spades" if own == other else ""
    return f"final lap {own}–{other}{queen}"


def armed(state: Any, outcome: Outcome, seat: Seat, told: Sequence[Event]) -> str:
    if outcome.reason == "battles":
        return f"{outcome.points[seat]}–{outcome.points[1 - seat]} cards after battle {state.battle}"
    return "the opponent had no cards left to draw" if outcome.ranking[0] == (seat,) else "no cards left to draw"


def avalanche(state: Any, outcome: Outcome, seat: Seat, told: Sequence[Event]) -> str:
    return f"{'most ' if seat in outcome.ranking[0] else ''}cards stored: {outcome.points[seat]}"


def rummy(state: Any, outcome: Outcome, seat: Seat, told: Sequence[Event]) -> str:
    points, target = outcome.points[seat], state.options["target"]
    out = [event.seat for event in told if event.kind == "deal_over"]
    how = f"{points:g} points, {target} were needed"
    if outcome.reason == "deals":
        how = f"score {points:g} after deal {state.deal}"
    return how + (", went out in the last deal" if seat in out else "")


def normal_cards(state: Any, outcome: Outcome, seat: Seat, told: Sequence[Event]) -> str:
    side = " the team's" if state.sides() else ""
    return f"{outcome.points[seat]} of {120 * state.deals} points in{side} tricks"


def ten_skip(state: Any, outcome: Outcome, seat: Seat, told: Sequence[Event]) -> str:
    doubled = [event.seat for event in told if event.kind == "lose" and event.data["doubled"]]
    pair = ", the last hand doubled for a pair" if seat in doubled else ""
    gone, score = state.out_in[seat], state.scores[seat]
    if gone is not None:
        return rf"eliminated in round {gone} with {score} \(limit {state.limit}\){pair}"
    return f"(last player left|still in after 60 rounds), with {score}{pair}"


#: Why a seat has its place, from the state and the last events.
WHY: Mapping[str, Callable[[Any, Outcome, Seat, Sequence[Event]], str]] = {
    "amagande": amagande,
    "armani": armani,
    "armed": armed,
    "avalanche": avalanche,
    "basic-rummy": rummy,
    "normal-cards": normal_cards,
    "rummy-500": rummy,
    "ten-skip": ten_skip,
}


@pytest.mark.parametrize(("rules", "seats"), tables(largest=False))
def test_every_seat_of_a_finished_match_learns_the_rule_that_decided(rules: Rules, seats: int):
    for number in range(6 * SEEDS):
        state, told = finished(rules, seats, Random(f"{rules.slug} {seats} {number}"))
        outcome = state.outcome()
        whys = reasons(outcome.reason, state.view(None), NAMES[:seats], told, ())
        assert len(whys) == seats
        for seat, why in enumerate(whys):
            assert re.fullmatch(WHY[rules.slug](state, outcome, seat, told), why), (number, outcome, why)


def test_every_game_is_asked():
    assert set(WHY) == {rules.slug for rules in games.rules.all()}


def test_a_showdown_shows_who_is_safe_and_what_eliminates():
    rules = games.rules.get("amagande")
    state: Any = rules.deal(4, {}, "5eed" * 8)
    told: list[Event] = []
    for seat, codes in enumerate(("4C5C", "QCKCJC", "AS", "4D5D")):
        state.hands[seat] = sum(1 << CARDS[codes[at : at + 2]] for at in range(0, len(codes), 2))
    state.seat = 3
    state.end("showdown", 3, told.append)
    whys = reasons("showdown", state.view(None), NAMES[:4], told, ())
    assert whys == [
        "safe with 9",
        "eliminated with 39 (limit 30)",
        "eliminated by the ace of spades",
        "safe with 9, called the showdown",
    ]
    assert state.outcome().ranking == ((0,), (3,), (1,), (2,))


@pytest.mark.parametrize(
    ("final", "won", "lost"),
    [
        ((58, 0), "final lap 58–0", "final lap 0–58"),
        ((29, 29), "final lap 29–29, with the queen of spades", "final lap 29–29, without the queen of spades"),
    ],
)
def test_a_final_lap_shows_its_points_and_what_breaks_a_tie(final: tuple[int, int], won: str, lost: str):
    state: Any = games.rules.get("armani").deal(2, {}, "5eed" * 8)
    state.final = final
    state.end("final_lap", 0, None)
    whys = reasons("final_lap", state.view(None), NAMES[:2], (), ())
    assert [whys[seat] for side in state.sides for seat in side] == [won, lost]


def test_a_resigning_player_is_named_and_an_agreed_end_names_no_one():
    view = games.rules.get("armed").deal(2, {}, "5eed" * 8).view(None)
    assert reasons("resignation", view, NAMES[:2], (), [1]) == ["Ben resigned", "resigned"]
    assert reasons("agreement", view, NAMES[:2], (), ()) == ["ended by agreement"] * 2
    assert reasons("battles", view, NAMES[:2], (), ()) == ["", ""], "the game has not ended"
