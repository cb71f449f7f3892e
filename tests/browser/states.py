"""States of the table: any position of a numbered match, shown without a server.

A page of the real site is opened once for each game; its initial message is replaced by that of a match at this
position, so every state is drawn by the page's own scripts.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from random import Random
from typing import NamedTuple

from playwright.sync_api import Page, Route, WebSocketRoute

from games import rules
from games.engine import Event, State
from games.engine.text import names_for

NAMES = ("Ada", "Boris", "Chiara", "Dumisani", "Edda", "Farid", "Greta", "Hugo")
#: Maximum moves of a match that doesn't end.
LONGEST = 3000
LOG_LENGTH = 60


class Moment(NamedTuple):
    """A position: game, number of players, number of the match, number of moves, and its description."""

    slug: str
    seats: int
    seed: int
    step: int
    kind: str


def moves_of(slug: str, seats: int, seed: int) -> Iterator[tuple[State, list[tuple[int, Event]]]]:
    """Each state of a match of random moves, with all events so far; equal arguments give equal states."""
    game = rules.get(slug)
    rng = Random(f"{slug} {seats} {seed}")
    state = game.deal(seats, {}, f"{rng.getrandbits(128):032x}")
    told: list[tuple[int, Event]] = []
    for step in range(LONGEST):
        yield state, told
        awaited = list(state.to_move())
        if not awaited:
            return
        seat = awaited[0]
        state.apply(seat, _choice(state, seat, rng), lambda event, at=step: told.append((at + 1, event)))


def _choice(state: State, seat: int, rng: Random) -> str:
    """A move that advances the match: melds and cards before draws, bets and knocks at random."""
    moves = state.legal_moves(seat)
    kinds: dict[str, list[str]] = {}
    for move in moves:
        kinds.setdefault(move.partition(":")[0], []).append(move)
    for verb in ("meld", "lay", "play"):
        if verb in kinds and rng.random() < 0.7:
            return rng.choice(kinds[verb])
    if "slap" in kinds and len(kinds) > 1:
        kinds.pop("slap")
    return rng.choice(kinds[rng.choice(sorted(kinds))])


@cache
def message(moment: Moment) -> str:
    """The initial message of the page for the first seat."""
    game = rules.get(moment.slug)
    state, told = _at(moment)
    names = list(NAMES[: moment.seats])
    read = names_for(names, 0)
    outcome = state.outcome()
    lines = [
        {"v": at, "kind": event.kind, "seat": event.seat, "data": event.data, "text": game.say(event, read)}
        for at, event in told
        if event.is_for(0)
    ]
    players = [
        {"seat": seat, "name": name, "kind": "ai" if seat else "person", "level": "easy" if seat else None,
         "resigned": False, "handicap": 0, "online": True}
        for seat, name in enumerate(names)
    ]  # fmt: skip
    return json.dumps(
        {
            "t": "snapshot", "v": moment.step, "card": moment.step if moment.slug == "armani" else None, "you": 0,
            "seating_epoch": 0, "key": "state", "status": "over" if outcome else "running", "slug": moment.slug,
            "name": game.name, "pace": "normal", "slow": False, "live": False, "clock": None, "clocks": [], "now": 0,
            "seed_hash": "", "seed": None, "players": players, "view": state.view(0).to_json(),
            "log": lines[-LOG_LENGTH:], "scores": [], "rematch": None, "waiting": None, "by_mail": False, "asleep": [],
            "outcome": outcome and {
                "reason": outcome.reason,
                "ranking": [list(group) for group in outcome.ranking],
                "points": list(outcome.points),
            },
        }
    )  # fmt: skip


def state_at(moment: Moment) -> State:
    """The match's state at that position."""
    return _at(moment)[0]


def _at(moment: Moment) -> tuple[State, list[tuple[int, Event]]]:
    for at, found in enumerate(moves_of(moment.slug, moment.seats, moment.seed)):
        if at == moment.step:
            return found
    raise AssertionError(f"{moment} is not played any more: record the states again")


def moved(moment: Moment, moves: Iterable[tuple[int, str]]) -> Iterator[str]:
    """The messages to the first seat when these moves follow."""
    game = rules.get(moment.slug)
    read = names_for(NAMES[: moment.seats], 0)
    state = state_at(moment).copy()
    for number, (seat, move) in enumerate(moves, moment.step + 1):
        events: list[Event] = []
        state.apply(seat, move, events.append)
        outcome = state.outcome()
        told = [
            {"kind": event.kind, "seat": event.seat, "data": event.data, "text": game.say(event, read)}
            for event in events
            if event.is_for(0)
        ]
        yield json.dumps(
            {
                "t": "moved", "v": number, "card": number if move == "flip" else None, "events": told, "now": 0,
                "entry": {"seat": seat, "move": move, "source": "player", "id": None}, "clocks": [],
                "view": state.view(0).to_json(), "status": "over" if outcome else "running",
                **({"outcome": {"reason": outcome.reason, "ranking": [list(group) for group in outcome.ranking],
                                "points": list(outcome.points)}, "reasons": [""] * moment.seats,
                    "feat": {"v": number, **told[0]}} if outcome else {}),
            }
        )  # fmt: skip


