"""An LMTP server: one process that receives emails from a mail server on the same machine.

Emails are read as a stream (:class:`~games.mail.inbound.message.Reader`) and processed one at a time in a thread,
because moves need the database. It is never exposed to the network: the mail server in front limits strangers.
"""

import asyncio
import logging
import re
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, cast

from aiosmtpd.lmtp import LMTP
from django.db import InterfaceError, OperationalError, close_old_connections

from games.mail.inbound import handler
from games.mail.inbound.message import Incoming, Reader, TooLarge
from games.mail.outgoing.receipts import Result
from games.matches import service

log = logging.getLogger(__name__)

#: Maximum connections, seconds per connection, and recipients per email.
MOST_CONNECTIONS = 20
LONGEST = 60.0
MOST_RECIPIENTS = 20
OK, UNKNOWN, NOT_NOW, TOO_LARGE = (
    "250 2.0.0 taken in",
    "550 5.1.1 no turn has this address",
    "451 4.3.0 not now, try again later",
    "552 5.3.4 larger than any answer",
)
_LOCAL = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})")


class BadAddress(ValueError):
    """The address is neither a Unix socket nor a local port."""


def accept_email(mail: Incoming) -> str:
    """Play an email's moves; returns the LMTP reply."""
    close_old_connections()
    try:
        result = handler.receive(mail)
    except (OperationalError, InterfaceError, service.Unavailable):
        return NOT_NOW
    except Exception:  # after any error, the mail server keeps the email and delivers it again
        log.exception("an email could not be processed")
        return NOT_NOW
    return UNKNOWN if result == Result.UNKNOWN else OK


class Server:
    """The protocols of all connections, their number, and the function that processes emails."""

    def __init__(self, executor: Executor, answer: Callable[[Incoming], str] = accept_email) -> None:
        self.executor, self.answer = executor, answer
        self.open: set[Connection] = set()

    async def listen(self, address: str) -> asyncio.Server:
        """Listen on a Unix socket, or on ``127.0.0.1:PORT``. Raises :class:`BadAddress` for anything else."""
        loop = asyncio.get_running_loop()
        if address.startswith("/"):
            return await loop.create_unix_server(self._connection, address)
        port = _LOCAL.fullmatch(address)
        if port is None:
            raise BadAddress
        return await loop.create_server(self._connection, "127.0.0.1", int(port[1]))

    def hang_up(self) -> None:
        """Close all connections; the mail server redelivers unanswered emails."""
        for connection in list(self.open):
            if connection.transport is not None:
                connection.transport.close()

    def _connection(self) -> asyncio.BaseProtocol:
        if len(self.open) >= MOST_CONNECTIONS:
            return _Busy()
        return Connection(self)


class _Busy(asyncio.Protocol):
    """A connection beyond the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Report it and close the connection."""
        cast(asyncio.Transport, transport).write(b"421 4.3.2 too many connections\r\n")
        transport.close()


class Connection(LMTP):
    """One connection. Names of commands and hooks are those of aiosmtpd."""

    def __init__(self, server: Server) -> None:
        self._server = server
        loop = asyncio.get_running_loop()
        super().__init__(self, hostname="localhost", ident="Armani LMTP", timeout=LONGEST, loop=loop)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set a time limit, so that sending a byte now and then can't keep a connection open."""
        self._server.open.add(self)
        self._end = self.loop.call_later(LONGEST, cast(asyncio.Transport, transport).abort)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Free the connection's place."""
        self._server.open.discard(self)
        self._end.cancel()
        super().connection_lost(error)

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        """Refuse an address that belongs to no turn before the email is sent."""
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 too many recipients"
        if handler.ticket_of([address]) is None:
            return UNKNOWN
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        """Read the email line by line, and reply once for each recipient, as LMTP requires."""
        if self.envelope is None or not self.envelope.rcpt_tos:
            await self.push("503 5.5.1 need RCPT command")
            return
        recipients, sender = list(self.envelope.rcpt_tos), self.envelope.mail_from
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        reader = await self._read()
        for recipient in recipients:
            if reader is None:
                await self.push(TOO_LARGE)
                continue
            mail = reader.close([recipient], sender)
            await self.push(await self.loop.run_in_executor(self._server.executor, self._server.answer, mail))
        self.envelope = self._create_envelope()

    async def _read(self) -> Reader | None:
        """Read the email to its end; None if it is too large, but then it is read to its end, too."""
        reader: Reader | None = Reader()
        is_start = True
        while True:
            try:
                piece = await self._reader.readuntil(b"\r\n")
            except asyncio.LimitOverrunError as long:
                piece = await self._reader.read(long.consumed)
            if is_start and piece == b".\r\n":
                return reader
            if is_start and piece.startswith(b"."):
                piece = piece[1:]
            is_start = piece.endswith(b"\r\n")
            try:
                if reader is not None:
                    reader.feed(piece)
            except TooLarge:
                reader = None
