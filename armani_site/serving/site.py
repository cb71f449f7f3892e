"""What a web process runs besides answering requests, with either server."""

import asyncio
import gc
import logging
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

from django.conf import settings

from accounts import links
from armani_site.asgi import application, sockets
from armani_site.celery import app as celery_app
from armani_site.embedded import EmbeddedCelery
from armani_site.serving.limits import BACKLOG, Shares
from games import live
from games.ai import pool
from games.matches import outages, service

logger = logging.getLogger(__name__)

#: Calls a function after this many seconds.
CallLater = Callable[[float, Callable[[], None]], Any]
#: The largest frame from a browser, in bytes; the largest message of our own pages is a move of some hundred bytes.
LARGEST_FRAME = 16 * 1024
#: Seconds between pings to a browser, and until it must have answered one.
PING_EVERY, PING_TIMEOUT = 20, 30
#: How many new objects trigger a young collection, and how many collections an older one: see ``gc.set_threshold``.
#: Each object costs up to half a microsecond, during which nothing else runs. With (2,000, 5) an older one stopped the
#: server for 3 to 8 ms every second or two.
COLLECT = (1_000, 2, 100_000)
#: Those numbers almost never trigger a collection of the oldest objects, which stops a full server for a fifth of a
#: second. It runs after this many of the other collections (a million objects), checked every so many seconds, or after
#: this many seconds.
COLLECT_ALL_AFTER, LOOK_EVERY, COLLECT_ALL_EVERY = 330, 10.0, 600.0
#: Seconds that a thread keeps the interpreter while others wait. With Python's default of 5 ms, rendering a page would
#: delay a move by that much at each step: to the loop, to the writer, and back.
SWITCH_AFTER = 0.0005
#: The share of open files that connections may take; the rest is for the database, Redis and the AI processes.
FOR_CONNECTIONS = 3 / 4
#: Seconds that a connection accepted at the last moment has to send its request.
LAST_WORDS = 0.1
#: How long, in seconds, running tasks may delay the end.
PATIENCE = 3.0
#: How long, in seconds, threads may continue after everything else has ended.
FOR_THREADS = 1.0
#: Seconds after which the process ends in any case.
LONGEST_END = 10.0


class Site:
    """The site at ``listener``: the embedded Celery and AI pool when there is no Redis, and how it begins and ends.

    A server calls ``begin`` before it listens and ``ready`` once it does, and at its end ``send_away`` and
    ``stop_services``.
    """

    def __init__(self, listener: socket.socket, *, proxy_headers: bool) -> None:
        self.application = application
        self.listener = listener
        self._url = _url(listener)
        if proxy_headers:
            application.proxies = max(application.proxies, 1)
            settings.MAILBOX = False
        if not (settings.SITE_URL_IS_GIVEN or settings.HTTPS):
            settings.SITE_URL = settings.SITE_URL.removesuffix(":8000") + f":{listener.getsockname()[1]}"
        for problem in links.check_site_url():
            logger.warning("%s %s", problem.msg, problem.hint)
        self._celery = EmbeddedCelery(celery_app) if settings.EMBEDDED else None
        self._heart = outages.HeartbeatThread(service.credit_outages)
        self.shares = Shares(
            _most_files() * FOR_CONNECTIONS,
            sockets.openings,
            are_visitors=not application.proxies,
            client_of=lambda scope: str((application.cleaned(scope).get("client") or ("",))[0]),
        )

    def begin(self) -> None:
        """Start what runs beside the server, and let connections wait. Raises ``OSError`` if the port is taken."""
        self._heart.start()
        if self._celery:
            pool.start()
            self._celery.start()
        gc.freeze()  # objects loaded so far stay for good and need no collection
        gc.set_threshold(*COLLECT)
        sys.setswitchinterval(SWITCH_AFTER)
        self.listener.listen(BACKLOG)

    def ready(self, call_later: CallLater) -> None:
        collect_regularly(call_later)
        print(f"Armani is at {self._url} - Ctrl-C stops it.", flush=True)  # noqa: T201  for the person who started it

    async def send_away(self, running: Callable[[], Collection["asyncio.Future[None]"]]) -> None:
        """Tell sockets to come again; wait a while until they have heard it, and until requests are answered.

        Args:
            running: gives the requests that are being answered, and the sockets.
        """
        logger.info("stopping")
        _end_within(LONGEST_END, status=1)  # even if something hangs
        await asyncio.gather(live.drain(), asyncio.sleep(LAST_WORDS))
        end = time.monotonic() + PATIENCE
        # Some connect meanwhile. Data for a connection that is cut off may be lost on its way.
        while (there := running()) and time.monotonic() < end:
            await asyncio.wait(there, timeout=end - time.monotonic())

    async def stop_services(self) -> None:
        """Stop what runs beside the server, except the writer of moves."""
        await asyncio.to_thread(self._heart.stop)
        if self._celery:
            pool.stop()
            await asyncio.to_thread(self._celery.stop, PATIENCE)

    @staticmethod
    async def end(running: Collection["asyncio.Future[None]"]) -> None:
        """Cancel tasks that are still ``running``, and store their last moves."""
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.to_thread(service.stop_writer)

    @staticmethod
    def ended() -> None:
        """Clean up after the server has ended."""
        logger.info("stopped")
        # A thread with a late page may wait for the loop, which no longer runs. Everything important is stored.
        _end_within(FOR_THREADS, status=0)


def collect_regularly(call_later: CallLater) -> None:
    """Collect the oldest garbage now and then: reference cycles of closed sockets would otherwise stay for good."""
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        if gc.get_count()[2] >= COLLECT_ALL_AFTER or looks * LOOK_EVERY >= COLLECT_ALL_EVERY:
            gc.collect()
            looks = 0
        call_later(LOOK_EVERY, look)

    call_later(LOOK_EVERY, look)


def _end_within(seconds: float, *, status: int) -> None:
    """End this process after ``seconds``, if it is still running then."""
    limit = threading.Timer(seconds, os._exit, [status])
    limit.daemon = True
    limit.start()


def _most_files() -> float:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return float("inf") if soft == resource.RLIM_INFINITY else soft


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    if host in {"127.0.0.1", "::1", "0.0.0.0", "::"}:  # noqa: S104  only to name it
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
