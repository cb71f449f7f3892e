"""The wall clock of a site's processes, which is set forward and back under them."""

import subprocess
from pathlib import Path
from shutil import which

SOURCE = Path(__file__).with_name("shifted_clock.c")


class Clock:
    """What all processes of one site take for the time of day.

    A library that is preloaded into each of them adds as many seconds as stand in a file. libfaketime does the same and
    more: under its version 0.9.10 ``time.sleep`` of CPython 3.11 fails.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        #: Seconds by which the site's clock is ahead.
        self.shift = 0
        self._write()
        #: What a process needs in its environment; nothing without a C compiler, and then the clock can't be set.
        self.env: dict[str, str] = {}
        if compiler := which("cc"):
            library = folder / "shifted_clock.so"
            command: list[str | Path] = [compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE]
            subprocess.run(command, check=True)  # noqa: S603 - the machine's compiler on a file of ours
            self.env = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._file)}

    def jump(self, seconds: int) -> None:
        """Set the clock forward, or back."""
        self.shift += seconds
        self._write()

    def _write(self) -> None:
        # In place: it is mapped into the memory of processes that run.
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(self.shift.to_bytes(8, "little", signed=True))
