"""An incoming email from any source: recipient, text, and whether it was sent automatically.

Strangers can send emails, so each must be cheap whatever it contains: it is read line by line, once; only a limited
amount of headers, parts and text is kept, and skipped data is never in memory. The standard library's parsers for whole
emails or structured headers aren't used, because some emails take them minutes.
"""

import binascii
import codecs
import hashlib
import quopri
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses
from itertools import islice

from games.mail.inbound.reply_parser import text_of_html

#: Enough for an answer with pictures and a signature; anything larger is refused.
MOST_BYTES = 10 * 1024 * 1024
#: Limits of what is kept: characters of a header, headers of a part, bytes of text, parts, and nesting.
LONGEST_HEADER = 1000
MOST_HEADERS = 200
MOST_TEXT = 64 * 1024
MOST_PARTS = 20
MOST_LEVELS = 6
#: Headers in which mail servers record the recipient, most reliable first.
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
#: Subjects of absence notes that have no other mark.
_MACHINE_SUBJECT = re.compile(
    r"\s*(?:auto(?:mat(?:ic|ed|ische|ique))?[- ]?(?:reply|response|antwort)|out of (?:the )?office|abwesenheit|"
    r"absen(?:ce|t)\b|respuesta autom|réponse automatique|risposta automatica|undeliver|delivery status|mail delivery|"
    r"returned mail|read:|gelesen:)",
    re.IGNORECASE,
)
_MACHINE_SENDERS = re.compile(
    r"(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+@-]|$)", re.IGNORECASE
)
_KEPT = ("text/plain", "text/html")
#: Encodings that are slow to decode.
_SLOW = frozenset({"idna", "punycode"})


class TooLarge(ValueError):
    """An email that is larger than any valid answer."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """The relevant parts of an incoming email."""

    #: Possible recipient addresses, most reliable first.
    recipients: Sequence[str]
    text: str
    is_automatic: bool
    #: Identifies this email: the same when it is delivered again.
    fingerprint: str
    message_id: str


class Reader:
    """Reads an email line by line, long lines in pieces, and keeps the parts that can contain an answer."""

    def __init__(self) -> None:
        self._size = 0
        self._parts = 0
        #: Boundaries of the open parts, outermost first.
        self._boundaries: list[bytes] = []
        self._is_line_start = True
        self._is_in_head = True
        self._head: list[bytes] = []
        self._entity = Message()
        self._mail: Message | None = None
        self._body: bytearray | None = None
        self._texts: dict[str, str] = {}

    def feed(self, piece: bytes) -> None:
        """Read a line, or a piece of a long one. Raises :class:`TooLarge`."""
        self._size += len(piece)
        if self._size > MOST_BYTES:
            raise TooLarge
        is_start, self._is_line_start = self._is_line_start, piece.endswith(b"\n")
        if is_start and self._boundaries and piece.startswith(b"--") and self._is_divided(piece.rstrip()):
            return
        if self._is_in_head:
            self._read_head(piece, is_start)
        elif self._body is not None and len(self._body) < MOST_TEXT:
            self._body += piece[: MOST_TEXT - len(self._body)]

    def close(self, recipients: Sequence[str] = (), sender: str | None = None) -> Incoming:
        """Return the email as far as it was read; ``recipients`` and ``sender`` are the envelope's, if known."""
        return put_together(*self.parts(), recipients, sender)

    def parts(self) -> tuple[Message, dict[str, str]]:
        """Return the headers read so far, and the texts by type."""
        if self._is_in_head:
            self._begin_body()
        self._end_part()
        return self._mail or Message(), self._texts

    def _read_head(self, piece: bytes, is_start: bool) -> None:
        if is_start and not piece.strip(b"\r\n"):
            self._begin_body()
        elif is_start and piece[:1] not in b" \t":
            if len(self._head) < MOST_HEADERS:
                self._head.append(piece[:LONGEST_HEADER])
        elif self._head and len(self._head[-1]) < LONGEST_HEADER:
            self._head[-1] += piece[: LONGEST_HEADER - len(self._head[-1])]

    def _begin_body(self) -> None:
        """Decide, once all headers of the email or a part are read, what happens to its body."""
        self._is_in_head = False
        self._entity = entity = described(line.decode("utf-8", "replace").partition(":")[::2] for line in self._head)
        self._head = []
        if self._mail is None:
            self._mail = entity
        boundary = entity.get_boundary()
        kind = entity.get_content_type()
        if entity.get_content_maintype() == "multipart":
            if boundary and len(self._boundaries) < MOST_LEVELS:
                self._boundaries.append(f"--{boundary}".encode())
        elif self._parts <= MOST_PARTS and _is_text(entity) and not self._texts.get(kind, "").strip():
            self._body = bytearray()

    def _is_divided(self, line: bytes) -> bool:
        """Whether a line ends a part; the next part begins, or text that belongs to none."""
        for level in range(len(self._boundaries), 0, -1):
            boundary = self._boundaries[level - 1]
            if line == boundary or line == boundary + b"--":
                self._end_part()
                is_last = line != boundary
                del self._boundaries[level - is_last :]
                self._parts += not is_last
                self._is_in_head = not is_last and self._parts <= MOST_PARTS
                return True
        return False

    def _end_part(self) -> None:
        if self._body is not None:
            self._texts[self._entity.get_content_type()] = _decoded(self._entity, bytes(self._body))
        self._body = None
        self._head = []


