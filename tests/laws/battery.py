"""Recorded random matches of any game, and ways to examine them: the tools of the laws.

``LAW_SEEDS`` in the environment sets how many matches are played for each game and number of seats (few by default; set
it to hundreds before a change of the rules lands).
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

from games.engine import TABLE, BadOptions, Event, IllegalMove, Match, Rules, Seat, State, Subset, View, freeze
from games.engine.cards import CODES

SEEDS = int(os.environ.get("LAW_SEEDS", "2"))
#: Maximum recorded entries of a match; only the law on length plays on.
LONGEST = 1000
#: Number of states examined closely.
MOMENTS = 8

#: A card code anywhere in the JSON form of a view or an event.
_CODE = re.compile("|".join(sorted(CODES)))
#: Types without parts; nearly everything in a state or a view is of one.
_WHOLE = {bool, float, int, str, type(None)}
_RANKS = ("A23456789TJQK", "A34567JQK", "A23456789T", "789TJQKA")


class Table(NamedTuple):
    """A game, a number of seats, and one of the numbered matches."""

    rules: Rules
    seats: int
    number: int


class Step(NamedTuple):
    """A state of a recorded match, after ``number`` entries. Laws must not change the state."""

    number: int
    state: State


class Record(NamedTuple):
    """A random match: its data, the events of each entry, and some of its states (including the first and last)."""

    rules: Rules
    match: Match
    told: Sequence[Sequence[Event]]
    steps: Sequence[Step]
    over: bool

    @property
    def last(self) -> State:
        """The last state recorded."""
        return self.steps[-1].state


def name(value: Any) -> str:
    """The name of a parameter in the reports: ``armani-4-0``."""
    if isinstance(value, Table):
        return f"{value.rules.slug}-{value.seats}-{value.number}"
    return str(getattr(value, "slug", value))


def viewers(seats: int) -> list[Seat | None]:
    """All seats and the spectator."""
    return [*range(seats), None]


def random_options(rules: Rules, seats: int, rng: Random) -> dict[str, Any]:
    """Random legal options; mostly small numbers, to keep matches short."""
    while True:
        options: dict[str, Any] = {}
        for option in rules.options:
            choices = option.choices
            if isinstance(choices, range):
                options[option.name] = rng.choice(choices[:4] if rng.random() < 0.7 else choices)
            elif isinstance(choices, Subset):
                chosen = [*choices.always, *(extra for extra in choices.extra if rng.random() < 0.5)]
                rng.shuffle(chosen)
                options[option.name] = chosen
            else:
                options[option.name] = rng.choice(choices)
        if can_deal(rules, seats, options):
            return options


def can_deal(rules: Rules, seats: int, options: Mapping[str, Any], deck: Sequence[str] | None = None) -> bool:
    """Whether a match can be dealt with these options."""
    try:
        rules.deal(seats, options, "0" * 32, deck=deck)
    except BadOptions:
        return False
    return True


def pack(rules: Rules, seats: int, options: Mapping[str, Any]) -> list[str]:
    """The codes of all cards of a match, found by trying common packs."""
    for ranks, packs, jokers in product(_RANKS, (1, 2, 3, 4), ([], ["RJ", "BJ"], ["RJ", "BJ", "RJ"])):
        cards = [*(rank + suit for suit in "CDHS" for rank in ranks), *jokers] * packs
        if can_deal(rules, seats, options, cards):
            return cards
    raise LookupError(f"{rules.slug} plays with a pack that is not tried here")


def choose(state: State, seats: int, rng: Random) -> tuple[Seat, str]:
    """A random entry: mostly a move of an awaited seat, sometimes an optional one."""
    awaited = state.to_move()
    if rng.random() < 0.15:
        seat = rng.choice([TABLE, *range(seats)])
        moves = state.legal_moves(seat)
        if moves and (seat != TABLE or rng.random() < 0.3):
            return seat, rng.choice(moves)
    seat = rng.choice(awaited)
    return seat, rng.choice(state.legal_moves(seat))


def play(rules: Rules, match: Match, rng: Random, longest: int = LONGEST) -> Record:
    """Play ``match``, which has no entries yet, at random and record it."""
    state = rules.deal(match.seats, match.options, match.seed, deck=match.deck, dealer=match.dealer)
    entries: list[tuple[Seat, str]] = []
    told: list[list[Event]] = []
    while state.to_move() and len(entries) < longest:
        entries.append(choose(state, match.seats, rng))
        told.append([])
        state.apply(*entries[-1], told[-1].append)
    played = match._replace(entries=entries)
    over = not state.to_move()
    moments = {*rng.sample(range(len(entries) + 1), min(MOMENTS, len(entries) + 1)), 0, len(entries)}
    steps = [Step(number, state.copy()) for number, state in enumerate(states(rules, played)) if number in moments]
    return Record(rules, played, told, steps, over)


def states(rules: Rules, match: Match) -> Iterator[State]:
    """Every state of ``match``, like ``games.engine.replay`` but for rules that aren't installed.

    It is one state that goes on: copy it to keep it, and don't change it.
    """
    state = rules.deal(match.seats, match.options, match.seed, deck=match.deck, dealer=match.dealer)
    yield state
    for seat, move in match.entries:
        state.apply(seat, move)
        yield state


@cache
def record(table: Table) -> Record:
    """The numbered random match: number 0 with the standard options, the others with random ones."""
    rules, seats, number = table
    rng = Random(name(table))
    options = random_options(rules, seats, rng) if number else {}
    deck = pack(rules, seats, options)
    rng.shuffle(deck)
    dealer = rng.choice([None, *range(seats)])
    return play(
        rules, Match(rules.slug, rules.version, seats, options, f"{rng.getrandbits(128):032x}", [], deck, dealer), rng
    )


@cache
def seen(table: Table) -> list[list[View]]:
    """Each viewer's view at each state of the numbered match."""
    return [[state.view(seat) for seat in viewers(table.seats)] for _number, state in record(table).steps]


