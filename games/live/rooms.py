"""This process's rooms: tables that its browsers have open, advanced move by move as moves are announced.

A room applies each announced move to its own copy of the state, builds each seat's view of it once, and keeps the last
messages for browsers that are behind. It lives on the event loop; threads read the database. The database holds the
truth: a gap in the announcements is filled from the moves table.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from prometheus_client import Histogram

from games.engine.text import remembered
from games.matches.live_match import LiveMatch
from games.matches.loading import read_consistently
from games.matches.models import Match
from games.matches.pauses import Waiting
from games.matches.turn_clock import SeatClock
from games.realtime.languages import in_language
from games.realtime.process import in_thread, to_text
from games.table import messages
from games.table.clock_text import clocks_to_json
from games.table.projection import (
    LogEntry,
    MatchProjection,
    Viewer,
    incident_line,
    moved_message,
    read,
    snapshot_message,
)

log = logging.getLogger(__name__)

#: Messages kept for browsers that are a little behind; a browser further behind gets the whole view.
RING = 100
#: How long one announcement may overtake another before the gap is read from the database, in seconds.
REORDER = 0.03

_GAPS = Histogram(
    "armani_gap_moves",
    "Moves that a process had to read because their announcement had not come",
    buckets=(0, 1, 2, 5, 10, 50),
)


class RoomSocket(Protocol):
    """A socket in a room."""

    seat: Viewer
    language: str

    @property
    def connection(self) -> "SeatConnection":
        """What other processes must know of it to judge slaps."""

    async def catch_up(self) -> None:
        """Send what the room has and the browser lacks."""

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """Start over: the match began or ended, or a seat has another player."""

    async def send_text(self, text: str) -> None:
        """Send one message unchanged."""


@dataclass(frozen=True, slots=True)
class SeatConnection:
    """A player's socket as every process knows it. If there are several, the newest one presents the cards."""

    #: When its player opened it or turned to it, as a timestamp.
    presenting_since: float
    #: The most latency that a press over it is credited with, in ms.
    cap: float
    #: Whether its page is visible.
    is_visible: bool


@dataclass(slots=True)
class BroadcastUpdate:
    """The messages of one version of a match: one per kind of viewer and language in use."""

    version: int
    messages: dict[tuple[Viewer, str], str]
    shows_card: bool
    #: When this process learned of it, on its clock in seconds.
    at: float
    #: When each viewer was first sent it, on the same clock: a card is shown to a player once.
    sent: dict[Viewer, float] = field(default_factory=dict)
    #: The slap verdict that this move begins to carry out, as a message for all viewers.
    verdict: str | None = None


Entries = tuple[list[list[Any]], float | None, list[list[Any]]]


def read_entries(match_id: int, after: int) -> Entries:
    """Read moves after version ``after``, the next step's time and the clocks, as they would be announced."""
    return read_consistently(partial(_read_entries, match_id, after))


def _read_entries(match_id: int, after: int) -> tuple[int, int, Entries]:
    match = Match.objects.only("due_at", "version").get(pk=match_id)
    clocks = [[seat.number, SeatClock.of(seat).to_json()] for seat in match.seats.all()]
    rows = match.moves.filter(number__gt=after).values_list("seat", "move", "request_id", "source")
    entries = [list(row) for row in rows]
    return match.version, after + len(entries), (entries, match.due_at.timestamp() if match.due_at else None, clocks)


