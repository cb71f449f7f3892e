"""Where a process spends its time: py-spy samples its stacks from outside, at least a hundred times a second."""

import re
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

#: Samples per second: not a divisor of any regular interval.
RATE = 197


class NotAllowed(Exception):
    """py-spy is missing, or isn't allowed to read the process; the text says what to do."""


def record(pid: int, seconds: float, file: Path, form: str) -> tuple[int, int]:
    """Write a profile of ``seconds`` to ``file``: as ``flamegraph``, or as ``raw`` stacks with counts.

    Waiting threads don't count. Returns how many samples there are, and how many more failed: the process isn't
    stopped, so a stack that changes while it is read is lost. Raises ``NotAllowed``.
    """
    program = Path(sysconfig.get_path("scripts")) / "py-spy"
    command = [str(program), "record", f"--pid={pid}", f"--output={file}", f"--format={form}"]
    command += [f"--duration={max(1, round(seconds))}", f"--rate={RATE}", "--function", "--threads", "--nonblocking"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)  # noqa: S603 - our own command
    except FileNotFoundError:
        raise NotAllowed("py-spy is missing: `./run test --help` installs the test requirements.") from None
    if done.returncode:
        said = " ".join(done.stderr.split())
        raise NotAllowed(
            f"py-spy can't look into the server ({said}). It needs root or CAP_SYS_PTRACE, or, for one's own "
            "processes, `sysctl kernel.yama.ptrace_scope=0`; a container needs `--cap-add SYS_PTRACE`."
        )
    counts = re.search(r"Samples: (\d+) Errors: (\d+)", done.stderr + done.stdout)
    return (int(counts[1]), int(counts[2])) if counts else (0, 0)


def top(stacks: Iterable[str], count: int) -> list[tuple[str, float, float]]:
    """The most active functions: each with its own share, and its share including callees.

    A stack is ``thread;function;…;function count``, as in py-spy's raw format.
    """
    own: Counter[str] = Counter()
    within: Counter[str] = Counter()
    looks = 0
    for line in stacks:
        stack, _, found = line.rpartition(" ")
        _thread, *functions = stack.split(";")
        looks += int(found)
        if functions:
            own[functions[-1]] += int(found)
            within.update(dict.fromkeys(functions, int(found)))
    return [(name, times / looks, within[name] / looks) for name, times in own.most_common(count)]
