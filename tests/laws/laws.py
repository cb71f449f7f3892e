"""Every law of the contract, for every game, number of seats and many seeds."""

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from random import Random
from typing import Any

import pytest

from games import engine
from games.engine import TABLE, IllegalMove, Match, View, freeze, replay, thaw
from tests.laws.battery import (
    GARBAGE,
    Record,
    Table,
    all_views,
    cards_in,
    event_json,
    frozen,
    known_cards,
    mutable_parts,
    name,
    record,
    refusal,
    refused,
    seen,
    shared_parts,
    shown,
    states,
    strange_moves,
    total,
    viewers,
)

#: Each law by name; the tests of a game run all of them.
LAWS: dict[str, Callable[[Table], None]] = {}


def law(check: Callable[[Table], None]) -> Callable[[Table], None]:
    """Register a law for every table of every game."""
    LAWS[check.__name__] = check
    return check


NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")


@law
def replay_of_the_json_form_gives_equal_views_at_every_step(table: Table):
    played = record(table)
    again = json.loads(json.dumps(played.match.to_json()))
    views = {step.number: views for step, views in zip(played.steps, seen(table), strict=True)}
    for number, state in enumerate(replay(again)):
        if number in views:
            assert [state.view(seat) for seat in viewers(table.seats)] == views[number]
    assert Match(**again).to_json() == played.match.to_json()


@law
def whether_anybody_listens_changes_nothing(table: Table):
    played = record(table)
    loud = played.rules.deal(
        table.seats, played.match.options, played.match.seed, deck=played.match.deck, dealer=played.match.dealer
    )
    for number, (seat, move) in enumerate(played.match.entries):
        events: list[Any] = []
        loud.apply(seat, move, events.append)
        assert events == played.told[number]
    # No one listened when the steps were recorded.
    assert frozen(loud) == frozen(played.last)


@law
def a_copy_shares_nothing(table: Table):
    played = record(table)
    rng = Random(name(table))
    for number, state in played.steps:
        before = frozen(state)
        twin = state.copy()
        assert type(twin) is type(state)
        assert frozen(twin) == before
        assert not shared_parts(state, twin), f"after {number} entries"
        for _move in range(20):
            if awaited := twin.to_move():
                seat = rng.choice(awaited)
                twin.apply(seat, rng.choice(twin.legal_moves(seat)))
        assert frozen(state) == before


@law
def a_view_shares_nothing_with_the_match(table: Table):
    for number, state in record(table).steps[::4]:
        own = {id(part) for part in mutable_parts(state)}
        for seat in viewers(table.seats):
            given = {id(part) for part in mutable_parts(shown(state, seat))}
            assert not given & own, f"seat {seat} after {number} entries"


@law
def views_built_together_are_those_of_each_seat(table: Table):
    for number, state in record(table).steps[::4]:
        together = engine.views(state, viewers(table.seats))
        before = {seat: view.to_json() for seat, view in together.items()}
        for seat in viewers(table.seats):
            assert before[seat] == shown(state, seat), f"seat {seat} after {number} entries"
        _use(together[0])
        for seat in viewers(table.seats)[1:]:
            assert together[seat].to_json() == before[seat], f"seat {seat} after {number} entries"


def _use(view: View) -> None:
    """Change a view as the table does at a slap point."""
    view.to_move, view.moves = [], ["slap"]


@law
def every_awaited_seat_has_a_legal_move_and_nobody_else_is_waited_for(table: Table):
    played = record(table)
    for state in states(played.rules, played.match):
        awaited = state.to_move()
        assert len(set(awaited)) == len(awaited)
        assert set(awaited) <= {*range(table.seats), TABLE}
        assert TABLE not in awaited or len(awaited) == 1
        assert all(state.legal_moves(seat) for seat in awaited)
        assert bool(awaited) == (state.outcome() is None)
        if not awaited:
            assert not any(state.legal_moves(seat) for seat in (*range(table.seats), TABLE))
        for seat in range(table.seats):
            # Out of turn, the only moves are slaps.
            assert seat in awaited or set(state.legal_moves(seat)) <= {"slap"}


