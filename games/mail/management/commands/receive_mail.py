"""Take in one mail from standard input: what a mail server's pipe calls for each mail to a turn's address."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import InterfaceError, OperationalError

from games.mail.inbound import handler, message
from games.mail.outgoing.receipts import Result
from games.matches import service


class Command(BaseCommand):
    help = (
        "Reads one mail from standard input and plays the move that it names. Exit status, as mail servers understand"
        " it: 0 done, or nothing to do; 65 larger than any answer; 67 no such address; 75 not now, try again later."
    )
    requires_system_checks = []  # the mail server waits

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "recipient", nargs="*", help="whom the envelope names; without it the mail's own headers say so"
        )
        parser.add_argument("--sender", help="the envelope's sender; an empty one is a machine's")

    def handle(self, *args: Any, **options: Any) -> None:
        raise SystemExit(self._take_in(options["recipient"], options["sender"]))

    def _take_in(self, recipients: list[str], sender: str | None) -> int:
        raw = sys.stdin.buffer.read(message.MOST_BYTES + 1)
        if len(raw) > message.MOST_BYTES:
            self.stderr.write("too large to be an answer")
            return os.EX_DATAERR
        try:
            result = handler.receive(message.parse(raw, recipients, sender))
        except (OperationalError, InterfaceError, service.Unavailable):
            self.stderr.write("the database is away: try again later")
            return os.EX_TEMPFAIL
        except Exception as error:
            # Rather again in an hour than a move lost: the mail server keeps it meanwhile.
            handler.log.exception("a mail could not be taken in")
            self.stderr.write(f"not now: {type(error).__name__}")
            return os.EX_TEMPFAIL
        if result == Result.UNKNOWN:
            self.stderr.write("no turn has this address")
            return os.EX_NOUSER
        return os.EX_OK