def following(moment: Moment, count: int) -> list[tuple[int, str]]:
    """Possible next moves: this many, or until the end."""
    rng = Random(f"{moment}")
    state = state_at(moment).copy()
    moves: list[tuple[int, str]] = []
    while len(moves) < count and (awaited := list(state.to_move())):
        moves.append((awaited[0], _choice(state, awaited[0], rng)))
        state.apply(*moves[-1])
    return moves


def before(slug: str, seats: int, kind: str, also: Collection[str] = ()) -> tuple[Moment, tuple[int, str]]:
    """A position whose next move has events of all these kinds; and that move."""
    for seed in range(60):
        for step, (state, _told) in enumerate(moves_of(slug, seats, seed)):
            for seat in state.to_move():
                for move in state.legal_moves(seat):
                    told: list[Event] = []
                    state.copy().apply(seat, move, told.append)
                    if {kind, *also} <= {event.kind for event in told}:
                        return Moment(slug, seats, seed, step, kind), (seat, move)
    raise AssertionError(f"no {kind} in {slug}")


_SNAPSHOT = re.compile(r'(<script id="snapshot" type="application/json">).*?(</script>)', re.DOTALL)


def show(page: Page, path: str, moment: Moment, opened: Callable[[WebSocketRoute], object] | None = None) -> None:
    """Open the page of any match of that game and show the position; ``opened`` gets its socket."""
    # As the template tag writes it, so that nothing in it ends the element.
    text = message(moment).replace("<", "\\u003C").replace(">", "\\u003E").replace("&", "\\u0026")

    def answer(route: Route) -> None:
        response = route.fetch()
        body = _SNAPSHOT.sub(lambda found: f"{found[1]}{text}{found[2]}", response.text())
        body = re.sub(r' data-looked="\d+"', "", body)
        route.fulfill(response=response, body=body)

    page.route(f"**{path}", answer)
    page.route_web_socket("**/ws/match/**", opened or (lambda _route: None))
    page.goto(path)
    page.locator("#table[data-complete]").wait_for()
    page.unroute(f"**{path}")


def weight(state: State) -> int:
    """The amount of cards on the table and in the hand, which need space."""
    view = state.view(0)
    own = sum(zone.count for zone in view.zones if zone.id == "hand:0")
    middle = sum(
        min(zone.count, 30) for zone in view.zones if zone.cards and zone.id.split(":")[0] not in ("hand", "won")
    )
    return own + middle + 3 * sum(zone.id.startswith("meld:") for zone in view.zones)


def _needs_buttons(state: State) -> bool:
    """Whether the first seat chooses among buttons for moves without a card of the hand."""
    view = state.view(0)
    own = next((zone.cards or () for zone in view.zones if zone.id == "hand:0"), ())
    return len(view.moves) > 1 and not any(code in move for move in view.moves for code in own if code)


def find(slug: str, seats: int, matches: int) -> list[Moment]:
    """From this many matches: turns with the least, a medium and the most to show; a wait, an end, open slaps.

    Also the turn with the most to show besides buttons.
    """
    turns: list[tuple[int, int, int]] = []
    pressed: list[tuple[int, int, int]] = []
    waits: list[tuple[int, int, int]] = []
    ends: list[tuple[int, int, int]] = []
    slaps: list[tuple[int, int, int]] = []
    for seed in range(matches):
        for step, (state, _told) in enumerate(moves_of(slug, seats, seed)):
            is_open = bool(state.to_move()) and "slap" in state.legal_moves(0)
            places = slaps if is_open else turns if 0 in state.to_move() else waits if state.to_move() else ends
            places.append((weight(state), seed, step))
            if places is turns and _needs_buttons(state):
                pressed.append((weight(state) + 2 * len(state.legal_moves(0)), seed, step))
    found = {"waiting": max(waits, default=None), "over": max(ends, default=None), "slaps": max(slaps, default=None)}
    found["buttons"] = max(pressed, default=None)
    if turns:
        turns.sort()
        found |= {"smallest": turns[0], "typical": turns[len(turns) // 2], "worst": turns[-1]}
    return [Moment(slug, seats, each[1], each[2], kind) for kind, each in found.items() if each]