@law
def default_move_is_legal(table: Table):
    for _number, state in record(table).steps:
        for seat in state.to_move():
            if seat != TABLE:
                move = state.default_move(seat)
                assert move in state.legal_moves(seat)
                state.copy().apply(seat, move)


@law
def matches_of_stand_ins_alone_end(table: Table):
    state = record(table).steps[0].state.copy()
    for _entry in range(_bound(record(table))):
        awaited = state.to_move()
        if not awaited:
            break
        seat = awaited[0]
        state.apply(seat, state.legal_moves(seat)[0] if seat == TABLE else state.default_move(seat))
    assert state.outcome() is not None


@law
def every_legal_move_is_accepted_and_listed_once(table: Table):
    for _number, state in record(table).steps:
        for seat in (*range(table.seats), TABLE):
            moves = state.legal_moves(seat)
            assert len(set(moves)) == len(moves)
            for move in moves:
                assert re.fullmatch(r"[!-~]+", move), "one token of plain letters"
                assert refusal(state, seat, move) is None
                before = state.copy()
                before.apply(seat, move)


@law
def any_other_string_is_refused_and_changes_nothing(table: Table):
    played = record(table)
    rng = Random(name(table))
    pool = sorted({move for _seat, move in played.match.entries})
    for number, state in rng.sample(list(played.steps), min(6, len(played.steps))):
        before = frozen(state)
        for seat in (*range(table.seats), TABLE):
            legal = set(state.legal_moves(seat))
            tried = [
                *rng.sample(pool, min(20, len(pool))),
                *(other for move in rng.sample(sorted(legal), min(4, len(legal))) for other in strange_moves(move)),
                *GARBAGE,
            ]
            for move in tried:
                if isinstance(move, str) and move in legal:
                    continue
                reason = refusal(state, seat, move)
                assert reason, f"{move!r} of seat {seat} after {number} entries"
                told: list[Any] = []
                assert refused(state, seat, move, told.append) == reason
                assert told == []
        for stranger in (-2, table.seats, 99):
            for move in {move for seat in range(table.seats) for move in state.legal_moves(seat)[:2]}:
                assert refused(state, stranger, move)
                assert refusal(state, stranger, move)
        assert frozen(state) == before


@law
def unreadable_out_of_turn_and_after_the_end_read_differently(table: Table):
    played = record(table)
    state = played.steps[0].state
    awaited = set(state.to_move())
    waiting = next((seat for seat in range(table.seats) if seat not in awaited), None)
    (mover, *_others) = sorted(awaited)
    move = state.legal_moves(mover)[0]
    unreadable = refusal(state, mover, "no such move")
    assert unreadable is not None
    if waiting is not None:
        assert refusal(state, waiting, move) not in (None, unreadable)
    if played.over:
        assert refusal(played.last, mover, move) not in (None, unreadable)


@law
def sealed_choices_commute_and_do_not_leak(table: Table):
    played = record(table)
    rng = Random(name(table))
    for _number, state in played.steps:
        awaited = state.to_move()
        if len(awaited) < 2:
            continue
        first, second = rng.sample(list(awaited), 2)
        one, other = (rng.choice(state.legal_moves(first)) for _choice in range(2))
        answer = rng.choice(state.legal_moves(second))
        forth, back, different = state.copy(), state.copy(), state.copy()
        told: dict[str, list[Any]] = {"one": [], "other": []}
        forth.apply(first, one, told["one"].append)
        different.apply(first, other, told["other"].append)
        for seat in viewers(table.seats):
            if seat != first:
                assert shown(forth, seat) == shown(different, seat)
                heard = [[event for event in told[key] if event.is_for(seat)] for key in ("one", "other")]
                assert heard[0] == heard[1]
        assert forth.public_move(first, one) == state.public_move(first, other)
        forth.apply(second, answer)
        back.apply(second, answer)
        back.apply(first, one)
        assert all_views(forth, table.seats) == all_views(back, table.seats)


