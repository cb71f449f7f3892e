import time
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User


class Command(BaseCommand):
    help = (
        "Simulate a week of turn-based matches on a virtual clock, with people of different habits. Needs "
        "an empty database of its own, as in `DATA_DIR=/tmp/week manage.py simulate_async`; no email leaves the outbox."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--players", type=int, default=200)
        parser.add_argument("--days", type=int, default=7)
        parser.add_argument("--seed", type=int, default=1, help="the seed of the random numbers")

    def handle(self, *, players: int, days: int, seed: int, **options: Any) -> None:
        try:
            from games.devtools.bench.week import Week
        except ImportError:
            raise CommandError(
                "The simulation needs the test requirements: `./run test --help` installs them."
            ) from None
        call_command("migrate", verbosity=0, interactive=False)
        if User.objects.exists():
            raise CommandError("This database is in use. Give the simulation one of its own.")
        begun = time.monotonic()
        figures = Week(players, days, seed, self.stderr.write).run()
        for name, value in figures.lines(players, days):
            self.stdout.write(f"{name}: {value}")
        self.stdout.write(f"took: {time.monotonic() - begun:.0f} s")
        if figures.stuck:
            raise CommandError("Some matches are stuck.")
