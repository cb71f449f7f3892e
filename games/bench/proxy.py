"""A line between a browser and the server: delay, jitter and loss on loopback, in order as TCP has it."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

#: A lost packet is sent again after at least so many ms.
RESEND_AFTER = 200


@dataclass(frozen=True, slots=True)
class Quality:
    """A line's round trip in ms, the mean of what jitter adds one way, and the share of packets that get lost."""

    ping: float
    jitter: float = 0.0
    loss: float = 0.0

    def one_way(self, rng: random.Random) -> float:
        """Milliseconds that one message takes one way."""
        delay = self.ping / 2
        if self.jitter:
            delay += rng.expovariate(1 / self.jitter)
        if self.loss and rng.random() < self.loss:
            delay += max(RESEND_AFTER, self.ping * 1.5)
        return delay


class Proxy:
    """Passes connections on to ``url``, each message as late as a line of that quality would."""

    def __init__(self, url: str, quality: Quality, rng: random.Random) -> None:
        self._target = urlsplit(url)
        self._quality = quality
        self._rng = rng
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()
        #: By the port that the browser connects from: called with each chunk and the moment when …
        #: … it reached the server,
        self.arrived: dict[int, Callable[[float], None]] = {}
        #: … or left it.
        self.left: dict[int, Callable[[bytes, float], None]] = {}
        self.url = ""

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"{self._target.scheme}://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Listen no more, and drop what is open."""
        if self._server is not None:
            self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        port = writer.get_extra_info("peername")[1]
        try:
            server_reader, server_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        except OSError:
            writer.close()
            return

        def left(data: bytes) -> None:
            if port in self.left:
                self.left[port](data, time.monotonic())

        def arrived(_data: bytes) -> None:
            if port in self.arrived:
                self.arrived[port](time.monotonic())

        ways = [
            asyncio.ensure_future(self._pass_on(reader, server_writer, lambda data: None, arrived)),
            asyncio.ensure_future(self._pass_on(server_reader, writer, left, lambda data: None)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            writer.close()
            server_writer.close()

    async def _pass_on(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        taken: Callable[[bytes], None],
        delivered: Callable[[bytes], None],
    ) -> None:
        """One way: whatever is read is written after its delay, never before what came earlier."""
        loop = asyncio.get_running_loop()
        free_at = 0.0
        while data := await reader.read(65536):
            taken(data)
            free_at = max(free_at + 1e-6, loop.time() + self._quality.one_way(self._rng) / 1000)

            def deliver(data: bytes = data) -> None:
                if not writer.is_closing():
                    writer.write(data)
                    delivered(data)

            loop.call_at(free_at, deliver)