@law
def non_interference(table: Table):
    """Swap two cards that a seat has never seen: nothing shown or told to that seat changes."""
    played = record(table)
    rng = Random(name(table))
    for seat in [*rng.sample(range(table.seats), min(3, table.seats)), None]:
        views, unseen = _unseen_by(played, seat)
        for _swap in range(2):
            step = rng.randrange(len(views))
            pair = _swappable(played, list(unseen[step]), rng)
            if pair is None:
                continue
            _compare(played, seat, views[: step + 1], pair)


def _unseen_by(played: Record, seat: int | None) -> tuple[list[dict[str, Any]], list[set[str]]]:
    """The first deal's views of ``seat``, with the cards not yet seen at each."""
    views: list[dict[str, Any]] = []
    unseen: list[set[str]] = []
    hidden = set(played.match.deck or ())
    for number, state in enumerate(states(played.rules, played.match)):
        view = shown(state, seat)
        # A later deal depends on the seed, not on the deck; and the end of a deal shows or counts hands.
        if number and (view["phase"] == "over" or any(event.kind in _END_OF_DEAL for event in played.told[number - 1])):
            break
        hidden -= cards_in(view)
        if number:
            hidden -= cards_in([event_json(event) for event in played.told[number - 1] if event.is_for(seat)])
        views.append(view)
        unseen.append(set(hidden))
        if len(views) > 60 or len(hidden) < 2:
            break
    return views, unseen


_END_OF_DEAL = {"deal", "dealt", "deal_over", "round", "round_over", "over"}


def _swappable(played: Record, cards: list[str], rng: Random) -> tuple[str, str] | None:
    """Two of ``cards`` that can be swapped without changing public events."""
    copies = Counter(played.match.deck)
    pairs = [pair for pair in combinations(sorted(cards, key=_pack_order), 2) if copies[pair[0]] == copies[pair[1]]]
    if played.rules.slug == "armani":
        # Colours are announced.
        pairs = [pair for pair in pairs if (pair[0][1] in "DH") == (pair[1][1] in "DH")]
    if played.rules.slug == "armed":
        # A won deck is shuffled from pack order, in which the two must have the same position among the others.
        order = sorted(played.match.deck or (), key=_pack_order)
        pairs = [pair for pair in pairs if order.index(pair[1]) == order.index(pair[0]) + 1]
    return rng.choice(pairs) if pairs else None


def _compare(played: Record, seat: int | None, views: list[dict[str, Any]], pair: tuple[str, str]) -> None:
    rules, match = played.rules, played.match
    first, second = pair
    exchange = {first: second, second: first}
    assert match.deck is not None
    twin = rules.deal(
        match.seats,
        match.options,
        match.seed,
        deck=[exchange.get(code, code) for code in match.deck],
        dealer=match.dealer,
    )
    assert shown(twin, seat) == views[0], pair
    for number, (mover, move) in enumerate(match.entries[: len(views) - 1]):
        if mover != seat and _names_only_a_rank(move) in (_rank(first), _rank(second)):
            return
        told: list[Any] = []
        try:
            twin.apply(mover, move, told.append)
        except IllegalMove:
            # The mover held the other card. The viewer's own moves depend only on its view.
            assert mover != seat, f"{pair}: entry {number}"
            return
        heard = [event for event in played.told[number] if event.is_for(seat)]
        assert [event for event in told if event.is_for(seat)] == heard, f"{pair}: entry {number}"
        assert shown(twin, seat) == views[number + 1], f"{pair}: entry {number}"


