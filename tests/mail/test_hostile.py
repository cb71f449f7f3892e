"""Emails designed to cost time or memory: each costs almost nothing, whatever it contains."""

import io
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from email import policy
from email.message import EmailMessage
from types import SimpleNamespace
from typing import Any

import pytest
from anymail.inbound import AnymailInboundMessage
from django.core.management import call_command

from games.mail.inbound import handler, reply_parser, webhook
from games.mail.inbound.message import MOST_BYTES, MOST_TEXT, Reader, TooLarge, parse
from games.mail.moves import Numbered

MOVES = [Numbered(1, "draw:stock", "Draw from the stock"), Numbered(2, "pass", "Pass")]
#: Maximum processor time of an email.
MOST_SECONDS = 0.1
#: The time of ``yardstick`` on the reference machine: an idle core of an AMD EPYC.
YARDSTICK = 0.04
KB = 1024

HOSTILE = {
    "quotes in To": b"To: " + b'"' * 512 * KB + b"\r\n\r\n1",
    "addresses in To": b"To: " + b"a@b.org, " * 42 * KB + b"\r\n\r\n1",
    "comments in From": b"From: " + b"(" * 200 * KB + b"\r\n\r\n1",
    "one boundary": b"Content-Type: multipart/mixed; boundary=" + b"x" * 400 * KB + b"\r\n\r\n1",
    "lines like a boundary": b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--y\r\n" * 80 * KB,
    "many parts": b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\n1\r\n" * 40 * KB,
    "parameters": b"Content-Type: text/plain" + b"; a*0*=utf-8''x" * 10 * KB + b"\r\n\r\n1",
    "numbered parameters": b"Content-Type: text/plain"
    + b"".join(b"; a*%d=x" % n for n in range(12 * KB))
    + b"\r\n\r\n1",
    "encoded subject": b"Subject: " + b"=?utf-8?q?x?= " * 23 * KB + b"\r\n\r\n1",
    "folded lines": b"Subject: x" + b"\r\n y" * 80 * KB + b"\r\n\r\n1",
    "headers": b"X: y\r\n" * 80 * KB + b"\r\n1",
    "marks": b"Content-Type: text/plain; charset=utf-8\r\n\r\n1" + "\u0301\u0327".encode() * 100 * KB,
    "punycode": b"Content-Type: text/plain; charset=punycode\r\n\r\n" + b"a" * 30 * KB + b"-" + b"9z" * 100 * KB,
    "blank lines": b"\r\n" + b"\r\n" * 200 * KB,
    "quoted lines": b"\r\n" + b"> On x, y wrote:\r\n" * 30 * KB,
    "one line": b"\r\n" + b"2 else " * 70 * KB,
    "base64": b"Content-Transfer-Encoding: base64\r\n\r\n" + b"MQ==" * 100 * KB,
    "quoted printable": b"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + b"=" * 400 * KB,
    "deep html": b"Content-Type: text/html\r\n\r\n" + b"<div>" * 80 * KB,
    "tables": b"Content-Type: text/html\r\n\r\n" + b"<table><tr><td>" * 30 * KB,
    "quotes in html": b"Content-Type: text/html\r\n\r\n" + b"<blockquote>" * 40 * KB,
    "lists": b"Content-Type: text/html\r\n\r\n" + b"<ul><li>" * 50 * KB,
    "nested": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(4000)
    ),
}  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    """Processor time of some work: the minimum of three runs, since other load affects it, too.

    If it is too long, it is scaled to the reference speed: a shared core does less per second.
    """
    taken = []
    for _try in range(3):
        took = processor_time(work)
        if took >= MOST_SECONDS:
            took /= max(1.0, processor_time(yardstick) / YARDSTICK)
        taken.append(took)
        if took < MOST_SECONDS:
            break
    return min(taken)


