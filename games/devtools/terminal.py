"""The smallest client: whole matches and replays in a terminal, using only views and sentences.

Players are functions from a view to a move; only :class:`Host`, which acts as the server, has a state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from games.engine import TABLE, Event, IllegalMove, Match, Move, Rules, Seat, View, Zone, replay

#: Prompts and returns the line typed. Raises ``EOFError`` when the input has ended.
Ask = Callable[[str], str]
#: Shows one line.
Show = Callable[[str], None]
#: Returns a move for a view, or ``None`` to skip an optional chance.
Player = Callable[[View], Move | None]

HIDDEN = "▒▒"
HELP = (
    "Type the number of a move, or the move itself. Enter makes the only move there is (beside a slap) and lets"
    " a chance pass. v shows the table again, q ends."
)
REPLAY_HELP = (
    "Enter: next move. b: back. A number: that move. s and a seat: see as they do; s alone: as a spectator. q: end."
)


class Quit(Exception):
    """The person at the keyboard wants to quit."""


@dataclass
class Host:
    """A running match as the server keeps it; ``emit`` gets each event."""

    rules: Rules
    match: Match
    emit: Callable[[Event], None]
    entries: list[tuple[Seat, Move]] = field(default_factory=list)

    def __post_init__(self) -> None:
        match = self.match
        self._state = self.rules.deal(match.seats, match.options, match.seed, deck=match.deck, dealer=match.dealer)

    def view(self, seat: Seat | None) -> View:
        """What ``seat`` may see."""
        return self._state.view(seat)

    def why_not(self, seat: Seat, move: Move) -> str | None:
        """Why ``seat`` may not make ``move``; ``None`` if it may."""
        try:
            self._state.check(seat, move)
        except IllegalMove as reason:
            return str(reason)
        return None

    def act(self, seat: Seat, move: Move) -> None:
        """Make a move. Raises ``IllegalMove``."""
        self._state.apply(seat, move, self.emit)
        self.entries.append((seat, move))

    def record(self) -> Match:
        """The match so far."""
        return self.match._replace(entries=self.entries)

    def close(self) -> None:
        """Make the table's own moves."""
        self.act(TABLE, next(iter(self._state.legal_moves(TABLE))))


def play(host: Host, players: Sequence[Player], quickest: Sequence[Seat] = ()) -> None:
    """Play the match of ``host`` to its end, with a player for each seat.

    After every move, players with an optional move (slap) are asked first, in the order of ``quickest``, then of the
    seats. Raises whatever a player raises.
    """
    order = [*quickest, *(seat for seat in range(len(players)) if seat not in quickest)]
    while awaited := host.view(None).to_move:
        if _take_chance(host, players, order):
            continue
        if TABLE in awaited:
            host.close()
            continue
        # Simultaneous choices are all made before any is revealed.
        choices = [(seat, players[seat](host.view(seat))) for seat in awaited]
        for seat, move in choices:
            if move is None:
                raise IllegalMove(f"seat {seat} was waited for and made no move")
            host.act(seat, move)


def _take_chance(host: Host, players: Sequence[Player], order: Sequence[Seat]) -> bool:
    """Let players make optional moves; returns whether any did."""
    for seat in order:
        view = host.view(seat)
        if seat in view.to_move or not view.moves:
            continue
        move = players[seat](view)
        if move is not None:
            host.act(seat, move)
            return True
    return False


@dataclass
class Person:
    """A person at the keyboard. If ``shared``, other people use it too, and must not see this hand."""

    seat: Seat
    host: Host
    names: Sequence[str]
    ask: Ask
    show: Show
    shared: bool = False

    def __call__(self, view: View) -> Move | None:
        """Show the view and ask until a legal move is entered."""
        name = self.names[self.seat]
        waited_for = self.seat in view.to_move
        if not waited_for:
            return self._offer(view, name)
        if self.shared:
            self.show("\n" * 40)
            self.ask(f"{name}, press Enter when no one else is looking. ")
        for line in render(view, self.names):
            self.show(line)
        for line in menu(view.moves):
            self.show(line)
        while True:
            typed = self.ask(f"{name}> ").strip() or self._only_move(view)
            if typed in ("?", ""):
                self.show(HELP)
            elif typed == "v":
                for line in render(view, self.names):
                    self.show(line)
            elif (move := self._read(view, typed)) is not None:
                return move

    def _only_move(self, view: View) -> str:
        """The move that Enter makes; empty if there is a choice."""
        moves = [move for move in view.moves if move != "slap"]
        return moves[0] if len(moves) == 1 else ""

    def _offer(self, view: View, name: str) -> Move | None:
        """Offer an optional move: typing it makes it, Enter skips it."""
        while True:
            typed = self.ask(f"{name}, {' or '.join(view.moves)}? (Enter: no) ").strip()
            if not typed:
                return None
            if (move := self._read(view, typed)) is not None:
                return move

    def _read(self, view: View, typed: str) -> Move | None:
        """Read a typed move; ``None``, after showing the reason, if it is illegal."""
        if typed == "q":
            raise Quit
        number = int(typed) if typed.isdecimal() else 0
        move = view.moves[number - 1] if 1 <= number <= len(view.moves) else typed
        reason = self.host.why_not(self.seat, move)
        if reason is not None:
            self.show(reason)
            return None
        return move


