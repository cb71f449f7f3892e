"""Readers of outside data, as functions that accept any bytes.

Each function returns when it has accepted the bytes or refused them in a documented way; any other exception is a
fault. ``python -m tests.fuzz`` generates bytes for them, ``test_cases.py`` runs inputs that once were faults.
"""

import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import QueryDict
from django.utils.http import urlencode

from accounts import sessions
from games import engine, rules
from games.judging.latency import LatencyMeter
from games.lobby import invitations
from games.mail import tokens
from games.mail.inbound import handler, reply_parser
from games.mail.inbound.message import Incoming, TooLarge, parse, put_together
from games.mail.inbound.webhook import Handed
from games.mail.moves import numbered
from games.mail.outgoing import email_builder
from games.matches import live_match, service
from games.matches.models import Match, Seat
from games.plans.forms import PlanForm
from games.plans.preconditions import MOST_STEPS, bid, candidates, highest_bid
from games.realtime import intents
from tests.factories.matches import SEED
from tests.factories.replies import reply

#: How turns are answered while this runs.
REPLIES = "turn+{}@play.example.org"
#: Moves between two examined positions, and positions per game.
APART, POSITIONS = 12, 4
NAMES = ("Ada", "Ben", "Cleo", "Dan")


class Position(NamedTuple):
    """A position of a match, and a seat whose turn it is."""

    slug: str
    state: engine.State
    seat: int


@cache
def positions() -> Sequence[Position]:
    """Positions of every game, always the same ones."""
    found = []
    for slug, game in sorted(rules.by_slug().items()):
        rng = random.Random(slug)
        newest = game.versions[max(game.versions)]
        state = newest.deal(newest.seats[0], {}, SEED)
        for move in range(APART * (POSITIONS - 1) + 1):
            asked = state.to_move()
            if not asked or asked[0] == engine.TABLE:
                break
            if move % APART == 0:
                found.append(Position(slug, state.copy(), asked[0]))
            seat = rng.choice(asked)
            state.apply(seat, rng.choice(state.legal_moves(seat)))
    return found


def chosen(data: bytes) -> tuple[Position, bytes]:
    """The position selected by the first byte, and the remaining bytes."""
    return positions()[data[0] % len(positions())] if data else positions()[0], data[1:]


def text_of(data: bytes) -> str:
    """The possible text of a text frame, including lone surrogates, as JSON can spell them."""
    return data.decode("utf-8", "surrogatepass" if b"\xed" in data else "replace")


# Messages of sockets.


def socket(data: bytes) -> None:
    """A browser's frame: parsed, and handled like its kind at a table."""
    position, said = chosen(data)
    try:
        text = text_of(said)
    except UnicodeDecodeError:
        return  # not a text frame: the server's library refuses it
    try:
        intent = intents.read(text)
    except ValueError:
        return
    meter = LatencyMeter()
    meter.ping_sent(1, 0.0)
    match intent:
        case intents.MoveIntent():
            with suppress(service.Refused):  # most frames are no move
                service.move_command(1, position.seat, intent.move, request_id=intent.id, seen_version=intent.v)
                try_move(position, intent.move)
        case intents.WhyIntent():
            try_move(position, intent.move)
        case intents.SlapIntent():
            measured = meter.measure(40.0, intent.r)
            assert 40 - measured.cap <= measured.reaction <= 40
        case intents.Pong():
            meter.pong_received(intent.n, 1.0)
            assert meter.ping >= 0


def try_move(position: Position, move: str) -> None:
    """Legal moves must be possible, and refused ones must change nothing."""
    state = position.state.copy()
    try:
        state.check(position.seat, move)
    except engine.IllegalMove:
        with suppress(engine.IllegalMove):  # it must be refused here, too
            state.apply(position.seat, move)
            raise AssertionError("made, though it was refused") from None
        assert engine.freeze(state) == engine.freeze(position.state)
    else:
        state.apply(position.seat, move)


