"""The load of ``bench_slaps``: people of known reactions at tables of Game: Armani, each with their own connection.

The load knows the truth: which player was fastest, and whose press reached the server first. The site's answer comes
back as verdicts.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from games import rules
from games.devtools.bench import people
from games.devtools.bench.proxy import Proxy, Quality, messages
from games.engine.cards import decode
from games.judging.latency import Measured

_SLAP = b'"t": "slap"'
_VERDICT = re.compile(rb'"t":"verdict","v":(\d+)')


@dataclass(frozen=True, slots=True)
class Lie:
    """How a player cheats: the claimed reaction, and by how many ms they delay which pings."""

    #: Fraction of the true reaction; None claims nothing.
    claimed: float | None = 0.0
    #: Delay of page-level pings, which a modified page can cause.
    page: float = 0.0
    #: Delay of protocol pings, which only a special program can cause.
    wire: float = 0.0

    def claim(self, truth: float) -> float | None:
        """The claimed ms of a press that really took ``truth``."""
        return None if self.claimed is None else truth * self.claimed


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of table: its players' connections, and which of them cheat how."""

    name: str
    lines: tuple[Quality, ...]
    liar: int | None = None
    kind: str = "typical"
    lie: Lie = Lie()


#: Claims the truth, and answers immediately.
HONEST = Lie(claimed=1.0)


def _lines(*pings: float) -> tuple[Quality, ...]:
    return tuple(Quality(ping, jitter=ping / 40, loss=0.002) for ping in pings)


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario("20 vs 20", _lines(20, 20)),
        Scenario("20 vs 120", _lines(20, 120)),
        Scenario("30 vs 220", _lines(30, 220)),
        Scenario("20/60/120/250", _lines(20, 60, 120, 250)),
        Scenario("liar at 40 vs 40", _lines(40, 40), liar=0),
        Scenario("late page, says 0", _lines(40, 40), liar=0, lie=Lie(page=380)),
        Scenario("late page, 0.7", _lines(40, 40), liar=0, lie=Lie(claimed=0.7, page=380)),
        Scenario("late page, silent", _lines(40, 40), liar=0, lie=Lie(claimed=None, page=110)),
        Scenario("late program", _lines(40, 40), liar=0, lie=Lie(claimed=0.7, page=380, wire=380)),
    )
}


@dataclass(slots=True)
class Contest:
    """One card that all players at a table press on."""

    scenario: Scenario
    key: str
    card: int
    #: By seat: true reactions in ms, and the timestamp when each press reached the server.
    reactions: dict[int, float] = field(default_factory=dict)
    arrivals: dict[int, float] = field(default_factory=dict)
    #: How each press was measured; known only in the model.
    measured: dict[int, Measured] = field(default_factory=dict)
    #: When the first verdict left the server, when this process read it, and its content.
    judged_at: float | None = None
    read_at: float | None = None
    verdict: list[dict[str, Any]] | None = None

    @property
    def winner(self) -> int | None:
        """The player who took the pile."""
        return next((slap["seat"] for slap in self.verdict or () if slap["result"] == "won"), None)

    @property
    def is_complete(self) -> bool:
        """Whether everyone has pressed and a verdict has arrived."""
        seats = len(self.scenario.lines)
        return self.winner is not None and len(self.reactions) == len(self.arrivals) == seats

    @property
    def latency(self) -> float | None:
        """Ms from the first press at the server until the verdict leaves it."""
        if self.judged_at is None or not self.arrivals:
            return None
        return (self.judged_at - min(self.arrivals.values())) * 1000

    def errors(self) -> Iterator[tuple[int, float]]:
        """By seat: by how many ms the measured reaction exceeds the true one."""
        for slap in self.verdict or ():
            if slap["seat"] in self.reactions:
                yield slap["seat"], slap["reaction"] - self.reactions[slap["seat"]]


