"""uvicorn's protocols with our limits."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.protocol import State

from armani_site.budgets import network_of
from armani_site.serving.limits import (
    COST_OF_FLOOD,
    FAREWELL,
    LONGEST_UNREAD,
    MOST_UNREAD,
    MOST_UNSEEN,
    TOO_MANY,
    Frames,
    ProtocolLatency,
    Shares,
)

#: Bytes of a request's first line and headers.
LONGEST_HEAD = 64 * 1024
#: How much larger a chunked body may be than its content: the lengths of the chunks, each a few bytes.
PER_BODY = 4


class Connection(HttpToolsProtocol):
    """A connection that carries requests; a socket may take it over.

    A request reaches the application only when it is complete: before, it would hold a thread for as long as it liked.
    """

    shares: Shares
    _deadline: asyncio.TimerHandle | None = None
    _patience: asyncio.TimerHandle | None = None
    _is_closing = False
    #: Bytes that arrived after the last answer.
    _unseen = 0
    #: Bytes of the request that is being read.
    _read = 0
    _is_reading = False
    #: The request that is being answered.
    _running: Any = None
    #: The address whose place the connection takes; None if it got none.
    _host: str | None = None
    #: Whether it takes a place among the unfinished requests of its address.
    _is_unfinished = False
    #: Starts the request that is still incomplete.
    _start: Callable[[], None] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        #: Bytes stored for the body of each request.
        self._kept: dict[Any, int] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Accept the connection, if its address doesn't have too many."""
        super().connection_made(transport)
        host = network_of(self.client[0] if self.client else "")
        if not self.shares.connections.take(host):
            transport.abort()
            return
        self._host = host
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        if self._host is not None:
            self.shares.connections.give_back(self._host)
            self._host = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read data; the first of a request sets the deadline for all of it."""
        if self._is_closing:
            self._unseen += len(data)
            if self._unseen > MOST_UNSEEN:
                self.transport.abort()
        elif self._host is not None and not self.transport.is_closing():
            self._begin()
            self._read += len(data)
            if self._read > LONGEST_HEAD + PER_BODY * settings.BODY_BYTES:
                self.transport.abort()
                return
            super().data_received(data)
            self._count_unfinished()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection and its place over to a socket."""
        self._leave()
        self._host = None
        super().handle_websocket_upgrade()

    # Reading a request.

    def on_message_begin(self) -> None:
        """Begin to read a request."""
        super().on_message_begin()
        self._start = None
        self._read = 0
        self._is_reading = True

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count_head(len(self.url))

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count_head(len(self.url) + sum(len(name) + len(value) for name, value in self.headers))

    def on_headers_complete(self) -> None:
        """Refuse a body with too large a length, or ask for one that waits for permission."""
        if self._is_closing:
            return
        super().on_headers_complete()
        expected = self._expected()
        if expected > settings.BODY_BYTES:
            self._refuse(b"413 Content Too Large")
        elif expected and not self.shares.bodies.take(cast("str", self._host), expected):
            self._refuse(b"503 Service Unavailable\r\nRetry-After: 5")
        else:
            self._kept[self.cycle] = expected
            if self.expect_100_continue and expected:
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                self.cycle.waiting_for_100_continue = False

    def on_body(self, body: bytes) -> None:
        if self._is_closing or self._is_upgrade():
            return
        self.cycle.body += body
        if len(self.cycle.body) > settings.BODY_BYTES:
            self._refuse(b"413 Content Too Large")

    def on_message_complete(self) -> None:
        """The request is complete, and may take as long as it needs."""
        start, self._start = self._start, None
        self._is_reading = False
        if self._is_closing or self._is_upgrade():
            return
        self._end()
        self.cycle.more_body = False
        self.cycle.message_event.set()
        if start:
            start()

    def on_response_complete(self) -> None:
        """Note that the answer is sent; any part of the next request that came meanwhile starts its deadline now."""
        self._release_body(self._running)
        self._running = None
        super().on_response_complete()
        if self._is_reading:
            self._begin()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        if cycle.more_body:
            self._start = partial(self._start_asgi_task, cycle, app)
        elif not (self._is_closing or self.transport.is_closing()):
            self._running = cycle
            super()._start_asgi_task(cycle, app)

    # Output that the browser doesn't read waits here: a thread that waited for it would be lost to others.

    def pause_writing(self) -> None:
        """Note that the browser doesn't read fast enough."""
        if self._patience is None:
            self._patience = self.loop.call_later(LONGEST_UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        patience, self._patience = self._patience, None
        if patience:
            patience.cancel()

    def _expected(self) -> int:
        headers = dict(self.headers)
        if self._is_upgrade():
            return 0
        if b"transfer-encoding" in headers:
            return int(settings.BODY_BYTES)
        # The parser has refused lengths that aren't numbers.
        return int(headers.get(b"content-length", b"0"))

    def _is_upgrade(self) -> bool:
        return bool(self.parser.should_upgrade() and self._should_upgrade())

    def _count_head(self, length: int) -> None:
        if length > LONGEST_HEAD:
            self.transport.abort()

    def _begin(self) -> None:
        if self._deadline is None and self._running is None:
            self._deadline = self.loop.call_later(settings.REQUEST_SECONDS, self.transport.abort)

    def _count_unfinished(self) -> None:
        if self._deadline is not None and not self._is_unfinished:
            self._is_unfinished = self.shares.unfinished.take(self._host)
            if not self._is_unfinished:
                self.transport.abort()

    def _end(self) -> None:
        deadline, self._deadline = self._deadline, None
        if deadline:
            deadline.cancel()
        if self._is_unfinished:
            self._is_unfinished = False
            self.shares.unfinished.give_back(self._host)

    def _release_body(self, request: Any) -> None:
        if kept := self._kept.pop(request, 0):
            self.shares.bodies.give_back(self._host, kept)

    def _leave(self) -> None:
        self._end()
        for request in [*self._kept]:
            self._release_body(request)
        self.resume_writing()

    def _refuse(self, status: bytes) -> None:
        """Send nothing more, discard what comes in so that the browser can read the answer, and close."""
        if not self._is_closing:
            self._is_closing = True
            self._start = None
            self._leave()
            self.transport.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            if self.transport.can_write_eof():
                self.transport.write_eof()
            self.loop.call_later(FAREWELL, self.transport.abort)


class Socket(WebSocketsSansIOProtocol):
    """A socket whose frames are counted, and which is closed if its browser doesn't read."""

    shares: Shares
    _visitor = ""
    #: Bytes sent since the browser stopped reading; None while it reads.
    _unread: int | None = None
    _patience: asyncio.TimerHandle | None = None
    _farewell: asyncio.TimerHandle | None = None
    _is_ejected = False
    #: Whether a part of the current incoming message was ignored.
    _is_broken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._latency = ProtocolLatency(self.shares)
        self._frames = Frames(self.shares)
        self._answers: deque[bytes] = deque()
        self._host = network_of(self.client[0] if self.client else "")

    def connection_lost(self, exc: Exception | None) -> None:
        self.resume_writing()
        if self._farewell:
            self._farewell.cancel()
        self.shares.connections.give_back(self._host)
        super().connection_lost(exc)

    def handle_connect(self, event: Any) -> None:
        """Begin the socket, with its connection in the scope: slaps are judged by its latency."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["wire"] = self  # type: ignore[typeddict-unknown-key]  # our own
            self._visitor = self.shares.visitor(cast("dict[str, Any]", self.scope))

    def handle_parser_exception(self) -> None:
        """Close the connection; a request that was no handshake gets no answer."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()

    # Frames from the browser.

    def data_received(self, data: bytes) -> None:
        """Read data, unless the socket is being closed for its frames."""
        if not self._is_ejected:
            super().data_received(data)

    def handle_cont(self, event: Frame) -> None:
        """Take a later part of a message."""
        if self._is_within_limit() and not self._is_broken:
            super().handle_cont(event)
        else:
            self._is_broken = True

    def handle_text(self, event: Frame) -> None:
        """Take a message, or its first part."""
        self._is_broken = not self._is_within_limit()
        if not self._is_broken:
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Take a message of bytes, or its first part."""
        self._is_broken = not self._is_within_limit()
        if not self._is_broken:
            super().handle_bytes(event)

    def handle_ping(self) -> None:
        """Answer a ping within the limit."""
        # The answers to all pings that came together are in the buffer.
        self._answers.extend(self.conn.data_to_send())
        if self._answers:
            answer = self._answers.popleft()
            if self._is_within_limit():
                self.transport.write(answer)

    def handle_close(self, event: Frame) -> None:
        """Answer the browser's close frame; the answer may lie behind answers to pings."""
        self.conn.writes[:0] = self._answers
        self._answers.clear()
        super().handle_close(event)

    def handle_pong(self, event: Frame) -> None:
        """Note the answer to a ping."""
        if self._is_within_limit():
            self._latency.pong(bytes(event.data))
            super().handle_pong(event)

    def send_receive_event_to_app(self) -> None:
        """Hand a message to the application; the frame limit bounds how many can wait, so reading continues."""
        super().send_receive_event_to_app()
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()

    def _is_within_limit(self) -> bool:
        is_within_limit = not self._is_ejected and self._frames.is_within_limit(self._visitor)
        if self._frames.are_too_many() and not self._is_ejected:
            self._eject()
        return is_within_limit

    def _eject(self) -> None:
        self._is_ejected = True
        self.shares.openings.use(self._visitor, COST_OF_FLOOD)
        self.conn.data_to_send()  # answers to ignored pings
        self._answers.clear()
        self.conn.send_close(TOO_MANY)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": TOO_MANY})
        self.transport.close()
        self._farewell = self.loop.call_later(FAREWELL, self.transport.abort)

    # The connection's latency, for judging slaps.

    def probe(self) -> None:
        """Send a protocol ping, which the browser answers without asking the page."""
        if self.handshake_complete and not self.close_sent and not self.transport.is_closing():
            self.conn.send_ping(self._latency.ping())
            self.transport.write(b"".join(self.conn.data_to_send()))

    @property
    def delay(self) -> float | None:
        """The latency, in ms; None until it is known."""
        return self._latency.delay(self.transport.get_extra_info("socket"))

    # Messages to the browser.

    async def send(self, message: Any) -> None:
        """Send a message, unless too many wait already."""
        if self._has_room(len(message.get("text") or message.get("bytes") or b"")):
            await super().send(message)

    def send_directly(self, text: str) -> None:
        """Send a text directly, bypassing everything between the application and the server."""
        is_open = self.handshake_complete and not (self.disconnected or self.close_sent or self.transport.is_closing())
        if is_open and self.conn.state is State.OPEN and self._has_room(len(text)):
            self.conn.send_text(text.encode())
            self.transport.write(b"".join(self.conn.data_to_send()))

    def _has_room(self, length: int) -> bool:
        """Whether a message of this length may still wait for the browser to read; otherwise the socket ends."""
        if self._unread is not None:
            self._unread += length
            if self._unread > MOST_UNREAD:
                self.transport.abort()
                return False
        return True

    def pause_writing(self) -> None:
        """Note that the browser doesn't read fast enough; the application continues meanwhile."""
        if self._unread is None:
            self._unread = 0
            self._patience = self.loop.call_later(LONGEST_UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        self._unread = None
        patience, self._patience = self._patience, None
        if patience:
            patience.cancel()
