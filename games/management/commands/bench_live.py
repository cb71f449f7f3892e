import asyncio
import contextlib
import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import User
from games import ai_pool, play
from games.bench.site import log_in, scratch_site
from games.bench.thinking import think_for
from games.models import Move

#: Seconds that AI players think longer than the load runs, which takes its time to begin.
STARTING = 3


class Command(BaseCommand):
    help = (
        "Measure a live site: server processes of its own on a scratch database, real sockets, random moves. "
        "Embedded by default; with DATABASE_URL and REDIS_URL two server processes on PostgreSQL and Redis."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=50)
        parser.add_argument("--seats", type=int, default=4, choices=(2, 3, 4, 6))
        parser.add_argument("--rate", type=float, default=0, help="moves/s offered in all; 0: as many as are taken")
        parser.add_argument("--seconds", type=float, default=10)
        parser.add_argument("--processes", type=int, default=0, help="server processes (default: 1, with Redis 2)")
        parser.add_argument("--kill", action="store_true", help="kill -9 one server in mid-load and start it again")
        parser.add_argument(
            "--thinking",
            type=int,
            default=0,
            help="AI players who think all the while, each in a child process at the pool's priority (0: nobody)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--prepare", action="store_true", help="(inside) make the matches and print them")
        parser.add_argument("--stored", action="store_true", help="(inside) print the stored moves")

    def handle(self, *, matches: int, seats: int, **options: Any) -> None:
        if options["prepare"]:
            json.dump(_prepare(matches, seats), self.stdout)
        elif options["stored"]:
            json.dump(_stored(), self.stdout)
        else:
            self._measure(matches, seats, **options)

    def _measure(
        self,
        matches: int,
        seats: int,
        *,
        rate: float,
        seconds: float,
        processes: int,
        kill: bool,
        thinking: int,
        **options: Any,
    ) -> None:
        try:
            from games.bench import load
        except ImportError:
            raise CommandError("The bench needs the test requirements: `./run test --help` installs them.") from None
        processes = processes or (1 if settings.EMBEDDED else 2)
        with scratch_site(processes) as site:
            prepared = json.loads(site.manage("bench_live", "--prepare", f"--matches={matches}", f"--seats={seats}"))
            tables = [
                (
                    table["key"],
                    [
                        load.Guest(cookie, site.urls[(number + seat) % len(site.urls)])
                        for seat, cookie in enumerate(table["cookies"])
                    ],
                )
                for number, table in enumerate(prepared)
            ]

            async def trouble() -> None:
                await asyncio.sleep(seconds / 2)
                await asyncio.to_thread(site.crash)

            with _thinking(thinking, seconds + STARTING) as found:
                figures = asyncio.run(
                    load.run(
                        tables,
                        rate=rate,
                        seconds=seconds,
                        processor=site.processor_seconds,
                        trouble=trouble if kill else None,
                    )
                )
            stored = json.loads(site.manage("bench_live", "--stored"))
        vanished = sum(
            [seat, move] != stored.get(key, {}).get(str(version))
            for key, moves in figures.seen.items()
            for version, (seat, move) in moves.items()
        )
        report = {
            "set_up": "embedded" if settings.EMBEDDED else "services",
            "processes": processes,
            "matches": matches,
            "seats": seats,
            "offered_per_s": rate or None,
            "seconds": seconds,
            "killed": kill,
            "thinking": thinking,
            "ai_moves": sum(move.result() for move in found),
            **figures.summary(),
            "seen_but_not_stored": vanished,
        }
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            for name, value in report.items():
                self.stdout.write(f"{name:>20}: {value}")
        if vanished or figures.lost:
            raise CommandError(f"{vanished} moves that somebody saw are not stored, {figures.lost} were not answered.")


@contextlib.contextmanager
def _thinking(number: int, seconds: float) -> "Iterator[list[Future[int]]]":
    """So many AI players who think for so long, in children like those of the site; what they found, when done."""
    if not number:
        yield []
        return
    ai_pool.start(number)
    try:
        found = [ai_pool.submit(think_for, seconds) for _player in range(number)]
        yield found
        for each in found:
            each.result()
    finally:
        ai_pool.stop()


def _prepare(matches: int, seats: int) -> list[dict[str, Any]]:
    """Running matches of Normal Cards between fresh guests, with their session cookies."""
    tables = []
    with transaction.atomic():
        for number in range(matches):
            guests = [User.objects.create_user(name=f"Bench {number}-{seat}") for seat in range(seats)]
            match = play.open_table(guests[0], "normal-cards", seats, {"deals": 10})
            for guest in guests[1:]:
                play.join(match, guest)
            play.start(match, guests[0])
            tables.append({"key": match.key, "cookies": [log_in(guest) for guest in guests]})
    return tables


def _stored() -> dict[str, dict[int, Sequence[Any]]]:
    """All moves: match key → version → seat and move."""
    moves: dict[str, dict[int, Sequence[Any]]] = {}
    for key, number, seat, move in Move.objects.values_list("match__key", "number", "seat", "move"):
        moves.setdefault(key, {})[number] = (seat, move)
    return moves
