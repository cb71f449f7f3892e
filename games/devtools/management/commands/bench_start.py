import statistics
import time
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any
from urllib.request import urlopen

from django.core.management.base import BaseCommand
from django.utils import timezone

from games.devtools.bench.site import Site, scratch_site
from games.matches.models import Heartbeat


class Command(BaseCommand):
    help = (
        "Measure how soon a server answers after it was killed an hour ago with matches running: seconds from the "
        "start of the process to the first page, and the slowest page while all clocks get their hour back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=1000)
        parser.add_argument("--runs", type=int, default=5)
        parser.add_argument("--pages", type=int, default=100, help="how many pages to read after the first")
        parser.add_argument("--away", action="store_true", help="(internal) move the last heartbeat back by an hour")

    def handle(self, *, matches: int, runs: int, pages: int, away: bool, **options: Any) -> None:
        if away:
            Heartbeat.objects.update(at=timezone.now() - timedelta(hours=1))
            return
        with scratch_site(1) as site:
            site.manage("bench_live", "--prepare", f"--matches={matches}", "--seats=2")
            found = [_start(site, pages) for _ in range(runs)]
        for first, used, slowest in found:
            self.stdout.write(
                f"first page after {first:.2f} s and {used:.2f} s of processor time, "
                f"the slowest of the next {pages} took {slowest:.2f} s"
            )
        first, used, slowest = (statistics.median(figures) for figures in zip(*found, strict=True))
        self.stdout.write(f"medians: {first:.2f}, {used:.2f} and {slowest:.2f} s")


def _start(site: Site, pages: int) -> tuple[float, float, float]:
    """Seconds from starting a server to its first page, its processor time by then, and the slowest later page."""
    site.manage("bench_start", "--away")
    begun = time.monotonic()
    site.crash()
    _read(site)
    first, used = time.monotonic() - begun, site.processor_seconds()
    return first, used, max(_read(site) for _ in range(pages))


def _read(site: Site) -> float:
    """Seconds needed for the page of open tables."""
    begun = time.monotonic()
    with urlopen(f"{site.urls[0]}/lobby/", timeout=60) as answer:  # noqa: S310 - our own server  # nosec B310
        answer.read()
    return time.monotonic() - begun
