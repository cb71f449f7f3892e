"""The socket of a page that is sent each version of a match, in order and without gaps."""

import asyncio
import time
from abc import ABC
from collections.abc import Callable, Sequence
from typing import Any

from prometheus_client import Histogram

from games.live import timers
from games.live.consumers.match_page import MatchConsumer
from games.live.rooms import BroadcastUpdate, Room
from games.matches import service
from games.realtime import process

#: How far a browser's acknowledgements may lag before its socket is closed.
MAX_LAG = 200
#: Number of cards whose sending time is remembered.
REMEMBERED_CARDS = 8
#: The close code for a browser that falls too far behind.
TOO_SLOW = 4408

_SEND_LAG = Histogram(
    "armani_send_lag_seconds",
    "From a process knowing of a move to a browser having been sent it",
    buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
)


class VersionsConsumer(MatchConsumer, ABC):
    """One browser in a match's room: it gets what the room has, and brings the room up to what is announced."""

    room: Room
    #: The newest version that the browser has acknowledged.
    acked = 0
    #: The presence that was last sent.
    told_online: list[int] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        #: When each of the last cards was sent, on this process's clock.
        self.sent: dict[int, float] = {}
        self.sending = asyncio.Lock()

    async def catch_up(self, *, since: int | None = None, is_live: bool = True) -> None:
        """Send every version after the browser's, in order, or the whole view if too many are missing.

        ``since`` is the version that the browser claims to have. A card that is sent late because the browser was away
        (not ``is_live``) counts as seen from the moment this process knew it.
        """
        room = self.room
        async with self.sending:
            if since is not None:
                self.version = max(0, min(since, room.table.version))
            steps = room.steps_since(self.version, self.seat, self.language)
            if steps is None:
                await self._send_snapshot()
                return
            for step in steps:
                for text in self._texts_of(step, is_live=is_live):
                    await self.send_text(text)
                if is_live and since is None:
                    _SEND_LAG.observe(time.monotonic() - step.at)
        if self.version - self.acked > MAX_LAG:
            await self.close(TOO_SLOW)

    def _texts_of(self, step: BroadcastUpdate, *, is_live: bool) -> list[str]:
        """The messages of a version, which the browser has when they are sent."""
        if step.shows_card:
            # A card seen on one screen counts as seen on all: sending it again starts no new window.
            self.sent[step.version] = step.sent.setdefault(self.seat, time.monotonic() if is_live else step.at)
            while len(self.sent) > REMEMBERED_CARDS:
                del self.sent[min(self.sent)]
        self.version = step.version
        text = step.messages[self.seat, self.language]
        return [text] if step.verdict is None else [step.verdict, text]

    async def resync(self) -> None:
        """Send the whole view."""
        async with self.sending:
            await self._send_snapshot()

    async def _send_snapshot(self) -> None:
        # Its cards were shown before, or too late to be slapped, so their sending is not remembered.
        self.version = self.acked = self.room.table.version
        self.told_online = None
        await self.send_text(self.room.snapshot_text(self.seat))

    async def table_moved(self, message: dict[str, Any]) -> None:
        """Bring the room up to the stored moves, and this browser up to the room."""
        if not self._advance(message) and await self.room.refill():
            timers.resume(self.room)
        await self.catch_up()
        self.see_turn()

    def take_at_once(self, message: dict[str, Any]) -> bool:
        """Send stored moves at once, unless some are missing before them or something else is being sent."""
        directly = self.send_directly
        if message["type"] != "table.moved" or directly is None or self.sending.locked() or not self._advance(message):
            return False
        steps = self.room.steps_since(self.version, self.seat, self.language)
        if steps is None or self.room.table.version - self.acked > MAX_LAG:
            return False
        self.send_steps(steps, directly)
        self.see_turn()
        return True

    def send_steps(self, steps: Sequence[BroadcastUpdate], directly: Callable[[str], None]) -> None:
        """Send versions the server's shorter way."""
        for step in steps:
            for text in self._texts_of(step, is_live=True):
                self.send_now(directly, text)
            _SEND_LAG.observe(self.sent_at - step.at)

    def _advance(self, message: dict[str, Any]) -> bool:
        """Bring the room up to the stored moves. False if some are missing before them."""
        room = self.room
        before = room.table.version
        if not room.advance(
            message["first"], message["entries"], message["verdict"], message["clocks"], message["incidents"]
        ):
            return False
        if room.table.version > before:
            if message["process"] != process.ID:
                service.apply_remote_commit(room.match_id, message)
            room.due = message["due"]
            timers.card_shown(room)
            timers.arm(room)
        return True

    def see_turn(self) -> None:
        """Note that the player has seen the newest version."""
