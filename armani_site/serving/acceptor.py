"""A listener that accepts a few connections at a time, so that open ones don't suffer from a crowd outside.

Servers accept all waiting connections in one turn of their loop, and build a protocol for each before it can be
refused: thousands at once would block every table for a second. Here the rest waits in the system's queue until the
loop has done its other work, and refusing a connection costs no more than closing it.
"""

import asyncio
import errno
import logging
import socket
import struct
from collections.abc import Callable

from armani_site.budgets import network_of
from armani_site.serving.limits import Shares

logger = logging.getLogger(__name__)

#: How many connections are let in, and how many are looked at, in one turn of the loop.
LET_IN_AT_ONCE, LOOKED_AT_AT_ONCE = 4, 32
#: Seconds before trying again when files or memory for connections have run out.
REST = 1.0
#: Makes a closed socket reset its connection, so that nothing of it stays in the system.
RESET = struct.pack("ii", 1, 0)
#: Errors of the whole system or process that go away with time.
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Acceptor:
    """Accept connections from a listening socket.

    Args:
        listener: the socket; it is made non-blocking, and stays open when accepting stops.
        shares: what each address may have.
        let_in: takes a connection over; what it raises as ``OSError`` closes that connection.
    """

    def __init__(self, listener: socket.socket, shares: Shares, let_in: Callable[[socket.socket], None]) -> None:
        self._listener = listener
        self._shares = shares
        self._let_in = let_in
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rest: asyncio.TimerHandle | None = None

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Accept connections from now on."""
        self._loop, self._rest = loop, None
        self._listener.setblocking(False)
        loop.add_reader(self._listener.fileno(), self.accept_waiting)

    def close(self) -> None:
        """Accept no more connections."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.remove_reader(self._listener.fileno())
        rest, self._rest = self._rest, None
        if rest is not None:
            rest.cancel()

    def accept_waiting(self) -> None:
        """Accept a few waiting connections; the loop calls again while there are more."""
        let_in = 0
        for _ in range(LOOKED_AT_AT_ONCE):
            try:
                connection, peer = self._listener.accept()
            except OSError as error:
                if error.errno in EXHAUSTED:
                    self._retry_later(error)
                if not isinstance(error, ConnectionAbortedError):  # it disconnected while it waited
                    return
                continue
            if self._admit(connection, str(peer[0])):
                let_in += 1
                if let_in == LET_IN_AT_ONCE:
                    return

    def _admit(self, connection: socket.socket, host: str) -> bool:
        try:
            if self._shares.have_room_for(network_of(host)):
                self._let_in(connection)
                return True
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        except OSError:
            logger.debug("a connection was lost before it was accepted", exc_info=True)
        connection.close()
        return False

    def _retry_later(self, error: OSError) -> None:
        """Try again later: retrying at once would fail at once, in an endless loop."""
        logger.warning("can't accept connections: %s", error)
        loop = self._loop
        if loop is not None:
            self.close()
            self._rest = loop.call_later(REST, self.open, loop)