class Player:
    """One person at a table, who presses some time after seeing a card, and makes the necessary moves."""

    def __init__(self, table: "Table", seat: int, proxy: Proxy, cookie: str) -> None:
        self.version = -1
        self.is_there = asyncio.Event()
        self._table = table
        self._seat = seat
        self._proxy = proxy
        self._cookie = cookie
        self._socket: ClientConnection | None = None
        self._work: set[asyncio.Task[None]] = set()
        self._rng = random.Random(f"{table.key}/{seat}")  # noqa: S311 - a load is no secret
        self._lie = table.scenario.lie if table.scenario.liar == seat else HONEST

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            since = f"?since={self.version}" if self.version >= 0 else ""
            try:
                async with connect(
                    f"{self._proxy.url.replace('http', 'ws', 1)}/ws/match/{self._table.key}/{since}",
                    additional_headers={"Cookie": self._cookie},
                    origin=self._proxy.url,  # type: ignore[arg-type]  # a plain string is what goes over the wire
                    compression=None,
                    ping_interval=None,
                ) as socket:
                    port = socket.local_address[1]
                    self._proxy.arrived[port] = self._arrived
                    self._proxy.left[port] = self._left
                    self._socket = socket
                    if self._lie.wire:
                        _hold_pongs(socket, self._lie.wire / 1000)
                    async for text in socket:
                        await self._handle(str(text), time.monotonic())
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                pass  # the server was killed, or is still starting: counted, and tried again
            self._socket = None
            self._table.reconnects += 1
            await asyncio.sleep(self._rng.uniform(0.1, 0.4))

    def _arrived(self, data: bytes, at: float) -> None:
        for text in messages(data):
            if _SLAP in text:
                self._table.contest(json.loads(text)["v"]).arrivals.setdefault(self._seat, at)

    def _left(self, data: bytes, at: float) -> None:
        for match in _VERDICT.finditer(data):
            contest = self._table.contests.get(int(match[1]))
            if contest is not None and (contest.judged_at is None or at < contest.judged_at):
                contest.judged_at, contest.read_at = at, time.time()

    async def _handle(self, text: str, at: float) -> None:
        message = msgspec.json.decode(text)
        match message["t"]:
            case "ping":
                self._start(self._pong(message["n"]))
            case "verdict":
                self._table.judged(message)
            case "moved" | "snapshot":
                if message["t"] == "moved":
                    self._table.seen(message)
                self.version = message["v"]
                self.is_there.set()
                if self.version % 20 == 0:
                    await self._say({"t": "ack", "v": self.version})
                self._decide(message, at)

    def _decide(self, message: dict[str, Any], at: float) -> None:
        view = message["view"]
        moves = view["moves"]
        if self._seat in view["to_move"] and "flip" not in moves and moves:
            self._start(self._move(self._rng.choice(moves), message["v"]))
        elif message["t"] == "moved" and message["card"] is not None and "slap" in moves and is_slappable(view):
            self._start(self._press(message["card"], at))

    async def _pong(self, number: int) -> None:
        if self._lie.page:
            await asyncio.sleep(self._lie.page / 1000)
        await self._say({"t": "pong", "n": number})

    async def _move(self, move: str, version: int) -> None:
        await asyncio.sleep(0.2)
        await self._say({"t": "move", "id": f"{self._seat}-{version}", "v": version, "move": move})

    async def _press(self, card: int, painted: float) -> None:
        reaction = people.reaction(self._table.scenario.kind, self._rng)
        await asyncio.sleep(max(0.0, painted + reaction / 1000 - time.monotonic()))
        truth = (time.monotonic() - painted) * 1000
        contest = self._table.contest(card)
        contest.reactions[self._seat] = truth
        claimed = self._lie.claim(truth)
        await self._say({"t": "slap", "id": f"s{self._seat}-{card}", "v": card, "r": claimed})

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _say(self, message: dict[str, Any]) -> None:
        if self._socket is not None:
            try:
                await self._socket.send(json.dumps(message))
            except ConnectionClosed:
                return


