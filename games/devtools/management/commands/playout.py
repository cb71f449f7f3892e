"""``manage.py playout``: measure how fast a game's rules play random matches."""

import json
from argparse import ArgumentParser
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import games.rules
from games.engine.playout import playout


class Command(BaseCommand):
    help = "Play random matches of one game on one core, and print the speed in CPU time."
    requires_system_checks = ()  # needs no site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the game, such as normal-cards")
        parser.add_argument("--seats", type=int, help="players at the table (default: the fewest the game allows)")
        parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds to play for (default: 5)")
        parser.add_argument("--seed", type=int, default=0, help="the seed of the random numbers (default: 0)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rules = games.rules.get(options["slug"])
        except KeyError:
            known = ", ".join(rules.slug for rules in games.rules.all())
            raise CommandError(f"There is no game {options['slug']}. There are: {known}.") from None
        seats = min(rules.seats) if options["seats"] is None else options["seats"]
        if seats not in rules.seats:
            raise CommandError(f"{rules.name} is for {', '.join(map(str, rules.seats))} players.")
        figures = playout(rules, seats, options["seconds"], Random(options["seed"])).to_json()
        if options["json"]:
            self.stdout.write(json.dumps({"game": rules.slug, "seats": seats, **figures}))
            return
        self.stdout.write(
            f"{rules.name}, {seats} players, {figures['seconds']:.1f} s of CPU time:\n"
            f"{figures['matches']:>12,} matches  {figures['matches_per_s']:>12,.0f} /s\n"
            f"{figures['moves']:>12,} moves    {figures['moves_per_s']:>12,.0f} /s\n"
            f"{figures['moves_per_match']:>12,.1f} moves a match, from {figures['shortest']} to {figures['longest']}\n"
            f"{figures['copy_us']:>12,.2f} µs to copy a state"
        )
