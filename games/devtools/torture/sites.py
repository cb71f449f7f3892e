"""Sites for torture: every process has a name, so that it can be killed, stopped and started separately."""

import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from django.conf import settings

from games.devtools.bench import migrated
from games.devtools.torture.clock import Clock

#: Seconds after which a started process should be working.
PATIENCE = 90.0


@dataclass(slots=True)
class Process:
    """One process of a site: how to start it, and how to check that it works."""

    command: list[str]
    answers: Callable[[], bool] = lambda: True
    #: Whether a kill includes its children, which would otherwise keep running.
    with_children: bool = False
    user: str | None = None
    running: "subprocess.Popen[bytes] | None" = None


class Site:
    """Processes that share a folder and an environment; ``targets`` are the ones for faults."""

    def __init__(self, form: str, folder: Path, smtp_port: int) -> None:
        self._folder = folder
        self.lmtp_port = free_port()
        self.clock = Clock(folder)
        self.env = {
            **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")},
            **self.clock.env,
            # All players are on this machine and share a few addresses.
            **dict.fromkeys(("PROCESSOR_PER_SESSION", "PROCESSOR_PER_ADDRESS"), "100000"),
            "DATA_DIR": str(folder),
            "DEV_TOOLS": "1",
            "LOG_LEVEL": "WARNING",
            "EMAIL_URL": f"smtp://127.0.0.1:{smtp_port}",
            "REPLY_ADDRESS": "turn+{}@play.example.org",
        }
        ports = [free_port() for _web in range(1 if form == "embedded" else 2)]
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        self._services = self._made_services() if form == "services" else {}
        self._processes = dict(self._services)
        for number, (port, url) in enumerate(zip(ports, self.urls, strict=True), start=1):
            name = "web" if form == "embedded" else f"web {number}"
            self._processes[name] = Process([*MANAGE, "serve", f"--port={port}"], partial(_is_healthy, url))
        receive = [*MANAGE, "receive_lmtp", f"127.0.0.1:{self.lmtp_port}"]
        self._processes["email receiver"] = Process(receive, partial(_listens, self.lmtp_port))
        if form == "services":
            self._processes |= {name: Process(command, with_children=True) for name, command in _celery().items()}
        self._storing = ["web", "email receiver"] if form == "embedded" else ["PostgreSQL"]
        self.targets = [*self._processes, *(["ai child"] if form == "embedded" else [])]

    def begin(self) -> None:
        """Create the database, and start everything."""
        self._start_all(self._services)
        if self._services or not migrated.copy_into(self._folder):
            self.manage("migrate", "--verbosity=0")
        self.start()

    def _made_services(self) -> dict[str, Process]:
        postgres, redis = free_port(), free_port()
        self.env |= {
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{postgres}/postgres",
            "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
        }
        data = self._folder / "postgresql"
        data.mkdir()
        # PostgreSQL refuses to run as root.
        user = "postgres" if os.geteuid() == 0 else None
        if user:
            os.chown(data, pwd.getpwnam(user).pw_uid, -1)
            self._folder.chmod(0o711)
        programs = _programs_of_postgresql()
        subprocess.run(  # noqa: S603 - our own command
            [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"],
            user=user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            check=True,
        )
        options = [f"-cport={postgres}", "-clisten_addresses=127.0.0.1", "-cunix_socket_directories="]
        append_only = ["--appendonly", "yes", "--save", "", "--dir", str(self._folder)]
        return {
            "PostgreSQL": Process(
                [str(programs / "postgres"), "-D", str(data), *options],
                lambda: _ran([str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(postgres)]),
                with_children=True,
                user=user,
            ),
            "Redis": Process(
                ["redis-server", "--bind", "127.0.0.1", "--port", str(redis), *append_only],
                lambda: _says(redis, b"PING\r\n", b"+PONG"),
            ),
        }

    def manage(self, *arguments: str, given: str = "") -> str:
        """Run a management command and return its output."""
        done = subprocess.run(  # noqa: S603 - our own command
            [*MANAGE, *arguments],
            cwd=settings.BASE_DIR,
            env=self.env,
            input=given,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def start(self) -> None:
        """Start what isn't running, and wait until all processes work."""
        self._start_all(self._processes)

    def _start_all(self, processes: Mapping[str, Process]) -> None:
        for name, process in processes.items():
            if process.running is None or process.running.poll() is not None:
                self._start(name)
        for name, process in processes.items():
            self._await(name, process)

    def kill(self, name: str) -> None:
        """kill -9, without a restart."""
        self._signal(self._pids(name), signal.SIGKILL)
        process = self._processes.get(name)
        if process is not None and process.running is not None:
            process.running.wait()

    @contextmanager
    def stopped(self, name: str) -> Iterator[None]:
        """Stop a process with SIGSTOP, and SIGCONT it afterwards."""
        pids = self._pids(name)
        self._signal(pids, signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(pids, signal.SIGCONT)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Simulate a full disk for the processes that store; afterwards they can write again."""
        self._limit_files("0")
        try:
            yield
        finally:
            self._limit_files("unlimited")

    def _limit_files(self, size: str) -> None:
        """Limit the size of files that the storing processes may write."""
        for name in self._storing:
            for pid in self._pids(name):
                # As their own user: even root lacks a capability that containers seldom have.
                command = ["prlimit", f"--pid={pid}", f"--fsize={size}:"]
                user = self._processes[name].user
                done = subprocess.run(command, user=user, cwd="/", stderr=subprocess.PIPE, text=True)  # noqa: S603 - numbers and names of ours
                # One that has just ended has no limit to set; any other failure would mean that the disk is never full.
                if done.returncode and Path(f"/proc/{pid}").exists():
                    raise RuntimeError(done.stderr)

    def _pids(self, name: str) -> list[int]:
        """The target of a fault: a process, possibly with its children, or only the children of the web process."""
        process = self._processes["web" if name == "ai child" else name]
        if process.running is None:
            return []
        own = [] if name == "ai child" else [process.running.pid]
        return own + (_children(process.running.pid) if process.with_children or not own else [])

    def _signal(self, pids: Iterable[int], number: signal.Signals) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):  # it has ended
                os.kill(pid, number)

    def end(self) -> None:
        """End all processes, services last."""
        for name in reversed(self._processes):
            self.kill(name)

    def logs(self) -> str:
        """The last lines of each process's log, to investigate a finding."""
        return "\n".join(f"--- {name}\n{self.log(name)}" for name in self._processes)

    def log(self, name: str) -> str:
        """The last lines of a process's log."""
        return self._log(name).read_text(errors="replace")[-3000:]

    def _log(self, name: str) -> Path:
        return self._folder / f"{name.replace(' ', '-')}.log"

    def _start(self, name: str) -> None:
        process = self._processes[name]
        with self._log(name).open("ab") as log:
            process.running = subprocess.Popen(  # noqa: S603 - our own command
                process.command,
                cwd="/" if process.user else settings.BASE_DIR,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=process.user,
                # Only this process handles Ctrl-C.
                start_new_session=True,
            )

    def _await(self, name: str, process: Process) -> None:
        end = time.monotonic() + PATIENCE
        while not process.answers():
            if process.running is None or process.running.poll() is not None:
                time.sleep(0.2)
                self._start(name)  # PostgreSQL, for example, doesn't start while an old process of it is still ending
            if time.monotonic() > end:
                raise RuntimeError(f"{name} did not start:\n{self.log(name)}")
            time.sleep(0.02)


@contextmanager
def running(form: str, smtp_port: int) -> Iterator[Site]:
    """Run a site in a folder of its own, which is deleted afterwards."""
    with TemporaryDirectory(prefix="armani-torture-", ignore_cleanup_errors=True) as folder:
        site = Site(form, Path(folder), smtp_port)
        try:
            site.begin()
            yield site
        finally:
            site.end()


MANAGE = [sys.executable, "manage.py"]


def _celery() -> dict[str, list[str]]:
    """The workers and beat, as in the Procfile."""
    lines = (settings.BASE_DIR / "Procfile").read_text().splitlines()
    commands = dict(line.split(": exec ", 1) for line in lines if "celery" in line)
    celery = str(Path(sys.executable).parent / "celery")
    arguments = {name: command.partition("celery ")[2] for name, command in commands.items()}
    return {name: [celery, *each.replace("${AI_PROCESSES:-2}", "1").split()] for name, each in arguments.items()}


def _programs_of_postgresql() -> Path:
    found = which("initdb") or next(map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)))
    return Path(found).resolve().parent


def free_port() -> int:
    """A port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _children(pid: int) -> list[int]:
    """All descendants of a process."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for parent in found:
        found += [child for child, its_parent in parents.items() if its_parent == parent]
    return found[1:]


def _is_healthy(url: str) -> bool:
    with suppress(OSError), urlopen(f"{url}/healthz", timeout=2) as answer:  # noqa: S310 - our own server  # nosec B310
        return bool(answer.status == 200)
    return False


def _listens(port: int) -> bool:
    # No connection is the answer "no".
    with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), 1)):
        return True
    return False


def _says(port: int, question: bytes, answer: bytes) -> bool:
    # No connection is the answer "no".
    with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), 1)) as line:
        line.sendall(question)
        return line.recv(100).startswith(answer)
    return False


def _ran(command: list[str]) -> bool:
    return subprocess.run(command, check=False).returncode == 0  # noqa: S603 - our own command
