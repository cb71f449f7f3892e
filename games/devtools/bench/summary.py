"""Combine several runs of a benchmark: medians, spread, cost per stage, and a comparison with earlier figures."""

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from games.devtools.bench.stages import COUNTED, STAGES

#: Figures with a median.
FIGURES = ("moves_per_s", "p50_ms", "p95_ms", "p99_ms", "max_ms", "processor_ms_a_move")
#: Figures that are added.
SUMS = ("moves", "lost", "reconnects", "broken", "pages", "broken_pages", "seen_but_not_stored", "ai_moves")


def of(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The medians of runs on a quiet machine; of all runs, marked as noisy, if it never was quiet."""
    quiet = [run for run in runs if run["noise"]["is_quiet"]]
    counted = quiet or runs
    figures = {name: sorted(run[name] for run in counted if run[name] is not None) for name in FIGURES}
    return {
        "runs": len(runs),
        "valid_runs": len(quiet),
        **{name: round(statistics.median(values), 3) if values else None for name, values in figures.items()},
        "spread": {name: [values[0], values[-1]] for name, values in figures.items() if values},
        **{name: sum(run[name] for run in runs) for name in SUMS},
        "measured_s": [run["measured_s"] for run in runs],
        "longest_stalls_ms": [run["noise"]["stall_ms"] for run in runs],
        "stolen_s": [run["noise"]["stolen_s"] for run in runs],
    }


def budget(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], *, moves: int
) -> dict[str, dict[str, float]]:
    """Milliseconds of each stage and count of each operation per move, from two readings of all servers."""

    def grown(name: str, place: int) -> float:
        first, last = (sum(server.get(name, (0, 0.0))[place] for server in servers) for servers in (before, after))
        return float(last - first) / max(1, moves)

    return {
        "ms_a_move": {name: round(grown(name, 1) * 1000, 3) for name in STAGES},
        "a_move": {name: round(grown(name, 0), 2) for name in COUNTED},
    }


def compared(report: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """By figure: its value in ``file``, and its growth since. A missing file is written first."""
    if not file.exists():
        file.write_text(json.dumps(report, indent=1) + "\n")
        return {}
    before = json.loads(file.read_text())
    return {
        name: [before[name], round(report[name] / before[name] - 1, 3)]
        for name in FIGURES
        if before.get(name) and report[name] is not None
    }


def text(report: Mapping[str, Any]) -> str:
    """The report for a person."""
    lines = []
    for name, value in report.items():
        if name == "spread":
            continue
        if name == "budget":
            lines += [f"{stage:>20}: {spent} ms a move" for stage, spent in value["ms_a_move"].items()]
            lines += [f"{counted:>20}: {number} a move" for counted, number in value["a_move"].items()]
        elif name == "baseline":
            lines += [f"{figure:>20}: {share:+.1%} from {before}" for figure, (before, share) in value.items()]
        else:
            low_high = report["spread"].get(name)
            lines.append(f"{name:>20}: {value}" + (f"  ({low_high[0]} to {low_high[1]})" if low_high else ""))
    if not report["valid_runs"]:
        lines.append("Not valid: the machine stalled for too long during every run.")
    return "\n".join(lines)
