"""A killed server loses nothing that anybody has seen: real processes, real sockets, kill -9 in mid-match."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.site_process import ROOT

SERVICES = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if name in os.environ}


def bench(*arguments: str, budget: bool = False) -> dict[str, Any]:
    """``manage.py bench_live`` on the set-up under test; it fails by itself if a move was lost."""
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "bench_live",
            "--json",
            "--runs=1",
            "--warm-up=0",
            *arguments,
            *([] if budget else ["--no-budget"]),
        ],
        cwd=ROOT,
        env={**os.environ, **SERVICES},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.process
def test_moves_go_on_where_players_last_saw_them_after_a_kill():
    report = bench("--matches=6", "--seats=4", "--rate=30", "--seconds=6", "--kill")
    assert report["killed"]
    assert report["reconnects"] > 0
    assert (report["lost"], report["seen_but_not_stored"]) == (0, 0)
    assert report["moves"] > 60


@pytest.mark.services
def test_two_servers_deliver_every_move_to_both_sides_of_a_table():
    report = bench("--matches=4", "--seats=4", "--seconds=3")
    assert report["processes"] == 2
    assert (report["lost"], report["seen_but_not_stored"], report["reconnects"]) == (0, 0, 0)
    assert report["moves"] > 20
