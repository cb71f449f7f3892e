"""Emails that a mail service delivers through its webhook, with any service that django-anymail supports.

The library would take each apart by the standard library's parsers, in the web process, before this site is asked: for
some emails that takes minutes, and others end in an error for which the service brings them again for days. So what
it makes messages of is read by the site's own reader instead, whatever the service calls its fields.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from email.message import Message
from email.policy import compat32
from typing import Any

from anymail.inbound import AnymailInboundMessage
from anymail.signals import inbound
from django.dispatch import receiver

from games.mail.inbound import handler
from games.mail.inbound import message as incoming

#: What the library makes messages by.
_MAKERS = (
    "parse_raw_mime",
    "parse_raw_mime_bytes",
    "parse_raw_mime_chunks",
    "construct",
    "construct_attachment",
    "construct_attachment_from_uploaded_file",
)


class Handed(AnymailInboundMessage):
    """An email as a service handed it over: its headers as they are, nothing else taken apart."""

    def __init__(self, headers: Message | None = None, texts: Mapping[str, str] | None = None) -> None:
        super().__init__(policy=compat32)
        for name, value in (headers or Message()).items():
            self[name] = value
        self.texts = dict(texts or {})

    @classmethod
    def parse_raw_mime(cls, text: str) -> "Handed":
        """Of a whole email."""
        return cls.parse_raw_mime_bytes(text.encode("utf-8", "surrogateescape"))

    @classmethod
    def parse_raw_mime_bytes(cls, raw: bytes) -> "Handed":
        """Of a whole email; what is beyond the length of an answer is left out."""
        reader = incoming.Reader()
        with suppress(incoming.TooLarge):
            for line in io.BytesIO(raw):
                reader.feed(line)
        return cls(*reader.parts())

    @classmethod
    def parse_raw_mime_chunks(cls, chunks: Iterable[bytes]) -> "Handed":
        """Of a whole email that comes in pieces."""
        raw = bytearray()
        for chunk in chunks:
            raw += chunk[: max(0, incoming.MOST_BYTES - len(raw))]
        return cls.parse_raw_mime_bytes(bytes(raw))

    @classmethod
    def construct(
        cls,
        raw_headers: str | None = None,
        from_email: str | None = None,
        to: str | None = None,
        cc: str | None = None,
        bcc: str | None = None,
        subject: str | None = None,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        text: str | None = None,
        html: str | None = None,
        **_more: Any,
    ) -> "Handed":
        """Of an email that the service has taken apart itself."""
        whole = cls.parse_raw_mime(raw_headers or "")
        given = {"From": from_email, "To": to, "Cc": cc, "Bcc": bcc, "Subject": subject}
        pairs = [(name, value) for name, value in given.items() if value is not None]
        pairs += headers.items() if isinstance(headers, Mapping) else headers
        texts = {"text/plain": text or "", "text/html": html or ""}
        kept = {kind: content[: incoming.MOST_TEXT] for kind, content in texts.items()}
        return cls(incoming.described([*pairs, *whole.items()]), kept)

    @classmethod
    def construct_attachment(cls, *_args: Any, **_more: Any) -> "Handed":
        """Nothing: no answer stands in an attachment."""
        return cls()

    construct_attachment_from_uploaded_file = construct_attachment


for _maker in _MAKERS:
    setattr(AnymailInboundMessage, _maker, getattr(Handed, _maker))


@receiver(inbound, dispatch_uid="games.mail.accept_email")
def accept_email(event: Any, **_kwargs: Any) -> None:
    """Play what the email says; an error makes the service bring it again later."""
    message = event.message
    if message.spam_detected:
        return
    recipients: Sequence[str] = [message.envelope_recipient] if message.envelope_recipient else []
    if recipients and handler.ticket_of(recipients) is None:
        return
    handler.receive(incoming.put_together(message, message.texts, recipients, message.envelope_sender))
