"""States of the table: any position of a numbered match, shown without a server.

A page of the real site is opened once for each game; its initial message is replaced by that of a match at this
position, so every state is drawn by the page's own scripts.
"""

import base64
import json
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from random import Random
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.translation import get_language
from playwright.sync_api import Page, WebSocketRoute

from games import rules
from games.engine import Event, Rules, State
from games.engine.text import names_for, names_in_text
from games.matches.live_match import LiveMatch, Sitter
from games.matches.models import Match
from games.matches.presets import PRESETS
from games.matches.turn_clock import SeatClock
from games.table import projection

NAMES = ("Ada", "Boris", "Chiara", "Dumisani", "Edda", "Farid", "Greta", "Hugo")
#: Maximum moves of a match that doesn't end.
LONGEST = 3000


class Moment(NamedTuple):
    """A position: game, number of players, number of the match, number of moves, and its description."""

    slug: str
    seats: int
    seed: int
    step: int
    kind: str

    @property
    def clock(self) -> str:
        """The match's clock: a live one if the description ends so; then persons hold all seats."""
        return Match.Clock.TABLE if self.kind.endswith(" timed") else Match.Clock.NONE


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


def message(moment: Moment) -> str:
    """The initial message of the page for the first seat, in the active language."""
    return _message(moment, get_language() or "")


@cache
def _message(moment: Moment, _language: str) -> str:
    state, told = _at(moment)
    return json.dumps(projection.snapshot_message(_projected(moment, state, moment.step, told), 0))


def _projected(
    moment: Moment, state: State, version: int, told: Iterable[tuple[int, Event]]
) -> projection.MatchProjection:
    """The match as the site projects it, after ``version`` moves with these events.

    Its clock is that of the position: without one, the first seat is a person's and the others AI players'.
    """
    game = rules.get(moment.slug)
    names = names_in_text(NAMES[: moment.seats])
    outcome = state.outcome()
    status = Match.Status.OVER if outcome else Match.Status.RUNNING
    match = Match(
        key="state", slug=moment.slug, seat_count=moment.seats, status=status, clock=moment.clock,
        outcome=outcome and {
            "reason": outcome.reason,
            "ranking": [list(group) for group in outcome.ranking],
            "points": list(outcome.points),
        },
    )  # fmt: skip
    sitters = tuple(
        Sitter(seat, name, seat, "") if moment.clock in PRESETS or not seat else Sitter(seat, name, None, "easy")
        for seat, name in enumerate(names)
    )
    table = LiveMatch(
        match_id=0, key=match.key, slug=moment.slug, rules=game, state=state, version=version, status=status,
        seating_epoch=0, seed="", sitters=sitters, clock=moment.clock, clocks=_clocks(moment, state), pace=match.pace,
        is_rated=False, turn_since=None, snapshot_version=0, card=version if moment.slug == "armani" else None,
    )  # fmt: skip
    projected = projection.MatchProjection(match, table, deque(maxlen=projection.KEPT_LINES), [])
    projected.note([projection.LogEntry(at, event, partial(_say, game, event, names), names) for at, event in told])
    return projected


def _say(game: Rules, event: Event, names: Sequence[str], viewer: int | None) -> str:
    return game.say(event, names_for(names, viewer))


def _clocks(moment: Moment, state: State) -> list[SeatClock]:
    """A clock for each seat of a match with one, running for those whose turn it is."""
    preset = PRESETS.get(moment.clock)
    if preset is None:
        return [SeatClock()] * moment.seats
    bank, awaited = int(preset.start.total_seconds()), state.to_move()
    return [
        SeatClock(bank_seconds=bank, due_at=timezone.now() + preset.start if seat in awaited else None)
        for seat in range(moment.seats)
    ]


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
    state, told = _at(moment)
    state = state.copy()
    for number, (seat, move) in enumerate(moves, moment.step + 1):
        events: list[Event] = []
        state.apply(seat, move, events.append)
        told = [*told, *((number, event) for event in events)]
        projected = _projected(moment, state, number, told)
        entry = {"seat": seat, "move": move, "source": "player", "id": None}
        lines = [line for line in projected.lines if line.version == number]
        card = number if move == "flip" else None
        yield json.dumps(projection.moved_message(projected, 0, entry, lines, state.view(0).to_json(), card))


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
_OF_ITS_OWN_BODY = ("content-encoding", "content-length")


def show(
    page: Page, path: str, moment: Moment, opened: Callable[[WebSocketRoute], object] | None = None, told: str = ""
) -> None:
    """Open the page of any match of that game and show the position; ``opened`` gets its socket.

    ``told`` is its initial message if that is not the position's own.
    """
    told = told or message(moment)
    # As the template tag writes it, so that nothing in it ends the element.
    text = told.replace("<", "\\u003C").replace(">", "\\u003E").replace("&", "\\u0026")

    # Playwright's own routes would switch off the cache of scripts and style sheets.
    chromium = page.context.new_cdp_session(page)

    def answer(paused: dict[str, Any]) -> None:
        request = {"requestId": paused["requestId"]}
        body = base64.b64decode(chromium.send("Fetch.getResponseBody", request)["body"]).decode()
        body = _SNAPSHOT.sub(lambda found: f"{found[1]}{text}{found[2]}", body)
        body = re.sub(r' data-looked="\d+"', "", body)
        headers = [each for each in paused["responseHeaders"] if each["name"].lower() not in _OF_ITS_OWN_BODY]
        answered = {"responseCode": 200, "responseHeaders": headers, "body": base64.b64encode(body.encode()).decode()}
        chromium.send("Fetch.fulfillRequest", request | answered)

    chromium.on("Fetch.requestPaused", answer)
    only_the_page = {"urlPattern": f"*{path}", "resourceType": "Document", "requestStage": "Response"}
    chromium.send("Fetch.enable", {"patterns": [only_the_page]})
    page.route_web_socket("**/ws/match/**", opened or (lambda _route: None))
    page.goto(path)
    page.locator("#table[data-complete]").wait_for()
    if json.loads(told)["status"] == "over":
        page.locator("#result-places li").first.wait_for()  # its script is loaded after the others
    chromium.detach()


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
