import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from games.devtools.bench import attackers, load, noise
from games.devtools.bench.site import Site, scratch_site

#: No attack: the baseline.
QUIET = "none"
#: How long each attack runs once before the measurement, in seconds.
WARM_UP = 5


class Command(BaseCommand):
    help = (
        "Measure what one attacker costs everyone else: moves at tables while it sends, pings, reads, or holds "
        "requests open, and the server's memory a minute later. The server has one core, all else another."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=20)
        parser.add_argument("--rate", type=float, default=50, help="moves per second, all tables together")
        parser.add_argument("--seconds", type=float, default=20, help="how long each attack lasts")
        parser.add_argument("--rest", type=float, default=60, help="seconds to wait before measuring memory again")
        parser.add_argument("--runs", type=int, default=3, help="runs, each on a new site; the figures are medians")
        parser.add_argument("--only", choices=tuple(attackers.KINDS), help="one kind of attack")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, runs: int, only: str | None, **options: Any) -> None:
        noise.raise_priority(-10)
        kinds = [only] if only else list(attackers.KINDS)
        found = [_run(kinds, options) for _run_number in range(runs)]
        report = {kind: {name: _median(found, kind, name) for name in found[0][kind]} for kind in (QUIET, *kinds)}
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        for kind, figures in report.items():
            against = f" ({figures['p99_ms'] / report[QUIET]['p99_ms']:.1f} × {QUIET})" if kind != QUIET else ""
            self.stdout.write(
                f"{kind}: {figures['done']:,.0f} in all; a move p50 {figures['p50_ms']:.1f} ms, "
                f"p99 {figures['p99_ms']:.1f} ms{against}; lost {figures['lost']:.0f}; memory × {figures['memory']:.2f}"
            )


def _median(found: list[dict[str, dict[str, float]]], kind: str, name: str) -> float:
    return statistics.median(run[kind][name] for run in found)


def _run(kinds: list[str], options: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The figures of each attack and of no attack, one after the other on one site."""
    cores = sorted(os.sched_getaffinity(0))
    # Processes started from here on stay on their core.
    os.sched_setaffinity(0, cores[:1])
    try:
        with scratch_site(1, limited=True) as site:
            os.sched_setaffinity(0, cores[1:] or cores)
            rounds = (None, *kinds)
            matches = options["matches"] * len(rounds)
            tables = json.loads(site.manage("bench_live", "--prepare", f"--matches={matches}", "--seats=4"))
            # Each attack has its own tables: with the same ones for all, the last would find their matches over.
            tables_of = {kind: tables[number :: len(rounds)] for number, kind in enumerate(rounds)}
            # Fill the caches, load all tables, and run each attack once: memory that only its first run allocates
            # does not grow with further attacks, so it is left out.
            for kind, its_tables in tables_of.items():
                _measure(site, its_tables, kind, {**options, "seconds": WARM_UP, "rest": 0})
            found = {kind or QUIET: _measure(site, its_tables, kind, options) for kind, its_tables in tables_of.items()}
    finally:
        os.sched_setaffinity(0, cores)
    return found


def _measure(site: Site, tables: list[dict[str, Any]], kind: str | None, options: dict[str, Any]) -> dict[str, float]:
    before = _memory(site)
    done: list[int] = []
    with _attacked(site, kind, tables[0]["key"], done):
        figures = asyncio.run(
            load.run(
                load.spread(tables, site.urls),
                rate=options["rate"],
                seconds=options["seconds"],
                warm_up=2,
                processor=site.processor_seconds,
            )
        ).summary()
    time.sleep(options["rest"])
    return {
        **{name: figures[name] for name in ("p50_ms", "p99_ms", "lost", "broken")},
        "done": sum(done),
        "memory": _memory(site) / before,
    }


@contextlib.contextmanager
def _attacked(site: Site, kind: str | None, key: str, done: list[int]) -> Iterator[None]:
    """Attack while the body runs; afterwards ``done`` has the number of attacks."""
    if kind is None:
        yield
        return
    port = site.urls[0].rpartition(":")[2]
    with subprocess.Popen(  # noqa: S603 - a file of ours with a kind from its list, a port and a key we made
        [sys.executable, attackers.__file__, kind, port, key], stdout=subprocess.PIPE
    ) as attacker:
        try:
            yield
        finally:
            attacker.terminate()
            printed, _nothing = attacker.communicate()
            done.append(json.loads(printed))


def _memory(site: Site) -> int:
    """Memory pages held by the server."""
    return int(Path(f"/proc/{site.pids[0]}/statm").read_text().split()[1])
