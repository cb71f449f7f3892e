"""A mail that came in, however it came: to whom, whether a machine sent it, and what it says."""

import email.policy
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses

from games.mail.inbound.reply_parser import text_of_html

#: A reply is a line above a mail of ours; whatever is longer than this is not one.
MOST_BYTES = 512 * 1024
#: Headers in which mail servers note whom a mail was for, the surest first.
_RECIPIENTS = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Forwarded-To", "To", "Cc")
_MACHINE_HEADERS = (
    "X-Autoreply",
    "X-Autorespond",
    "X-Auto-Reply",
    "List-Id",
    "List-Unsubscribe",
    "X-Loop",
    "X-Failed-Recipients",
)
#: What absence notes are called that say so nowhere else.
_MACHINE_SUBJECT = re.compile(
    r"\s*(?:auto(?:mat(?:ic|ed|ische|ique))?[- ]?(?:reply|response|antwort)|out of (?:the )?office|abwesenheit|"
    r"absen(?:ce|t)\b|respuesta autom|réponse automatique|risposta automatica|undeliver|delivery status|mail delivery|"
    r"returned mail|read:|gelesen:)",
    re.IGNORECASE,
)
_MACHINE_SENDERS = re.compile(
    r"(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+@-]|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Incoming:
    """What matters of a mail that came in."""

    #: Addresses it may have been for, the surest first.
    recipients: Sequence[str]
    text: str
    is_automatic: bool
    #: Names this very mail: the same when it is delivered again.
    fingerprint: str
    message_id: str


def parse(raw: bytes, recipients: Sequence[str] = (), sender: str | None = None) -> Incoming:
    """Read a mail as a mail server hands it over, however malformed.

    Args:
        raw: headers and body.
        recipients: whom the envelope names, if that is known.
        sender: the envelope's sender, if that is known; empty for a machine.
    """
    return of_message(BytesParser(policy=email.policy.default).parsebytes(raw), recipients, sender)


def of_message(message: Message, recipients: Sequence[str] = (), sender: str | None = None) -> Incoming:
    """Read a mail that is parsed already.

    Args:
        message: the mail.
        recipients: whom the envelope names, if that is known.
        sender: the envelope's sender, if that is known; empty for a machine.
    """
    named = getaddresses([value for name in _RECIPIENTS for value in _headers(message, name)])
    message_id = _header(message, "Message-ID").strip()[:200]
    text = text_of(message)
    own = message_id or f"{_header(message, 'Date')}\n{text}"
    return Incoming(
        recipients=[*recipients, *(address for _name, address in named)],
        text=text,
        is_automatic=_is_automatic(message, sender),
        fingerprint=hashlib.sha256(own.encode("utf-8", "replace")).hexdigest()[:16],
        message_id=message_id,
    )


def text_of(message: Message) -> str:
    """The text of a mail: its first part in plain text that says anything, else its first one in HTML."""
    plain, markup = "", ""
    for part in message.walk():
        if part.is_multipart() or part.get_content_disposition() == "attachment":
            continue
        kind = part.get_content_type()
        if kind == "text/plain" and not plain.strip():
            plain = _decoded(part)
        elif kind == "text/html" and not markup.strip():
            markup = _decoded(part)
    return plain if plain.strip() else text_of_html(markup)


def _decoded(part: Message) -> str:
    """The text of a part, in whatever encoding it says or should have said."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    named = part.get_content_charset() or "utf-8"
    for charset, errors in ((named, "strict"), ("utf-8", "strict"), (named, "replace")):
        try:
            return content.decode(charset, errors)
        except (LookupError, ValueError):
            continue  # not in that encoding: the next one, and Latin-1 takes anything
    return content.decode("latin-1")


def _is_automatic(message: Message, sender: str | None) -> bool:
    """Whether a machine sent it: absence notes, bounces, lists, and this site's own mails."""
    if sender == "" or _header(message, "Return-Path").strip() == "<>":
        return True
    if _header(message, "Auto-Submitted").partition(";")[0].strip().lower() not in ("", "no"):
        return True
    if _header(message, "Precedence").strip().lower() in ("bulk", "junk", "list", "auto_reply"):
        return True
    if any(_header(message, name) for name in _MACHINE_HEADERS):
        return True
    if message.get_content_type() in ("multipart/report", "message/delivery-status", "text/calendar"):
        return True
    senders = [address for _name, address in getaddresses(_headers(message, "From") + _headers(message, "Sender"))]
    if any(_MACHINE_SENDERS.match(address) for address in senders):
        return True
    return bool(_MACHINE_SUBJECT.match(_header(message, "Subject")))


def _headers(message: Message, name: str) -> list[str]:
    """All headers of a name as text; one that can't be read counts as absent."""
    try:
        return [str(value) for value in message.get_all(name, [])]
    except Exception:
        # The standard library's parser of headers raises all kinds of errors for what is no header.
        return []


def _header(message: Message, name: str) -> str:
    return next(iter(_headers(message, name)), "")
