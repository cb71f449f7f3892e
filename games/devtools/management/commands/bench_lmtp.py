import os
import smtplib
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from accounts.models import OutgoingMail, User
from games.mail import tokens
from games.matches import service
from games.matches.models import Match, Move, Seat


class Command(BaseCommand):
    help = (
        "Measure `receive_lmtp`: processor time per email that plays a move, and emails per second. Needs REPLY_ADDRESS"
        " and an empty database of its own, as in `DATA_DIR=/tmp/lmtp manage.py bench_lmtp`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--emails", type=int, default=200)
        parser.add_argument("--game", default="rummy-500")

    def handle(self, *, emails: int, game: str, **options: Any) -> None:
        if not settings.REPLY_ADDRESS:
            raise CommandError("Set REPLY_ADDRESS, such as turn+{}@play.example.org.")
        call_command("migrate", verbosity=0, interactive=False)
        if User.objects.exists():
            raise CommandError("This database is in use. Give the bench one of its own.")
        addresses = list(_turns(game, emails))
        with tempfile.TemporaryDirectory() as folder:
            socket = Path(folder) / "lmtp.sock"
            # The command itself in a separate process, to measure its processor time.
            server = subprocess.Popen([sys.executable, "manage.py", "receive_lmtp", str(socket)])  # noqa: S603  our own command
            try:
                while not socket.exists():
                    time.sleep(0.05)
                _send(str(socket), addresses[:1])  # the first email loads modules, so it isn't measured
                before, begun = _processor_time(server.pid), time.perf_counter()
                _send(str(socket), addresses[1:])
                took, used = time.perf_counter() - begun, _processor_time(server.pid) - before
            finally:
                server.terminate()
                server.wait()
        if Move.objects.count() != emails:
            raise CommandError(f"{Move.objects.count()} moves were played, not {emails}.")
        receipts = OutgoingMail.objects.filter(key__startswith="reply:").count()
        count = len(addresses) - 1
        self.stdout.write(f"{count} emails, {receipts} receipts: {used / count:.4f} s of processor time per email")
        self.stdout.write(f"{count / took:.1f} emails per second, one after the other")


def _turns(game: str, number: int) -> Any:
    ada, ben = (User.objects.create_user(f"{name.lower()}@example.org", name=name) for name in ("Ada", "Ben"))
    for _match in range(number):
        match = service.open_table(ada, game, 2, {}, clock=Match.Clock.DAILY)
        service.join(match, ben)
        service.start(match, ada)
        seat = Seat.objects.get(match=match, asked_version__isnull=False)
        yield tokens.reply_address(seat, seat.asked_version or 0, 0)


def _send(socket: str, addresses: list[str]) -> None:
    with smtplib.LMTP(socket) as mail_server:
        for number, address in enumerate(addresses):
            mail = EmailMessage()
            mail["From"], mail["To"], mail["Subject"] = "Ada <ada@example.org>", address, "Re: your turn"
            mail["Message-ID"] = f"<{number}.{time.time_ns()}@mail.example.org>"
            mail.set_content("0\n\nOn Saturday Armani wrote:\n" + "> a line of the email that is answered\n" * 60)
            mail.add_alternative("<p>0</p><blockquote>" + "<p>a line</p>" * 60 + "</blockquote>", subtype="html")
            mail_server.send_message(mail, "ada@example.org", [address])


def _processor_time(pid: int) -> float:
    """User and system time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
