"""The web server: Daphne with our limits, and everything else beside it when there are no services."""

from daphne.server import Server  # isort: skip  (installs the reactor: nothing of Twisted may come before it)

import asyncio
import fcntl
import gc
import logging
import os
import resource
import signal
import socket
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, cast

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from twisted.internet import defer, reactor, task, threads
from twisted.internet.error import ReactorNotRunning
from twisted.internet.interfaces import IReactorTime
from twisted.logger import ILogObserver, STDLibLogObserver, globalLogPublisher

from accounts import links
from armani_site.celery import app as celery_app
from armani_site.embedded import EmbeddedCelery
from armani_site.logs import access_log
from armani_site.transport import Connection, Shares, Socket
from games import live
from games.ai import pool
from games.matches import outages, service

logger = logging.getLogger(__name__)

#: Bytes of one frame from a browser; the largest honest message is a move of some hundred.
LARGEST_FRAME = 16 * 1024
#: New objects before a young collection, and collections before an older one: see ``gc.set_threshold``. Each object
#: looked at takes about a microsecond, in which nothing else is done.
COLLECT = (2_000, 5, 100_000)
#: A collection of the oldest objects, which those numbers all but forbid, stops a full server for a fifth of a second.
#: So it comes after so many of the others, a million objects, looked for every so many seconds; or after so long.
COLLECT_ALL_AFTER, LOOK_EVERY, COLLECT_ALL_EVERY = 100, 10.0, 600.0
#: Open files and sockets that a process may have, if the machine's limit allows; most give 1,024 unasked.
MOST_FILES = 65_536
#: Part of those that connections may take; the rest is for the database, Redis and the AI players.
FOR_CONNECTIONS = 3 / 4
#: Connections that wait to be taken.
BACKLOG = 1024
#: Who was let in at the last moment has so many seconds to say what for.
LAST_WORDS = 0.1
#: How long running tasks may hold up the end.
PATIENCE = 3.0
#: How long threads may go on when all else has ended.
FOR_THREADS = 1.0
#: Seconds after which the process ends in any case.
LONGEST_END = 10.0


class Command(BaseCommand):
    help = "Serve pages and tables; without REDIS_URL also run Celery's worker and beat and the AI players."
    requires_system_checks = ()  # `check` is a step of its own; ./run should start at once

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--port", type=int, default=8000, help="port, 0 for any free one (default: %(default)s)")
        parser.add_argument(
            "--prepare", action="store_true", help="first bring the database (and hashed static files) up to date"
        )
        parser.add_argument(
            "--proxy-headers",
            action="store_true",
            help="believe X-Forwarded-For and -Proto, as with HTTPS=1: only behind a proxy",
        )

        parser.add_argument(
            "--until-eof", action="store_true", help="stop when standard input ends, as it does with a parent that dies"
        )

    def handle(
        self, *, host: str, port: int, prepare: bool, proxy_headers: bool, until_eof: bool, **options: Any
    ) -> None:
        # Python's own way, an exception, may get lost in a finalizer; and a shell that starts us in the background
        # hands on an ignored SIGINT. While the database is prepared a sudden end does no harm.
        _on_signal(lambda *_: os._exit(130))
        # What it writes is for its own user alone: the database has seeds of running matches, sessions and hashes.
        os.umask(0o077)
        _raise_limit_of_files()
        with _listening(host, port) as listener, _data_folder():
            if prepare:
                _prepare()
            _check_static_files()
            _on_signal(lambda *_: reactor.callFromThread(_stop))
            if until_eof:
                threading.Thread(target=_stop_at_eof, name="eof", daemon=True).start()
            Site(listener, proxy_headers).run()


def _on_signal(handler: Callable[[int, FrameType | None], Any]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _raise_limit_of_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        with suppress(OSError, ValueError):  # a system's own limit may be lower still
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def _most_files() -> float:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return float("inf") if soft == resource.RLIM_INFINITY else soft


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket whose port is taken before anything else is touched.

    Browsers that come early wait for the one server of an embedded site. Beside others, which a proxy passes them on
    to, it listens when it can answer.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address[0], port))
        if settings.EMBEDDED:
            listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        raise _not_to_be_had(host, port, error) from None
    with listener:
        yield listener


def _not_to_be_had(host: str, port: int, error: Exception) -> CommandError:
    return CommandError(
        f"Cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}. Choose another with --port."
    )


@contextmanager
def _data_folder() -> Iterator[None]:
    """Hold the data folder of the embedded profile: a second server on it would not hear the first one's moves."""
    if not settings.EMBEDDED:
        yield
        return
    for path in settings.DATA_DIR.glob("*.sqlite3*"):
        path.chmod(0o600)  # made by another command, or by an older release
    with (settings.DATA_DIR / "server.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"Another server already uses {settings.DATA_DIR}. Stop it, or give this one its own data folder."
            ) from None
        yield


def _prepare() -> None:
    try:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET statement_timeout = 0")  # a migration takes as long as it does
        call_command("migrate", verbosity=0, interactive=False)
        connection.close()
    except OperationalError as error:
        raise CommandError(f"The database is not to be had: {' '.join(str(error).split())}") from None
    if not settings.DEV_TOOLS:
        call_command("collectstatic", verbosity=0, interactive=False)


def _check_static_files() -> None:
    """Refuse to serve pages without their style: hashed names need the list that collectstatic makes."""
    manifest = getattr(staticfiles_storage, "hashed_files", None)
    if manifest is not None and not manifest:
        raise CommandError("The static files are not collected: run `manage.py collectstatic` first.")


