"""Read one email from standard input: a mail server's pipe calls this for each email to a turn's address."""

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

#: Maximum bytes of a long line read at once.
PIECE = 8192


class Command(BaseCommand):
    help = (
        "Read one email from standard input and play the move it names. The exit status is one that mail servers know:"
        " 0 done, or nothing to do; 65 too large; 67 no such address; 75 not now, try again later. Every email loads"
        " the site's code again, so a busy site should run receive_lmtp instead."
    )
    requires_system_checks = []  # the mail server is waiting

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "recipient", nargs="*", help="the envelope's recipient; without it, the email's own headers decide"
        )
        parser.add_argument("--sender", help="the envelope's sender; empty for an automatic email")

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
            self.stderr.write("the email is too large to be a reply")
            return os.EX_DATAERR
        try:
            result = handler.receive(reader.close(recipients, sender))
        except (OperationalError, InterfaceError, service.Unavailable):
            self.stderr.write("the database can't be reached: try again later")
            return os.EX_TEMPFAIL
        except Exception as error:
            # Better an hour late than a lost move: the mail server keeps the email meanwhile.
            handler.log.exception("an email could not be processed")
            self.stderr.write(f"the email could not be processed, try again later: {type(error).__name__}")
            return os.EX_TEMPFAIL
        return self._unknown() if result == Result.UNKNOWN else os.EX_OK

    def _unknown(self) -> int:
        self.stderr.write("this address belongs to no turn")
        return os.EX_NOUSER
