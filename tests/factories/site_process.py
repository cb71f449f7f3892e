"""The real site as a child process, for tests that need sockets, a browser or a kill."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from games.devtools.bench import migrated

ROOT = Path(__file__).resolve().parent.parent.parent
#: All visitors are on one machine.
WITHOUT_BUDGETS = {"PROCESSOR_PER_SESSION": "100000", "PROCESSOR_PER_ADDRESS": "100000"}
READY = re.compile(rb"^Armani is at (http://\S+)", re.MULTILINE)


class SiteProcess:
    """``manage.py serve`` on a free port, with a data folder of its own.

    ::

        with SiteProcess() as site:
            browser.goto(site.url)

    Args:
        env: names set on top of this process's environment, such as ``DATABASE_URL`` and ``REDIS_URL``.
        data_dir: the data folder; two processes of the production form share one.
        args: further arguments of ``serve``.
        files: maximum number of open files, unless the process raises it.
    """

    def __init__(
        self,
        env: Mapping[str, str] | None = None,
        data_dir: Path | None = None,
        args: Sequence[str] = (),
        files: int | None = None,
    ) -> None:
        self._made = None if data_dir else Path(tempfile.mkdtemp(prefix="armani-site-"))
        self.data_dir = data_dir or self._made
        self.env = {
            **{name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}},
            "DATA_DIR": str(self.data_dir),
            "DEV_TOOLS": "1",
            # As from a deployed site, whose files have hashed names.
            "STATIC_MAX_AGE": "3600",
            **WITHOUT_BUDGETS,
            **(env or {}),
        }
        self.port = 0
        self.url = ""
        self._args = args
        self._limited = [] if files is None else ["sh", "-c", f'ulimit -Sn {files} && exec "$0" "$@"']
        self._process: subprocess.Popen[bytes] | None = None
        self.log_path = self.data_dir / f"serve-{id(self)}.log"

    def start(self, seconds: float = 90) -> Self:
        """Start it and wait until it listens. Raises ``RuntimeError`` with its output if it fails."""
        if "DATABASE_URL" not in self.env:
            migrated.copy_into(self.data_dir)
        start = self.log_path.stat().st_size if self.log_path.exists() else 0
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *self._limited,
                    sys.executable,
                    "manage.py",
                    "serve",
                    "--prepare",
                    "--port",
                    str(self.port),
                    *self._args,
                ],
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._process.poll() is None:
            if ready := READY.search(self.log_path.read_bytes()[start:]):
                self.url = ready[1].decode()
                self.port = int(self.url.rpartition(":")[2])
                return self
            time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"The site did not start:\n{self.log}")

    @property
    def pid(self) -> int:
        """The server's process id."""
        assert self._process
        return self._process.pid

    @property
    def log(self) -> str:
        """Everything it has written so far."""
        return self.log_path.read_text(errors="replace")

    def children(self) -> list[int]:
        """Process ids of its descendants, which must be gone when it is."""
        return [pid for pid in _session(self.pid) if pid != self.pid]

    def stop(self, number: int = signal.SIGTERM, seconds: float = 10) -> int:
        """Stop it gently and return its exit status."""
        assert self._process
        if self._process.poll() is None:
            self._process.send_signal(number)
        return self._process.wait(seconds)

    def kill(self) -> None:
        """End it like a crash: ``kill -9`` of the server process alone."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def migrate(self) -> None:
        """Create the tables, or copy the migrated database of the test run."""
        if "DATABASE_URL" in self.env or not migrated.copy_into(self.data_dir):
            self.manage("migrate", "--verbosity=0")

    def manage(self, *command: str) -> str:
        """Run ``manage.py`` with its environment and return the output."""
        return subprocess.run(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=self.env, check=True, capture_output=True, text=True
        ).stdout

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            if error is not None:
                error.add_note(f"The site's log:\n{self.log[-10_000:]}")
            if self._made:
                shutil.rmtree(self._made, ignore_errors=True)


def _session(leader: int) -> list[int]:
    """Living processes of the session led by ``leader``."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            state, _parent, _group, session = stat.read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(stat.parent.name))
    return found
