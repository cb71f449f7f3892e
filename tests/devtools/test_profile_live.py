"""The profile of live tables: evaluating stacks, and one of a real server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from games.devtools.bench import profile
from tests.factories.site_process import ROOT


def test_a_function_counts_once_per_stack_alone_and_with_its_callees() -> None:
    stacks = ["thread (0x1);main (a.py:1);fall (a.py:5);fall (a.py:5) 6", "thread (0x1);main (a.py:1) 2", "idle 2"]
    assert profile.top(stacks, 5) == [("fall (a.py:5)", 0.6, 0.6), ("main (a.py:1)", 0.2, 0.8)]
    assert len(profile.top(stacks, 1)) == 1


@pytest.mark.process
def test_if_py_spy_is_not_allowed_the_command_says_what_to_do(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with pytest.raises(profile.NotAllowed, match="CAP_SYS_PTRACE"):
        profile.record(gone.pid, 1, tmp_path / "graph.svg", "flamegraph")


def test_a_machine_without_py_spy_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    with pytest.raises(profile.NotAllowed, match="py-spy is missing"):
        profile.record(os.getpid(), 1, tmp_path / "graph.svg", "flamegraph")


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="looking into another process needs root on most machines")
def test_a_server_under_load_is_drawn_and_listed(tmp_path: Path) -> None:
    graph = tmp_path / "graph.svg"
    env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    options = ["--matches=4", "--rate=40", "--seconds=2", "--warm-up=1", f"--to={graph}"]
    done = subprocess.run(
        [sys.executable, "manage.py", "profile_live", *options], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "moves/s" in lines[0]
    # Some fail on a busy machine, but not all.
    assert re.match(r"[1-9]\d* samples; \d+ more failed", lines[1])
    assert any("(games/" in line or "(asyncio/" in line for line in lines[3:-1]), done.stdout
    assert "<svg" in graph.read_text()
    assert "games/live/" in graph.read_text()