def cards_in(value: Any) -> set[str]:
    """All card codes anywhere in a JSON value."""
    return set(_CODE.findall(json.dumps(value)))


def shown(state: State, seat: Seat | None) -> dict[str, Any]:
    """The view of ``seat``, as the JSON of the contract."""
    return state.view(seat).to_json()


def all_views(state: State, seats: int) -> list[dict[str, Any]]:
    """The views of each seat and the spectator."""
    return [shown(state, seat) for seat in viewers(seats)]


def known_cards(view: View) -> dict[str, Counter[str]]:
    """Cards the viewer can name, by zone; a joker standing for another card counts as the joker."""
    return {
        zone.id: Counter(code.partition("=")[0] for code in zone.cards or () if code is not None) for zone in view.zones
    }


def event_json(event: Event) -> dict[str, Any]:
    """An event as JSON values."""
    return {
        "kind": event.kind,
        "seat": event.seat,
        "data": dict(event.data),
        "to": None if event.to is None else sorted(event.to),
    }


def refusal(state: State, seat: Seat, move: Any) -> str | None:
    """Why ``seat`` may not make ``move``; ``None`` if it may."""
    try:
        state.check(seat, move)
    except IllegalMove as reason:
        return str(reason)
    return None


def refused(state: State, seat: Seat, move: Any, emit: Callable[[Event], None] | None = None) -> str | None:
    """Why ``seat`` could not make ``move``; ``None`` if it was made."""
    try:
        state.apply(seat, move, emit)
    except IllegalMove as reason:
        return str(reason)
    return None


def strange_moves(move: str) -> list[str]:
    """Similar but invalid spellings of a legal move."""
    verb, _colon, rest = move.partition(":")
    spelled = [
        f" {move}",
        f"{move} ",
        f"{move}\n",
        f"{move}\0",
        move.swapcase(),
        f"{move}:",
        f"{move},{move}",
        f"{verb}:{rest}{rest}0",
        f"{verb}::{rest}",
        # int() accepts digits of other alphabets.
        move.translate({ord(digit): 0xFF10 + int(digit) for digit in "0123456789"}),
        f"{verb}:0{rest}",
        f"{verb}:+{rest}",
        f"{verb}:{rest}@",
        f"{verb}:{rest}@0",
        f"{verb}:{rest}/",
    ]
    pairs = [rest[at : at + 2] for at in range(0, len(rest), 2)]
    if len(pairs) > 1 and set(pairs) <= set(CODES):
        spelled.append(f"{verb}:{''.join(reversed(pairs))}")
    return [other for other in spelled if other != move]


GARBAGE: tuple[Any, ...] = (
    "",
    " ",
    ":",
    "play",
    "play:",
    "play:XX",
    "play:1C",
    "bet:",
    "bet:-1",
    "bet:0",
    "bet:59",
    "bet:1.0",
    "bet:1e1",
    "lay:x",
    "lay:@",
    "lay:Ax0",
    "lay:Ax-1",
    "lay:Ax99",
    "meld:",
    "meld:A",
    "meld:*",
    "meld:RJ",
    "meld:RJ=",
    "meld:RJ=XX",
    "take:0",
    "take:-1",
    "take:999",
    "swap:5H",
    "swap:5H@-1",
    "swap:5H@99",
    "draw:",
    "draw:5C",
    "burn:-1",
    "burn:99",
    "dealer:99",
    "choose",
    "ünïcödé",
    "☃",
    "x" * 5000,
    None,
    7,
    True,
    ("play:QS",),
    ["play:QS"],
    b"play:QS",
)


def mutable_parts(value: Any) -> Iterator[Any]:
    """Every mutable object in a value, including itself."""
    if type(value) in _WHOLE:
        return
    if isinstance(value, (list, tuple, set, frozenset)):
        children: list[Any] = list(value)
    elif isinstance(value, dict):
        children = [*value.keys(), *value.values()]
    else:
        children = [getattr(value, slot) for base in type(value).__mro__ for slot in getattr(base, "__slots__", ())]
    if isinstance(value, (list, set, dict, bytearray)) or (children and not isinstance(value, (tuple, frozenset))):
        yield value
    for child in children:
        yield from mutable_parts(child)


def shared_parts(state: State, other: State) -> list[Any]:
    """Mutable objects shared by two states, except the options, which never change after the deal."""
    options = {id(part) for part in mutable_parts(getattr(state, "options", ()))}
    mine = {id(part) for part in mutable_parts(state)} - options
    return [part for part in mutable_parts(other) if id(part) in mine]


def frozen(state: State) -> str:
    """A state as text: equal texts are equal states."""
    return json.dumps(freeze(state))


def total(state: Any) -> int:
    return sum(zone.count for zone in state.view(None).zones if zone.id != "last_trick")