class Table:
    """One match: its players, and their common knowledge."""

    def __init__(self, key: str, scenario: Scenario) -> None:
        self.key = key
        self.scenario = scenario
        self.contests: dict[int, Contest] = {}
        self.reconnects = 0
        #: Everything shown to any player: verdicts by card, moves by version.
        self.verdicts: dict[int, list[dict[str, Any]]] = {}
        self.moves: dict[int, tuple[int, str]] = {}
        self.contradictions: list[str] = []

    def contest(self, card: int) -> Contest:
        """The contest on the card of that version."""
        return self.contests.setdefault(card, Contest(self.scenario, self.key, card))

    def judged(self, message: dict[str, Any]) -> None:
        """Record a verdict shown to a player; all others must have received the same."""
        known = self.verdicts.setdefault(message["v"], message["slaps"])
        if known != message["slaps"]:
            self.contradictions.append(f"{self.key} v{message['v']}: {known} and {message['slaps']}")
        if message["v"] in self.contests:
            self.contests[message["v"]].verdict = message["slaps"]

    def seen(self, message: dict[str, Any]) -> None:
        """Record a move shown to a player."""
        move = (message["entry"]["seat"], message["entry"]["move"])
        known = self.moves.setdefault(message["v"], move)
        if known != move:
            self.contradictions.append(f"{self.key} v{message['v']}: {known} and {move}")


def _hold_pongs(socket: ClientConnection, seconds: float) -> None:
    """Make a connection answer protocol pings ``seconds`` later."""
    send_now = socket.protocol.send_frame

    def send(frame: Frame) -> None:
        if frame.opcode is Opcode.PONG:
            asyncio.get_running_loop().call_later(seconds, send_late, frame)
        else:
            send_now(frame)

    def send_late(frame: Frame) -> None:
        if socket.protocol.state is State.OPEN:
            send_now(frame)
            socket.send_data()

    socket.protocol.send_frame = send  # type: ignore[method-assign]  # it offers no other way


def is_slappable(view: dict[str, Any]) -> bool:
    """Whether the top card makes a pattern, as a person would see it."""
    facts = view["facts"]
    pile = next(zone["cards"] for zone in view["zones"] if zone["id"] == "pile")
    played = decode(pile[facts["burned"] :])
    patterns = rules.presentation("armani").patterns
    return any(patterns[name](played) for name in facts["options"]["slaps"])


async def run(
    prepared: Sequence[tuple[str, Scenario, Sequence[str]]],
    urls: Sequence[str],
    *,
    seconds: float,
    trouble: Callable[[], Awaitable[None]] | None = None,
) -> tuple[list[Table], tuple[float, float]]:
    """Let people play for ``seconds``; ``prepared`` gives each match's key, scenario and session cookies.

    Players are distributed over the servers at ``urls``; ``trouble`` runs beside the load. Returns the tables, and the
    timestamps between which all players were present.
    """
    rng = random.Random("lines")  # noqa: S311 - a load is no secret
    proxies: dict[tuple[str, Quality], Proxy] = {}
    tables, players = [], []
    for number, (key, scenario, cookies) in enumerate(prepared):
        table = Table(key, scenario)
        tables.append(table)
        for seat, (quality, cookie) in enumerate(zip(scenario.lines, cookies, strict=True)):
            url = urls[(number + seat) % len(urls)]
            if (url, quality) not in proxies:
                proxies[url, quality] = proxy = Proxy(url, quality, rng)
                await proxy.start()
            players.append(Player(table, seat, proxies[url, quality], cookie))
    sockets = []
    for player in players:
        sockets.append(asyncio.ensure_future(player.run()))
        # Start at different times: tables that start together would flip together forever.
        await asyncio.sleep(0.01)
    try:
        end = time.monotonic() + seconds
        await asyncio.wait_for(asyncio.gather(*(player.is_there.wait() for player in players)), seconds)
        # The work caused by their arrival is finished, too.
        all_there = time.time() + 1
        if trouble is not None:
            await trouble()
        await asyncio.sleep(max(0.0, end - time.monotonic()))
        leaving = time.time()
    finally:
        for socket in sockets:
            socket.cancel()
        await asyncio.gather(*sockets, return_exceptions=True)
        for proxy in proxies.values():
            await proxy.stop()
    return tables, (all_there, leaving)