def processor_time(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def yardstick() -> None:
    """Work of known length, similar to reading an email."""
    for number in range(100_000):
        b"name: value %d".partition(b": ")[2].decode("latin-1").strip().lower().split()
        (number % 7, str(number))


def look_into(raw: bytes) -> None:
    mail = parse(raw)
    handler.ticket_of(mail.recipients)
    with suppress(reply_parser.Unreadable):  # a refusal is fine; any other error is not
        reply_parser.read(mail.text, MOVES)


@pytest.fixture(autouse=True, scope="module")
def _warm() -> None:
    """Load modules first, so that no email is charged for them."""
    look_into(b"Subject: =?utf-8?q?x?=\r\nContent-Type: text/html; charset=punycode\r\n\r\n<p>1</p>")


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_every_email_is_read_quickly(raw: bytes):
    assert seconds(lambda: look_into(raw)) < MOST_SECONDS


def made_of_raw(raw: bytes) -> Callable[[], AnymailInboundMessage]:
    text = raw.decode("latin-1")
    return lambda: AnymailInboundMessage.parse_raw_mime(text)


def made_of_pieces(raw: bytes) -> Callable[[], AnymailInboundMessage]:
    pieces = [raw[at : at + 8192] for at in range(0, len(raw), 8192)]
    return lambda: AnymailInboundMessage.parse_raw_mime_chunks(pieces)


def made_of_parts(raw: bytes) -> Callable[[], AnymailInboundMessage]:
    """Parsed emails as from services: every field may be of any length."""
    head, _blank, body = raw.decode("latin-1").partition("\r\n\r\n")
    headers = [line.partition(": ")[::2] for line in head.split("\r\n")]
    long = headers[0][1]

    def make() -> AnymailInboundMessage:
        AnymailInboundMessage.construct_attachment(content_type=long, content=body, filename=long)
        return AnymailInboundMessage.construct(
            raw_headers=head, from_email=long, to=long, subject=long, headers=headers, text=body, html=body
        )

    return make


@pytest.mark.parametrize("made", [made_of_raw, made_of_pieces, made_of_parts])
@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_an_email_from_a_mail_service_is_read_quickly_too(
    raw: bytes, made: Callable[[bytes], Callable[[], Any]], settings: Any
):
    """From the service's library to playing the move."""
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"
    make = made(raw)

    def accept_email() -> None:
        handed = make()
        assert handed.get("X-Mailgun-Sflag", "No") == "No"
        for sent_to in ("stranger@play.example.org", None):
            handed.envelope_recipient, handed.envelope_sender, handed.spam_detected = sent_to, "x@y.org", False
            webhook.accept_email(SimpleNamespace(message=handed))

    assert seconds(accept_email) < MOST_SECONDS


def test_an_address_of_no_one_is_refused_before_anything_is_read(settings: Any, monkeypatch: pytest.MonkeyPatch):
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=None))  # reading from it would fail
    for address in ("stranger@play.example.org", "turn+" + "a" * 40 + "@play.example.org"):
        with pytest.raises(SystemExit) as left:
            call_command("receive_mail", address)
        assert left.value.code == os.EX_NOUSER


def answer_with_picture(size: int) -> bytes:
    mail = EmailMessage()
    mail["To"] = "turn@play.example.org"
    mail.set_content("2\n")
    mail.add_alternative("<p>2</p>", subtype="html")
    mail.add_attachment(os.urandom(size), maintype="image", subtype="png", filename="logo.png")
    return mail.as_bytes(policy=policy.SMTP)


def test_an_answer_with_a_large_picture_is_read_and_the_picture_is_not_kept():
    raw = answer_with_picture(2 * KB * KB)
    reader = Reader()
    tracemalloc.start()
    for line in io.BytesIO(raw):
        reader.feed(line)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reader.close().text.strip() == "2"
    assert most < 64 * KB


def test_a_text_is_kept_up_to_its_limit_and_beyond_ten_megabytes_nothing_is_read():
    assert len(parse(b"\r\n" + b"x" * 500 * KB).text) == MOST_TEXT
    reader = Reader()
    for _piece in range(MOST_BYTES // 8192):
        reader.feed(b"x" * 8192)
    with pytest.raises(TooLarge):
        reader.feed(b"x")


def test_the_pipe_refuses_what_is_too_large(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x" * (MOST_BYTES + 1))))
    with pytest.raises(SystemExit) as left:
        call_command("receive_mail")
    assert left.value.code == os.EX_DATAERR


@pytest.mark.parametrize("piece", [300, 998, 8192])
def test_it_is_read_the_same_in_pieces_of_any_length(piece: int):
    raw = answer_with_picture(5000)
    whole = parse(raw)
    reader = Reader()
    source = io.BytesIO(raw)
    for read in iter(lambda: source.readline(piece), b""):
        reader.feed(read)
    assert reader.close() == whole
    assert whole.text.strip() == "2"


def test_parts_within_parts_are_found_and_forwarded_emails_are_not_read():
    mail = EmailMessage()
    mail.set_content("1\n")
    mail.add_alternative("<p>1</p>", subtype="html")
    outer = EmailMessage()
    outer.make_mixed()
    outer.attach(mail)
    inner = EmailMessage()
    inner.set_content("2\n")
    outer.add_attachment(inner)
    assert parse(outer.as_bytes(policy=policy.SMTP)).text.strip() == "1"
    assert webhook.Handed.parse_raw_mime(outer.as_string()).texts["text/plain"].strip() == "1"
