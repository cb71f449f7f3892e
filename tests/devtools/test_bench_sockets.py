"""The benchmark of idle sockets, on real servers."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from games.devtools.management.commands import bench_sockets
from tests.factories.site_process import ROOT

pytestmark = pytest.mark.process


def bench(*options: str) -> dict[str, Any]:
    env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    command = [sys.executable, "manage.py", "bench_sockets", "--json", *options]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_cost_of_sockets_is_reported_beside_the_cost_of_the_server_without_them() -> None:
    report = bench("--idle=40", "--seconds=1", "--settling=1")
    first = bench_sockets.FIRST * bench_sockets.SEATS
    assert report["sockets"] == 40 + first
    assert 0 < report["of_a_core"] < 2
    assert 0 < report[f"of_a_core_with_{first}"] < 2


def test_all_sockets_come_back_after_a_restart_while_others_play() -> None:
    report = bench("--return=40")
    assert report["sockets"] == 40
    assert 0 < report["last_served_after_s"] < 60
    assert report["moves_meanwhile"] > 0
    assert report["lost"] == 0
