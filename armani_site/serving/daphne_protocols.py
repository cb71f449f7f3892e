"""Daphne's protocols with our limits."""

from daphne.http_protocol import WebRequest  # isort: skip  (Daphne first: it chooses the reactor)
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol  # isort: skip  (stays with the line above)

import time
from collections.abc import Callable
from typing import Any

from autobahn.websocket import protocol as autobahn_protocol
from django.conf import settings
from twisted.internet.base import DelayedCall
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel

from armani_site.budgets import Places, network_of
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

# For each socket, Autobahn lays out its settings for a debug line, logged or not: a fifteenth of all that a new socket
# costs.
autobahn_protocol.pformat = repr  # type: ignore[attr-defined, assignment]  # its own import, called with one argument


#: Bytes before the payload of a browser's short frame: two, and the mask.
FRAME_HEAD = 6


class Connection(HTTPChannel):
    """A connection that carries requests; a socket may take it over."""

    shares: Shares
    transport: Any
    _deadline: DelayedCall | None = None
    _is_closing = False
    #: Bytes that arrived after the last answer.
    _unseen = 0
    #: The address whose place the connection takes; None if it got none.
    _host: str | None = None
    #: Whether it takes a place among the unfinished requests of its address.
    _is_unfinished = False

    def connectionMade(self) -> None:
        """Accept the connection, if its address doesn't have too many."""
        host = network_of(getattr(self.transport.getPeer(), "host", ""))
        if not self.shares.connections.take(host):
            self.transport.abortConnection()
            return
        self._host = host
        self.requestFactory = Request
        super().connectionMade()
        self._begin()

    def dataReceived(self, data: bytes) -> None:
        """Read data; the first of a request sets the deadline for all of it."""
        if self._is_closing:
            self._unseen += len(data)
            if self._unseen > MOST_UNSEEN:
                self.transport.abortConnection()
        elif self._host is not None:
            self._begin()
            super().dataReceived(data)
            self._count_unfinished()

    def allContentReceived(self) -> None:
        """The request is complete, and may take as long as it needs."""
        self._end()
        super().allContentReceived()

    def close_soon(self) -> None:
        """Send nothing more, discard what comes in so that the browser can read the answer, and close."""
        self._end()
        self.setTimeout(None)
        self._is_closing = True
        self.transport.loseWriteConnection()
        self.callLater(FAREWELL, self.transport.abortConnection)

    def requestDone(self, request: WebRequest) -> None:
        """Note that the answer is sent; any part of the next request that came meanwhile starts its deadline now."""
        super().requestDone(request)
        if self.requests and not self._handlingRequest:
            self._begin()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._end()
        if self._host is not None:
            self.shares.connections.give_back(self._host)
            super().connectionLost(reason)

    def _begin(self) -> None:
        if self._deadline is None and not self._handlingRequest:
            self._deadline = self.callLater(settings.REQUEST_SECONDS, self._too_late)

    def _count_unfinished(self) -> None:
        if self._deadline is not None and not self._is_unfinished:
            self._is_unfinished = self.shares.unfinished.take(self._host)
            if not self._is_unfinished:
                self.transport.abortConnection()

    def _end(self) -> None:
        deadline, self._deadline = self._deadline, None
        if deadline is not None and deadline.active():
            deadline.cancel()
        if self._is_unfinished:
            self._is_unfinished = False
            self.shares.unfinished.give_back(self._host)

    def _too_late(self) -> None:
        self._deadline = None
        if self._host is not None and not self._handlingRequest:
            self.transport.abortConnection()