@dataclass(slots=True)
class Room:
    """A table that a browser of this process has open."""

    match_id: int
    projected: MatchProjection
    sockets: set[RoomSocket] = field(default_factory=set)
    ring: deque[BroadcastUpdate] = field(default_factory=lambda: deque(maxlen=RING))
    #: Seats that have pressed on the top card.
    pressed: set[int] = field(default_factory=set)
    #: The newest version announced.
    announced: int = 0
    #: When the table's next step is due, as a timestamp.
    due: float | None = None
    #: The current pause of the table.
    waiting: Waiting | None = None
    refilling: "asyncio.Task[None] | None" = None
    #: How many reloads were requested, and how many of those are done.
    reopened: int = 0
    reopened_until: int = 0
    reopening: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: The newest socket of each seat in other processes, and until when that is valid.
    presence: dict[str, tuple[dict[int, SeatConnection], float]] = field(default_factory=dict)
    #: When each absent player left, on this process's clock in seconds.
    gone_since: dict[int, float] = field(default_factory=dict)
    #: When this process last announced presence, on its own clock in seconds.
    announced_presence: float = 0.0

    @property
    def table(self) -> LiveMatch:
        """The state after the newest move known here."""
        return self.projected.table

    def advance(
        self,
        first: int,
        entries: Sequence[Sequence[Any]],
        verdict: dict[str, Any] | None = None,
        clocks: Iterable[Sequence[Any]] = (),
        incidents: Iterable[Sequence[Any]] = (),
    ) -> bool:
        """Apply announced moves. False if some before ``first`` are missing; known ones are skipped."""
        table, last = self.table, first + len(entries) - 1
        if last <= table.version:  # as for all sockets of the room but the first
            return True
        self.announced = max(self.announced, last)
        if first > table.version + 1:
            return False
        for number, told in clocks:
            table.clocks[number] = SeatClock.from_json(told)
        # A verdict precedes the move that carries it out; without a slap it belongs to the last one.
        judged = None if verdict is None else min(verdict["v"] + 1, last)
        for seat, move, request_id, source in entries[table.version + 1 - first :]:
            text = to_text({"t": "verdict", **(verdict or {})}) if judged == table.version + 1 else None
            also = [incident_line(*told) for told in incidents if told[0] == table.version + 1]
            self._enter(seat, move, request_id, source, text, also)
        return True

    def _enter(
        self, seat: int, move: str, request_id: str, source: str, verdict: str | None, also: Sequence[LogEntry]
    ) -> None:
        table = self.table
        public: messages.Entry = {
            "seat": seat,
            "move": table.state.public_move(seat, move),
            "source": source,
            "id": None,
        }
        own: messages.Entry = {**public, "move": move, "id": request_id}
        lines = self.projected.enter(seat, move, request_id)
        self.projected.note(also)
        lines += also
        self.pressed.clear()
        self.waiting = self.projected.waiting = None
        texts: dict[tuple[Viewer, str], str] = {}
        viewers: dict[str, set[Viewer]] = {}
        for socket in self.sockets:
            viewers.setdefault(socket.language, set()).add(socket.seat)
        clocks = clocks_to_json(table)
        views = table.views(set().union(*viewers.values()))

        def write(language: str, seats: Iterable[Viewer]) -> None:
            with remembered(language):
                for viewer in seats:
                    entry = own if viewer == seat else public
                    view = views[viewer]
                    message = moved_message(self.projected, viewer, entry, lines, view, table.card, language, clocks)
                    texts[viewer, language] = to_text(message)

        for language, seats in viewers.items():
            in_language(language, write, language, seats)
        self.ring.append(
            BroadcastUpdate(table.version, texts, table.card is not None, time.monotonic(), verdict=verdict)
        )

    def steps_since(self, version: int, viewer: Viewer, language: str) -> list[BroadcastUpdate] | None:
        """Return what ``viewer`` misses after ``version``; None if the room no longer keeps all of it."""
        missed = self.table.version - version
        if missed <= 0:
            return []
        if missed > len(self.ring):
            return None
        key = (viewer, language)
        steps = [step for at in range(-missed, 0) if key in (step := self.ring[at]).messages]
        return steps if len(steps) == missed else None

    def snapshot_text(self, viewer: Viewer) -> str:
        """Return the whole table, as ``viewer`` may see it, as one message."""
        return to_text(snapshot_message(self.projected, viewer, self.online()))

    def online(self) -> set[int]:
        """Seats whose players are at the table, in any process."""
        now = time.monotonic()
        seats = {socket.seat for socket in self.sockets if socket.seat is not None}
        return seats.union(*(connections for connections, until in self.presence.values() if until > now))

    def connections(self) -> dict[int, SeatConnection]:
        """The socket that presents the cards to each player at the table, in any process."""
        now = time.monotonic()
        found = self.connections_here()
        for connections, until in self.presence.values():
            if until > now:
                for seat, connection in connections.items():
                    if seat not in found or found[seat].presenting_since < connection.presenting_since:
                        found[seat] = connection
        return found

    def connections_here(self) -> dict[int, SeatConnection]:
        """The newest socket of each player in this process."""
        found: dict[int, SeatConnection] = {}
        for socket in self.sockets:
            if socket.seat is not None:
                connection = socket.connection
                if socket.seat not in found or found[socket.seat].presenting_since < connection.presenting_since:
                    found[socket.seat] = connection
        return found

    def note_presence(self) -> None:
        """Note when players left; players missing when this room opens count as present until then."""
        now = time.monotonic()
        online = self.online()
        for sitter in self.table.sitters:
            if sitter.is_ai or sitter.seat in online:
                self.gone_since.pop(sitter.seat, None)
            else:
                self.gone_since.setdefault(sitter.seat, now)

    async def refill(self) -> bool:
        """Read moves that were announced elsewhere and missed here. False if that is under way already."""
        if self.refilling is not None:
            return False
        # A task of its own, because the socket that asks may close while all others wait for the result.
        self.refilling = asyncio.ensure_future(self._refill())
        await asyncio.shield(self.refilling)
        return True

    async def _refill(self) -> None:
        try:
            await asyncio.sleep(REORDER)
            is_missing = True
            while is_missing:
                version = self.table.version
                entries, self.due, clocks = await in_thread(partial(read_entries, self.match_id, version))
                _GAPS.observe(len(entries))
                self.advance(version + 1, entries, clocks=clocks)
                # An announcement made during this read may have come too late for it.
                is_missing = bool(entries) and self.table.version < self.announced
        finally:
            self.refilling = None
        await self.catch_up()

    async def catch_up(self) -> None:
        """Send every socket of the room what it misses."""
        for socket in list(self.sockets):
            await socket.catch_up()


