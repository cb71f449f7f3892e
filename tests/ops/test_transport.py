"""Limits of a connection before there is a request: each server's protocols on a simulated connection."""

import asyncio
import struct
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armani_site import budgets
from armani_site.serving import limits
from tests.factories.turns_of_the_loop import settle
from tests.factories.wires import FRONTS, Front, Wire

BODY = 1000
CLOSE, PING, PONG, TEXT, BYTES = 8, 9, 10, 1, 2


class Application:
    """Answers each request, accepts each socket, and records its messages."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            self.say = send
            while (message := await receive())["type"] != "websocket.disconnect":
                self.received.append(message)
            return
        self.received.append(scope)
        while (await receive())["more_body"]:
            pass
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture(params=FRONTS)
def make_front(request: pytest.FixtureRequest) -> type[Front]:
    """Creates each server in turn."""
    return FRONTS[request.param]


@pytest.fixture
def front(make_front: type[Front], application: Application, settings: Any) -> Front:
    settings.BODY_BYTES = BODY
    settings.CONNECTIONS_PER_ADDRESS = 4
    return make_front(application, connections=100, are_visitors=True)


def request(length: int | None = None, body: bytes = b"", method: str = "POST") -> bytes:
    head = f"{method} / HTTP/1.1\r\nHost: localhost\r\n"
    if length is not None:
        head += f"Content-Length: {length}\r\n"
    return head.encode() + b"\r\n" + body


HANDSHAKE = (
    b"GET /ws/ HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def frame(kind: int, payload: bytes = b"{}", *, is_last: bool = True) -> bytes:
    return bytes([(0x80 if is_last else 0) | kind, 0x80 | len(payload)]) + bytes(4) + payload


async def socket(front: Front, host: str = "198.51.100.7") -> Wire:
    wire = front.connect(host)
    wire.send(HANDSHAKE)
    await settle()
    assert wire.status == 101
    wire.clear()
    return wire


# Bodies.


async def test_a_body_of_honest_size_is_answered(front):
    wire = front.connect()
    wire.send(request(BODY, bytes(BODY)))
    await settle()
    assert wire.status == 200
    assert front.shares.bodies.taken == 0


async def test_a_body_too_long_is_refused_before_any_of_it_is_kept(front, application):
    wire = front.connect()
    wire.send(request(BODY + 1))
    assert wire.status == 413
    assert wire.is_half_closed
    for _ in range(100):
        wire.send(bytes(BODY))
    await settle()
    assert not application.received
    assert wire.value().count(b"HTTP/1.1") == 1
    front.clock.advance(limits.FAREWELL)
    assert wire.is_aborted
    assert (front.shares.bodies.taken, front.shares.connections.taken) == (0, 0)


async def test_a_body_in_chunks_is_refused_as_soon_as_it_is_too_long(front, application):
    wire = front.connect()
    wire.send(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(20):
        wire.send(b"64\r\n" + bytes(100) + b"\r\n")
    wire.send(b"0\r\n\r\n")
    await settle()
    assert wire.status == 413
    assert not application.received


async def test_bodies_together_are_bounded_and_no_address_has_more_than_half(front, monkeypatch):
    monkeypatch.setattr(front.shares.bodies, "total", 4 * BODY)
    monkeypatch.setattr(front.shares.bodies, "each", 2 * BODY)
    mine = [front.connect() for _ in range(3)]
    for wire in mine:
        wire.send(request(BODY, b"a"))
    assert [wire.status for wire in mine] == [None, None, 503]
    other = front.connect("203.0.113.9")
    other.send(request(BODY, bytes(BODY)))
    await settle()
    assert other.status == 200
    for wire in mine:
        wire.leave()
    assert front.shares.bodies.taken == 0


async def test_the_body_of_a_socket_request_is_not_kept(front):
    wire = front.connect()
    wire.send(HANDSHAKE.replace(b"Host", b"Content-Length: 500\r\nHost") + bytes(500))
    await settle()
    assert front.shares.bodies.taken == 0


# Time.


@pytest.mark.parametrize("begin", [b"", b"GET /", request(BODY)], ids=["nothing", "header", "body"])
async def test_a_request_that_arrives_byte_by_byte_must_be_complete_in_time(front, begin, settings):
    wire = front.connect()
    wire.send(begin)
    for _ in range(int(settings.REQUEST_SECONDS) - 1):
        front.clock.advance(1)
        if begin:
            wire.send(b"x")
    assert not wire.is_aborted
    front.clock.advance(2)
    assert wire.is_aborted
    assert front.shares.connections.taken == 0


async def test_an_answer_may_take_longer_than_its_request(front, application, settings):
    application.go.clear()
    wire = front.connect()
    wire.send(request(method="GET"))
    front.clock.advance(2 * settings.REQUEST_SECONDS)
    application.go.set()
    await settle()
    assert wire.status == 200
    # The connection stays open for another request for a while, however late that begins.
    front.clock.advance(settings.REQUEST_SECONDS + 1)
    wire.clear()
    wire.send(request(method="GET"))
    await settle()
    assert wire.status == 200


async def test_the_part_of_a_next_request_that_came_during_the_answer_has_a_deadline(front, application, settings):
    application.go.clear()
    wire = front.connect()
    wire.send(request(method="GET") + b"GET /")
    application.go.set()
    await settle()
    for _ in range(int(settings.REQUEST_SECONDS)):
        front.clock.advance(1)
        if not wire.is_aborted:
            wire.send(b"x")
    assert wire.is_aborted


# Connections.


def test_an_address_has_so_many_connections_and_others_have_theirs(front):
    mine = [front.connect() for _ in range(5)]
    assert [wire.is_aborted for wire in mine] == [False] * 4 + [True]
    assert not front.connect("203.0.113.9").is_aborted
    mine[0].leave()
    assert not front.connect().is_aborted


async def test_sockets_are_connections_and_give_their_place_back(front):
    wires = [await socket(front) for _ in range(4)]
    assert front.connect().is_aborted
    wires[0].leave()
    assert front.shares.connections.taken == 3
    assert not front.connect().is_aborted


async def test_an_address_may_leave_so_many_requests_unfinished_and_no_more(make_front, application, settings):
    settings.UNFINISHED_REQUESTS_PER_ADDRESS = 2
    front = make_front(application, connections=100, are_visitors=True)
    idle, *busy, over = [front.connect() for _ in range(4)]
    for wire in (*busy, over):
        wire.send(b"GET / HTTP/1.1\r\n")
        wire.send(b"Host: localhost\r\n")
    assert [wire.is_aborted for wire in (idle, *busy, over)] == [False, False, False, True]
    assert not front.shares.have_room_for("198.51.100.7")
    other = front.connect("203.0.113.9")
    other.send(b"GET /")
    assert not other.is_aborted
    # A finished or abandoned one makes room for another.
    busy[0].send(b"\r\n")
    busy[1].leave()
    await settle()
    assert busy[0].status == 200
    assert front.shares.have_room_for("198.51.100.7")
    for wire in (idle, front.connect()):
        wire.send(b"GET /")
        assert not wire.is_aborted
    front.clock.advance(settings.REQUEST_SECONDS)
    assert front.shares.unfinished.taken == 0


async def test_behind_a_proxy_its_requests_are_everyones(make_front, application, settings):
    settings.UNFINISHED_REQUESTS_PER_ADDRESS = 1
    front = make_front(application, connections=100, are_visitors=False)
    wires = [front.connect("127.0.0.1") for _ in range(3)]
    for wire in wires:
        wire.send(b"GET /")
    assert not any(wire.is_aborted for wire in wires)


def test_the_whole_network_of_a_connection_is_one_address():
    assert budgets.network_of("2001:db8:1:2:3::4") == budgets.network_of("2001:db8:1:2:ffff::1")
    assert budgets.network_of("2001:db8:1:2::1") != budgets.network_of("2001:db8:1:3::1")
    assert budgets.network_of("::ffff:198.51.100.7") == "198.51.100.7"


def test_behind_a_proxy_all_connections_may_be_one_address(make_front, application, settings):
    settings.CONNECTIONS_PER_ADDRESS = 4
    front = make_front(application, connections=100, are_visitors=False)
    wires = [front.connect("127.0.0.1") for _ in range(101)]
    assert [wire.is_aborted for wire in wires] == [False] * 100 + [True]


# Frames.


def frames_of(wire: Wire) -> list[tuple[int, bytes]]:
    data, found = wire.value(), []
    while data:
        length, more = data[1] & 0x7F, {126: 2, 127: 8}.get(data[1] & 0x7F, 0)
        begin = 2 + more
        length = int.from_bytes(data[2:begin]) if more else length
        found.append((data[0] & 0x0F, data[begin : begin + length]))
        data = data[begin + length :]
    return found


async def test_messages_within_the_limit_are_always_accepted(front, application):
    wire = await socket(front)
    for _ in range(1000):
        wire.send(frame(TEXT))
        front.clock.advance(1 / 20)
    await settle()
    assert len(application.received) == 1000


def masked(payload: bytes, mask: bytes, *, kind: int = TEXT, is_last: bool = True) -> bytes:
    hidden = bytes(each ^ mask[place % 4] for place, each in enumerate(payload))
    return bytes([(0x80 if is_last else 0) | kind, 0x80 | len(payload)]) + mask + hidden


@given(
    texts=st.lists(st.text(max_size=31), min_size=1, max_size=5),
    mask=st.binary(min_size=4, max_size=4),
    length=st.integers(1, 40),
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_message_is_the_same_however_its_bytes_arrive(make_front, texts, mask, length):
    frames = [masked(text.encode(), mask) for text in texts]
    data = b"".join(frames)
    pieces = [data[first : first + length] for first in range(0, len(data), length)]
    for arriving in (frames, [data], pieces):
        application = Application()
        wire = await socket(make_front(application, connections=100, are_visitors=True))
        for piece in arriving:
            wire.send(piece)
        await settle()
        assert [message["text"] for message in application.received] == texts


async def test_the_application_may_take_messages_at_once_and_gets_all_others_in_turn(application):
    wire = await socket(FRONTS["daphne"](application, connections=100, are_visitors=True))
    asked: list[str | None] = []

    def take(text: str | None) -> bool:
        asked.append(text)
        return text == "mine"

    wire.line.take_frame = take
    for data in (
        masked(b"mine", b"abcd"),
        masked(b"other", b"abcd"),
        masked(b"mi", b"abcd", is_last=False),
        masked(b"ne", b"abcd", kind=0),
        masked(b"bytes", b"abcd", kind=BYTES),
    ):
        wire.send(data)
    await settle()
    assert asked == ["mine", "other", "mine", None]
    assert [message.get("text", message.get("bytes")) for message in application.received] == ["other", b"bytes"]


async def test_short_messages_and_pieces_of_a_longer_one_keep_their_order(front, application):
    wire = await socket(front)
    for data in (
        masked(b"one", b"abcd"),
        masked(b"tw", b"abcd", is_last=False),
        masked(b"", b"abcd", kind=PING),
        masked(b"o", b"efgh", kind=0),
        masked(b"three", b"\0\0\0\0"),
    ):
        wire.send(data)
    await settle()
    assert [message["text"] for message in application.received] == ["one", "two", "three"]
    assert frames_of(wire) == [(PONG, b"")]


@pytest.mark.parametrize(
    "data",
    [
        masked(b"\xff", b"abcd"),
        b"\x81\x02{}",
        b"\xc1" + masked(b"{}", b"abcd")[1:],
        masked(b"a", b"abcd", is_last=False) + masked(b"{}", b"abcd"),
    ],
    ids=["not UTF-8", "without a mask", "with a reserved bit", "within another message"],
)
async def test_an_invalid_short_message_closes_the_socket(front, application, data):
    wire = await socket(front)
    if len(data) > 8:
        wire.send(data[:-8])
    wire.send(data[-8:])
    await settle()
    assert wire.is_aborted or wire.disconnecting or frames_of(wire)[0][0] == CLOSE
    assert not application.received


@pytest.mark.parametrize(
    "flood",
    [frame(TEXT), frame(PING), frame(PONG), frame(TEXT, b"", is_last=False), frame(0, b"", is_last=False)],
    ids=["messages", "pings", "pongs", "beginnings", "pieces"],
)
async def test_a_socket_that_sends_without_end_is_closed_and_gets_no_answer(front, application, flood):
    wire = await socket(front)
    if flood == frame(0, b"", is_last=False):
        wire.send(frame(TEXT, b"", is_last=False))
    if flood == frame(TEXT, b"", is_last=False):  # a message that begins within another one is invalid
        wire.send(flood * 2)
        assert wire.is_aborted or wire.disconnecting
        return
    for _ in range(100):
        wire.send(flood * 1000)
    await settle()
    *answers, (kind, payload) = frames_of(wire)
    assert (kind, struct.unpack("!H", payload)) == (CLOSE, (limits.TOO_MANY,))
    assert len(answers) <= limits.FRAMES
    assert len(application.received) <= limits.FRAMES
    assert wire.disconnecting
    assert front.shares.openings.left("198.51.100.7") <= 100 - limits.COST_OF_FLOOD
    front.clock.advance(limits.FAREWELL)
    assert wire.is_aborted
    assert front.shares.connections.taken == 0


async def test_sockets_of_one_address_share_its_limit_and_quiet_ones_are_still_read(front, application, monkeypatch):
    monkeypatch.setattr(front.shares.frames, "burst", 60)
    monkeypatch.setattr(front.shares.frames, "rate", 1)
    loud, quiet = await socket(front), await socket(front)
    for _ in range(80):
        loud.send(frame(TEXT, b"loud"))
    quiet.send(frame(TEXT, b"quiet"))
    await settle()
    heard = [message["text"] for message in application.received]
    assert heard.count("loud") == 60
    assert "quiet" in heard


@pytest.mark.parametrize("length", [0, 125, 126, 65_535, 65_536])
async def test_what_is_sent_directly_is_one_message_in_its_place(front, application, length):
    wire = await socket(front)
    await application.say({"type": "websocket.send", "text": "before"})
    wire.line.send_directly("ü" * (length // 2) + "x" * (length % 2))
    await application.say({"type": "websocket.send", "text": "after"})
    sent = [(TEXT, b"before"), (TEXT, "ü".encode() * (length // 2) + b"x" * (length % 2)), (TEXT, b"after")]
    assert frames_of(wire)[-3:] == sent


async def test_nothing_is_sent_directly_over_a_closed_socket(front, application):
    wire = await socket(front)
    line = wire.line
    await application.say({"type": "websocket.close", "code": 4000})
    closed = wire.value()
    line.send_directly("too late")
    wire.leave()
    line.send_directly("too late")
    assert wire.value() == closed


# Those who don't read.


@pytest.mark.parametrize("is_direct", [False, True], ids=["messages", "directly"])
async def test_unread_output_is_not_kept(front, application, is_direct):
    wire = await socket(front)
    wire.stop_reading()
    for _ in range(40):
        if is_direct:
            wire.line.send_directly("x" * 30_000)
        else:
            await application.say({"type": "websocket.send", "text": "x" * 30_000})
    assert wire.is_aborted
    assert len(wire.value()) < limits.MOST_UNREAD + 60_000


async def test_a_slow_connection_has_time_to_catch_up(front, application):
    wire = await socket(front)
    for _ in range(5):
        wire.stop_reading()
        await application.say({"type": "websocket.send", "text": "x" * 300_000})
        front.clock.advance(limits.LONGEST_UNREAD - 1)
        wire.read_again()
    assert not wire.is_aborted
    wire.stop_reading()
    front.clock.advance(limits.LONGEST_UNREAD)
    assert wire.is_aborted


async def test_an_unreadable_handshake_causes_no_error(front, caplog):
    for broken in (
        HANDSHAKE.replace(b"Sec-WebSocket-Key", b"X-Key"),
        HANDSHAKE.replace(b"13", b"99"),
        HANDSHAKE.replace(b"GET", b"POST"),
        b"GET http:// HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
        b"\x00\xff\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \xff\xfe\r\n\r\n",
    ):
        wire = front.connect()
        wire.send(broken)
        await settle()
        wire.leave()
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


# The line below the page.


async def test_the_wire_is_measured_by_pings_that_the_page_does_not_see(front, application):
    wire = await socket(front)
    line = wire.line
    for number in range(1, 7):
        line.probe()
        assert frames_of(wire)[-1] == (PING, b"%d" % number)
        front.clock.advance(0.08)
        wire.send(frame(PONG, b"%d" % number))
        front.clock.advance(4)
    assert line.delay == pytest.approx(80)
    for nonsense in (b"99", b"", b"x" * 100, b"1" * 100, "\u0663".encode()):
        wire.send(frame(PONG, nonsense))
    assert line.delay == pytest.approx(80)
    assert not application.received


async def test_the_kernel_knows_better_than_a_program_that_is_late_on_purpose(front, monkeypatch):
    wire = await socket(front)
    for number in range(1, 7):
        wire.line.probe()
        front.clock.advance(0.4)
        wire.send(frame(PONG, b"%d" % number))
    assert wire.line.delay == pytest.approx(400)
    info = bytearray(limits.TCP_INFO_LENGTH)
    struct.pack_into("II", info, limits.TCP_INFO_RTT, 40_000, 2_000)
    wire.system = SimpleNamespace(getsockopt=lambda *_: bytes(info))
    assert wire.line.delay == pytest.approx(40 + 4 + limits.KERNEL_MARGIN)
    front.shares.are_visitors = False  # behind a proxy it is the proxy's
    assert wire.line.delay == pytest.approx(400)


async def test_a_lost_connection_still_reports_its_latency(front):
    wire = await socket(front)
    for number in range(1, 7):
        wire.line.probe()
        front.clock.advance(0.08)
        wire.send(frame(PONG, b"%d" % number))
    wire.leave()
    assert wire.line.delay == pytest.approx(80)


async def test_the_kernel_measures_a_real_connection():
    server = await asyncio.start_server(lambda _reader, writer: writer.write(b"x"), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    await reader.read(1)
    assert limits.KERNEL_MARGIN <= limits.kernel_delay(writer.get_extra_info("socket")) < 200
    writer.close()
    server.close()


# Whatever comes.

LINES = st.one_of(
    st.sampled_from(
        [b"GET / HTTP/1.1\r\n", b"Host: localhost\r\n", b"Transfer-Encoding: chunked\r\n", b"\r\n", HANDSHAKE]
    ),
    st.sampled_from(
        [b"Content-Length: 9\r\n", b"Upgrade: websocket\r\n", b"Expect: 100-continue\r\n", b"5\r\nabcde\r\n"]
    ),
    st.sampled_from([frame(kind, b"{}", is_last=last) for kind in range(16) for last in (True, False)]),
    st.binary(max_size=40),
)


@given(pieces=st.lists(LINES, max_size=12), cut=st.integers(1, 60))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_bytes_cause_an_error_or_keep_a_place(make_front, caplog, pieces, cut):
    caplog.clear()
    front = make_front(Application(), connections=10, are_visitors=True)
    wire = front.connect()
    data = b"".join(pieces)
    for begin in range(0, len(data), cut):
        if wire.is_aborted or wire.disconnecting:
            break
        wire.send(data[begin : begin + cut])
        await settle()
    wire.leave()
    await settle()
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]
    assert (front.shares.connections.taken, front.shares.bodies.taken) == (0, 0)
