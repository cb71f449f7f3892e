"""``manage.py match KEY``: print one match as text, to find out what it's doing and why."""

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.moderation.audit import record
from games.matches.models import Match
from games.operations.diagnosis import describe


class Command(BaseCommand):
    help = (
        "Print a match: its moves, its clocks, and its next deadline with the reason. Times are in UTC; hidden cards "
        "aren't shown."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="the match's key, as in its address")
        parser.add_argument("--hands", action="store_true", help="show all hidden cards; this is logged")

    def handle(self, *, key: str, hands: bool, **_options: Any) -> None:
        match = Match.objects.filter(key=key).first()
        if match is None:
            raise CommandError(f"There is no match with the key {key}.")
        if hands:
            record(None, "look at all hands", match, after={"version": match.version}, note=_account())
        for line in describe(match, timezone.now(), with_hands=hands):
            self.stdout.write(line)


def _account() -> str:
    """The account on this machine, since a command has no other."""
    try:
        return f"manage.py, as {getpass.getuser()}"
    except (KeyError, OSError):
        return "manage.py"