class Site(Server):
    """Daphne on ``listener``, and the embedded Celery and AI pool when there is no Redis."""

    def __init__(self, listener: socket.socket, proxy_headers: bool) -> None:
        from armani_site.asgi import application, sockets

        self._openings = sockets.openings
        self._listener = listener
        self._url = _url(listener)
        self._front = application
        if proxy_headers:
            application.proxies = max(application.proxies, 1)
            settings.MAILBOX = False
        if not (settings.SITE_URL_IS_GIVEN or settings.HTTPS):
            settings.SITE_URL = settings.SITE_URL.removesuffix(":8000") + f":{listener.getsockname()[1]}"
        for problem in links.check_site_url():
            logger.warning("%s %s", problem.msg, problem.hint)
        self._celery = EmbeddedCelery(celery_app) if settings.EMBEDDED else None
        self._heart = outages.Heart(service.credit_outages)
        super().__init__(
            application,
            endpoints=[f"fd:fileno={listener.fileno()}"],
            action_logger=access_log,
            websocket_timeout=-1,  # a table may be watched for days; dead connections are found by ping
            websocket_max_message_size=LARGEST_FRAME,
            websocket_max_frame_size=LARGEST_FRAME,
            ping_interval=20,
            ping_timeout=30,
            server_name="",
            ready_callable=self.ready,
            signal_handlers=False,
        )

    def run(self) -> None:
        self._heart.start()
        if self._celery:
            pool.start()
            self._celery.start()
        gc.freeze()  # what is loaded by now stays for ever and need not be looked at again
        gc.set_threshold(*COLLECT)
        try:
            self._listener.listen(BACKLOG)
        except OSError as error:  # another server began to listen meanwhile
            host, port = self._listener.getsockname()[:2]
            raise _not_to_be_had(host, port, error) from None
        self._listener.detach()
        super().run()
        logger.info("stopped")
        # A thread whose page was not ready in time may wait for the loop that is no more. What counts is stored.
        _end_within(FOR_THREADS, status=0)

    def create_application(self, protocol: Any, scope: MutableMapping[str, Any]) -> Any:
        """Daphne's step from a request to the application, with the visitor's address for the access log.

        A socket's own line is told to it: slaps are judged by what it takes.
        """
        if scope["type"] == "websocket":
            scope["wire"] = protocol
        protocol.client_addr = self._front.cleaned(scope)["client"]
        return super().create_application(protocol, scope)

    def listen_success(self, port: Any) -> Any:
        """Daphne's word on a port that is open, which is handed on to be closed."""
        super().listen_success(port)
        return port

    def ready(self) -> None:
        """The server listens."""
        most = _most_files() * FOR_CONNECTIONS
        shares = Shares(most, self._openings, are_visitors=not self._front.proxies)
        self.http_factory.protocol = type("Connection", (Connection,), {"shares": shares})
        self.ws_factory.protocol = type("Socket", (Socket,), {"shares": shares})
        collect_regularly()
        # Daphne either hides Twisted's errors or redirects the whole of stdout; this shows them.
        globalLogPublisher.addObserver(cast("ILogObserver", STDLibLogObserver("twisted")))
        print(f"Armani is at {self._url} - Ctrl-C stops it.", flush=True)  # noqa: T201  for whoever started it

    @defer.inlineCallbacks
    def kill_all_applications(self) -> Any:
        """Daphne's "before shutdown" step, made gentle: browsers are told, what is written gets written."""
        logger.info("stopping")
        _end_within(LONGEST_END, status=1)  # whatever may hang
        # Another process takes whoever comes now; who is here is answered, and sent there.
        yield defer.DeferredList(
            [each.addCallback(lambda port: port.stopListening()) for each in self.listeners], consumeErrors=True
        )
        yield defer.Deferred.fromFuture(asyncio.ensure_future(self._send_all_away()))
        yield threads.deferToThread(self._heart.stop)
        if self._celery:
            pool.stop()
            yield threads.deferToThread(self._celery.stop, PATIENCE)
        running = self._running()
        for application in running:
            application.cancel()
        yield defer.Deferred.fromFuture(asyncio.gather(*running, return_exceptions=True))
        yield threads.deferToThread(service.stop_writer)

    async def _send_all_away(self) -> None:
        """Tell sockets to come again; wait a while until they have heard it, and until requests are answered."""
        await asyncio.gather(live.drain(), asyncio.sleep(LAST_WORDS))
        end = time.monotonic() + PATIENCE
        # Some come meanwhile. What goes out to a connection that is cut off may be lost on its way.
        while (there := self._running()) and time.monotonic() < end:
            await asyncio.wait(there, timeout=end - time.monotonic())

    def _running(self) -> list["asyncio.Future[None]"]:
        """The requests that are being answered, and the sockets."""
        applications = [details.get("application_instance") for details in self.connections.values()]
        return [application for application in applications if application and not application.done()]


def collect_regularly(clock: IReactorTime = reactor) -> None:
    """Collect the oldest garbage by ``clock``: what held itself when its socket closed would be kept for ever."""
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        if gc.get_count()[2] >= COLLECT_ALL_AFTER or looks * LOOK_EVERY >= COLLECT_ALL_EVERY:
            gc.collect()
            looks = 0

    call = task.LoopingCall(look)
    call.clock = clock
    call.start(LOOK_EVERY, now=False)


def _end_within(seconds: float, *, status: int) -> None:
    """Have this process end after ``seconds``, if it hasn't by then."""
    limit = threading.Timer(seconds, os._exit, [status])
    limit.daemon = True
    limit.start()


def _stop_at_eof() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _stop() -> None:
    with suppress(ReactorNotRunning):  # it is already stopping
        reactor.stop()  # type: ignore[misc]  # the reactor is a module to mypy


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    if host in {"127.0.0.1", "::1", "0.0.0.0", "::"}:  # noqa: S104  only to name it
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
