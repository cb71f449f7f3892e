import asyncio
import json
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.devtools.bench import load, profile
from games.devtools.bench.site import scratch_site
from games.matches.models import Match


class Command(BaseCommand):
    help = (
        "Profile a live site under the load of bench_live, on a scratch database: write a flame graph, and print the "
        "functions that take most time. Starts one server process, on DATABASE_URL and REDIS_URL if they are set."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=200)
        parser.add_argument("--seats", type=int, default=4, choices=(2, 3, 4, 6))
        parser.add_argument("--clock", default=Match.Clock.TABLE, choices=Match.Clock.values)
        parser.add_argument(
            "--rate",
            type=float,
            default=200,
            help="moves per second, all tables together; 0: as many as the site takes",
        )
        parser.add_argument(
            "--seconds", type=float, default=20, help="seconds to sample for the flame graph, and again for the list"
        )
        parser.add_argument("--warm-up", type=float, default=3, help="seconds of load before sampling")
        parser.add_argument("--top", type=int, default=30, help="how many functions to list")
        parser.add_argument(
            "--to", type=Path, default=Path("profile.svg"), help="file for the flame graph (default: %(default)s)"
        )

    def handle(self, *, seconds: float, warm_up: float, to: Path, **options: Any) -> None:
        with scratch_site(1) as site, tempfile.TemporaryDirectory() as folder:
            made = (f"--{name}={options[name]}" for name in ("matches", "seats", "clock"))
            prepared = json.loads(site.manage("bench_live", "--prepare", *made))
            raw = Path(folder) / "stacks"

            taken = failed = 0

            async def look() -> None:
                nonlocal taken, failed
                await asyncio.sleep(warm_up)
                await asyncio.to_thread(profile.record, site.pids[0], seconds, to, "flamegraph")
                taken, failed = await asyncio.to_thread(profile.record, site.pids[0], seconds, raw, "raw")

            playing = load.run(
                load.spread(prepared, site.urls),
                rate=options["rate"],
                seconds=0,
                warm_up=warm_up,
                processor=site.processor_seconds,
                trouble=look,
            )
            try:
                figures = asyncio.run(playing)
            except profile.NotAllowed as error:
                raise CommandError(str(error)) from None
            found = profile.top(raw.read_text().splitlines(), options["top"])
        summary = figures.summary()
        if not summary["moves"]:
            raise CommandError("No move was made while the server was watched.")
        self.stdout.write(
            f"{summary['moves_per_s']} moves/s, {summary['processor_ms_a_move']} ms of processor time each"
        )
        self.stdout.write(f"{taken} samples; {failed} more failed, most of them of a busy server")
        self.stdout.write("   own   with callees")
        for name, own, within in found:
            self.stdout.write(f"{own:6.1%}  {within:6.1%}  {name}")
        self.stdout.write(f"The flame graph is in {to.resolve()}.")
