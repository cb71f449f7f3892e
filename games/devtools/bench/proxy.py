"""A network simulation between a browser and the server: delay, jitter and loss on loopback, in TCP order."""

import asyncio
import contextlib
import random
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

CHUNK = 65536
#: The Linux socket option for arrival timestamps, SO_TIMESTAMPNS, which Python doesn't name.
STAMPS = 35
#: The minimum ms after which a lost packet is sent again.
RESEND_AFTER = 200


@dataclass(frozen=True, slots=True)
class Quality:
    """Round trip in ms, mean one-way jitter, and packet loss rate."""

    ping: float
    jitter: float = 0.0
    loss: float = 0.0

    def one_way(self, rng: random.Random) -> float:
        """Milliseconds that one message needs one way."""
        delay = self.ping / 2
        if self.jitter:
            delay += rng.expovariate(1 / self.jitter)
        if self.loss and rng.random() < self.loss:
            delay += max(RESEND_AFTER, self.ping * 1.5)
        return delay


class Proxy:
    """Forwards connections to ``url``, delaying messages according to the quality."""

    def __init__(self, url: str, quality: Quality, rng: random.Random) -> None:
        self._target = urlsplit(url)
        self._quality = quality
        self._rng = rng
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._browsers: set[asyncio.StreamWriter] = set()
        #: By the browser's port: called with each chunk and the timestamp when …
        self.arrived: dict[int, Callable[[bytes, float], None]] = {}
        #: … or left it.
        self.left: dict[int, Callable[[bytes, float], None]] = {}
        self.url = ""

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"{self._target.scheme}://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Stop listening, and drop open connections."""
        if self._server is not None:
            self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def cut(self) -> None:
        """Drop open connections; new ones are forwarded as before."""
        for writer in self._browsers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        port = writer.get_extra_info("peername")[1]
        try:
            server = await _connected(self._target.hostname or "", self._target.port or 80)
        except OSError:
            writer.close()
            return

        async def from_browser() -> tuple[bytes, float]:
            return await reader.read(CHUNK), 0.0

        def to_browser(data: bytes) -> None:
            if not writer.is_closing():
                writer.write(data)

        def to_server(data: bytes) -> None:
            # Messages are short, and a buffer holds thousands of them; a broken connection accepts none.
            with contextlib.suppress(OSError):
                server.send(data)
                if port in self.arrived:
                    self.arrived[port](data, time.time())

        def left(data: bytes, at: float) -> None:
            if port in self.left:
                self.left[port](data, at)

        self._browsers.add(writer)
        ways = [
            asyncio.ensure_future(self._pass_on(from_browser, to_server, lambda _data, _at: None)),
            asyncio.ensure_future(self._pass_on(partial(_stamped, server), to_browser, left)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self._browsers.discard(writer)
            writer.close()
            server.close()

    async def _pass_on(
        self,
        read: Callable[[], Awaitable[tuple[bytes, float]]],
        write: Callable[[bytes], None],
        taken: Callable[[bytes, float], None],
    ) -> None:
        """Forward in one direction: write data after its delay, never before earlier data."""
        loop = asyncio.get_running_loop()
        free_at = 0.0
        while True:
            data, at = await read()
            if not data:
                return
            taken(data, at)
            free_at = max(free_at + 1e-6, loop.time() + self._quality.one_way(self._rng) / 1000)
            loop.call_at(free_at, write, data)


def messages(data: bytes) -> Iterator[bytes]:
    """The messages of a browser in a chunk of whole frames; none for other chunks, such as the handshake."""
    while len(data) > 6 and data[1] & 0x80:
        length, start = data[1] & 0x7F, 2
        if length == 126:
            length, start = int.from_bytes(data[2:4]), 4
        mask, body = data[start : start + 4], data[start + 4 : start + 4 + length]
        yield bytes(byte ^ mask[at % 4] for at, byte in enumerate(body))
        data = data[start + 4 + length :]


async def _connected(host: str, port: int) -> socket.socket:
    """A connection to the server on which the kernel timestamps incoming data."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setblocking(False)
    try:
        connection.setsockopt(socket.SOL_SOCKET, STAMPS, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(connection, (host, port))
    except BaseException:
        connection.close()
        raise
    return connection


async def _stamped(connection: socket.socket) -> tuple[bytes, float]:
    """Data from the server with the arrival time of its last part, however late this process reads it."""
    while True:
        try:
            data, notes, _flags, _address = connection.recvmsg(CHUNK, 64)
        except BlockingIOError:
            await _readable(connection)
            continue
        for level, kind, value in notes:
            if (level, kind) == (socket.SOL_SOCKET, STAMPS):
                seconds, nanoseconds = struct.unpack_from("qq", value)
                return data, seconds + nanoseconds / 1e9
        return data, time.time()


async def _readable(connection: socket.socket) -> None:
    """Wait until there is data to read."""
    loop = asyncio.get_running_loop()
    is_there = asyncio.Event()
    loop.add_reader(connection, is_there.set)
    try:
        await is_there.wait()
    finally:
        loop.remove_reader(connection)
