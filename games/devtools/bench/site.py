"""A separate site for a benchmark: server processes on a scratch database that is deleted afterwards."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import environ
import psycopg
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from psycopg import sql

from accounts.models import User
from accounts.session_store import SessionStore
from games.devtools.bench import migrated

_READY = re.compile(r"^Armani is at (http://\S+)", re.MULTILINE)


class Site:
    """Server processes on one scratch database; ``measured`` ones report the cost of moves."""

    def __init__(self, env: dict[str, str], processes: int, folder: Path, *, measured: bool = False) -> None:
        self._env = env
        self._folder = folder
        self._measured = measured
        is_migrated = "MIGRATED_POSTGRESQL" in env if "DATABASE_URL" in env else migrated.copy_into(folder)
        if not is_migrated:
            self.manage("migrate", "--verbosity=0")
        self._servers = [self._start(number, 0) for number in range(processes)]
        self.urls = [self._url(number) for number in range(processes)]

    def manage(self, *arguments: str) -> str:
        """Run a management command and return its output."""
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=self._env,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def crash(self, number: int = 0) -> None:
        """kill -9 a server and restart it on its port."""
        self._restart(number, signal.SIGKILL)

    def restart(self, number: int) -> None:
        """Stop a server gently and restart it on its port, as an upgrade does."""
        self._restart(number, signal.SIGTERM)

    def _restart(self, number: int, how: signal.Signals) -> None:
        server = self._servers[number]
        server.send_signal(how)
        server.wait(20)
        self._servers[number] = self._start(number, int(self.urls[number].rpartition(":")[2]))
        self._url(number)

    @property
    def pids(self) -> list[int]:
        """The process ids of the servers."""
        return [server.pid for server in self._servers]

    def processor_seconds(self) -> float:
        """Processor seconds used by the servers since they were started."""
        # What clock_getcpuclockid gives: /proc counts hundredths of a second, and an idle server needs fewer.
        return sum(time.clock_gettime(~server.pid << 3 | 2) for server in self._servers)

    def foreign_seconds(self) -> float:
        """Processor seconds used by everything except the servers and this process."""
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
        # user, nice, system, interrupts: neither idle nor waiting for a disk
        busy = sum(int(fields[place]) for place in (1, 2, 3, 6, 7))
        own = sum(os.times()[:2])
        return busy / os.sysconf("SC_CLK_TCK") - own - self.processor_seconds()

    def totals(self) -> list[dict[str, Any]]:
        """The total cost of moves so far, for each measured server."""
        found = []
        for number, server in enumerate(self._servers):
            known = set(self._measures(number).glob("*.json"))
            server.send_signal(signal.SIGUSR1)
            end = time.monotonic() + 10
            while not (new := set(self._measures(number).glob("*.json")) - known):
                if time.monotonic() > end or server.poll() is not None:
                    raise RuntimeError("A server did not tell what its moves cost.")
                time.sleep(0.001)
            found.append(json.loads(new.pop().read_text()))
        return found

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

    def _measures(self, number: int) -> Path:
        return self._folder / f"measures-{number}"

    def _start(self, number: int, port: int) -> "subprocess.Popen[bytes]":
        command = ["serve"]
        if self._measured:
            self._measures(number).mkdir(exist_ok=True)
            command = ["bench_serve", f"--to={self._measures(number)}"]
        with self._log(number).open("wb") as log:
            return subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "manage.py", *command, f"--port={port}", "--until-eof"],
                cwd=settings.BASE_DIR,
                env=self._env,
                # Nothing is written to the pipe. It closes when this process ends, and then the server ends, too.
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _url(self, number: int) -> str:
        end = time.monotonic() + 90
        while time.monotonic() < end and self._servers[number].poll() is None:
            ready = _READY.search(self._log(number).read_text())
            if ready:
                return ready[1].replace("localhost", "127.0.0.1")
            time.sleep(0.02)
        raise RuntimeError(f"A server did not start:\n{self._log(number).read_text()}")


@contextlib.contextmanager
def scratch_site(processes: int, *, measured: bool = False, limited: bool = False) -> Iterator[Site]:
    """Start servers on a database of their own, deleted afterwards; ``limited`` ones keep the default limits."""
    with (
        tempfile.TemporaryDirectory(prefix="armani-bench-") as folder,
        _scratch_database(Path(folder), {} if limited else _UNLIMITED) as env,
    ):
        site = Site(env, processes, Path(folder), measured=measured)
        try:
            yield site
        finally:
            site.stop()


#: All players are on this machine, and connections go through proxies, so the kernel's latency figure is wrong.
_UNLIMITED = {
    **dict.fromkeys(("PROCESSOR_PER_SESSION", "PROCESSOR_PER_ADDRESS"), "100000"),
    **dict.fromkeys(
        ("SOCKETS_PER_ADDRESS", "CONNECTIONS_PER_ADDRESS", "UNFINISHED_REQUESTS_PER_ADDRESS"),
        "30000",
    ),
    "TRUSTED_PROXY_COUNT": "1",
}


@contextlib.contextmanager
def _scratch_database(folder: Path, limits: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The environment of a site that shares only the services with this one."""
    env = {
        **os.environ,
        **limits,
        "DATA_DIR": str(folder),
        "DEV_TOOLS": "1",
        "LOG_LEVEL": "WARNING",
    }
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        env.pop("DATABASE_URL", None)
        yield env
        return
    url = os.environ["DATABASE_URL"]
    # Tests measure side by side.
    name = f"{environ.Env.db_url_config(url)['NAME']}_bench{os.environ.get('PYTEST_XDIST_WORKER', '')}"
    identifier = sql.Identifier(name)
    with psycopg.connect(url.replace("postgres://", "postgresql://", 1), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(identifier))
        template = sql.Identifier(migrated.template())
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(identifier, template))
        try:
            yield {**env, "DATABASE_URL": url.rpartition("/")[0] + "/" + name}
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(identifier))


def log_in(user: User) -> str:
    """Create a session of ``user``, returned as the cookie header of a browser."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"
