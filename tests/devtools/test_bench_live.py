"""The benchmark of live tables: what it makes of its runs, and the same counts as in the tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from games.devtools.bench import summary
from tests.factories.bench import bench


def run(p99: float, *, quiet: bool = True) -> dict[str, Any]:
    return {
        **dict.fromkeys(summary.FIGURES, 1.0),
        **dict.fromkeys(summary.SUMS, 2),
        "p99_ms": p99,
        "measured_s": 20.0,
        "noise": {"stall_ms": 1.0 if quiet else 9.0, "stolen_s": 0.0, "is_quiet": quiet},
    }


def test_the_median_of_the_quiet_runs_counts_and_the_others_are_mentioned() -> None:
    report = summary.of([run(5), run(400, quiet=False), run(7), run(6)])
    assert (report["p99_ms"], report["spread"]["p99_ms"]) == (6, [5, 7])
    assert (report["runs"], report["valid_runs"], report["moves"]) == (4, 3, 8)
    assert report["measured_s"] == [20.0] * 4
    assert "Not valid" not in summary.text(report)


def test_a_measurement_on_a_busy_machine_says_so() -> None:
    report = summary.of([run(5, quiet=False)])
    assert (report["valid_runs"], report["p99_ms"]) == (0, 5)
    assert summary.text(report).endswith("Not valid: the machine stalled for too long during every run.")


def test_a_run_in_which_nothing_moved_has_no_figures() -> None:
    report = summary.of([run(5) | dict.fromkeys(("p50_ms", "p99_ms"), None)])
    assert (report["p50_ms"], report["p99_ms"], report["moves_per_s"]) == (None, None, 1.0)


def test_a_baseline_is_saved_and_compared_with(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    assert summary.compared(summary.of([run(5)]), file) == {}
    assert summary.compared(summary.of([run(6)]), file)["p99_ms"] == [5, 0.2]
    assert json.loads(file.read_text())["p99_ms"] == 5


def test_the_budget_is_what_grew_between_two_readings_of_all_servers() -> None:
    before = [{"store": [10, 1.0]}, {}]
    after = [{"store": [20, 1.5], "views": [40, 0.0]}, {"store": [10, 0.5]}]
    found = summary.budget(before, after, moves=20)
    assert found["ms_a_move"]["store"] == 50.0
    assert found["a_move"]["views"] == 2.0
    assert found["a_move"]["frames"] == 0.0


@pytest.mark.process
def test_servers_report_the_cost_of_a_move() -> None:
    # At one table moves come one after the other; those of two may be stored together on a busy machine.
    report = bench("--matches=1", "--seats=4", "--rate=5", "--seconds=4", budget=True)
    cost = report["budget"]["a_move"]
    # Pings and acknowledgements are extra; a move after which the same player moves again takes two fewer.
    assert 2 <= cost["statements"] < 8
    assert 4 <= cost["views"] < 5
    assert all(spent > 0 for spent in report["budget"]["ms_a_move"].values())
