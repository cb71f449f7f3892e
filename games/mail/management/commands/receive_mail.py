"""Take in one email from standard input: what a mail server's pipe calls for each email to a turn's address."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import InterfaceError, OperationalError

from games.mail.inbound import handler
from games.mail.inbound.message import Reader, TooLarge
from games.mail.outgoing.receipts import Result
from games.matches import service

#: Bytes that are read at once of a long line.
PIECE = 8192


class Command(BaseCommand):
    help = (
        "Reads one email from standard input and plays the move that it names. Exit status, as mail servers understand"
        " it: 0 done, or nothing to do; 65 larger than any answer; 67 no such address; 75 not now, try again later."
        " Each email starts the site's code anew; a busy site runs receive_lmtp instead."
    )
    requires_system_checks = []  # the mail server waits

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "recipient", nargs="*", help="whom the envelope names; without it the email's own headers say so"
        )
        parser.add_argument("--sender", help="the envelope's sender; an empty one is a machine's")

    def handle(self, *args: Any, **options: Any) -> None:
        raise SystemExit(self._take_in(options["recipient"], options["sender"]))

    def _take_in(self, recipients: list[str], sender: str | None) -> int:
        if recipients and handler.ticket_of(recipients) is None:
            return self._unknown()
        reader = Reader()
        try:
            for piece in iter(lambda: sys.stdin.buffer.readline(PIECE), b""):
                reader.feed(piece)
        except TooLarge:
            self.stderr.write("too large to be an answer")
            return os.EX_DATAERR
        try:
            result = handler.receive(reader.close(recipients, sender))
        except (OperationalError, InterfaceError, service.Unavailable):
            self.stderr.write("the database is away: try again later")
            return os.EX_TEMPFAIL
        except Exception as error:
            # Rather again in an hour than a move lost: the mail server keeps it meanwhile.
            handler.log.exception("an email could not be taken in")
            self.stderr.write(f"not now: {type(error).__name__}")
            return os.EX_TEMPFAIL
        return self._unknown() if result == Result.UNKNOWN else os.EX_OK

    def _unknown(self) -> int:
        self.stderr.write("no turn has this address")
        return os.EX_NOUSER
