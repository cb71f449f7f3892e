"""A real mail server for tests, with the emails it received."""

import email
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller


class Mailbox:
    """Accepts every email and keeps it unchanged; if ``refuse`` is set, replies with that instead."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        #: Emails parsed before, each with its parser.
        self._read: list[tuple[str, EmailMessage]] = []
        self.refuse = ""

    async def handle_RCPT(  # noqa: N802 - aiosmtpd calls it so
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if self.refuse:
            return self.refuse
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - as above
        self.raw.append(envelope.content)
        return "250 OK"

    @property
    def mails(self) -> list[EmailMessage]:
        return [mail for _to, mail in self._all()]

    def to(self, address: str | None) -> list[EmailMessage]:
        return [mail for to, mail in self._all() if to == address]

    def _all(self) -> list[tuple[str, EmailMessage]]:
        for raw in self.raw[len(self._read) :]:
            mail = email.message_from_bytes(raw, policy=default)
            self._read.append((str(mail["To"]), mail))
        return self._read


@contextmanager
def mail_server(settings: Any) -> Iterator[Mailbox]:
    """A server on a free port that the outbox sends to."""
    mailbox = Mailbox()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        settings.MAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield mailbox
    finally:
        controller.stop()


def text_of(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return body.get_content().replace("\r\n", "\n")


def html_of(mail: EmailMessage) -> str:
    body = mail.get_body(("html",))
    assert body is not None
    return body.get_content()


def link_in(mail: EmailMessage, part: str) -> str:
    """The path of the first link in an email's text that has ``part`` in it."""
    found = re.search(rf"http://\S+?(/{part}\S*)", text_of(mail))
    assert found, text_of(mail)
    return found[1]