class Request(WebRequest):
    """A request whose body, if it is too long, is refused before it is stored."""

    # Django parses forms; Twisted would parse them as well, for nothing.
    _parsePOSTFormSubmission = False
    _received = 0
    _is_refused = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._bodies: Places = self.channel.shares.bodies
        #: Bytes stored for this body, counted for that address.
        self._kept, self._host = 0, network_of(getattr(self.channel.getPeer(), "host", ""))

    def gotLength(self, length: int | None) -> None:
        """Refuse a body with too large a length; None is a chunked body of unknown length."""
        expected = settings.BODY_BYTES if length is None else length
        if expected > settings.BODY_BYTES:
            self._refuse(b"413 Content Too Large")
        elif expected and not self._bodies.take(self._host, expected):
            self._refuse(b"503 Service Unavailable\r\nRetry-After: 5")
        else:
            self._kept = expected
        super().gotLength(0 if self._is_refused else length)

    def handleContentChunk(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > settings.BODY_BYTES:
            self._refuse(b"413 Content Too Large")
        if not self._is_refused:
            super().handleContentChunk(data)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """Answer the request, unless it was refused already."""
        if not self._is_refused:
            super().requestReceived(command, path, version)
            if self.transport is None:  # a socket has taken over the connection
                self._release_body()
                # Connection and request would keep each other, and all headers, until old garbage is collected.
                self.channel.requests.clear()
                del self.server.connections[self]

    def finish(self) -> None:
        """Finish the answer."""
        self._release_body()
        super().finish()

    def connectionLost(self, reason: Failure) -> None:
        """Handle a visitor's disconnect."""
        self._release_body()
        super().connectionLost(reason)

    def _release_body(self) -> None:
        kept, self._kept = self._kept, 0
        if kept:
            self._bodies.give_back(self._host, kept)

    def _refuse(self, status: bytes) -> None:
        if not self._is_refused:
            self._is_refused = True
            self._release_body()
            self.channel.transport.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self.channel.close_soon()


def socket_class(shares: Shares, factory: WebSocketFactory) -> type["Socket"]:
    """The sockets of a server, with all settings: Autobahn would copy each setting into every socket."""
    values = {name: getattr(factory, name) for name in Socket.CONFIG_ATTRS}
    # A function of the settings isn't a method.
    kept = {name: staticmethod(value) if callable(value) else value for name, value in values.items()}
    return type("Socket", (Socket,), {"shares": shares, **kept})


def _text_frame(payload: bytes) -> bytes:
    """A complete text message, as a server's frame."""
    length = len(payload)
    if length < 126:
        return bytes((0x81, length)) + payload
    if length < 1 << 16:
        return b"\x81\x7e" + length.to_bytes(2) + payload
    return b"\x81\x7f" + length.to_bytes(8) + payload


def _short_text(data: bytes) -> bytes | None:
    """The payload if ``data`` is exactly one text message in one short frame from a browser; otherwise None."""
    length = len(data) - FRAME_HEAD
    if not 0 <= length < 126 or data[0] != 0x81 or data[1] != 0x80 | length:
        return None
    mask = data[2:FRAME_HEAD] * (length // 4 + 1)
    masked, mask = int.from_bytes(data[FRAME_HEAD:], "little"), mask[:length]
    payload = (masked ^ int.from_bytes(mask, "little")).to_bytes(length, "little")
    try:
        payload.decode()
    except UnicodeDecodeError:
        return None  # Autobahn closes the socket for it
    return payload


class Socket(WebSocketProtocol):
    """A socket whose frames are counted, and which is closed if its browser doesn't read."""

    shares: Shares
    #: The address whose frames are counted; set by the server.
    visitor = ""
    _host: str | None = None
    _is_within_limit = True
    #: Bytes sent since the browser stopped reading; None while it reads.
    _unread: int | None = None
    _patience: DelayedCall | None = None
    #: Takes a text, or None for another message, if the application can handle it at once; set by the application.
    take_frame: Callable[[str | None], bool] | None = None

    def connectionMade(self) -> None:
        self._latency = ProtocolLatency(self.shares)
        self._host = network_of(getattr(self.transport.getPeer(), "host", ""))
        self._frames = Frames(self.shares)
        # Get callbacks when the browser doesn't keep up, and when it does again.
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)
        super().connectionMade()

    def connectionLost(self, reason: Failure) -> None:
        self._stop_waiting()
        if self._host is not None:
            self.shares.connections.give_back(self._host)
        super().connectionLost(reason)

    def onOpen(self) -> None:
        """Forget what only opened the socket, which may stay open for days."""
        super().onOpen()
        self.http_request_data = self.http_response_data = self.http_status_line = self.http_request_uri = ""
        self.http_headers = self.http_request_params = self.clean_headers = self._transport_details = None
        self.application_deferred = None
        # Only its path is read later, for a log.
        self.request.headers = self.request.params = None

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        """Tell Daphne, if it knows of this socket: one with an unreadable handshake never reached it."""
        if hasattr(self, "server"):
            super().onClose(wasClean, code, reason)

    # Frames from the browser.

    def dataReceived(self, data: bytes) -> None:
        """Read data, without the debug line that Autobahn colours each time, logged or not.

        Nearly always it is one short message, which is read here: Autobahn takes five times as long.
        """
        if self.state == self.STATE_OPEN and not self.data and self.current_frame is None and not self.inside_message:
            payload = _short_text(data)
            if payload is not None:
                self._read_message(payload)
                return
        self._dataReceived(data)

    def _read_message(self, payload: bytes) -> None:
        self._is_within_limit = self._frames.is_within_limit(self.visitor)
        if self._frames.are_too_many():
            self._eject()
            return
        if self.autoPingTimeoutCall and self.autoPingRestartOnAnyTraffic:
            self._cancelAutoPingTimeoutCall()
        self.onMessage(payload, isBinary=False)

    def onFrameBegin(self) -> None:
        """Count a frame of any kind."""
        self._is_within_limit = self._frames.is_within_limit(self.visitor)
        if self._frames.are_too_many():
            self._eject()
            return
        super().onFrameBegin()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        if self._is_within_limit:
            text = None if isBinary else payload.decode()
            if self.take_frame is None or self.muted or not self.take_frame(text):
                super().onMessage(payload, isBinary)
            else:
                self.last_ping = time.time()  # as Daphne notes a sign of life

    def onPing(self, payload: bytes) -> None:
        """Answer a ping within the limit."""
        if self._is_within_limit:
            super().onPing(payload)

    # The connection's latency, for judging slaps.

    def probe(self) -> None:
        """Send a protocol ping, which the browser answers without asking the page."""
        if self.state == self.STATE_OPEN:
            self.sendPing(self._latency.ping())

    def onPong(self, payload: bytes) -> None:
        """Note the answer to a ping."""
        self._latency.pong(payload)

    @property
    def delay(self) -> float | None:
        """The latency, in ms; None until it is known."""
        # Twisted removes the transport with the connection, and the table learns this a little later.
        return self._latency.delay(getattr(self.transport, "socket", None))

    def _eject(self) -> None:
        self.shares.openings.use(self.visitor, COST_OF_FLOOD)
        self.sendCloseFrame(code=TOO_MANY)
        self.data = b""
        self.wasClean = True  # nothing to log
        self.dropConnection(abort=False)
        self.factory.reactor.callLater(FAREWELL, self.transport.abortConnection)

    # Messages to the browser.

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        """Send a message, unless too many wait already."""
        if self._unread is not None:
            self._unread += len(content)
            if self._unread > MOST_UNREAD:
                self.transport.abortConnection()
                return
        if binary or self.state != self.STATE_OPEN:
            super().serverSend(content, binary)
        else:
            self._write(_text_frame(str(content).encode()))

    def send_directly(self, text: str) -> None:
        """Send a text directly, bypassing everything between the application and the server."""
        if self.state == self.STATE_OPEN:
            self.serverSend(text)

    def _write(self, frame: bytes) -> None:
        """Hand a frame to the kernel at once.

        Through the reactor it takes two more system calls and a turn of the loop, so only the unsent rest goes that
        way.
        """
        transport = self.transport
        sent = 0
        try:
            if not (transport.dataBuffer or transport._tempDataLen or transport.disconnecting):
                sent = transport.socket.send(frame)
        except (OSError, AttributeError):
            pass  # full, or disconnected, which the reactor will notice
        if sent < len(frame):
            transport.write(frame[sent:])

    def pauseProducing(self) -> None:
        """Note that the browser doesn't read fast enough."""
        if self._unread is None:
            self._unread = 0
            self._patience = self.factory.reactor.callLater(LONGEST_UNREAD, self.transport.abortConnection)

    def resumeProducing(self) -> None:
        self._stop_waiting()

    def stopProducing(self) -> None:
        """Stop when the connection ends."""

    def _stop_waiting(self) -> None:
        self._unread = None
        patience, self._patience = self._patience, None
        if patience is not None and patience.active():
            patience.cancel()
