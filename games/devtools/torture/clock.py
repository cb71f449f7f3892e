"""The wall clock of a site's processes, which the torture test sets forward and back."""

import subprocess
from pathlib import Path
from shutil import which

SOURCE = Path(__file__).with_name("shifted_clock.c")


class Clock:
    """The time of day shared by all processes of one site.

    A library preloaded into each of them adds the number of seconds in a file. libfaketime does the same and more, but
    before version 0.9.10 it breaks ``time.sleep`` of CPython 3.11.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        #: Seconds by which the site's clock is ahead.
        self.shift = 0
        self._write()
        #: The environment of the processes; empty without a C compiler, and then the clock can't be set.
        self.env: dict[str, str] = {}
        if compiler := which("cc"):
            library = folder / "shifted_clock.so"
            command: list[str | Path] = [compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE]
            subprocess.run(command, check=True)  # noqa: S603 - the machine's compiler on a file of ours
            self.env = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._file)}

    def jump(self, seconds: int) -> None:
        """Set the clock forward or back."""
        self.shift += seconds
        self._write()

    def _write(self) -> None:
        # Written in place, because running processes have mapped it.
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(self.shift.to_bytes(8, "little", signed=True))
