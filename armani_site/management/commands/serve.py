"""Run the web server with our limits, and everything that runs beside it when there are no services."""

import fcntl
import os
import resource
import signal
import socket
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.utils.module_loading import import_string

from armani_site.serving.limits import BACKLOG

#: How many open files and sockets a process asks for, if the machine's limit allows; most default to 1,024.
MOST_FILES = 65_536
#: The servers, by their name in the settings.
SERVERS = {
    "daphne": "armani_site.serving.daphne_server.Server",
    "uvicorn": "armani_site.serving.uvicorn_server.Server",
}


class Command(BaseCommand):
    help = "Serve pages and tables; without REDIS_URL also run Celery's worker and beat and the AI players."
    requires_system_checks = ()  # `check` is a step of its own; ./run should start at once

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--port", type=int, default=8000, help="port; 0 for any free port (default: %(default)s)")
        parser.add_argument(
            "--prepare", action="store_true", help="update the database (and hashed static files) first"
        )
        parser.add_argument(
            "--proxy-headers",
            action="store_true",
            help="trust X-Forwarded-For and -Proto as with HTTPS=1; use only behind a proxy",
        )

        parser.add_argument(
            "--until-eof",
            action="store_true",
            help="stop when standard input ends, as it does when the parent process dies",
        )

    def handle(
        self, *, host: str, port: int, prepare: bool, proxy_headers: bool, until_eof: bool, **options: Any
    ) -> None:
        # Python's default, an exception, may get lost in a finalizer, and a shell that starts us in the background
        # passes on an ignored SIGINT. While the database is being prepared, a sudden end does no harm.
        _on_signal(lambda *_: os._exit(130))
        # Files are private to this user: the database has seeds of running matches, sessions and hashes.
        os.umask(0o077)
        _raise_limit_of_files()
        with _listening(host, port) as listener, _data_folder():
            if prepare:
                _prepare()
            _check_static_files()
            if settings.SERVER not in SERVERS:
                raise CommandError(
                    f"There is no server {settings.SERVER!r}. Set SERVER to one of: {', '.join(SERVERS)}."
                )
            # Imported late, because pages read the static files' manifest on import.
            from armani_site.serving.site import Site

            site = Site(listener, proxy_headers=proxy_headers)
            server = import_string(SERVERS[settings.SERVER])(site)
            _on_signal(lambda *_: server.stop())
            if until_eof:
                threading.Thread(target=_stop_at_eof, name="eof", daemon=True).start()
            try:
                site.begin()
            except OSError as error:  # another server has begun to listen meanwhile
                raise _listen_error(host, port, error) from None
            server.run()
            site.ended()


def _on_signal(handler: Callable[[int, FrameType | None], Any]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _raise_limit_of_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        with suppress(OSError, ValueError):  # a system's own limit may be lower still
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """Open the listening socket before anything else.

    Browsers that connect early wait for the only server of an embedded site. With several servers behind a proxy, it
    listens only once it can answer.
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
        raise _listen_error(host, port, error) from None
    with listener:
        yield listener


def _listen_error(host: str, port: int, error: Exception) -> CommandError:
    return CommandError(
        f"Can't listen on {host} port {port}: {getattr(error, 'strerror', None) or error}. Choose another with --port."
    )


@contextmanager
def _data_folder() -> Iterator[None]:
    """Lock the data folder of an embedded site: two servers on it wouldn't notice each other's moves."""
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
                cursor.execute("SET statement_timeout = 0")  # a migration may take as long as it needs
        call_command("migrate", verbosity=0, interactive=False)
        connection.close()
    except OperationalError as error:
        raise CommandError(f"Cannot reach the database: {' '.join(str(error).split())}") from None
    if not settings.DEV_TOOLS:
        call_command("collectstatic", verbosity=0, interactive=False)


def _check_static_files() -> None:
    """Refuse to serve pages without style sheets: hashed names need the manifest that collectstatic writes."""
    manifest = getattr(staticfiles_storage, "hashed_files", None)
    if manifest is not None and not manifest:
        raise CommandError("The static files haven't been collected. Run `manage.py collectstatic` first.")


def _stop_at_eof() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