def _names_only_a_rank(move: str) -> str | None:
    """The rank of a lay of Avalanche, whose cards depend on the hand."""
    lay = re.fullmatch(r"lay:(.)x\d+", move)
    return lay[1] if lay else None


def _rank(code: str) -> str:
    return "X" if code in ("RJ", "BJ") else code[0]


@law
def determinize_shows_exactly_the_view_and_plays_on(table: Table):
    played = record(table)
    rng = Random(name(table))
    pool = sorted({move for _seat, move in played.match.entries})
    for (number, state), views in zip(played.steps, seen(table), strict=True):
        for seat, view in zip(viewers(table.seats), views, strict=True):
            data = view.to_json()
            sample = played.rules.determinize(View.from_json(json.loads(json.dumps(data))), rng)
            assert type(sample) is type(state)
            assert shown(sample, seat) == data, f"seat {seat} after {number} entries"
        for seat in rng.sample(viewers(table.seats), 2):
            sample = played.rules.determinize(state.view(seat), rng)
            if seat is not None:
                # Advice to a seat and refusals depend only on its view.
                if seat in state.to_move():
                    assert sample.default_move(seat) == state.default_move(seat)
                for move in rng.sample(pool, min(10, len(pool))):
                    assert refusal(sample, seat, move) == refusal(state, seat, move), f"{move} after {number} entries"
            _play_on(sample, table.seats, rng)


def _play_on(state: Any, seats: int, rng: Random) -> None:
    whole = total(state)
    for _entry in range(40):
        awaited = state.to_move()
        if not awaited:
            break
        mover = rng.choice(awaited)
        state.apply(mover, rng.choice(state.legal_moves(mover)))
    assert total(state) == whole
    all_views(state, seats)


@law
def two_determinizations_differ_where_something_is_hidden(table: Table):
    played = record(table)
    rng = Random(name(table))
    view = played.steps[0].state.view(0)
    samples = {frozen(played.rules.determinize(view, rng)) for _sample in range(4)}
    assert len(samples) > 1