def socket_seeds() -> Iterator[bytes]:
    for number, (_slug, state, seat) in enumerate(positions()):
        for move in state.legal_moves(seat)[:4]:
            for said in ({"t": "move", "id": "a1", "move": move, "v": 3}, {"t": "why", "id": "a1", "move": move}):
                yield bytes([number]) + json.dumps(said).encode()
    for said in (
        {"t": "slap", "id": "a1", "v": 3, "r": 212.5},
        {"t": "pong", "n": 1},
        {"t": "ack", "v": 3},
        {"t": "since", "v": 3},
        {"t": "visible", "on": False},
        {"t": "watch"},
    ):
        yield b"\0" + json.dumps(said).encode()


# Emails.


def mail(data: bytes) -> None:
    """An email, by LMTP or a service's webhook: its turn and moves."""
    position, raw = chosen(data)
    moves = numbered(position.state.view(position.seat), NAMES)
    with suppress(TooLarge):  # the server refuses it as well
        answer(parse(raw), moves)
    head, _blank, body = raw.decode("latin-1").partition("\n\n")
    for handed in (
        Handed.parse_raw_mime_bytes(raw),
        Handed.construct(raw_headers=head, subject=head, headers=[(head, head)], text=body, html=body),
    ):
        answer(put_together(handed, handed.texts), moves)


def answer(incoming: Incoming, moves: Sequence[Any]) -> None:
    handler.ticket_of(incoming.recipients)
    with suppress(reply_parser.Unreadable):  # most texts are no answer
        read = reply_parser.read(incoming.text, moves)
        assert set(read.moves) <= set(moves)
        for words in read.later:
            assert set(reply_parser.wished(words, moves)) <= set(moves)


def mail_seeds() -> Iterator[bytes]:
    address = tokens.reply_address(SEAT, 12)
    for number, text in enumerate(("1", "2 else 4", "1; discard KS\n\n> quoted", "pass\n-- \nAda", "drei, dann 2")):
        message = reply(address, text)
        yield bytes([7 * number]) + message.as_bytes()
        message.add_alternative(f"<p>{text}</p><blockquote>3</blockquote>", subtype="html")
        message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png")
        yield bytes([7 * number]) + message.as_bytes()
    yield b"\0" + reply(address, "fünf", Subject="=?utf-8?q?Abwesenheit?=", Auto_Submitted="auto-replied").as_bytes()


# Tokens.

SEAT = Seat(pk=7, player_id=3, number=0)
LINK = email_builder.Link(3, "turn", 5)
INVITED = invitations.Link("7kq2m9x4tb", "eve@example.org")


def token(data: bytes) -> None:
    """The end of a signed URL, or a signed cookie: it must contain what this site has signed, or be refused."""
    text = data.decode("utf-8", "replace")
    for read, refusal, signed in (
        (tokens.read_page, tokens.BadToken, TICKETS),
        (tokens.read_reply, tokens.BadToken, TICKETS),
        (lambda each: tokens.read_reply(REPLIES.format(each)), tokens.BadToken, TICKETS),
        (email_builder.Link.read, email_builder.BadLink, (LINK,)),
        (invitations.read_link, ValueError, (INVITED,)),
    ):
        with suppress(refusal):  # as nearly every text must be
            assert read(text) in signed
    assert sessions.known_to(SimpleNamespace(COOKIES={sessions.COOKIE: text})) == []


TICKETS = (tokens.Ticket(7, 3, 12, 12), tokens.Ticket(7, 3, 12, 15))


def token_seeds() -> Iterator[bytes]:
    yield tokens.turn_url(SEAT, 12).rstrip("/").rpartition("/")[2].encode()
    for address in (tokens.reply_address(SEAT, 12), tokens.reply_address(SEAT, 12, 15)):
        yield address.encode()
        yield address.partition("+")[2].partition("@")[0].encode()
    yield LINK.token.encode()


