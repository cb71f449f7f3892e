"""``manage.py ladder``: which AI player is better, and how certain that is."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import games.rules
from games.ai.ladder import AIMS, CONTENDERS, Aim, PairResult, contest, wilson

#: Pairs of matches per job of a process.
PART = 5
#: The opponents of the player who sees all cards, who comes last.
CEILING = ("random", "greedy", "hard", "seer")


class Command(BaseCommand):
    help = "Play AI players against each other on duplicate deals; print win rates with 95 % intervals and Elo."
    requires_system_checks = ()  # needs no site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the game, such as normal-cards, or all")
        parser.add_argument("--pairs", type=int, help="pairs of matches with seats swapped (default: 20)")
        parser.add_argument("--seats", type=int, help="players at the table (default: the fewest the game allows)")
        parser.add_argument(
            "--levels",
            default="random,greedy,easy,medium,hard",
            help="contenders, weakest first: the last plays all others, and each of the others plays the one before it "
            f"(default: random,greedy,easy,medium,hard; possible: {', '.join(CONTENDERS)})",
        )
        parser.add_argument("--start", type=int, default=0, help="number of the first deal (default: 0)")
        parser.add_argument("--whole", action="store_true", help="play whole matches of rummy instead of one deal")
        parser.add_argument(
            "--aims",
            action="store_true",
            help="check the goals of docs/ai.md and print its table; --pairs sets a maximum",
        )
        parser.add_argument(
            "--ceiling",
            action="store_true",
            help="let a player who sees all cards play random, greedy and hard, to measure how much is left to luck",
        )
        parser.add_argument("--jobs", type=int, default=1, help="how many processes play (default: 1)")
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        known = [rules.slug for rules in games.rules.all()]
        slugs = known if options["slug"] == "all" else [options["slug"]]
        if not set(slugs) <= set(known):
            raise CommandError(f"There is no game {options['slug']}. There are: {', '.join(known)}.")
        if options["jobs"] < 1:
            raise CommandError("--jobs must be 1 or more.")
        jobs = options["jobs"]
        pool: AbstractContextManager[ProcessPoolExecutor | None]
        pool = ProcessPoolExecutor(jobs, get_context("spawn")) if jobs > 1 else nullcontext()
        with pool as self._pool:
            if options["aims"]:
                self._play_aims(slugs, options["pairs"])
            else:
                self._play(slugs, options)

    def _play_aims(self, slugs: Sequence[str], most: int | None) -> None:
        self.stdout.write("| game | players | pairing | rate | 95 % interval | Elo | matches | goal | |")
        self.stdout.write("|---|---|---|---|---|---|---|---|---|")
        for aim in AIMS:
            if aim.slug in slugs:
                pairs = min(aim.pairs, most or aim.pairs)
                standing = self._contest(aim.slug, aim.first, aim.second, pairs, aim.seats, 0, aim.whole)
                self.stdout.write(row_of(aim, standing))
                self.stdout.flush()

    def _contest(
        self, slug: str, first: str, second: str, pairs: int, seats: int, start: int, whole: bool
    ) -> PairResult:
        """A contest, divided between all processes."""
        if self._pool is None:
            return contest(slug, first, second, pairs, seats, start, whole=whole)
        total = PairResult(slug, seats, first, second)
        parts = [
            self._pool.submit(contest, slug, first, second, min(PART, pairs - done), seats, start + done, whole=whole)
            for done in range(0, pairs, PART)
        ]
        for part in parts:
            total.add(part.result())
        return total

    def _play(self, slugs: Sequence[str], options: Mapping[str, Any]) -> None:
        names = CEILING if options["ceiling"] else options["levels"].split(",")
        if unknown := [name for name in names if name not in CONTENDERS]:
            raise CommandError(
                f"There is no contender called {', '.join(unknown)}. There are: {', '.join(CONTENDERS)}."
            )
        pairs = 20 if options["pairs"] is None else options["pairs"]
        if len(names) < 2 or pairs < 1:
            raise CommandError("A ladder needs at least two contenders and one pair of matches.")
        for slug in slugs:
            rules = games.rules.get(slug)
            seats = min(rules.seats) if options["seats"] is None else options["seats"]
            if seats not in rules.seats:
                raise CommandError(f"{rules.name} is for {', '.join(map(str, rules.seats))} players.")
            for first, second in met(names) if options["ceiling"] else pairings(names):
                standing = self._contest(slug, first, second, pairs, seats, options["start"], options["whole"])
                self._print(standing, options["json"])

    def _print(self, standing: PairResult, as_json: bool) -> None:
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


def row_of(aim: Aim, standing: PairResult) -> str:
    """A row of the table in docs/ai.md."""
    name = games.rules.get(aim.slug).name
    pairing = f"{aim.first} – {aim.second}" + (", whole matches" if aim.whole else "")
    rate, (low, high) = standing.rate, standing.interval
    number = f"{standing.matches}"
    if aim.of_slaps:
        rate, (low, high) = standing.slapped / standing.slaps, wilson(standing.slapped, standing.slaps)
        pairing, number = f"{pairing}, of slapped piles", f"{standing.slaps} piles"
    reached = "reached" if low >= aim.least else "rate above, not sure" if rate >= aim.least else "not reached"
    return (
        f"| {name} | {standing.seats} | {pairing} | {rate:.3f} | {low:.3f}–{high:.3f} | {standing.elo:+.0f} "
        f"| {number} | {aim.least:.2f} | {reached} |"
    )


def met(names: Sequence[str]) -> list[tuple[str, str]]:
    """The last name against each of the others."""
    return [(names[-1], name) for name in names[:-1]]


def pairings(names: Sequence[str]) -> list[tuple[str, str]]:
    """The pairings: the last name against each of the others, and each against the one before it."""
    last = met(names)
    steps = [(better, worse) for worse, better in pairwise(names) if (better, worse) not in last]
    return [*last, *steps]