@law
def cards_are_conserved(table: Table):
    played = record(table)
    whole = Counter(played.match.deck)
    for number, state in enumerate(states(played.rules, played.match)):
        if number % max(1, len(played.told) // 150) == 0:
            assert total(state) == whole.total(), f"after {number} entries"
    for (number, _state), views in zip(played.steps, seen(table), strict=True):
        known: dict[str, Counter[str]] = {}
        for view in views:
            ids = [zone.id for zone in view.zones]
            assert len(set(ids)) == len(ids)
            for zone in view.zones:
                assert zone.cards is None or len(zone.cards) == zone.count, zone.id
            for zone_id, cards in known_cards(view).items():
                # Everyone who can name a card of a zone names the same cards.
                known[zone_id] = known.get(zone_id, Counter()) | cards
        known.pop("last_trick", None)
        together: Counter[str] = sum(known.values(), Counter())
        assert together <= whole, f"after {number} entries"


@law
def every_event_can_be_said(table: Table):
    played = record(table)
    heard: Counter[str] = Counter()
    for events in played.told:
        for event in events:
            heard[event.kind] += 1
            if heard[event.kind] > 30:
                continue
            assert re.fullmatch(r"[a-z][a-z0-9_]*", event.kind)
            assert event.seat is None or 0 <= event.seat < table.seats
            assert event.to is None or (event.to and event.to <= set(range(table.seats)))
            assert json.loads(json.dumps(event.data)) == event.data
            sentence = played.rules.say(event, NAMES[: table.seats])
            assert isinstance(sentence, str)
            assert sentence.strip() == sentence != ""
            assert "{" not in sentence
            assert played.rules.say(event, NAMES) == sentence


@law
def places_and_returns_are_consistent(table: Table):
    played = record(table)
    for _number, state in played.steps:
        if state.outcome() is None:
            assert list(state.returns()) == [0] * table.seats
            assert state.view(None).phase != "over"
    outcome = played.last.outcome()
    assert (outcome is not None) == played.over
    if outcome is None:
        return
    assert sorted(seat for group in outcome.ranking for seat in group) == list(range(table.seats))
    assert len(outcome.points) == table.seats
    assert outcome.reason
    sides = played.rules.teams(played.last)
    view = played.last.view(None)
    assert view.phase == "over"
    returns = played.last.returns()
    place = 1
    for group in outcome.ranking:
        for seat in group:
            standing = view.seats[seat]
            assert standing.place == place
            assert standing.points == outcome.points[seat]
            if sides:
                draw = len(outcome.ranking) == 1
                assert returns[seat] == (0 if draw else 1 if place == 1 else -1)
            else:
                last = place + len(group) - 1
                assert returns[seat] == pytest.approx(1 - (place + last - 2) / (table.seats - 1))
        place += 1 if sides else len(group)
    if not sides:
        assert sum(returns) == pytest.approx(0)
    for team, side in enumerate(sides or ()):
        assert len({view.seats[seat].place for seat in side}) == 1
        assert len({outcome.points[seat] for seat in side}) == 1
        assert [view.seats[seat].team for seat in side] == [team] * len(side)


@law
def every_match_of_random_players_ends_within_its_bound(table: Table):
    played = record(table)
    state = played.last.copy()
    entries = len(played.match.entries)
    bound = _bound(played)
    rng = Random(name(table))
    while awaited := state.to_move():
        seat = rng.choice(awaited)
        state.apply(seat, rng.choice(state.legal_moves(seat)))
        entries += 1
        assert entries <= bound
    assert state.outcome() is not None
    all_views(state, table.seats)


def _bound(played: Record) -> int:
    """The maximum entries of a match by the contract; limits in turns count at their longest."""
    match = played.match
    seats = match.seats
    options = played.steps[0].state.view(None).facts["options"]
    cards = len(match.deck or ())
    # A turn of a rummy: a draw, every card of the pack melded or laid off, a discard.
    turn = cards + 2
    bounds = {
        "armani": lambda: (seats + 2) * ((options["stage2_flips"] or 2600) + 155) + 80,
        "armed": lambda: 2000 * cards,
        "avalanche": lambda: 2 * cards,
        "basic-rummy": lambda: 40 * 100 * seats * turn,
        "rummy-500": lambda: 40 * (2 * cards + 1) * turn,
        # A turn is a play, or a draw followed by a play or a pass.
        "amagande": lambda: 400 * 2,
        "normal-cards": lambda: 36 * options["deals"],
        # A turn is at most a discard, a card kept and a claim, or a challenge, a show and a top card.
        "ten-skip": lambda: 60 * 400 * 4,
    }
    return bounds[match.slug]() if match.slug in bounds else 20_000


@law
def a_spectator_sees_nothing_that_a_seat_does_not(table: Table):
    for *views, public in seen(table):
        assert public.seat is None
        assert list(public.moves) == []
        assert not any(fact.startswith("own_") for fact in public.facts)
        for view in views:
            own = known_cards(view)
            for zone_id, cards in known_cards(public).items():
                assert cards <= own[zone_id], zone_id


@law
def views_are_json_and_of_one_shape(table: Table):
    played = record(table)
    order = {code: at for at, code in enumerate(sorted(set(played.match.deck or ()), key=_pack_order))}
    for (_number, state), views in zip(played.steps, seen(table), strict=True):
        for seat, view in zip(viewers(table.seats), views, strict=True):
            data = view.to_json()
            assert json.loads(json.dumps(data)) == data
            assert View.from_json(data).to_json() == data
            assert data["game"] == played.rules.slug
            assert data["seat"] == seat
            assert data["to_move"] == list(state.to_move())
            assert data["moves"] == ([] if seat is None else list(state.legal_moves(seat)))
            assert [standing["seat"] for standing in data["seats"]] == list(range(table.seats))
            assert data["facts"]["options"].keys() == {option.name for option in played.rules.options}
            for zone in data["zones"]:
                owner = re.fullmatch(r"[a-z_]+:(\d+)", zone["id"])
                if zone["id"].startswith("hand:"):
                    _check_hand(zone, seat, order)
                    assert owner is not None
                    assert zone["owner"] == int(owner[1])
            for standing in data["seats"]:
                assert isinstance(standing["out"], bool)
                assert (standing["place"] is None) == (view.phase != "over")


def _check_hand(zone: dict[str, Any], viewer: int | None, order: Mapping[str, int]) -> None:
    """Hands are in pack order: known cards first, then hidden ones."""
    cards = zone["cards"]
    known = [code for code in cards if code is not None]
    assert known == sorted(known, key=order.__getitem__)
    assert cards == known + [None] * (len(cards) - len(known))
    if zone["owner"] == viewer:
        assert None not in cards


def _pack_order(code: str) -> tuple[int, int]:
    if code in ("RJ", "BJ"):
        return 4, ("RJ", "BJ").index(code)
    return "CDHS".index(code[1]), "A23456789TJQK".index(code[0])


@law
def a_snapshot_gives_equal_views_and_the_same_continuation(table: Table):
    played = record(table)
    rng = Random(name(table))
    for number, state in rng.sample(list(played.steps), min(8, len(played.steps))):
        stored = json.dumps(freeze(state))
        again = thaw(played.rules.state_type, json.loads(stored))
        assert all_views(again, table.seats) == all_views(state, table.seats)
        assert frozen(again) == stored
        assert not shared_parts(state, again)
        on = state.copy()
        for seat, move in played.match.entries[number : number + 60]:
            told: list[list[Any]] = [[], []]
            on.apply(seat, move, told[0].append)
            again.apply(seat, move, told[1].append)
            assert told[0] == told[1]
        assert frozen(on) == frozen(again)


@law
def the_deal_uses_up_chances_0_and_1_whoever_deals_and_whatever_the_deck(table: Table):
    """With the deck and dealer that chance would give anyway, the match is the same."""
    played = record(table)
    rules, match = played.rules, played.match
    deck = sorted(match.deck or (), key=_pack_order)
    natural = rules.deal(match.seats, match.options, match.seed)
    shuffled = _shuffled(match.seed, _pack_as_shuffled(deck))
    stacked = rules.deal(
        match.seats, match.options, match.seed, deck=shuffled, dealer=_below(match.seed, 0, match.seats)
    )
    assert all_views(stacked, match.seats) == all_views(natural, match.seats)
    assert frozen(stacked) == frozen(natural)


def _pack_as_shuffled(cards: list[str]) -> list[str]:
    """Pack order: the second pack follows the first; three jokers per pack are RJ BJ RJ."""
    counts = Counter(cards)
    plain = [code for code in dict.fromkeys(cards) if code not in ("RJ", "BJ")]
    packs = counts[plain[0]]
    red, black = counts["RJ"] // packs, counts["BJ"] // packs
    jokers = (["RJ", "BJ", "RJ"] if red == 2 else ["RJ", "BJ"])[: red + black]
    return (plain + jokers) * packs


def _words(seed: str, number: int) -> Any:
    block = 0
    while True:
        data = hmac.new(bytes.fromhex(seed), f"{number}/{block}".encode(), hashlib.sha256).digest()
        yield from (int.from_bytes(data[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def _below(seed: str, number: int, k: int) -> int:
    return next(word % k for word in _words(seed, number) if word < 2**32 - 2**32 % k)


def _shuffled(seed: str, cards: list[str]) -> list[str]:
    words = _words(seed, 1)
    for i in range(len(cards) - 1, 0, -1):
        j = next(word % (i + 1) for word in words if word < 2**32 - 2**32 % (i + 1))
        cards[i], cards[j] = cards[j], cards[i]
    return cards
