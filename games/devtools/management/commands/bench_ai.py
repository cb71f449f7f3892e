"""``manage.py bench_ai``: processor time of AI players per move, and AI turns per minute and core."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Iterator
from random import Random
from time import process_time
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import games.rules
from games.ai.players import LEVELS, choose
from games.engine import TABLE, Rules, Seat, State

#: The fraction of positions with a choice that is measured, so that times come from several matches.
SAMPLED = 0.35


class Command(BaseCommand):
    help = "Measure the processor time of AI players per move, by game and level."
    requires_system_checks = ()  # needs no site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?", default="all", help="the game, or all (default)")
        parser.add_argument("--moves", type=int, default=60, help="moves to measure per game and level (default: 60)")
        parser.add_argument("--seats", type=int, help="players at the table (default: the fewest the game allows)")
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *args: Any, slug: str, moves: int, seats: int | None, **options: Any) -> None:
        known = [game.slug for game in games.rules.all()]
        if slug != "all" and slug not in known:
            raise CommandError(f"There is no game {slug}. There are: {', '.join(known)}.")
        if moves < 1:
            raise CommandError("--moves must be 1 or more.")
        if not options["json"]:
            self.stdout.write("| game | players | level | p50 | p95 | p99 | max | turns a minute and core |")
            self.stdout.write("|---|---|---|---|---|---|---|---|")
        for game in map(games.rules.get, known if slug == "all" else [slug]):
            at_table = min(game.seats) if seats is None else seats
            if at_table not in game.seats:
                raise CommandError(f"{game.name} is for {', '.join(map(str, game.seats))} players.")
            for level in LEVELS:
                figures = measure(game, at_table, level, moves)
                if options["json"]:
                    self.stdout.write(json.dumps(figures))
                else:
                    row = (
                        "| {name} | {seats} | {level} | {p50_ms} | {p95_ms} | {p99_ms} | {max_ms} | {turns_a_minute} |"
                    )
                    self.stdout.write(row.format(name=game.name, **figures))
                self.stdout.flush()


def measure(game: Rules, seats: int, level: str, moves: int) -> dict[str, Any]:
    """Measure ``moves`` of ``level`` with more than one choice, in matches of easy players.

    Times are milliseconds of this process's processor time; turns per minute are what one core can do.
    """
    times = []
    for number, (state, seat) in enumerate(positions(game, seats, moves)):
        # Building the view is part of an AI turn's cost.
        start = process_time()
        choose(state.view(seat), level, f"{number}")
        times.append((process_time() - start) * 1000)
    times.sort()

    def quantile(share: float) -> float:
        return round(times[math.ceil(len(times) * share) - 1], 1)

    return {
        "game": game.slug,
        "seats": seats,
        "level": level,
        "moves": len(times),
        "p50_ms": quantile(0.5),
        "p95_ms": quantile(0.95),
        "p99_ms": quantile(0.99),
        "max_ms": quantile(1.0),
        "turns_a_minute": round(60_000 / (sum(times) / len(times))),
    }


def positions(game: Rules, seats: int, wanted: int) -> Iterator[tuple[State, Seat]]:
    """Positions with a choice from matches between easy players; always the same ones."""
    rng = Random(f"{game.slug}/{seats}")
    found = number = 0
    while found < wanted:
        number += 1
        state = game.deal(seats, {}, f"{number:032x}")
        while (awaited := state.to_move()) and found < wanted:
            seat = awaited[0]
            if seat == TABLE:
                state.apply(TABLE, "close")
                continue
            choices = [move for move in state.legal_moves(seat) if move != "slap"]
            if len(choices) > 1 and rng.random() < SAMPLED:
                found += 1
                yield state.copy(), seat
            state.apply(seat, choose(state.view(seat), "easy", f"{rng.getrandbits(32)}"))
