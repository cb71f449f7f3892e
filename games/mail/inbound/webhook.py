"""Emails delivered by a mail service's webhook: any service that django-anymail supports.

The library would parse each email with the standard library's parsers, in the web process, before our code runs. For
some emails that takes minutes, and others raise errors, after which the service redelivers them for days. So its
constructors are replaced by our own reader, whatever the service calls its fields.
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

#: The library's functions that create messages.
_MAKERS = (
    "parse_raw_mime",
    "parse_raw_mime_bytes",
    "parse_raw_mime_chunks",
    "construct",
    "construct_attachment",
    "construct_attachment_from_uploaded_file",
)


class Handed(AnymailInboundMessage):
    """An email from a service: headers unchanged, nothing else parsed."""

    def __init__(self, headers: Message | None = None, texts: Mapping[str, str] | None = None) -> None:
        super().__init__(policy=compat32)
        for name, value in (headers or Message()).items():
            self[name] = value
        self.texts = dict(texts or {})

    @classmethod
    def parse_raw_mime(cls, text: str) -> "Handed":
        """Build from a complete email."""
        return cls.parse_raw_mime_bytes(text.encode("utf-8", "surrogateescape"))

    @classmethod
    def parse_raw_mime_bytes(cls, raw: bytes) -> "Handed":
        """Build from a complete email; anything beyond the maximum length is dropped."""
        reader = incoming.Reader()
        with suppress(incoming.TooLarge):  # what was read before is enough for an answer
            for line in io.BytesIO(raw):
                reader.feed(line)
        return cls(*reader.parts())

    @classmethod
    def parse_raw_mime_chunks(cls, chunks: Iterable[bytes]) -> "Handed":
        """Build from a complete email that arrives in chunks."""
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
        """Build from an email that the service has parsed."""
        whole = cls.parse_raw_mime(raw_headers or "")
        given = {"From": from_email, "To": to, "Cc": cc, "Bcc": bcc, "Subject": subject}
        pairs = [(name, value) for name, value in given.items() if value is not None]
        pairs += headers.items() if isinstance(headers, Mapping) else headers
        texts = {"text/plain": text or "", "text/html": html or ""}
        kept = {kind: content[: incoming.MOST_TEXT] for kind, content in texts.items()}
        return cls(incoming.described([*pairs, *whole.items()]), kept)

    @classmethod
    def construct_attachment(cls, *_args: Any, **_more: Any) -> "Handed":
        """Ignore attachments: they contain no answers."""
        return cls()

    construct_attachment_from_uploaded_file = construct_attachment


for _maker in _MAKERS:
    setattr(AnymailInboundMessage, _maker, getattr(Handed, _maker))


@receiver(inbound, dispatch_uid="games.mail.accept_email")
def accept_email(event: Any, **_kwargs: Any) -> None:
    """Play an email's moves; after an error, the service delivers it again later."""
    message = event.message
    if message.spam_detected:
        return
    recipients: Sequence[str] = [message.envelope_recipient] if message.envelope_recipient else []
    if recipients and handler.ticket_of(recipients) is None:
        return
    handler.receive(incoming.put_together(message, message.texts, recipients, message.envelope_sender))
