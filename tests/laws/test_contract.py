"""Section 4 of the contract: the moves, zones, facts, phases and reasons that each game promises."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

import games.rules
from games.engine import TABLE
from tests.laws.battery import SEEDS, Table, cards_in, name, record, seen

Check = Callable[[Any, int], bool]

CARD = "(?:[A23456789TJQK][CDHS]|RJ|BJ)"
JOKER = "(?:[RB]J=(?:[A23456789TJQK][CDHS*]))"
CARDS = f"(?:{CARD}|{JOKER})"


def number(value: Any, seats: int) -> bool:
    return type(value) is int


def flag(value: Any, seats: int) -> bool:
    return type(value) is bool


def seat(value: Any, seats: int) -> bool:
    return type(value) is int and 0 <= value < seats


def suit(value: Any, seats: int) -> bool:
    return value in ("C", "D", "H", "S")


def colour(value: Any, seats: int) -> bool:
    return value in ("red", "black")


def card(value: Any, seats: int) -> bool:
    return isinstance(value, str) and re.fullmatch(CARD, value) is not None


def one_of(*choices: Any) -> Check:
    return lambda value, seats: value in choices


def or_null(check: Check) -> Check:
    return lambda value, seats: value is None or check(value, seats)


def each(check: Check) -> Check:
    """A list of such values."""
    return lambda value, seats: isinstance(value, list) and all(check(item, seats) for item in value)


def by_seat(check: Check) -> Check:
    """A list with such a value for each seat."""
    return lambda value, seats: each(check)(value, seats) and len(value) == seats


def by_side(check: Check) -> Check:
    """A list with such a value for each of two sides."""
    return lambda value, seats: each(check)(value, seats) and len(value) == 2


def entry(**checks: Check) -> Check:
    """An object with at least these entries."""
    return lambda value, seats: (
        isinstance(value, dict) and all(key in value and check(value[key], seats) for key, check in checks.items())
    )


class Promise(NamedTuple):
    """The promise of one game; ``private`` facts are shown only to some viewers at some times."""

    moves: str
    zones: str
    facts: Mapping[str, Check]
    phases: Sequence[str]
    reasons: Sequence[str]
    table_moves: str = "(?!)"
    public: Mapping[str, str] = {}
    private: Mapping[str, Check] = {}


_RUMMY_FACTS: dict[str, Check] = {
    "deal": number,
    "dealer": seat,
    "scores": by_seat(number),
    "turn": seat,
    "laid": each(seat),
    "melded": flag,
    "refills": number,
    "taken": or_null(card),
    "melds": each(entry(n=number, kind=one_of("set", "run", "joined"), by=seat)),
}

PROMISES = {
    "armani": Promise(
        moves=rf"bet:\d+|fold|flip|slap|fan:own|fan:other|take:{CARD}|dealer:\d",
        table_moves=r"close|burn:\d",
        zones=r"stack:\d|pile|won:\d|fan:[01]",
        facts={
            "dealer": seat,
            "bets": by_seat(each(number)),
            "folded": by_seat(flag),
            "bettor": or_null(seat),
            "captains": or_null(by_side(seat)),
            "colours": by_seat(each(colour)),
            "teams": or_null(by_side(each(seat))),
            "turn": or_null(seat),
            "duel": or_null(entry(by=seat, chances=number)),
            "winning": or_null(seat),
            "lockout": by_seat(number),
            "power": or_null(one_of(0, 1)),
            "stage1": or_null(by_side(number)),
            "flips2": number,
            "final_lap": flag,
        },
        private={"own_draw": each(card)},
        phases=("bets", "stage1", "choose", "take", "dealers", "stage2", "over"),
        reasons=("all_cards", "last_card", "final_lap"),
    ),
    "armed": Promise(
        moves=f"play:{CARD}",
        zones=r"hand:\d|deck:\d|battleground:\d",
        facts={"battle": number, "war": flag, "totals": by_seat(number)},
        phases=("battle", "war", "over"),
        reasons=("deck_out", "battles"),
        public={"play": "choose"},
    ),
    "avalanche": Promise(
        moves=r"snow|lay:[A23456789TJQKX]x\d+",
        zones=r"hand:\d|stock|avalanche|store:\d|stopped",
        facts={"dealer": seat, "last": or_null(entry(seat=seat, n=number))},
        phases=("play", "over"),
        reasons=("cards_out",),
    ),
    "basic-rummy": Promise(
        moves=rf"draw:stock|draw:discard|meld:(?:{CARD}){{3,}}|lay:(?:{CARD})+@\d+|discard:{CARD}",
        zones=r"hand:\d|stock|discard|meld:\d+",
        facts=_RUMMY_FACTS,
        phases=("draw", "play", "over"),
        reasons=("target", "deals"),
    ),
    "rummy-500": Promise(
        moves=rf"draw:stock|take:\d+|pass|meld:(?:{CARDS}){{3,}}|lay:(?:{CARDS})+@\d+|discard:{CARD}",
        zones=r"hand:\d|stock|discard|meld:\d+",
        facts={
            **_RUMMY_FACTS,
            "melds": each(entry(n=number, kind=one_of("set", "run", "joined"), by=seat, owners=each(seat))),
            "must": or_null(card),
            "on_table": each(number),
        },
        phases=("draw", "play", "over"),
        reasons=("target", "deals"),
    ),
    "amagande": Promise(
        moves=f"play:{CARD}|play:A[CDHS]/[CDHS]|draw|pass",
        zones=r"hand:\d|stock|discard",
        facts={
            "reference": suit,
            "suit": or_null(suit),
            "colour": or_null(colour),
            "penalty": number,
            "direction": one_of(1, -1),
            "free": flag,
            "dealer": seat,
            "turn": seat,
            "passes": number,
        },
        phases=("play", "drawn", "over"),
        reasons=("out", "showdown", "blocked", "turns"),
    ),
    "normal-cards": Promise(
        moves=f"play:{CARD}",
        zones=r"hand:\d|stock|main|trick|last_trick|taken:\d",
        facts={"deal": number, "dealer": seat, "trump": suit, "leader": seat, "points": by_seat(number)},
        phases=("play", "over"),
        reasons=("points",),
    ),
    "ten-skip": Promise(
        moves=rf"challenge|discard:{CARD}|keep:{CARD}|swap:{CARD}@\d|give:{CARD}|claim|end|top:{CARD}|show|hide|pass",
        zones=r"hand:\d|stock|discard|drawn",
        facts={
            "round": number,
            "dealer": seat,
            "scores": by_seat(number),
            "notice": or_null(seat),
            "in_round": each(seat),
            "swaps": number,
        },
        phases=("turn", "keep", "give", "end", "top", "show", "over"),
        reasons=("last_in", "rounds"),
        public={"keep": "keep", "give": "give"},
        private={"offer": or_null(card)},
    ),
}

of_every_game = pytest.mark.parametrize("slug", sorted(PROMISES))


def tables_of(slug: str) -> list[Table]:
    """All recorded tables of a game."""
    rules = games.rules.get(slug)
    return [Table(rules, seats, at) for seats in rules.seats for at in range(SEEDS)]


@of_every_game
def test_phases_zones_and_facts(slug: str):
    promise = PROMISES[slug]
    phases = set()
    for table in tables_of(slug):
        for views in seen(table):
            for view in views:
                phases.add(view.phase)
                for zone in view.zones:
                    assert re.fullmatch(promise.zones, zone.id), zone.id
                for fact, check in promise.facts.items():
                    assert check(view.facts[fact], table.seats), f"{name(table)}: {fact} is {view.facts[fact]!r}"
                for fact, check in promise.private.items():
                    assert fact not in view.facts or check(view.facts[fact], table.seats), fact
    assert phases <= set(promise.phases)
    assert "over" in phases


@of_every_game
def test_moves_and_what_others_see_of_them(slug: str):
    promise = PROMISES[slug]
    verbs = set()
    for table in tables_of(slug):
        played = record(table)
        for step in played.steps:
            for mover in range(table.seats):
                for move in step.state.legal_moves(mover):
                    assert re.fullmatch(promise.moves, move), move
                    verbs.add(move.partition(":")[0])
                    shown = step.state.public_move(mover, move)
                    assert shown == promise.public.get(move.partition(":")[0], move)
                    assert shown == move or not cards_in(shown)
            for move in step.state.legal_moves(TABLE):
                assert re.fullmatch(promise.table_moves, move), move
    assert set(promise.public) <= verbs


@of_every_game
def test_reasons(slug: str):
    outcomes = [record(table).last.outcome() for table in tables_of(slug)]
    reasons = {outcome.reason for outcome in outcomes if outcome is not None}
    assert reasons
    assert reasons <= set(PROMISES[slug].reasons)


def test_the_eight_games_are_there():
    assert set(PROMISES) <= {rules.slug for rules in games.rules.all()}