# Snapshots.


def snapshot(data: bytes) -> None:
    """A stored snapshot: the table continues from it, or from the deal."""
    position, stored = chosen(data)
    try:
        kept = json.loads(stored)
    except (ValueError, RecursionError):
        return  # not JSON: the database can't contain that
    match = Match(
        pk=1,
        key="7kq2m9x4tb",
        slug=position.slug,
        rules_version=rules.get(position.slug).version,
        seat_count=rules.get(position.slug).seats[0],
        seed=SEED,
        snapshot=kept,
        snapshot_version=APART,
    )
    seats = [Seat(pk=number + 1, match=match, number=number) for number in range(match.seat_count)]
    with mock.patch.object(live_match, "moves_since", return_value=[]):
        table, later = live_match.beginning(match, seats, [])
    assert (table.version, later) in ((APART, []), (0, []))


def snapshot_seeds() -> Iterator[bytes]:
    for number, (_slug, state, _seat) in enumerate(positions()):
        kept = {"state": engine.freeze(state), "open_version": APART, "card": None}
        yield bytes([number]) + json.dumps(kept, separators=(",", ":")).encode()


# Plans.


def plan(data: bytes) -> None:
    """The form of a plan as sent by a browser: an accepted plan must be possible for the hand."""
    position, sent = chosen(data)
    view = position.state.view(position.seat)
    try:
        form = PlanForm(view, list(NAMES), None, QueryDict(sent))
    except (SuspiciousOperation, BadRequest, UnicodeDecodeError, ValueError):
        return  # not a form
    if not form.is_valid():
        return
    assert set(form.moves) <= set(candidates(view))
    assert len(form.moves) <= MOST_STEPS
    if form.maximum is not None:
        assert 1 <= form.maximum <= highest_bid(view)
        assert bid(view, form.maximum) in (None, *view.moves)


def plan_seeds() -> Iterator[bytes]:
    for number, (_slug, state, seat) in enumerate(positions()):
        moves = candidates(state.view(seat))[:3]
        yield bytes([number]) + urlencode({f"step{step}": move for step, move in enumerate(moves)}).encode()
        yield bytes([number]) + b"maximum=7"


class Target(NamedTuple):
    """A function to fuzz, initial inputs, and the allowed cost."""

    look: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]
    #: Maximum function calls, including Python's own, and additional ones per byte.
    most_calls: int
    more_a_byte: int = 0


TARGETS = {
    "socket": Target(socket, socket_seeds, 5_000),
    "mail": Target(mail, mail_seeds, 40_000, 60),
    "token": Target(token, token_seeds, 5_000),
    "snapshot": Target(snapshot, snapshot_seeds, 50_000),
    "plan": Target(plan, plan_seeds, 50_000),
}


class TooDear(AssertionError):
    """An input that costs more than allowed."""


#: The module that compiles regular expressions: Python recompiles forgotten ones.
_COMPILES = {str(Path(re.__file__).parent / name) for name in ("_compiler.py", "_parser.py")}


def calls(work: Callable[[], object]) -> int:
    """The number of function calls of some work."""
    count = 0

    def note(frame: FrameType, event: str, _of: object) -> None:
        nonlocal count
        count += event in ("call", "c_call") and frame.f_code.co_filename not in _COMPILES

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@cache
def _load(name: str) -> None:
    """Load everything a target loads once, such as a catalogue, so that it doesn't count for the first input."""
    target = TARGETS[name]
    target.look(next(iter(target.seeds())))


def show(name: str, data: bytes) -> None:
    """Run a target on ``data``. Raises any fault in it, and :class:`TooDear`."""
    target = TARGETS[name]
    positions()  # created once, by whichever input comes first
    _load(name)
    count = calls(lambda: target.look(data))
    if count > target.most_calls + target.more_a_byte * len(data):
        raise TooDear(f"{count} calls for {len(data)} bytes")
