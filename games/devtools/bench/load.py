"""The load of ``bench_live``: one task per match, with a socket per seat and random legal moves."""

import asyncio
import contextlib
import json
import math
import random
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.request import Request, urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from games.realtime.consumer import TRY_AGAIN

#: The beginning of a message, to read it without parsing all of it.
_HEAD = re.compile(r'\{"t":"(\w+)"(?:,"v":(\d+))?')
#: Seconds after which a move counts as lost if a seat hasn't seen it.
PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Guest:
    """One player: the session cookie and the server process it connects to."""

    cookie: str
    url: str


def spread(tables: Sequence[Mapping[str, Any]], urls: Sequence[str]) -> list[tuple[str, list[Guest]]]:
    """Key and players of each match, with its players distributed over the servers."""
    return [
        (
            table["key"],
            [Guest(cookie, urls[(at + seat) % len(urls)]) for seat, cookie in enumerate(table["cookies"])],
        )
        for at, table in enumerate(tables)
    ]


@dataclass(slots=True)
class Figures:
    """The measured values."""

    #: Seconds from sending a move until the last seat has seen it.
    delays: list[float] = field(default_factory=list)
    #: Start of the measurement after the warm-up, and the time when the last move was seen.
    started: float = 0.0
    ended: float = 0.0
    #: Moves seen by a player: match key → version → seat and move.
    seen: dict[str, dict[int, tuple[int, str]]] = field(default_factory=dict)
    #: Processor seconds of the servers during the load.
    processor: float = 0.0
    lost: int = 0
    reconnects: int = 0
    #: Sockets that ended without a request to reconnect, or were refused.
    broken: int = 0
    #: Whether any match is over.
    is_over: bool = False

    def summary(self) -> dict[str, Any]:
        """The report's figures; times in ms."""
        ordered = sorted(self.delays)

        def quantile(share: float) -> float | None:
            return round(ordered[math.ceil(len(ordered) * share) - 1] * 1000, 2) if ordered else None

        seconds = self.ended - self.started
        return {
            "moves": len(ordered),
            "measured_s": round(seconds, 1),
            "moves_per_s": round(len(ordered) / seconds, 1) if seconds else 0.0,
            "p50_ms": quantile(0.50),
            "p95_ms": quantile(0.95),
            "p99_ms": quantile(0.99),
            "max_ms": quantile(1.0),
            "processor_ms_a_move": round(self.processor / len(ordered) * 1000, 3) if ordered else None,
            "lost": self.lost,
            "reconnects": self.reconnects,
            "broken": self.broken,
        }


