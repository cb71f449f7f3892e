"""An incoming email, however it arrived: its recipient, whether a machine sent it, and what it says.

Strangers send emails, so each costs little whatever is in it: it is read line by line, once; of headers, parts and text
only so much is kept, and what is skipped is never in memory. Nothing here goes by the standard library's parsers of
whole emails or of structured headers, which take minutes for some.
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

#: An answer with pictures and a signature; whatever is larger is none.
MOST_BYTES = 10 * 1024 * 1024
#: What is kept of it: characters of a header, headers of a part, bytes of a text, parts, and levels of them.
LONGEST_HEADER = 1000
MOST_HEADERS = 200
MOST_TEXT = 64 * 1024
MOST_PARTS = 20
MOST_LEVELS = 6
#: Headers in which mail servers note whom an email was for, the surest first.
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
_KEPT = ("text/plain", "text/html")
#: Encodings that take long for what they say.
_SLOW = frozenset({"idna", "punycode"})


class TooLarge(ValueError):
    """An email that is larger than any answer."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """What matters of an email that came in."""

    #: Addresses it may have been for, the surest first.
    recipients: Sequence[str]
    text: str
    is_automatic: bool
    #: Names this very email: the same when it is delivered again.
    fingerprint: str
    message_id: str


class Reader:
    """Takes an email in line by line, long ones in pieces, and keeps what an answer can be in."""

    def __init__(self) -> None:
        self._size = 0
        self._parts = 0
        #: What parts are divided by, the outermost first.
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
        """The email as far as it was read; ``recipients`` and ``sender`` are the envelope's, if they are known."""
        return put_together(*self.parts(), recipients, sender)

    def parts(self) -> tuple[Message, dict[str, str]]:
        """The headers of the email as far as it was read, and its texts by their types."""
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
        """All headers of the email or of one of its parts are there: decide what becomes of its body."""
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
        """Whether a line ends a part; what comes then is another one, or what belongs to none."""
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
    """Read an email as a mail server hands it over, however malformed. Raises :class:`TooLarge`.

    Args:
        raw: headers and body.
        recipients: whom the envelope names, if that is known.
        sender: the envelope's sender, if that is known; empty for a machine.
    """
    reader = Reader()
    for line in raw.splitlines(keepends=True):
        reader.feed(line)
    return reader.close(recipients, sender)


def described(headers: Iterable[tuple[str, object]]) -> Message:
    """A message of these headers, as far as they are kept."""
    entity = Message()
    for name, value in islice(headers, MOST_HEADERS):
        # Whole lines of a header follow each other after their folding.
        text = " ".join(str(value)[:LONGEST_HEADER].split())
        if name.strip():
            entity[name.strip()] = text.encode("utf-8", "replace").decode("utf-8")
    return entity


def addressed(message: Message) -> list[str]:
    """The addresses that the headers of an email name, the surest first."""
    values = [value for name in _RECIPIENTS for value in message.get_all(name, [])]
    return _addresses(values[:MOST_PARTS])


def _addresses(values: Sequence[str]) -> list[str]:
    try:
        return [address for _name, address in getaddresses(values)]
    except RecursionError:  # comments in comments
        return []


def put_together(
    message: Message, texts: Mapping[str, str], recipients: Sequence[str] = (), sender: str | None = None
) -> Incoming:
    """What matters of an email with these headers and texts; recipients and sender are the envelope's."""
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
    """Whether an answer may stand in a part: plain text or HTML, and not attached."""
    return entity.get_content_type() in _KEPT and entity.get_content_disposition() != "attachment"


def _decoded(entity: Message, content: bytes) -> str:
    """The text of a part, in whatever encoding it says or should have said."""
    way = str(entity["Content-Transfer-Encoding"] or "").strip().lower()
    if way == "base64":
        letters = re.sub(rb"[^A-Za-z0-9+/]", b"", content)
        # What was cut off, or lost on the way, ends in the middle of three bytes.
        content = binascii.a2b_base64(letters[: len(letters) // 4 * 4] + _rest(letters))
    elif way == "quoted-printable":
        content = quopri.decodestring(content)
    named = str(entity.get_content_charset() or "utf-8")
    for charset, errors in ((named, "strict"), ("utf-8", "strict"), (named, "replace")):
        try:
            if codecs.lookup(charset).name not in _SLOW:
                return content.decode(charset, errors)
        except (LookupError, ValueError):
            continue  # not in that encoding: the next one, and Latin-1 takes anything
    return content.decode("latin-1")


def _rest(letters: bytes) -> bytes:
    rest = letters[len(letters) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _is_automatic(message: Message, sender: str | None) -> bool:
    """Whether a machine sent it: absence notes, bounces, lists, and this site's own emails."""

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
    """A header with its encoded words as text; as it is if they can't be read."""
    try:
        return str(make_header(decode_header(header)))
    except (MessageError, LookupError, ValueError):
        return header
