import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import environ
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import User
from games import play
from games.models import Move

_READY = re.compile(r"^Armani is at (http://\S+)", re.MULTILINE)


class Command(BaseCommand):
    help = (
        "Measure a live site: server processes of its own on a scratch database, real sockets, random moves. "
        "Embedded by default; with DATABASE_URL and REDIS_URL two server processes on PostgreSQL and Redis."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=50)
        parser.add_argument("--seats", type=int, default=4, choices=(2, 3, 4, 6))
        parser.add_argument("--rate", type=float, default=0, help="moves/s offered in all; 0: as many as are taken")
        parser.add_argument("--seconds", type=float, default=10)
        parser.add_argument("--processes", type=int, default=0, help="server processes (default: 1, with Redis 2)")
        parser.add_argument("--kill", action="store_true", help="kill -9 one server in mid-load and start it again")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--prepare", action="store_true", help="(inside) make the matches and print them")
        parser.add_argument("--stored", action="store_true", help="(inside) print the stored moves")

    def handle(self, *, matches: int, seats: int, **options: Any) -> None:
        if options["prepare"]:
            json.dump(_prepare(matches, seats), self.stdout)
        elif options["stored"]:
            json.dump(_stored(), self.stdout)
        else:
            self._measure(matches, seats, **options)

    def _measure(
        self, matches: int, seats: int, *, rate: float, seconds: float, processes: int, kill: bool, **options: Any
    ) -> None:
        try:
            from games.bench import load
        except ImportError:
            raise CommandError("The bench needs the test requirements: `./run test --help` installs them.") from None
        processes = processes or (1 if settings.EMBEDDED else 2)
        with _scratch_site(processes) as site:
            prepared = json.loads(site.manage("bench_live", "--prepare", f"--matches={matches}", f"--seats={seats}"))
            tables = [
                (
                    table["key"],
                    [
                        load.Guest(cookie, site.urls[(number + seat) % len(site.urls)])
                        for seat, cookie in enumerate(table["cookies"])
                    ],
                )
                for number, table in enumerate(prepared)
            ]

            async def trouble() -> None:
                await asyncio.sleep(seconds / 2)
                await asyncio.to_thread(site.crash)

            figures = asyncio.run(
                load.run(
                    tables,
                    rate=rate,
                    seconds=seconds,
                    processor=site.processor_seconds,
                    trouble=trouble if kill else None,
                )
            )
            stored = json.loads(site.manage("bench_live", "--stored"))
        vanished = sum(
            [seat, move] != stored.get(key, {}).get(str(version))
            for key, moves in figures.seen.items()
            for version, (seat, move) in moves.items()
        )
        report = {
            "set_up": "embedded" if settings.EMBEDDED else "services",
            "processes": processes,
            "matches": matches,
            "seats": seats,
            "offered_per_s": rate or None,
            "seconds": seconds,
            "killed": kill,
            **figures.summary(),
            "seen_but_not_stored": vanished,
        }
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            for name, value in report.items():
                self.stdout.write(f"{name:>20}: {value}")
        if vanished or figures.lost:
            raise CommandError(f"{vanished} moves that somebody saw are not stored, {figures.lost} were not answered.")


class _Site:
    """Server processes on one scratch database."""

    def __init__(self, env: dict[str, str], processes: int, folder: Path) -> None:
        self._env = env
        self._folder = folder
        self.manage("migrate", "--verbosity=0")
        self._servers: list[subprocess.Popen[bytes]] = []
        self.urls: list[str] = []
        for number in range(processes):
            self._servers.append(self._start(number, 0))
            self.urls.append(self._url(number))

    def manage(self, *arguments: str) -> str:
        """Run a command of the site and return what it printed."""
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=self._env,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def crash(self) -> None:
        """kill -9 the first server and start it again on its port."""
        server = self._servers[0]
        server.kill()
        server.wait()
        self._servers[0] = self._start(0, int(self.urls[0].rpartition(":")[2]))
        self._url(0)

    def processor_seconds(self) -> float:
        """What the servers have used of the processors since they were started."""
        used = 0
        for server in self._servers:
            fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
            used += int(fields[11]) + int(fields[12])
        return used / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End all servers."""
        for server in self._servers:
            server.send_signal(signal.SIGTERM)
        for server in self._servers:
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()

    def _log(self, number: int) -> Path:
        return self._folder / f"serve-{number}.log"

    def _start(self, number: int, port: int) -> "subprocess.Popen[bytes]":
        with self._log(number).open("wb") as log:
            return subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "manage.py", "serve", f"--port={port}"],
                cwd=settings.BASE_DIR,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _url(self, number: int) -> str:
        end = time.monotonic() + 30
        while time.monotonic() < end and self._servers[number].poll() is None:
            ready = _READY.search(self._log(number).read_text())
            if ready:
                return ready[1].replace("localhost", "127.0.0.1")
            time.sleep(0.02)
        raise CommandError(f"A server did not start:\n{self._log(number).read_text()}")


@contextlib.contextmanager
def _scratch_site(processes: int) -> Iterator[_Site]:
    """Servers on a database of their own, which goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="armani-bench-") as folder, _scratch_database(Path(folder)) as env:
        site = _Site(env, processes, Path(folder))
        try:
            yield site
        finally:
            site.stop()


@contextlib.contextmanager
def _scratch_database(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of a site that shares nothing with this one but the services."""
    env = {**os.environ, "DATA_DIR": str(folder), "DEV_TOOLS": "1", "LOG_LEVEL": "WARNING"}
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        env.pop("DATABASE_URL", None)
        yield env
        return
    import psycopg
    from psycopg import sql

    url = os.environ["DATABASE_URL"]
    name = f"{environ.Env.db_url_config(url)['NAME']}_bench"
    identifier = sql.Identifier(name)
    with psycopg.connect(url.replace("postgres://", "postgresql://", 1), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(identifier))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(identifier))
        try:
            yield {**env, "DATABASE_URL": url.rpartition("/")[0] + "/" + name}
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(identifier))


def _prepare(matches: int, seats: int) -> list[dict[str, Any]]:
    """Running matches of Normal Cards between fresh guests, with their session cookies."""
    tables = []
    with transaction.atomic():
        for number in range(matches):
            guests = [User.objects.create_user(name=f"Bench {number}-{seat}") for seat in range(seats)]
            match = play.open_table(guests[0], "normal-cards", seats, {"deals": 10}, clock="daily")
            for guest in guests[1:]:
                play.join(match, guest)
            play.start(match, guests[0])
            tables.append({"key": match.key, "cookies": [_log_in(guest) for guest in guests]})
    return tables


def _log_in(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def _stored() -> dict[str, dict[int, Sequence[Any]]]:
    """All moves: match key → version → seat and move."""
    moves: dict[str, dict[int, Sequence[Any]]] = {}
    for key, number, seat, move in Move.objects.values_list("match__key", "number", "seat", "move"):
        moves.setdefault(key, {})[number] = (seat, move)
    return moves