def announce(rules: Rules, names: Sequence[str], watchers: Sequence[Seat], show: Show) -> Callable[[Event], None]:
    """A listener that prints the events one of ``watchers`` may know, or only public ones.

    With several people at one keyboard, only public events are printed.
    """
    watcher = watchers[0] if len(watchers) == 1 else None

    def emit(event: Event) -> None:
        if event.is_for(watcher):
            show(f"  {rules.say(event, names)}")

    return emit


def render(view: View, names: Sequence[str]) -> list[str]:
    """A view as lines: scores, all zones, all facts."""
    title = f"── {view.game} · {view.phase} "
    lines = ["", title.ljust(72, "─")]
    for seat in view.seats:
        turn = "▸" if seat.seat in view.to_move else " "
        notes = [
            f"{seat.points:g} points",
            *([f"side {seat.team}"] if seat.team is not None else []),
            *([f"place {seat.place}"] if seat.place is not None else []),
            *(["out"] if seat.out else []),
            *(["you"] if seat.seat == view.seat else []),
        ]
        lines.append(f"{turn} {seat.seat} {names[seat.seat]}: {', '.join(notes)}")
    lines += [_zone_line(zone, names) for zone in view.zones if zone.count]
    lines += [
        f"  {fact}: {_value(value)}"
        for fact, value in view.facts.items()
        if fact != "options" and value not in ([], {}, None)
    ]
    return lines


def _zone_line(zone: Zone, names: Sequence[str]) -> str:
    owner = f" ({names[zone.owner]})" if zone.owner is not None and zone.id.startswith("hand:") else ""
    cards = "" if zone.cards is None else ": " + " ".join(HIDDEN if code is None else code for code in zone.cards)
    note = f"  {zone.note}" if zone.note else ""
    return f"  {zone.id}{owner}, {zone.count}{cards}{note}"


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_value(item) for item in value) or "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value(item)}" for key, item in value.items()) or "–"
    return "–" if value is None else str(value)


def menu(moves: Sequence[Move]) -> list[str]:
    """Numbered moves, several to a line."""
    width = max(len(move) for move in moves) + 7
    items = [f"{number:>4} {move}".ljust(width) for number, move in enumerate(moves, 1)]
    in_line = max(1, 96 // width)
    return ["".join(items[at : at + in_line]).rstrip() for at in range(0, len(items), in_line)]


def results(view: View, names: Sequence[str]) -> list[str]:
    """The final places in lines, best first."""
    standings = sorted(view.seats, key=lambda seat: (seat.place or 0, seat.seat))
    return [f"{seat.place}. {names[seat.seat]}, {seat.points:g} points" for seat in standings]


def step_through(rules: Rules, match: Match, names: Sequence[str], ask: Ask, show: Show, seat: Seat | None) -> None:
    """Step through a recorded match, seen from ``seat`` (``None``: a spectator) until another is chosen.

    Raises ``Quit`` on request, ``EOFError`` when the input has ended, and whatever
    :func:`games.engine.replay` raises for a broken record.
    """
    states = list(replay(match))
    told: list[list[Event]] = [[]]
    for (mover, move), (before, _after) in zip(match.entries, pairwise(states), strict=True):
        told.append([])
        before.copy().apply(mover, move, told[-1].append)
    at = 0
    show(REPLAY_HELP)
    while True:
        show(f"\nMove {at} of {len(states) - 1}")
        if at:
            mover, move = match.entries[at - 1]
            shown = move if seat == mover else states[at - 1].public_move(mover, move)
            show(f"{'The table' if mover == TABLE else names[mover]}: {shown}")
        for event in told[at]:
            if event.is_for(seat):
                show(f"  {rules.say(event, names)}")
        for line in render(states[at].view(seat), names):
            show(line)
        if at == len(states) - 1 and states[at].outcome() is not None:
            for line in results(states[at].view(seat), names):
                show(line)
        at, seat = _next(ask, show, at, len(states) - 1, seat, match.seats)


def _next(ask: Ask, show: Show, at: int, last: int, seat: Seat | None, seats: int) -> tuple[int, Seat | None]:
    """The next move and viewpoint to show."""
    while True:
        typed = ask("replay> ").strip()
        match typed.split():
            case []:
                if at < last:
                    return at + 1, seat
                show("That was the last move.")
            case ["q"]:
                raise Quit
            case ["b"]:
                return max(0, at - 1), seat
            case ["s"]:
                return at, None
            case ["s", number] if number.isdecimal() and int(number) < seats:
                return at, int(number)
            case [number] if number.isdecimal() and int(number) <= last:
                return int(number), seat
            case _:
                show(REPLAY_HELP)
