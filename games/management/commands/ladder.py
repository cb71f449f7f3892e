"""``manage.py ladder``: who of the AI players is better, and how surely."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import games.rules
from games.ai.ladder import CONTENDERS, Standing, contest


class Command(BaseCommand):
    help = "Play AI players against each other on duplicate deals; print win rates with 95 % intervals and Elo."
    requires_system_checks = ()  # needs no site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the game, such as normal-cards, or all")
        parser.add_argument("--pairs", type=int, default=20, help="pairs of matches with seats swapped (default: 20)")
        parser.add_argument("--seats", type=int, help="players at the table (default: the fewest the game allows)")
        parser.add_argument(
            "--levels",
            default="random,greedy,easy,medium,hard",
            help="contenders, weakest first: the last plays all others, each the one before it "
            f"(default: random,greedy,easy,medium,hard; there are: {', '.join(CONTENDERS)})",
        )
        parser.add_argument("--start", type=int, default=0, help="number of the first deal (default: 0)")
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        known = [rules.slug for rules in games.rules.all()]
        slugs = known if options["slug"] == "all" else [options["slug"]]
        if not set(slugs) <= set(known):
            raise CommandError(f"There is no game {options['slug']}. There are: {', '.join(known)}.")
        names = options["levels"].split(",")
        if unknown := [name for name in names if name not in CONTENDERS]:
            raise CommandError(f"Nobody is called {', '.join(unknown)}. There are: {', '.join(CONTENDERS)}.")
        if len(names) < 2 or options["pairs"] < 1:
            raise CommandError("A ladder needs two contenders and a pair of matches.")
        for slug in slugs:
            rules = games.rules.get(slug)
            seats = min(rules.seats) if options["seats"] is None else options["seats"]
            if seats not in rules.seats:
                raise CommandError(f"{rules.name} is for {', '.join(map(str, rules.seats))} players.")
            for first, second in pairings(names):
                self._print(contest(slug, first, second, options["pairs"], seats, options["start"]), options["json"])

    def _print(self, standing: Standing, as_json: bool) -> None:
        figures = standing.to_json()
        if as_json:
            self.stdout.write(json.dumps(figures))
            return
        line = (
            "{game:<13}{seats:>2} {first:>9} – {second:<9} {rate:.3f}  [{low:.3f}, {high:.3f}]  {elo:+5.0f} Elo  "
            "{matches} matches, {seconds} s"
        )
        self.stdout.write(line.format(**figures))
        if "slaps" in figures:
            line = "{first:>25} wins {slap_rate:.3f} [{slap_low:.3f}, {slap_high:.3f}] of {slaps} slapped piles"
            self.stdout.write(line.format(**figures))


def pairings(names: Sequence[str]) -> list[tuple[str, str]]:
    """Who plays whom: the last against each other one, and each against the one before it."""
    last = [(names[-1], name) for name in names[:-1]]
    steps = [(better, worse) for worse, better in pairwise(names) if (better, worse) not in last]
    return [*last, *steps]
