"""``manage.py check_matches``: check stored matches against their seeds and moves."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from games.replays.check import begun_matches, faults


class Command(BaseCommand):
    help = "Replay matches from their seeds and moves, and compare the result with everything stored about them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", nargs="*", help="keys of matches; without any, all matches of the last days")
        parser.add_argument("--days", type=int, default=1, help="how many days back (default: %(default)s)")

    def handle(self, *, key: list[str], days: int, **_options: Any) -> None:
        if key:
            matches = begun_matches().filter(key__in=key)
            missing = set(key) - set(matches.values_list("key", flat=True))
            if missing:
                raise CommandError(f"No match that has begun has the key {', '.join(sorted(missing))}.")
        else:
            matches = begun_matches().filter(started_at__gte=timezone.now() - timedelta(days=days))
        wrong = checked = 0
        for match in matches.iterator(chunk_size=100):
            checked += 1
            for fault in faults(match):
                wrong += 1
                self.stderr.write(f"{match.key} ({match.slug}): {fault}")
        self.stdout.write(f"{checked} matches checked, {wrong} with faults")
        if wrong:
            raise SystemExit(1)
