import asyncio
import json
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from games.devtools.bench import load, noise
from games.devtools.bench.site import Site, scratch_site

SEATS = 4
#: Warm-up tables: the first sockets of a process cost more than the others.
FIRST = 5
#: Seconds within which browsers reconnect after a restart.
COMING_BACK = 3.0
#: Tables whose players reconnect at once after a restart and keep playing, and moves per second at each.
PLAYING, MOVES_PER_S = 10, 5.0


class Command(BaseCommand):
    help = (
        "Measure sockets at which nothing happens: what they cost, and how they come back when the server restarts. "
        "Starts one server process on a scratch database, on DATABASE_URL and REDIS_URL if they are set."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument(
            "--idle", type=int, help="number of idle sockets to open; measures the processor time and memory of each"
        )
        how.add_argument(
            "--return", type=int, dest="back", help="number of sockets to open before a restart of the server"
        )
        parser.add_argument("--seconds", type=float, default=30, help="how long to measure idle sockets")
        parser.add_argument(
            "--settling",
            type=float,
            default=10,
            help="seconds until all work for new sockets is done: their first pings, and the marks of their pages",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, idle: int | None, back: int | None, **options: Any) -> None:
        tables = (idle or back or 0) // SEATS + (FIRST if idle else PLAYING)
        with scratch_site(1) as site, noise.listening() as heard:
            prepared = json.loads(site.manage("bench_live", "--prepare", f"--matches={tables}", f"--seats={SEATS}"))
            figures = load.Figures()
            players = [load.Player(key, guests, figures) for key, guests in load.spread(prepared, site.urls)]
            work = (
                _idle(site, players, options["seconds"], options["settling"]) if idle else _back(site, players, figures)
            )
            found = asyncio.run(work)
        report = {**found, "noise": heard}
        text = "\n".join(f"{name:>24}: {value}" for name, value in report.items())
        self.stdout.write(json.dumps(report) if options["json"] else text)


async def _idle(site: Site, players: Sequence[load.Player], seconds: float, settling: float) -> dict[str, Any]:
    first = await _open(players[:FIRST])
    await asyncio.sleep(settling)
    before = _memory(site)
    alone = await _cores(site, settling)
    others = await _open(players[FIRST:])
    await asyncio.sleep(settling)
    memory = _memory(site)
    cores = await _cores(site, seconds)
    await load.stop([*first, *others])
    return {
        "sockets": len(first) + len(others),
        "of_a_core": round(cores, 4),
        f"of_a_core_with_{len(first)}": round(alone, 4),
        "kb_each": round((memory - before) / max(1, len(others)), 1),
    }


async def _back(site: Site, players: Sequence[load.Player], figures: load.Figures) -> dict[str, Any]:
    busy, idle = players[:PLAYING], players[PLAYING:]
    sockets = await _open(players)
    for player in players:
        for seat in player.seats:
            seat.away = (0.0, 0.05) if player in busy else (0.0, COMING_BACK)
    await asyncio.to_thread(site.restart, 0)
    answers = figures.started = time.monotonic()

    def are_back(some: Sequence[load.Player]) -> bool:
        return all(seat.served > answers for player in some for seat in player.seats)

    async def play(player: load.Player) -> None:
        while not are_back(idle):
            if are_back([player]):
                await player.move()
            await asyncio.sleep(1 / MOVES_PER_S)

    async with asyncio.timeout(120):
        await asyncio.gather(*(play(player) for player in busy))
    last = max(seat.served for player in idle for seat in player.seats) - answers
    await load.stop(sockets)
    summary = figures.summary()
    return {
        "sockets": SEATS * len(idle),
        "last_served_after_s": round(last, 2),
        **{f"moves_meanwhile_{name}": summary[name] for name in ("p50_ms", "p99_ms", "max_ms")},
        "moves_meanwhile": summary["moves"],
        "lost": summary["lost"],
    }


async def _cores(site: Site, seconds: float) -> float:
    """How many cores the servers use while the body runs."""
    used, begun = site.processor_seconds(), time.monotonic()
    await asyncio.sleep(seconds)
    return (site.processor_seconds() - used) / (time.monotonic() - begun)


async def _open(players: Sequence[load.Player]) -> list["asyncio.Future[None]"]:
    sockets: list[asyncio.Future[None]]
    sockets = [asyncio.ensure_future(seat.run()) for player in players for seat in player.seats]
    await asyncio.wait_for(asyncio.gather(*(player.ready() for player in players)), 120)
    return sockets


def _memory(site: Site) -> float:
    """Memory of the servers, in KB."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in site.pids)
    return pages * 4.0
