"""The protocols of each server on a simulated connection, with a simulated clock."""

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any

from daphne.http_protocol import HTTPFactory
from daphne.server import Server
from daphne.ws_protocol import WebSocketFactory
from twisted.internet.address import IPv4Address
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from uvicorn.server import ServerState

from armani_site.budgets import Buckets
from armani_site.serving import daphne_protocols
from armani_site.serving.limits import Shares
from armani_site.serving.uvicorn_server import config_of


def client_of(scope: MutableMapping[str, Any]) -> str:
    return str(scope["client"][0])


def shares_of(clock: Clock, connections: int, are_visitors: bool) -> Shares:
    openings = Buckets(100, 1, clock.seconds)
    return Shares(connections, openings, are_visitors=are_visitors, client_of=client_of, now=clock.seconds)


class DaphneWire(StringTransport):
    """A connection as Daphne sees it."""

    is_half_closed = False
    is_aborted = False
    #: The system's information about it.
    system: Any = None

    def __init__(self, front: "DaphneFront", host: str) -> None:
        super().__init__(peerAddress=IPv4Address("TCP", host, 50_000))
        self.protocol = front.http_factory.buildProtocol(None)
        self.protocol.makeConnection(self)

    def send(self, data: bytes) -> None:
        self.protocol.dataReceived(data)

    def loseWriteConnection(self) -> None:
        self.is_half_closed = True

    def abortConnection(self) -> None:
        if not self.is_aborted:
            self.is_aborted = True
            self.protocol.connectionLost(Failure(ConnectionError()))

    def loseConnection(self) -> None:
        self.disconnecting = True

    def resumeProducing(self) -> None:
        pass  # nothing arrives unless a test sends it

    @property
    def socket(self) -> Any:
        if self.is_aborted:
            raise AttributeError("socket")  # as in Twisted's own transport
        return self.system

    def leave(self) -> None:
        self.abortConnection()

    def stop_reading(self) -> None:
        self.producer.pauseProducing()

    def read_again(self) -> None:
        self.producer.resumeProducing()

    @property
    def line(self) -> Any:
        return self.protocol

    @property
    def status(self) -> int | None:
        return _status(self.value())


class DaphneFront(Server):
    """Daphne without its network."""

    def __init__(self, application: Any, connections: int, are_visitors: bool) -> None:
        super().__init__(application, endpoints=["tcp:0"])
        self.clock = Clock()
        self.connections: dict[Any, Any] = {}
        self.shares = shares_of(self.clock, connections, are_visitors)
        self.http_factory = HTTPFactory(self)
        self.http_factory.reactor = self.clock
        self.http_factory.protocol = type("Connection", (daphne_protocols.Connection,), {"shares": self.shares})
        self.ws_factory = WebSocketFactory(self, server="")
        self.ws_factory.reactor = self.clock
        self.ws_factory.protocol = daphne_protocols.socket_class(self.shares, self.ws_factory)

    def create_application(self, protocol: Any, scope: Any) -> Any:
        if scope["type"] == "websocket":
            protocol.visitor = self.shares.visitor(scope)
        return super().create_application(protocol, scope)

    def connect(self, host: str = "198.51.100.7") -> DaphneWire:
        return DaphneWire(self, host)


class UvicornWire(asyncio.Transport):
    """A connection as uvicorn sees it: like asyncio, it reports the loss after the call that caused it."""

    is_half_closed = False
    is_aborted = False
    disconnecting = False
    system: Any = None

    def __init__(self, front: "UvicornFront", host: str) -> None:
        super().__init__()
        self._front = front
        self._host = host
        self._is_lost = False
        self._is_paused = False
        self._coming = b""
        self._written = b""
        self.protocol: Any = front.config.http_protocol_class(front.config, front.state, {}, _loop=front)
        self.protocol.connection_made(self)
        self._tell_of_loss()

    # For the test.

    def send(self, data: bytes) -> None:
        if self._is_paused:
            self._coming += data
        elif not self.is_closing():
            self.protocol.data_received(data)
            self._tell_of_loss()

    def leave(self) -> None:
        self.abort()
        self._tell_of_loss()

    def stop_reading(self) -> None:
        self.protocol.pause_writing()

    def read_again(self) -> None:
        self.protocol.resume_writing()

    def value(self) -> bytes:
        return self._written

    def clear(self) -> None:
        self._written = b""

    @property
    def line(self) -> Any:
        return self.protocol

    @property
    def status(self) -> int | None:
        return _status(self._written)

    # For the server.

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"socket": self.system, "peername": (self._host, 50_000), "sockname": ("127.0.0.1", 80)}.get(
            name, default
        )

    def is_closing(self) -> bool:
        return self.is_aborted or self.disconnecting

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def write(self, data: Any) -> None:
        if not self.is_aborted:
            self._written += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_half_closed = True

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        self._is_paused = False
        data, self._coming = self._coming, b""
        if data:
            self._front.call_later(0, self.send, data)

    def close(self) -> None:
        self.disconnecting = True

    def abort(self) -> None:
        self.is_aborted = True
        self._front.call_later(0, self._tell_of_loss)

    def _tell_of_loss(self) -> None:
        if self.is_aborted and not self._is_lost:
            self._is_lost = True
            self.protocol.connection_lost(ConnectionError())


class _Handle:
    def __init__(self, call: Any) -> None:
        self._call = call

    def cancel(self) -> None:
        if self._call.active():
            self._call.cancel()


class UvicornFront:
    """uvicorn without its network; it is also the loop of its protocols."""

    def __init__(self, application: Any, connections: int, are_visitors: bool) -> None:
        self.clock = Clock()
        self.state = ServerState()
        self.shares = shares_of(self.clock, connections, are_visitors)
        self.config = config_of(application, self.shares)
        self.config.ws_ping_interval = None
        # Sockets are created without a loop argument.
        self.config.ws.loop = property(lambda _socket: self, lambda _socket, _loop: None)
        self.config.load()

    def connect(self, host: str = "198.51.100.7") -> UvicornWire:
        return UvicornWire(self, host)

    def call_later(self, seconds: float, call: Callable[..., Any], *arguments: Any) -> _Handle:
        return _Handle(self.clock.callLater(seconds, call, *arguments))

    def create_task(self, task: Any) -> "asyncio.Task[None]":
        return asyncio.get_running_loop().create_task(task)

    def time(self) -> float:
        return self.clock.seconds()


def _status(written: bytes) -> int | None:
    head = written.partition(b"\r\n")[0]
    return int(head.split()[1]) if head else None


FRONTS = {"daphne": DaphneFront, "uvicorn": UvicornFront}
Front = DaphneFront | UvicornFront
Wire = DaphneWire | UvicornWire