_rooms: dict[int, Room] = {}
_opening: dict[int, "asyncio.Future[Room]"] = {}


async def enter(match_id: int, socket: RoomSocket) -> Room:
    """Enter the room of a match; its first viewer opens it. Raises ``KeyError`` if the match has not begun."""
    room = _rooms.get(match_id)
    while room is None:
        opening = _opening.get(match_id)
        if opening is None:
            opening = _opening[match_id] = asyncio.ensure_future(_open(match_id))
            opening.add_done_callback(lambda _future: _opening.pop(match_id, None))
        # Also registers viewers that still wait for it, because a room without viewers would never be closed.
        room = _rooms.setdefault(match_id, await asyncio.shield(opening))
    room.sockets.add(socket)
    return room


async def _open(match_id: int) -> Room:
    room = Room(match_id, await in_thread(partial(read, match_id)))
    room.waiting = room.projected.waiting
    match = room.projected.match
    room.due = match.due_at.timestamp() if match.due_at else None
    return room


async def reopen(room: Room) -> None:
    """Reload everything because seats or the match's status have changed.

    All sockets of the room ask for it at once: the match is read once or twice, not for each.
    """
    room.reopened += 1
    wanted = room.reopened
    async with room.reopening:
        if room.reopened_until < wanted:
            until = room.reopened
            await _reload(room)
            room.reopened_until = until


async def _reload(room: Room) -> None:
    projected = await in_thread(partial(read, room.match_id))
    while projected.table.version < room.table.version:
        # The room has moved on meanwhile.
        projected = await in_thread(partial(read, room.match_id))
    room.projected = projected
    room.waiting = projected.waiting
    match = projected.match
    room.due = match.due_at.timestamp() if match.due_at else None
    room.ring.clear()


def leave(room: Room, socket: RoomSocket) -> None:
    """Leave the room; the last viewer to leave closes it."""
    room.sockets.discard(socket)
    if not room.sockets and _rooms.get(room.match_id) is room:
        del _rooms[room.match_id]


def forget_all() -> None:
    """Close every room at once, as when the process ends."""
    _rooms.clear()


def all_rooms() -> list[Room]:
    """The rooms of this process."""
    return list(_rooms.values())
