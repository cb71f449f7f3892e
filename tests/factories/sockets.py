"""Sockets for tests: the real consumer, layer and database, without a server."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any
from urllib.parse import urlencode

from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from games.live import rooms
from games.live.routing import websocket_urlpatterns
from games.matches.models import Match
from games.realtime import process
from tests.factories import waits

application = URLRouter(websocket_urlpatterns)


class DirectWire:
    """The server's shorter way to a browser, whose latency it doesn't know."""

    delay = None
    #: The shorter way back, which the application sets.
    take_frame: Callable[[str | None], bool] | None = None

    def __init__(self, socket: WebsocketCommunicator) -> None:
        self._socket = socket

    def send_directly(self, text: str) -> None:
        self._socket.output_queue.put_nowait({"type": "websocket.send", "text": text})

    def probe(self) -> None:
        """Measure nothing."""


class Browser:
    """One browser at a table, or in the lobby if there is none: records everything it is sent.

    Its page has these ``marks``, including ``since``, the version of the table it shows.
    """

    #: After how many seconds the server is stopped that still works for a browser that has left.
    patience = 1.0

    def __init__(self, match: Match | str | None, user: User | None = None, *, path: str = "", **marks: Any) -> None:
        key = match.key if isinstance(match, Match) else match
        if not path:
            path = "/ws/lobby/" if key is None else f"/ws/match/{key}/"
            if isinstance(match, Match) and match.started_at is None:
                path += "waiting/"
        self.socket = WebsocketCommunicator(application, f"{path}?{urlencode(marks)}")
        self.socket.scope["user"] = user or AnonymousUser()
        self.wire = self.socket.scope["wire"] = DirectWire(self.socket)
        self.received: list[dict[str, Any]] = []
        self.raw: list[str] = []

    async def __aenter__(self) -> "Browser":
        connected, _ = await self.socket.connect(timeout=5)
        assert connected
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.disconnect(timeout=self.patience)

    async def say(self, message: dict[str, Any] | str) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        if self.wire.take_frame is None or not self.wire.take_frame(text):
            await self.socket.send_to(text_data=text)

    async def move(self, move: str, v: int, request_id: str = "a") -> None:
        await self.say({"t": "move", "id": request_id, "v": v, "move": move})

    async def receive(self, kind: str | Sequence[str], **where: Any) -> dict[str, Any]:
        """The next message of ``kind``, or of one of the kinds, with these values; earlier ones are only recorded."""
        begun = len(self.received)
        try:
            async with asyncio.timeout(5):
                return await self._next([kind] if isinstance(kind, str) else kind, where)
        except TimeoutError:
            raise TimeoutError(f"no {kind} {where}, but {self.received[begun:]}") from None

    async def _next(self, kinds: Sequence[str], where: dict[str, Any]) -> dict[str, Any]:
        while True:
            output = await self.socket.receive_output(timeout=5)
            if output["type"] == "websocket.close":
                raise ConnectionError(output.get("code"))
            self.raw.append(output["text"])
            message = json.loads(output["text"])
            if message["t"] == "ping":
                await self.say({"t": "pong", "n": message["n"]})
                continue
            if message["t"] == "alive":
                continue
            self.received.append(message)
            if message["t"] in kinds and all(message.get(name) == value for name, value in where.items()):
                return message

    async def closed_with(self) -> int:
        """The code with which the server closes the socket."""
        try:
            await self.receive("nothing of this name")
        except ConnectionError as error:
            return int(error.args[0])
        raise AssertionError


def settle() -> None:
    """Deliver everything announced so far to all open sockets, so that no socket gets it later by chance."""

    async def others_end() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=5)

    asyncio.run_coroutine_threadsafe(others_end(), process.loop()).result(10)


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a test's sockets on a loop of their own, like a server process; it skips waits if possible."""

    async def go() -> Any:
        process.use_running_loop()
        try:
            return await asyncio.wait_for(work(), 30)
        finally:
            rooms.forget_all()

    settle()
    with asyncio.Runner(loop_factory=waits.new_loop) as runner:
        return runner.run(go())