def parse(raw: bytes, recipients: Sequence[str] = (), sender: str | None = None) -> Incoming:
    """Read an email as delivered by a mail server, however malformed. Raises :class:`TooLarge`.

    Args:
        raw: headers and body.
        recipients: the envelope's recipients, if known.
        sender: the envelope's sender, if known; empty for automatic emails.
    """
    reader = Reader()
    for line in raw.splitlines(keepends=True):
        reader.feed(line)
    return reader.close(recipients, sender)


def described(headers: Iterable[tuple[str, object]]) -> Message:
    """Build a message with these headers, as far as they are kept."""
    entity = Message()
    for name, value in islice(headers, MOST_HEADERS):
        # Continuation lines follow each other.
        text = " ".join(str(value)[:LONGEST_HEADER].split())
        if name.strip():
            entity[name.strip()] = text.encode("utf-8", "replace").decode("utf-8")
    return entity


def addressed(message: Message) -> list[str]:
    """The addresses named in an email's headers, most reliable first."""
    values = [value for name in _RECIPIENTS for value in message.get_all(name, [])]
    return _addresses(values[:MOST_PARTS])


def _addresses(values: Sequence[str]) -> list[str]:
    try:
        return [address for _name, address in getaddresses(values)]
    except RecursionError:  # nested comments
        return []


def put_together(
    message: Message, texts: Mapping[str, str], recipients: Sequence[str] = (), sender: str | None = None
) -> Incoming:
    """Build the result from headers and texts; recipients and sender are the envelope's."""
    plain = texts.get("text/plain", "")
    text = plain if plain.strip() else text_of_html(texts.get("text/html", ""))
    message_id = str(message["Message-ID"] or "").strip()[:200]
    own = message_id or f"{message['Date']}\n{text}"
    return Incoming(
        recipients=[*recipients, *addressed(message)],
        text=text,
        is_automatic=_is_automatic(message, sender),
        fingerprint=hashlib.sha256(own.encode("utf-8", "replace")).hexdigest()[:16],
        message_id=message_id,
    )


def _is_text(entity: Message) -> bool:
    """Whether a part can contain an answer: plain text or HTML, not an attachment."""
    return entity.get_content_type() in _KEPT and entity.get_content_disposition() != "attachment"


def _decoded(entity: Message, content: bytes) -> str:
    """The text of a part, in its declared encoding or another that fits."""
    way = str(entity["Content-Transfer-Encoding"] or "").strip().lower()
    if way == "base64":
        letters = re.sub(rb"[^A-Za-z0-9+/]", b"", content)
        # Text that was cut off may end in the middle of a character of up to three bytes.
        content = binascii.a2b_base64(letters[: len(letters) // 4 * 4] + _rest(letters))
    elif way == "quoted-printable":
        content = quopri.decodestring(content)
    named = str(entity.get_content_charset() or "utf-8")
    for charset, errors in ((named, "strict"), ("utf-8", "strict"), (named, "replace")):
        try:
            if codecs.lookup(charset).name not in _SLOW:
                return content.decode(charset, errors)
        except (LookupError, ValueError):
            continue  # not in that encoding: try the next one; Latin-1 accepts anything
    return content.decode("latin-1")


def _rest(letters: bytes) -> bytes:
    rest = letters[len(letters) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _is_automatic(message: Message, sender: str | None) -> bool:
    """Whether it was sent automatically: absence notes, bounces, lists, and this site's own emails."""

    def said(name: str) -> str:
        return str(message[name] or "").strip()

    if sender in ("", "<>") or said("Return-Path") == "<>":
        return True
    if said("Auto-Submitted").partition(";")[0].strip().lower() not in ("", "no"):
        return True
    if said("Precedence").lower() in ("bulk", "junk", "list", "auto_reply"):
        return True
    if any(said(name) for name in _MACHINE_HEADERS):
        return True
    if message.get_content_type() in ("multipart/report", "message/delivery-status", "text/calendar"):
        return True
    if any(_MACHINE_SENDERS.match(address) for address in _addresses([said("From"), said("Sender")])):
        return True
    return bool(_MACHINE_SUBJECT.match(_readable(said("Subject"))))


def _readable(header: str) -> str:
    """A header with its encoded words decoded, or unchanged if that fails."""
    try:
        return str(make_header(decode_header(header)))
    except (MessageError, LookupError, ValueError):
        return header
