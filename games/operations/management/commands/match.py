"""``manage.py match KEY``: one match as text, to find out why it does what it does."""

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.moderation.audit import record
from games.matches.models import Match
from games.operations.diagnosis import describe


class Command(BaseCommand):
    help = "Print the history of a match, its clocks, what is due and why; times in UTC, no hidden cards."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="as in the address of the match")
        parser.add_argument("--hands", action="store_true", help="with all hidden cards; this is logged")

    def handle(self, *, key: str, hands: bool, **_options: Any) -> None:
        match = Match.objects.filter(key=key).first()
        if match is None:
            raise CommandError(f"No match is called {key}.")
        if hands:
            record(None, "look at all hands", match, after={"version": match.version}, note=_account())
        for line in describe(match, timezone.now(), with_hands=hands):
            self.stdout.write(line)


def _account() -> str:
    """Of the machine: a command has no other."""
    try:
        return f"manage.py, as {getpass.getuser()}"
    except (KeyError, OSError):
        return "manage.py"
