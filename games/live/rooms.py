"""One process's rooms: a table that somebody here looks at, advanced move by move as moves are announced.

A room applies each announced move to its own copy of the state, builds what each seat may see of it once,
and keeps the last messages for whoever is behind. It lives on the event loop; the database is read in
threads. Nothing here is the truth: a hole in the announcements is refilled from the moves table.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import msgspec
from django.db import connection

from games import engine, tables
from games.models import Match
from games.tables import Table

log = logging.getLogger(__name__)

#: Messages kept for those who are a little behind; whoever is further behind gets the whole view.
RING = 100
#: Sentences in the log of a whole view.
LOG_LENGTH = 60
#: Sentences kept of a match, whoever they are for: enough to find so many for each viewer.
KEPT_LINES = 10 * LOG_LENGTH
#: How long an announcement may overtake another before the hole is read from the database, in seconds.
REORDER = 0.03

#: Reads for rooms, apart from Django's one shared thread.
_readers = ThreadPoolExecutor(2, thread_name_prefix="rooms")

Viewer = int | None


class Watcher(Protocol):
    """A socket in a room."""

    seat: Viewer

    @property
    def cap(self) -> float:
        """The most that a press over it is credited with, in ms."""

    async def catch_up(self) -> None:
        """Send what the room has and the browser has not."""

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """Begin anew: the match began, ended or changed hands."""

    async def send_text(self, text: str) -> None:
        """Send one message as it is."""


@dataclass(slots=True)
class Step:
    """One version of a match, as each kind of viewer hears of it."""

    version: int
    messages: dict[Viewer, str]
    shows_card: bool
    #: When this process knew of it, on its clock in seconds.
    at: float
    #: When each viewer was first sent it, on the same clock: a card is shown to a player once.
    sent: dict[Viewer, float] = field(default_factory=dict)
    #: The verdict on slaps which this move begins to carry out, as a message to all.
    verdict: str | None = None


@dataclass(slots=True)
class Line:
    """One sentence of the log."""

    version: int
    event: engine.Event
    text: str

    def to_json(self) -> dict[str, Any]:
        """As the browser gets it."""
        return {"v": self.version, **event_to_json(self.event, self.text)}


def event_to_json(event: engine.Event, text: str) -> dict[str, Any]:
    """An event with its sentence."""
    return {"kind": event.kind, "seat": event.seat, "data": event.data, "text": text}


@dataclass(slots=True)
class Reading:
    """A match as read from the database: its table and the sentences that led there."""

    match: Match
    table: Table
    lines: deque[Line]


def read(match_id: int) -> Reading:
    """Replay a whole match for its log: once for a page or a room, never for a move. Raises ``KeyError``."""
    match = Match.objects.select_related("rematch").filter(pk=match_id, started_at__isnull=False).first()
    if match is None:
        raise KeyError(match_id)
    names = [seat.name for seat in match.seats.all()]
    lines: deque[Line] = deque(maxlen=KEPT_LINES)

    def tell(version: int, event: engine.Event) -> None:
        lines.append(Line(version, event, match.rules.say(event, names)))

    return Reading(match, tables.replay(match, tell), lines)


def read_entries(match_id: int, after: int) -> tuple[list[list[Any]], float | None]:
    """Moves of a match later than version ``after``, as they are announced, and when the table goes on by itself."""
    match = Match.objects.only("due_at").get(pk=match_id)
    rows = match.moves.filter(number__gt=after).values_list("seat", "move", "request_id", "source")
    return [list(row) for row in rows], match.due_at.timestamp() if match.due_at else None


def snapshot_message(reading: Reading, viewer: Viewer, online: Iterable[int] = ()) -> dict[str, Any]:
    """The whole table as ``viewer`` may see it: what a page begins with and a socket falls back on."""
    match, table = reading.match, reading.table
    here = set(online)
    rematch = match.rematch
    return {
        "t": "snapshot",
        "v": table.version,
        "card": table.card,
        "you": viewer,
        "key": match.key,
        "status": match.status,
        "slug": match.slug,
        "name": match.game_name,
        "pace": match.pace,
        "seed_hash": match.seed_hash,
        "seed": match.seed if match.status == Match.Status.OVER else None,
        "players": [
            {
                "seat": sitter.seat,
                "name": sitter.name,
                "kind": "ai" if sitter.is_ai else "person",
                "level": sitter.ai_level or None,
                "resigned": sitter.has_resigned,
                "online": sitter.is_ai or sitter.seat in here,
            }
            for sitter in table.sitters
        ],
        "view": table.state.view(viewer).to_json(),
        "log": [line.to_json() for line in reading.lines if line.event.is_for(viewer)][-LOG_LENGTH:],
        "outcome": match.outcome,
        "rematch": rematch.get_absolute_url() if rematch else None,
    }


async def in_thread(work: Any) -> Any:
    """Do blocking database work off the loop."""

    def run() -> Any:
        connection.close_if_unusable_or_obsolete()
        return work()

    return await asyncio.get_running_loop().run_in_executor(_readers, run)


@dataclass(slots=True)
class Room:
    """A table that somebody in this process looks at."""

    match_id: int
    reading: Reading
    watchers: set[Watcher] = field(default_factory=set)
    ring: deque[Step] = field(default_factory=lambda: deque(maxlen=RING))
    #: Seats that have pressed on the card on top.
    pressed: set[int] = field(default_factory=set)
    #: The newest version announced.
    announced: int = 0
    #: When the table goes on by itself, as a timestamp.
    due: float | None = None
    refilling: bool = False
    presence: dict[str, tuple[frozenset[int], float]] = field(default_factory=dict)
    #: When this process last said who is here, on its own clock in seconds.
    told_presence: float = 0.0

    @property
    def table(self) -> Table:
        """The state after the newest move known here."""
        return self.reading.table

    def advance(self, first: int, entries: Sequence[Sequence[Any]], verdict: dict[str, Any] | None = None) -> bool:
        """Make announced moves. False if some before ``first`` are missing; known ones are passed over."""
        table = self.table
        self.announced = max(self.announced, first + len(entries) - 1)
        if first > table.version + 1:
            return False
        for seat, move, request_id, source in entries[table.version + 1 - first :]:
            text = to_text({"t": "verdict", **verdict}) if verdict is not None and table.version + 1 == first else None
            self._enter(seat, move, request_id, source, text)
        return True

    def _enter(self, seat: int, move: str, request_id: str, source: str, verdict: str | None) -> None:
        table, state = self.table, self.table.state
        public = state.public_move(seat, move)
        events: list[engine.Event] = []
        table.enter(seat, move, request_id, events.append)
        names = table.names
        lines = [Line(table.version, event, table.rules.say(event, names)) for event in events]
        self.reading.lines.extend(lines)
        outcome = state.outcome()
        if outcome is not None:
            self.reading.match.status = table.status = Match.Status.OVER
            self.reading.match.outcome = {
                "reason": outcome.reason,
                "ranking": [list(group) for group in outcome.ranking],
                "points": list(outcome.points),
            }
        self.pressed.clear()
        messages: dict[Viewer, str] = {}
        for viewer in {watcher.seat for watcher in self.watchers}:
            is_own = viewer == seat
            messages[viewer] = to_text(
                {
                    "t": "moved",
                    "v": table.version,
                    "card": table.card,
                    "entry": {
                        "seat": seat,
                        "move": move if is_own else public,
                        "source": source,
                        "id": request_id if is_own else None,
                    },
                    "events": [event_to_json(line.event, line.text) for line in lines if line.event.is_for(viewer)],
                    # Written as its fields stand, which is the form of `to_json`.
                    "view": state.view(viewer),
                    "status": table.status,
                    **({"outcome": self.reading.match.outcome} if outcome is not None else {}),
                }
            )
        self.ring.append(Step(table.version, messages, table.card is not None, time.monotonic(), verdict=verdict))

    def steps_since(self, version: int, viewer: Viewer) -> list[Step] | None:
        """What ``viewer`` misses after ``version``; None if that is more than is kept here."""
        missed = self.table.version - version
        if missed <= 0:
            return []
        if missed > len(self.ring):
            return None
        steps = list(self.ring)[-missed:]
        return steps if all(viewer in step.messages for step in steps) else None

    def snapshot_text(self, viewer: Viewer) -> str:
        """The whole table as ``viewer`` may see it, as one message."""
        return to_text(snapshot_message(self.reading, viewer, self.online()))

    def online(self) -> set[int]:
        """Seats whose players are at the table, in any process."""
        now = time.monotonic()
        there = {watcher.seat for watcher in self.watchers if watcher.seat is not None}
        for seats, until in self.presence.values():
            if until > now:
                there |= seats
        return there

    async def refill(self) -> bool:
        """Read the moves that were announced elsewhere and not heard here. False if somebody is reading them."""
        if self.refilling:
            return False
        self.refilling = True
        try:
            await asyncio.sleep(REORDER)
            is_missing = True
            while is_missing:
                version = self.table.version
                entries, self.due = await in_thread(partial(read_entries, self.match_id, version))
                self.advance(version + 1, entries)
                # What was announced while this was read may have come too late for it.
                is_missing = bool(entries) and self.table.version < self.announced
        finally:
            self.refilling = False
        for watcher in list(self.watchers):
            await watcher.catch_up()
        return True


def to_text(message: dict[str, Any]) -> str:
    """A message as it goes over the socket."""
    return msgspec.json.encode(message).decode()


_rooms: dict[int, Room] = {}
_opening: dict[int, "asyncio.Future[Room]"] = {}


async def enter(match_id: int, watcher: Watcher) -> Room:
    """The room of a match, opened by its first watcher. Raises ``KeyError`` if the match has not begun."""
    room = _rooms.get(match_id)
    while room is None:
        opening = _opening.get(match_id)
        if opening is None:
            opening = _opening[match_id] = asyncio.ensure_future(_open(match_id))
            opening.add_done_callback(lambda _future: _opening.pop(match_id, None))
        # Registered by whoever still waits for it: a room without watchers would never be closed.
        room = _rooms.setdefault(match_id, await asyncio.shield(opening))
    room.watchers.add(watcher)
    return room


async def _open(match_id: int) -> Room:
    room = Room(match_id, await in_thread(partial(read, match_id)))
    match = room.reading.match
    room.due = match.due_at.timestamp() if match.due_at else None
    return room


async def reopen(room: Room) -> None:
    """Read everything again: who sits where, or the match's status, has changed."""
    reading = await in_thread(partial(read, room.match_id))
    while reading.table.version < room.table.version:
        # The room went on meanwhile.
        reading = await in_thread(partial(read, room.match_id))
    room.reading = reading
    match = reading.match
    room.due = match.due_at.timestamp() if match.due_at else None
    room.ring.clear()


def leave(room: Room, watcher: Watcher) -> None:
    """Close the room behind its last watcher."""
    room.watchers.discard(watcher)
    if not room.watchers and _rooms.get(room.match_id) is room:
        del _rooms[room.match_id]


def all_rooms() -> list[Room]:
    """The rooms of this process."""
    return list(_rooms.values())
