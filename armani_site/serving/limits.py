"""Limits of one connection, checked before there is a request or a message.

Servers accept bodies of any length, give a connection more time with each byte, and read as many frames as arrive. Here
each request must be complete in time and of bounded size, frames of every kind are counted, and unread output isn't
kept. Connections and bodies per address are counted only where the address is the visitor's own: behind a proxy all
come from the proxy, which has to count them itself. Frames are always counted per visitor.
"""

import math
import socket
import struct
import time
from collections.abc import Callable, MutableMapping
from typing import Any

from django.conf import settings

from armani_site.budgets import Buckets, Places, network_of
from games.judging.latency import Probes

#: How many connections may wait to be accepted.
BACKLOG = 1024
#: Bytes of request bodies that are in memory at once; a browser's are a few hundred each.
ALL_BODIES = 64 * 1024 * 1024
#: Frames, including pings and pongs, that a socket may send in a burst, and per second after it. This is more than the
#: socket's own limit on messages, so that the message limit answers first.
FRAMES, FRAMES_PER_SECOND = 100, 25
#: The same for all sockets of an address. When that is used up, only sockets that send much are ignored.
ADDRESS_FRAMES, ADDRESS_FRAMES_PER_SECOND = 5_000, 1_000
#: How many ignored frames close the socket, and the close code.
MOST_REFUSED = 200
TOO_MANY = 4408
#: A socket closed for that counts as this many opened sockets.
COST_OF_FLOOD = 10
#: How many bytes are kept for a browser that doesn't read, and for how many seconds.
MOST_UNREAD, LONGEST_UNREAD = 1024 * 1024, 20.0
#: Where Linux's TCP_INFO has the round-trip time and its variance, in microseconds.
TCP_INFO_RTT, TCP_INFO_LENGTH = 68, 76
#: How much longer a browser takes than its system, in ms.
KERNEL_MARGIN = 10.0
#: Seconds within which a closed connection must be gone, and bytes that may still arrive on it.
FAREWELL, MOST_UNSEEN = 5.0, 1024 * 1024


class Shares:
    """The limits that all connections of one server share, with a maximum per address.

    Args:
        connections: how many there may be.
        openings: how many sockets each address may still open.
        are_visitors: whether connections come from visitors directly, without a proxy.
        client_of: returns the visitor's address for the scope of a request or socket.
    """

    def __init__(
        self,
        connections: float,
        openings: Buckets,
        *,
        are_visitors: bool,
        client_of: Callable[[MutableMapping[str, Any]], str],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        each = min(settings.CONNECTIONS_PER_ADDRESS, connections // 2) if are_visitors else math.inf
        self.connections = Places(connections, each)
        #: Requests that have arrived only in part.
        self.unfinished = Places(math.inf, settings.UNFINISHED_REQUESTS_PER_ADDRESS if are_visitors else math.inf)
        self.bodies = Places(ALL_BODIES, ALL_BODIES // 2 if are_visitors else math.inf)
        self.frames = Buckets(ADDRESS_FRAMES, ADDRESS_FRAMES_PER_SECOND, now)
        self.openings = openings
        self.are_visitors = are_visitors
        self.now = now
        self._client_of = client_of

    def have_room_for(self, address: str) -> bool:
        """Whether another connection of ``address`` is accepted; not if it has too many unfinished requests."""
        return self.connections.are_left(address) and self.unfinished.are_left(address)

    def visitor(self, scope: MutableMapping[str, Any]) -> str:
        """The address of the visitor, even behind a proxy."""
        return network_of(self._client_of(scope))


def kernel_delay(connection: socket.socket | None) -> float | None:
    """How long the other end of a TCP connection takes to acknowledge data, in ms, with a margin.

    The system acknowledges data, so no program can distort this. None if the system doesn't tell.
    """
    if connection is None:
        return None
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_LENGTH)
        smoothed, spread = struct.unpack_from("II", info, TCP_INFO_RTT)
    except (AttributeError, OSError, struct.error):
        return None
    return float(smoothed + 2 * spread) / 1000 + KERNEL_MARGIN


class Frames:
    """Counts the frames of every kind that one socket has sent."""

    __slots__ = ("_filled_at", "_left", "_refused", "_shares")

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._left, self._filled_at = float(FRAMES), shares.now()
        self._refused = 0

    def is_within_limit(self, visitor: str) -> bool:
        """Count a frame from ``visitor``'s address; returns whether it is within the limit."""
        if self._is_within(visitor):
            self._shares.frames.use(visitor, 1)
            return True
        self._refused += 1
        return False

    def are_too_many(self) -> bool:
        """Whether the socket keeps sending although its frames are ignored, and must be closed."""
        return self._refused > MOST_REFUSED

    def _is_within(self, visitor: str) -> bool:
        now = self._shares.now()
        self._left = min(FRAMES, self._left + (now - self._filled_at) * FRAMES_PER_SECOND)
        self._filled_at = now
        if self._left < 1:
            return False
        self._left -= 1
        return self._shares.frames.left(visitor) >= 1 or self._left >= FRAMES / 2


class ProtocolLatency:
    """The latency of one socket's connection, for judging slaps.

    It is measured by protocol pings, which the browser answers without asking the page.
    """

    __slots__ = ("_probes", "_shares")

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._probes = Probes()

    def ping(self) -> bytes:
        """The payload of the next ping."""
        return b"%d" % self._probes.sent(self._shares.now())

    def pong(self, payload: bytes) -> None:
        """Note an answer; ignore answers to unknown pings."""
        if payload.isdigit() and len(payload) < 10:
            self._probes.answered(int(payload), self._shares.now())

    def delay(self, connection: socket.socket | None) -> float | None:
        """The latency in ms, at most the system's own measure if the connection comes from the visitor directly."""
        delay = self._probes.delay
        if delay is None or not self._shares.are_visitors:
            return delay
        kernel = kernel_delay(connection)
        return delay if kernel is None else min(delay, kernel)
