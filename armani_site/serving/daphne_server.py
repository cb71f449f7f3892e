"""Run the site under Daphne."""

from daphne.server import Server as DaphneServer  # isort: skip  (installs the reactor: nothing of Twisted comes first)

import asyncio
import socket
from collections.abc import MutableMapping
from contextlib import suppress
from functools import partial
from typing import Any, cast

from twisted.internet import defer, reactor
from twisted.internet.error import ReactorNotRunning
from twisted.logger import ILogObserver, STDLibLogObserver, globalLogPublisher

from armani_site.serving.acceptor import Acceptor
from armani_site.serving.daphne_protocols import Connection, socket_class
from armani_site.serving.site import LARGEST_FRAME, PING_EVERY, PING_TIMEOUT, CallLater, Site
from games.realtime.inbox import Inbox

#: The interface, as named in each scope.
ASGI = {"version": "3.0"}


class Server(DaphneServer):
    """Daphne with our limits and a gentle end."""

    def __init__(self, site: Site) -> None:
        self._site = site
        super().__init__(
            site.application,
            endpoints=[f"fd:fileno={site.listener.fileno()}"],
            websocket_timeout=-1,  # a table may be watched for days; pings detect dead connections
            websocket_max_message_size=LARGEST_FRAME,
            websocket_max_frame_size=LARGEST_FRAME,
            ping_interval=PING_EVERY,
            ping_timeout=PING_TIMEOUT,
            server_name="",
            ready_callable=self.ready,
            signal_handlers=False,
        )

    def run(self) -> None:
        self._site.listener.detach()
        super().run()

    def stop(self) -> None:
        """Stop the server; may be called from any thread."""
        reactor.callFromThread(_stop)

    def create_application(self, protocol: Any, scope: MutableMapping[str, Any]) -> Any:
        """Start the application for a request: Daphne's hook.

        A socket's connection is added to its scope, because slaps are judged by its latency.
        """
        scope["asgi"] = ASGI
        if scope["type"] == "http":
            return super().create_application(protocol, scope)
        scope["wire"] = protocol
        protocol.visitor = self._site.shares.visitor(scope)
        inbox = Inbox()
        serving = self.application(scope, inbox.get, partial(self.handle_reply, protocol))
        self.connections[protocol]["application_instance"] = asyncio.ensure_future(serving)
        return inbox

    def listen_success(self, port: Any) -> Any:
        """Accept connections through our acceptor instead of Twisted's, which lets all in at once."""
        super().listen_success(port)
        port.stopReading()
        self._acceptor = Acceptor(port.socket, self._site.shares, self._let_in)
        return port

    def _let_in(self, connection: socket.socket) -> None:
        with connection:  # the reactor has a copy
            reactor.adoptStreamConnection(connection.fileno(), connection.family, self.http_factory)

    def ready(self) -> None:
        shares = self._site.shares
        self.http_factory.protocol = type("Connection", (Connection,), {"shares": shares})
        self.ws_factory.protocol = socket_class(shares, self.ws_factory)
        # Daphne either hides Twisted's errors or redirects all of stdout; this logs them.
        globalLogPublisher.addObserver(cast("ILogObserver", STDLibLogObserver("twisted")))
        self._acceptor.open(asyncio.get_event_loop())  # the reactor's, which runs soon
        self._site.ready(cast("CallLater", reactor.callLater))

    @defer.inlineCallbacks
    def kill_all_applications(self) -> Any:
        """Daphne's "before shutdown" step, made gentle: tell browsers, and finish writing."""
        # Another process takes new visitors now; those still here are answered and then sent there.
        self._acceptor.close()
        yield defer.DeferredList(
            [each.addCallback(lambda port: port.stopListening()) for each in self.listeners], consumeErrors=True
        )
        yield defer.Deferred.fromFuture(asyncio.ensure_future(self._end()))

    async def _end(self) -> None:
        await self._site.send_away(self._running)
        await self._site.stop_services()
        await self._site.end(self._running())

    def _running(self) -> list["asyncio.Future[None]"]:
        applications = [details.get("application_instance") for details in self.connections.values()]
        return [application for application in applications if application and not application.done()]


def _stop() -> None:
    with suppress(ReactorNotRunning):  # it is already stopping
        reactor.stop()  # type: ignore[misc]  # the reactor is a module to mypy
