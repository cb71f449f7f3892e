"""The benchmark of slaps: several runs combined."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from games.devtools.bench.statistics import STAGES, TOLERATED, report, together
from tests.factories.site_process import ROOT


def run(late: float, *, quiet: bool = True, fastest: float = 1.0, contests: int = 10) -> dict[str, Any]:
    rate = {"rate": fastest, "interval": (0, 1)}
    row = {"contests": contests, "fastest": rate, "near": rate, "arrival": rate, "liar": None}
    return {
        "noise": {"stall_ms": 1.0 if quiet else 9.0, "is_quiet": quiet},
        "processor": 0.5,
        "foreign": None,
        "scenarios": {"20 vs 20": {**row, "latency": [late, late, late], "error": [1, 2, 3]}},
        "verdicts": 10,
        "late": 1,
        "lateness": {stage: [1, 2, 3, late] for stage in STAGES},
        "coming_and_going": {"verdicts": 2, "late": 1, "max": late},
        "reconnects": 3,
        "slaps": 20,
        "faults": [] if quiet else ["lost"],
    }


def test_times_are_medians_of_quiet_runs_with_their_spread_and_contests_are_one_number() -> None:
    found = together([run(10), run(400, quiet=False), run(30, fastest=0.5, contests=30), run(20)])
    assert (found["runs"], found["valid_runs"], found["longest_stalls_ms"]) == (4, 3, [1.0, 9.0, 1.0, 1.0])
    assert found["lateness"]["sent"] == [1, 2, 3, 20]
    assert found["spread"]["sent"][3] == [10, 30]
    row = found["scenarios"]["20 vs 20"]
    assert (row["contests"], row["fastest"]["rate"], row["liar"], row["latency"][0]) == (50, 0.7, None, 20)
    assert (found["verdicts"], found["late"], found["coming_and_going"]["max"]) == (30, 3, 30)


def test_faults_count_on_a_busy_machine_too_and_so_do_all_figures_if_it_was_never_quiet() -> None:
    assert together([run(10), run(400, quiet=False)])["faults"] == ["lost"]
    busy = together([run(400, quiet=False)])
    assert (busy["valid_runs"], busy["lateness"]["read"][3], busy["foreign"]) == (0, 400, None)


def test_a_run_without_a_verdict_has_no_times() -> None:
    empty = report([], {}, (0, 1), tolerated=50) | {"noise": {"stall_ms": 1, "is_quiet": True}}
    found = together([empty | {"processor": 0.1, "foreign": 0.2}])
    assert (found["lateness"]["sent"], found["scenarios"], found["foreign"]) == ([], {}, 0.2)


@pytest.mark.process
def test_two_runs_of_the_embedded_form_are_one_report() -> None:
    env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    # With sixteen tables a run without any pattern to slap is out of the question.
    options = ["--tables=16", "--seconds=8", "--scenario=20 vs 20", "--runs=2"]
    done = subprocess.run(
        [sys.executable, "manage.py", "bench_slaps", "--json", *options],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["set_up"], found["processes"], found["runs"], len(found["longest_stalls_ms"])) == (
        "embedded",
        1,
        2,
        2,
    )
    assert found["tolerated_ms"] == TOLERATED["embedded"]
    assert found["verdicts"] > 0
    assert len(found["lateness"]["sent"]) == len(found["spread"]["sent"]) == 4
