"""This process's rooms: tables that its browsers look at, advanced move by move as moves are announced.

A room applies each announced move to its own copy of the state, builds what each seat may see of it once,
and keeps the last messages for browsers that are behind. It lives on the event loop; the database is read in
threads. Nothing here is the truth: a hole in the announcements is refilled from the moves table.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from django.utils.translation import override
from prometheus_client import Histogram

from games.matches.live_match import LiveMatch, at_one_moment
from games.matches.models import Match
from games.matches.pauses import Waiting
from games.matches.turn_clock import SeatClock
from games.realtime.process import in_thread, to_text
from games.table import messages
from games.table.projection import (
    LogEntry,
    MatchProjection,
    Viewer,
    incident_line,
    moved_message,
    read,
    snapshot_message,
    tell,
)

log = logging.getLogger(__name__)

#: Messages kept for browsers that are a little behind; one that is further behind gets the whole view.
RING = 100
#: How long an announcement may overtake another before the hole is read from the database, in seconds.
REORDER = 0.03

_GAPS = Histogram(
    "armani_gap_moves",
    "Moves that a process had to read because their announcement had not come",
    buckets=(0, 1, 2, 5, 10, 50),
)


class Watcher(Protocol):
    """A socket in a room."""

    seat: Viewer
    language: str

    @property
    def post(self) -> "SeatConnection":
        """What the other processes must know of it, to judge slaps."""

    async def catch_up(self) -> None:
        """Send what the room has and the browser has not."""

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """Begin again: the match began, ended or changed hands."""

    async def send_text(self, text: str) -> None:
        """Send one message as it is."""


@dataclass(frozen=True, slots=True)
class SeatConnection:
    """A socket of a player, as every process knows it. Of several the one taken up last presents the cards."""

    #: When its player took it up: came with it, or turned to it, as a timestamp.
    taken_up: float
    #: The most that a press over it is credited with, in ms.
    cap: float
    #: Whether its page lies open before the player.
    is_visible: bool


@dataclass(slots=True)
class BroadcastUpdate:
    """One version of a match, as each kind of viewer hears of it, in each language that is read here."""

    version: int
    messages: dict[tuple[Viewer, str], str]
    shows_card: bool
    #: When this process knew of it, on its clock in seconds.
    at: float
    #: When each viewer was first sent it, on the same clock: a card is shown to a player once.
    sent: dict[Viewer, float] = field(default_factory=dict)
    #: The verdict on slaps which this move begins to carry out, as a message to all.
    verdict: str | None = None


Entries = tuple[list[list[Any]], float | None, list[list[Any]]]


def read_entries(match_id: int, after: int) -> Entries:
    """Moves of a match later than version ``after``, when the table goes on by itself, and the clocks: as announced."""
    return at_one_moment(partial(_read_entries, match_id, after))


def _read_entries(match_id: int, after: int) -> tuple[int, int, Entries]:
    match = Match.objects.only("due_at", "version").get(pk=match_id)
    clocks = [[seat.number, SeatClock.of(seat).to_json()] for seat in match.seats.all()]
    rows = match.moves.filter(number__gt=after).values_list("seat", "move", "request_id", "source")
    entries = [list(row) for row in rows]
    return match.version, after + len(entries), (entries, match.due_at.timestamp() if match.due_at else None, clocks)


@dataclass(slots=True)
class Room:
    """A table that a browser in this process looks at."""

    match_id: int
    reading: MatchProjection
    watchers: set[Watcher] = field(default_factory=set)
    ring: deque[BroadcastUpdate] = field(default_factory=lambda: deque(maxlen=RING))
    #: Seats that have pressed on the card on top.
    pressed: set[int] = field(default_factory=set)
    #: The newest version announced.
    announced: int = 0
    #: When the table goes on by itself, as a timestamp.
    due: float | None = None
    #: The pause that is on at the table.
    waiting: Waiting | None = None
    refilling: "asyncio.Task[None] | None" = None
    #: How often it was to be read again, and up to which of these times it has been.
    reopened: int = 0
    reopened_until: int = 0
    reopening: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: The players' sockets in other processes: each one's newest by seat, and until when that is believed.
    presence: dict[str, tuple[dict[int, SeatConnection], float]] = field(default_factory=dict)
    #: Since when each person who has a seat here is away, on this process's clock in seconds.
    gone_since: dict[int, float] = field(default_factory=dict)
    #: When this process last said who is here, on its own clock in seconds.
    told_presence: float = 0.0

    @property
    def table(self) -> LiveMatch:
        """The state after the newest move known here."""
        return self.reading.table

    def advance(
        self,
        first: int,
        entries: Sequence[Sequence[Any]],
        verdict: dict[str, Any] | None = None,
        clocks: Iterable[Sequence[Any]] = (),
        incidents: Iterable[Sequence[Any]] = (),
    ) -> bool:
        """Make announced moves. False if some before ``first`` are missing; known ones are passed over."""
        table = self.table
        self.announced = max(self.announced, first + len(entries) - 1)
        if first > table.version + 1:
            return False
        if first + len(entries) > table.version + 1:
            for number, told in clocks:
                table.clocks[number] = SeatClock.from_json(told)
        # A verdict comes before the move that carries it out; if there was no slap, with the last one.
        judged = None if verdict is None else min(verdict["v"] + 1, first + len(entries) - 1)
        for seat, move, request_id, source in entries[table.version + 1 - first :]:
            text = to_text({"t": "verdict", **(verdict or {})}) if judged == table.version + 1 else None
            also = [incident_line(*told) for told in incidents if told[0] == table.version + 1]
            self._enter(seat, move, request_id, source, text, also)
        return True

    def _enter(
        self, seat: int, move: str, request_id: str, source: str, verdict: str | None, also: Sequence[LogEntry]
    ) -> None:
        table = self.table
        public = table.state.public_move(seat, move)
        lines = self.reading.enter(seat, move, request_id)
        self.reading.note(also)
        lines += also
        self.pressed.clear()
        self.waiting = self.reading.waiting = None
        texts: dict[tuple[Viewer, str], str] = {}
        viewers: dict[str, set[Viewer]] = {}
        for watcher in self.watchers:
            viewers.setdefault(watcher.language, set()).add(watcher.seat)
        for language, seats in viewers.items():
            with override(language):
                told = tell(lines)
                for viewer in seats:
                    is_own = viewer == seat
                    entry: messages.Entry = {
                        "seat": seat,
                        "move": move if is_own else public,
                        "source": source,
                        "id": request_id if is_own else None,
                    }
                    message = moved_message(self.reading, viewer, entry, told, table.view(viewer), table.card)
                    texts[viewer, language] = to_text(message)
        self.ring.append(
            BroadcastUpdate(table.version, texts, table.card is not None, time.monotonic(), verdict=verdict)
        )

    def steps_since(self, version: int, viewer: Viewer, language: str) -> list[BroadcastUpdate] | None:
        """What ``viewer`` misses after ``version``; None if that is more than is kept here."""
        missed = self.table.version - version
        if missed <= 0:
            return []
        if missed > len(self.ring):
            return None
        steps = list(self.ring)[-missed:]
        return steps if all((viewer, language) in step.messages for step in steps) else None

    def snapshot_text(self, viewer: Viewer) -> str:
        """The whole table as ``viewer`` may see it, as one message."""
        return to_text(snapshot_message(self.reading, viewer, self.online()))

    def online(self) -> set[int]:
        """Seats whose players are at the table, in any process."""
        return self.posts().keys() | set()

    def posts(self) -> dict[int, SeatConnection]:
        """The socket that presents the cards to each player who is at the table, in any process."""
        now = time.monotonic()
        found = self.posts_here()
        for posts, until in self.presence.values():
            if until > now:
                for seat, post in posts.items():
                    if seat not in found or found[seat].taken_up < post.taken_up:
                        found[seat] = post
        return found

    def posts_here(self) -> dict[int, SeatConnection]:
        """The newest socket of each player in this process."""
        found: dict[int, SeatConnection] = {}
        for watcher in self.watchers:
            if watcher.seat is not None:
                post = watcher.post
                if watcher.seat not in found or found[watcher.seat].taken_up < post.taken_up:
                    found[watcher.seat] = post
        return found

    def note_presence(self) -> None:
        """Remember since when people are gone; they count as here when this room opens."""
        now = time.monotonic()
        online = self.online()
        for sitter in self.table.sitters:
            if sitter.is_ai or sitter.seat in online:
                self.gone_since.pop(sitter.seat, None)
            else:
                self.gone_since.setdefault(sitter.seat, now)

    async def refill(self) -> bool:
        """Read the moves that were announced elsewhere and not heard here. False if they are being read already."""
        if self.refilling is not None:
            return False
        # A task of its own: the socket that asks may go meanwhile, and all others wait for what it asked for.
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
                # What was announced while this was read may have come too late for it.
                is_missing = bool(entries) and self.table.version < self.announced
        finally:
            self.refilling = None
        await self.catch_up()

    async def catch_up(self) -> None:
        """Send every socket here what it has not been sent."""
        for watcher in list(self.watchers):
            await watcher.catch_up()


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
        # Registered by those that still wait for it: a room without watchers would never be closed.
        room = _rooms.setdefault(match_id, await asyncio.shield(opening))
    room.watchers.add(watcher)
    return room


async def _open(match_id: int) -> Room:
    room = Room(match_id, await in_thread(partial(read, match_id)))
    room.waiting = room.reading.waiting
    match = room.reading.match
    room.due = match.due_at.timestamp() if match.due_at else None
    return room


async def reopen(room: Room) -> None:
    """Read everything again: who sits where, or the match's status, has changed.

    Every socket of the room asks for it when one thing has changed: the match is read once or twice, not for each.
    """
    room.reopened += 1
    wanted = room.reopened
    async with room.reopening:
        if room.reopened_until < wanted:
            until = room.reopened
            await _read_anew(room)
            room.reopened_until = until


async def _read_anew(room: Room) -> None:
    reading = await in_thread(partial(read, room.match_id))
    while reading.table.version < room.table.version:
        # The room went on meanwhile.
        reading = await in_thread(partial(read, room.match_id))
    room.reading = reading
    room.waiting = reading.waiting
    match = reading.match
    room.due = match.due_at.timestamp() if match.due_at else None
    room.ring.clear()


def leave(room: Room, watcher: Watcher) -> None:
    """Close the room behind its last watcher."""
    room.watchers.discard(watcher)
    if not room.watchers and _rooms.get(room.match_id) is room:
        del _rooms[room.match_id]


def forget_all() -> None:
    """Close every room at once, as when the process ends."""
    _rooms.clear()


def all_rooms() -> list[Room]:
    """The rooms of this process."""
    return list(_rooms.values())
