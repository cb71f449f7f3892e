"""Run the site under uvicorn."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import uvicorn

from armani_site.asgi_middleware import Application
from armani_site.serving.acceptor import Acceptor
from armani_site.serving.limits import BACKLOG, Shares
from armani_site.serving.site import LARGEST_FRAME, PING_EVERY, PING_TIMEOUT, Site
from armani_site.serving.uvicorn_protocols import Connection, Socket

logger = logging.getLogger(__name__)

#: Seconds for which a connection is kept open for another request.
KEEP_ALIVE = 60
#: Seconds that sockets have to end by themselves after their connection is closed.
GOODBYE = 0.5


def config_of(application: Application, shares: Shares) -> uvicorn.Config:
    """uvicorn's configuration for this application."""
    return uvicorn.Config(
        application,
        http=type("Connection", (Connection,), {"shares": shares}),
        ws=type("Socket", (Socket,), {"shares": shares}),
        loop="uvloop",
        interface="asgi3",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the site reads these headers itself
        server_header=False,
        ws_max_size=LARGEST_FRAME,
        ws_ping_interval=PING_EVERY,
        ws_ping_timeout=PING_TIMEOUT,
        ws_per_message_deflate=False,
        timeout_keep_alive=KEEP_ALIVE,
        backlog=BACKLOG,
    )


class Server(uvicorn.Server):
    """uvicorn with our limits and a gentle end."""

    def __init__(self, site: Site) -> None:
        self._site = site
        super().__init__(config_of(site.application, site.shares))

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        super().run(sockets or [self._site.listener])

    def stop(self) -> None:
        """Stop the server; may be called from any thread."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: the command handles signals itself."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections through our acceptor; the loop's own would let all in at once."""
        await super().startup([])
        loop = asyncio.get_running_loop()
        self._entering: set[asyncio.Task[Any]] = set()
        self._acceptor = Acceptor(self._site.listener, self._site.shares, self._let_in)
        self._acceptor.open(loop)
        self._site.ready(loop.call_later)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End gently: tell browsers, and finish writing."""
        # Another process takes new visitors now; those still here are answered and then sent there.
        self._acceptor.close()
        self._site.listener.close()
        await self._site.send_away(lambda: [*self.server_state.tasks])
        await self._site.stop_services()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if tasks := [*self.server_state.tasks]:
            await asyncio.wait(tasks, timeout=GOODBYE)
        await self._site.end([*self.server_state.tasks])

    def _let_in(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        protocol = partial(cast("Any", self.config.http_protocol_class), self.config, self.server_state, {})
        entering = loop.create_task(loop.connect_accepted_socket(protocol, connection))
        # Keep a reference: the loop alone doesn't keep the task alive.
        self._entering.add(entering)
        entering.add_done_callback(self._has_entered)

    def _has_entered(self, entering: "asyncio.Task[Any]") -> None:
        self._entering.discard(entering)
        if not entering.cancelled() and (error := entering.exception()):
            logger.debug("a connection was lost before it was accepted", exc_info=error)