class Seat:
    """A socket that keeps the version and, if requested, the newest view, and reconnects after a crash."""

    def __init__(self, number: int, guest: Guest, key: str, figures: Figures) -> None:
        self.number = number
        self.version = -1
        self.latest = ""
        self.changed = asyncio.Condition()
        #: When its newest connection received its first message; 0 until then.
        self.served = 0.0
        #: Minimum and maximum seconds before reconnecting.
        self.away = (0.1, 0.5)
        self._guest = guest
        self._key = key
        self._figures = figures
        self._socket: ClientConnection | None = None

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            since = f"?since={self.version}" if self.version >= 0 else ""
            try:
                async with connect(
                    f"{self._guest.url.replace('http', 'ws', 1)}/ws/match/{self._key}/{since}",
                    additional_headers={"Cookie": self._guest.cookie},
                    origin=self._guest.url,  # type: ignore[arg-type]  # a plain string is what goes over the wire
                    compression=None,
                    ping_interval=None,
                ) as socket:
                    self._socket, self.served = socket, 0.0
                    async for text in socket:
                        await self._handle(str(text))
            except ConnectionClosed as closed:
                self._figures.broken += closed.rcvd is None or closed.rcvd.code != TRY_AGAIN
            except (OSError, InvalidHandshake, TimeoutError):
                self._figures.broken += 1  # the server was killed, or is still starting
            self._socket = None
            self._figures.reconnects += 1
            await asyncio.sleep(random.uniform(*self.away))  # noqa: S311 - a pause

    async def _handle(self, text: str) -> None:
        self.served = self.served or time.monotonic()
        head = _HEAD.match(text)
        if head is None:
            return
        kind = head[1]
        if kind == "ping":
            await self.say({"t": "pong", "n": json.loads(text)["n"]})
        elif kind in ("moved", "snapshot"):
            version = int(head[2])
            self.latest = text
            if kind == "moved":
                if self.version >= 0 and version != self.version + 1:
                    raise AssertionError(f"seat {self.number} heard version {version} after {self.version}")
                entry = re.search(r'"entry":\{"seat":(-?\d+),"move":"([^"]*)"', text)
                if entry:
                    self._figures.seen[self._key][version] = (int(entry[1]), entry[2])
            async with self.changed:
                self.version = version
                self.changed.notify_all()
            if version % 20 == 0:
                await self.say({"t": "ack", "v": version})

    async def say(self, message: dict[str, Any]) -> None:
        """Send a message; nothing happens if the socket is down."""
        if self._socket is not None:
            try:
                await self._socket.send(json.dumps(message))
            except ConnectionClosed:
                return

    async def until(self, version: int) -> None:
        """Wait until this seat has seen ``version``."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.version >= version)

    def view(self) -> dict[str, Any]:
        """The newest view."""
        view: dict[str, Any] = json.loads(self.latest)["view"]
        return view


class Player:
    """Plays one match on all its seats."""

    def __init__(self, key: str, guests: Sequence[Guest], figures: Figures) -> None:
        figures.seen[key] = {}
        self.seats = [Seat(number, guest, key, figures) for number, guest in enumerate(guests)]
        self._figures = figures
        self._random = random.Random(key)  # noqa: S311 - a load is no secret

    async def ready(self) -> None:
        """Wait until all seats have their first view."""
        await asyncio.gather(*(seat.until(0) for seat in self.seats))

    async def move(self) -> bool:
        """Make one random legal move and wait until all seats have seen it. False if the match is over."""
        version = max(seat.version for seat in self.seats)
        await asyncio.gather(*(seat.until(version) for seat in self.seats))
        awaited = self.seats[0].view()["to_move"]
        if not awaited:
            self._figures.is_over = True
            return False
        seat = self.seats[awaited[0]]
        move = self._random.choice(seat.view()["moves"])
        intent = {"t": "move", "id": uuid.uuid4().hex, "v": version, "move": move}
        sent = time.monotonic()
        everybody = asyncio.gather(*(one.until(version + 1) for one in self.seats))
        try:
            while True:
                await seat.say(intent)
                # After a crash, the same intent is sent again, as on the page.
                done, _ = await asyncio.wait([everybody], timeout=1.0)
                if done:
                    break
                if time.monotonic() - sent > PATIENCE:
                    self._figures.lost += 1
                    everybody.cancel()
                    return False
        finally:
            self._figures.ended = time.monotonic()
        if sent >= self._figures.started:
            self._figures.delays.append(self._figures.ended - sent)
        return True


@contextlib.asynccontextmanager
async def reading(address: str, cookie: str, pages: list[bool]) -> AsyncIterator[None]:
    """Keep reading a page during the load; ``pages`` records whether each attempt succeeded."""

    def read() -> bool:
        try:
            with urlopen(Request(address, headers={"Cookie": cookie}), timeout=PATIENCE) as answer:  # noqa: S310 - our own server  # nosec B310
                return bool(answer.read().endswith(b"</html>\n"))
        except (OSError, HTTPException):
            return False

    async def go_on() -> None:
        while True:
            pages.append(await asyncio.to_thread(read))

    task = asyncio.ensure_future(go_on())
    try:
        yield
    finally:
        await stop([task])


async def run(
    matches: Sequence[tuple[str, Sequence[Guest]]],
    *,
    rate: float,
    seconds: float,
    warm_up: float = 0.0,
    processor: Callable[[], float],
    look: Callable[[], None] = lambda: None,
    trouble: Callable[[], Awaitable[None]] | None = None,
) -> Figures:
    """Play ``matches`` for ``seconds``, at ``rate`` moves/s (0: each as soon as the last was seen, until one is over).

    Moves of the ``warm_up`` don't count; ``look`` is called before and after the others. The load goes on until
    ``trouble``, a restart, is over. ``processor`` returns the seconds that the servers have used.
    """
    figures = Figures()
    players = [Player(key, guests, figures) for key, guests in matches]
    sockets = [asyncio.ensure_future(seat.run()) for player in players for seat in player.seats]
    await asyncio.wait_for(asyncio.gather(*(player.ready() for player in players)), 60)
    await asyncio.sleep(1)
    begun = time.monotonic()
    figures.started = figures.ended = begun + warm_up
    end = begun + warm_up + seconds
    used, troubled = 0.0, trouble is not None

    async def measure() -> None:
        nonlocal used
        await asyncio.sleep(warm_up)
        used = processor()
        look()

    async def play(player: Player, number: int) -> None:
        interval = len(players) / rate if rate else 0.0
        due = begun + interval * number / len(players)
        while troubled or (time.monotonic() < end and (rate or not figures.is_over)):
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if not await player.move():
                return
            due += interval

    work = [asyncio.ensure_future(measure())]
    work += [asyncio.ensure_future(play(player, number)) for number, player in enumerate(players)]
    if trouble is not None:
        await trouble()
        troubled = False
    await asyncio.gather(*work)
    figures.processor = processor() - used
    look()
    await stop(sockets)
    return figures


async def stop(tasks: Sequence["asyncio.Future[None]"]) -> None:
    """Cancel running tasks, and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
