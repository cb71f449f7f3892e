from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from games.matches.models import Match
from games.slaps.rejudge import differences


class Command(BaseCommand):
    help = "Judge the stored slaps of matches again from their measurements, and list verdicts that differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "keys", nargs="*", metavar="KEY", help="keys of matches; without any, all matches of the last days"
        )
        parser.add_argument("--days", type=int, default=1, help="how many days back (default: %(default)s)")

    def handle(self, *, keys: list[str], days: int, **options: Any) -> None:
        if keys:
            matches = Match.objects.filter(key__in=keys, started_at__isnull=False)
            if missing := set(keys) - set(matches.values_list("key", flat=True)):
                raise CommandError(f"There is no match with the key {', '.join(sorted(missing))}.")
        else:
            matches = Match.objects.filter(slaps__at__gte=timezone.now() - timedelta(days=days)).distinct()
        faults = count = 0
        for match in matches.iterator():
            count += 1
            for text in differences(match):
                faults += 1
                self.stdout.write(f"{match.key} {text}")
        self.stdout.write(f"{count} matches judged again: {faults} differences")
        if faults:
            raise CommandError("Some verdicts differ.")
