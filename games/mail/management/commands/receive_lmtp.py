"""``manage.py receive_lmtp``: receive emails from a mail server on this machine, in one process."""

import asyncio
import signal
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.mail.inbound.lmtp import BadAddress, Server


class Command(BaseCommand):
    help = (
        "Receive emails from a mail server on this machine by LMTP, and play the moves they name. Listens only on a"
        " Unix socket or a port of 127.0.0.1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", help="/run/armani/lmtp.sock, or 127.0.0.1:2424")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asyncio.run(self._serve(options["address"]))
        except BadAddress:
            raise CommandError("The address must be the path of a Unix socket, or 127.0.0.1 with a port.") from None
        except OSError as error:
            raise CommandError(f"{options['address']}: {error.strerror}") from None

    async def _serve(self, address: str) -> None:
        """Serve until a signal comes; then close connections, and finish the email in progress."""
        ended = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        # One thread: one email at a time.
        with ThreadPoolExecutor(1) as executor:
            server = Server(executor)
            listening = await server.listen(address)
            self.stdout.write(f"Receiving emails at {address}.")
            self.stdout.flush()
            await ended.wait()
            listening.close()
            server.hang_up()
