"""How quiet the machine is: the longest stall of an idle loop, and processor time used by others.

Run as a program, it measures until its standard input ends, and prints the results. It imports only the standard
library, so it starts at once.
"""

import contextlib
import gc
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: A run with a longer stall says more about the machine than about the site.
TOLERATED_MS = 2.0
#: Seconds between two checks.
TICK = 0.001


def raise_priority(nice: int) -> bool:
    """Give this process and its future children priority, if this user may."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    except PermissionError:
        return False
    return True


def _before_all() -> bool:
    """Give this process absolute priority, so that only the machine can delay it.

    A high niceness priority isn't enough: beside two busy programs on two processors, the scheduler makes it wait 3 to
    4 ms.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return raise_priority(-20)
    return True


@contextlib.contextmanager
def listening() -> Iterator[dict[str, Any]]:
    """Measure while the body runs; afterwards the dict contains the results.

    Meanwhile this process collects no garbage: with a thousand sockets a full collection stops the load for a fifth of
    a second, which would look like a delay of the site.
    """
    found: dict[str, Any] = {}
    ear = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - ours
    gc.disable()
    try:
        yield found
    finally:
        gc.enable()
        printed, _ = ear.communicate()
        found.update(json.loads(printed))


def _stolen() -> float:
    """Seconds of processor time that the host of a virtual machine kept for itself."""
    with contextlib.suppress(OSError):  # only Linux has this file
        return int(Path("/proc/stat").read_text().split(maxsplit=9)[8]) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _listen() -> dict[str, Any]:
    first = _before_all()
    stolen = _stolen()
    longest = 0.0
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            since = time.perf_counter()
            if selector.select(TICK):
                break
            longest = max(longest, time.perf_counter() - since - TICK)
    return {
        "stall_ms": round(longest * 1000, 2),
        "stolen_s": round(_stolen() - stolen, 2),
        "goes_first": first,
        "is_quiet": longest * 1000 <= TOLERATED_MS,
    }


if __name__ == "__main__":
    print(json.dumps(_listen()))  # noqa: T201 - for the process that started it
