import asyncio
import contextlib
import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import User
from games.ai import pool
from games.devtools.bench import load, noise, summary
from games.devtools.bench.balancer import balancing
from games.devtools.bench.site import log_in, scratch_site
from games.devtools.bench.thinking import think_for
from games.matches import service
from games.matches.models import Match, Move

#: How many seconds longer than the load the AI players think, because the load needs time to start.
STARTING = 3


class Command(BaseCommand):
    help = (
        "Measure a live site with its own server processes, a scratch database, real sockets and random moves. "
        "Embedded by default; with DATABASE_URL and REDIS_URL, two server processes on PostgreSQL and Redis."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=50)
        parser.add_argument("--seats", type=int, default=4, choices=(2, 3, 4, 6))
        parser.add_argument(
            "--rate", type=float, default=0, help="moves per second, all tables together; 0: as many as the site takes"
        )
        parser.add_argument("--clock", default=Match.Clock.TABLE, choices=Match.Clock.values)
        parser.add_argument("--runs", type=int, default=5, help="runs, each on a new site; the figures are medians")
        parser.add_argument("--seconds", type=float, default=20, help="how long to measure in each run")
        parser.add_argument("--warm-up", type=float, default=3, help="seconds of load before that")
        parser.add_argument("--processes", type=int, default=0, help="server processes (default: 1, with Redis 2)")
        parser.add_argument("--kill", action="store_true", help="kill -9 one server under load and start it again")
        parser.add_argument(
            "--roll",
            action="store_true",
            help="restart the servers one by one under load behind a balancer, while pages are read",
        )
        parser.add_argument(
            "--thinking",
            type=int,
            default=0,
            help="AI players thinking nonstop, each in a child process at the pool's priority (0: none)",
        )
        parser.add_argument("--no-budget", action="store_true", help="skip the run that shows where the time goes")
        parser.add_argument(
            "--baseline", type=Path, help="compare with this file; if it's missing, write it from this measurement"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--prepare", action="store_true", help="(internal) make the matches and print them")
        parser.add_argument("--stored", action="store_true", help="(internal) print the stored moves")

    def handle(self, *, matches: int, seats: int, clock: str, **options: Any) -> None:
        if options["roll"] and _processes(options) == 1:
            raise CommandError("--roll needs a second server: use --processes 2, on PostgreSQL and Redis.")
        if options["prepare"]:
            json.dump(_prepare(matches, seats, clock), self.stdout)
        elif options["stored"]:
            json.dump(_stored(), self.stdout)
        else:
            self._measure({"matches": matches, "seats": seats, "clock": clock, **options})

    def _measure(self, options: dict[str, Any]) -> None:
        goes_first = noise.raise_priority(-10)
        runs = [self._run(options) for _ in range(options["runs"])]
        report = {
            "set_up": "embedded" if settings.EMBEDDED else "services",
            "processes": _processes(options),
            **{name: options[name] for name in ("matches", "seats", "clock", "seconds", "warm_up", "thinking")},
            "offered_per_s": options["rate"] or None,
            "killed": options["kill"],
            "rolled": options["roll"],
            "raised_priority": goes_first,
            **summary.of(runs),
        }
        if not (options["no_budget"] or options["kill"] or options["roll"]):
            report["budget"] = self._run(options, measured=True)["budget"]
        if options["baseline"]:
            report["baseline"] = summary.compared(report, options["baseline"])
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            self.stdout.write(summary.text(report))
        if report["seen_but_not_stored"] or report["lost"]:
            raise CommandError(
                f"{report['seen_but_not_stored']} moves that a player saw aren't stored, "
                f"{report['lost']} got no answer."
            )
        if options["roll"] and (report["broken"] or report["broken_pages"]):
            raise CommandError(f"{report['broken']} sockets and {report['broken_pages']} pages were cut off.")

    def _run(self, options: dict[str, Any], *, measured: bool = False) -> dict[str, Any]:
        """One run on a fresh site."""
        seconds, warm_up = options["seconds"], options["warm_up"]
        with scratch_site(_processes(options), measured=measured) as site:
            made = (f"--{name}={options[name]}" for name in ("matches", "seats", "clock"))
            prepared = json.loads(site.manage("bench_live", "--prepare", *made))
            totals: list[list[dict[str, Any]]] = []
            pages: list[bool] = []

            async def trouble(urls: Sequence[str]) -> None:
                await asyncio.sleep(warm_up + seconds / 2)
                if options["kill"]:
                    await asyncio.to_thread(site.crash)
                if options["roll"]:
                    address, cookie = f"{urls[0]}/match/{prepared[0]['key']}/", prepared[0]["cookies"][0]
                    async with load.reading(address, cookie, pages):
                        for number in range(len(site.urls)):
                            await asyncio.to_thread(site.restart, number)

            async def play() -> load.Figures:
                async with contextlib.AsyncExitStack() as stack:
                    urls = [await stack.enter_async_context(balancing(site.urls))] if options["roll"] else site.urls
                    return await load.run(
                        load.spread(prepared, urls),
                        rate=options["rate"],
                        seconds=seconds,
                        warm_up=warm_up,
                        processor=site.processor_seconds,
                        look=lambda: totals.append(site.totals()) if measured else None,
                        trouble=partial(trouble, urls) if options["kill"] or options["roll"] else None,
                    )

            with _thinking(options["thinking"], warm_up + seconds + STARTING) as found, noise.listening() as heard:
                figures = asyncio.run(play())
            stored = json.loads(site.manage("bench_live", "--stored"))
        if not figures.delays:
            raise CommandError("No move was measured: a match was over too soon. Use more --matches.")
        run = {
            **figures.summary(),
            "pages": len(pages),
            "broken_pages": pages.count(False),
            "seen_but_not_stored": _count_lost(figures.seen, stored),
            "ai_moves": sum(move.result() for move in found),
            "noise": heard,
        }
        if measured:
            run["budget"] = summary.budget(*totals, moves=run["moves"])
        return run


def _count_lost(seen: dict[str, dict[int, tuple[int, str]]], stored: dict[str, Any]) -> int:
    """How many moves were seen by a player but aren't stored."""
    return sum(
        [seat, move] != stored.get(key, {}).get(str(version))
        for key, moves in seen.items()
        for version, (seat, move) in moves.items()
    )


def _processes(options: dict[str, Any]) -> int:
    return int(options["processes"]) or (1 if settings.EMBEDDED else 2)


@contextlib.contextmanager
def _thinking(number: int, seconds: float) -> "Iterator[list[Future[int]]]":
    """Let ``number`` AI players think for ``seconds`` in child processes; yields the moves found."""
    if not number:
        yield []
        return
    pool.start(number)
    try:
        found = [pool.submit(think_for, seconds) for _player in range(number)]
        yield found
        for each in found:
            each.result()
    finally:
        pool.stop()


def _prepare(matches: int, seats: int, clock: str) -> list[dict[str, Any]]:
    """Start matches of Normal Cards between new guests, and return their session cookies."""
    tables = []
    with transaction.atomic():
        for number in range(matches):
            guests = [User.objects.create_user(name=f"Bench {number}-{seat}") for seat in range(seats)]
            match = service.open_table(guests[0], "normal-cards", seats, {"deals": 10}, clock=clock)
            for guest in guests[1:]:
                service.join(match, guest)
            service.start(match, guests[0])
            tables.append({"key": match.key, "cookies": [log_in(guest) for guest in guests]})
    return tables


def _stored() -> dict[str, dict[int, Sequence[Any]]]:
    """All moves: match key → version → seat and move."""
    moves: dict[str, dict[int, Sequence[Any]]] = {}
    for key, number, seat, move in Move.objects.values_list("match__key", "number", "seat", "move"):
        moves.setdefault(key, {})[number] = (seat, move)
    return moves
