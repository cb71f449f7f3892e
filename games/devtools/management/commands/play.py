"""``manage.py play``: a match in the terminal, or a replay of one."""

import json
import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import games.rules
from games.ai import slaps
from games.ai.players import LEVELS, choose
from games.devtools import terminal
from games.engine import BadOptions, IllegalMove, Match, Move, Rules, Seat, View


class Command(BaseCommand):
    help = "Play a match in the terminal, against AI players or sharing the keyboard, or step through a finished one."
    requires_system_checks = ()  # needs no site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the game, such as normal-cards")
        parser.add_argument("--seats", type=int, help="players at the table (default: the fewest the game allows)")
        parser.add_argument("--people", type=int, default=1, help="how many players share this keyboard (default: 1)")
        parser.add_argument(
            "--level", choices=LEVELS, default="medium", help="the level of the AI players (default: medium)"
        )
        parser.add_argument(
            "--options", type=json.loads, default={}, help="options of the game as JSON: '{\"deals\": 3}'"
        )
        parser.add_argument("--seed", help="a hexadecimal string, to repeat a deal")
        parser.add_argument(
            "--save", type=Path, metavar="FILE", help="save the match to this file when it ends or you leave"
        )
        parser.add_argument("--replay", type=Path, metavar="FILE", help="step through a saved match")
        parser.add_argument("--seat", type=int, help="the seat to watch a replay from (default: a spectator's view)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rules = games.rules.get(options["slug"])
        except KeyError:
            known = ", ".join(rules.slug for rules in games.rules.all())
            raise CommandError(f"There is no game {options['slug']}. There are: {known}.") from None
        try:
            if options["replay"]:
                self._replay(rules, options["replay"], options["seat"])
            else:
                self._play(rules, options)
        except (terminal.Quit, EOFError, KeyboardInterrupt):
            self._show("")

    def _show(self, line: str) -> None:
        self.stdout.write(line)

    def _play(self, rules: Rules, options: dict[str, Any]) -> None:
        seats = min(rules.seats) if options["seats"] is None else options["seats"]
        people = options["people"]
        if not 0 <= people <= seats:
            raise CommandError(f"With {seats} players, 0 to {seats} can share this keyboard.")
        seed = options["seed"] or secrets.token_hex(16)
        names = _names(seats, people)
        announce = terminal.announce(rules, names, range(people), self._show)
        try:
            host = terminal.Host(rules, Match(rules.slug, rules.version, seats, options["options"], seed, []), announce)
        except BadOptions as reason:
            raise CommandError(str(reason)) from None
        players: list[terminal.Player] = [
            terminal.Person(seat, host, names, input, self._show, shared=people > 1)
            if seat < people
            else _ai_player(host, seat, options["level"])
            for seat in range(seats)
        ]
        try:
            terminal.play(host, players, quickest=range(people))
            for line in terminal.results(host.view(None), names):
                self._show(line)
        finally:
            if options["save"]:
                options["save"].write_text(json.dumps(host.record().to_json()))

    def _replay(self, rules: Rules, file: Path, seat: int | None) -> None:
        try:
            match = Match(**json.loads(file.read_text()))
            if match.slug != rules.slug:
                raise CommandError(f"{file} is a match of {match.slug}.")
            if seat is not None and not 0 <= seat < match.seats:
                raise CommandError(f"The seats of this match are 0 to {match.seats - 1}.")
            terminal.step_through(rules, match, _names(match.seats, match.seats), input, self._show, seat)
        except OSError as error:
            raise CommandError(f"{file} can't be read: {error.strerror}.") from None
        except (ValueError, TypeError, KeyError, BadOptions, IllegalMove) as error:
            raise CommandError(f"{file} isn't a saved match: {error}") from None


def _names(seats: int, people: int) -> list[str]:
    return [f"Player {seat}" if seat < people else f"AI {seat}" for seat in range(seats)]


def _ai_player(host: terminal.Host, seat: Seat, level: str) -> terminal.Player:
    """An AI player that thinks on its turn and slaps according to its reflexes."""

    def player(view: View) -> Move | None:
        moves_made = len(host.entries)
        if seat in view.to_move:
            return choose(view, level, f"{host.match.seed}/{moves_made}/{seat}")
        reaction = slaps.reaction(view, level, seed=host.match.seed, version=moves_made, seat=seat)
        return None if reaction is None else "slap"

    return player
