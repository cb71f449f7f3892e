"""A client with a real connection sends endlessly: the site stores none of it, disconnects it, and serves others."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.process

MEGABYTE = 1024 * 1024
HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://localhost:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
PING, TEXT = b"\x89\x80\0\0\0\0", b"\x81\x82\0\0\0\0{}"


@pytest.fixture(scope="module")
def site() -> Iterator[SiteProcess]:
    with SiteProcess({"REQUEST_SECONDS": "3", "CONNECTIONS_PER_ADDRESS": "300"}) as site:
        assert status(site, b"GET /lobby/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 200
        yield site


def connect(site: SiteProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", site.port), timeout=10)


def connections(site: SiteProcess, number: int, address: str) -> list[socket.socket]:
    """Up to that many connections from the address."""
    wires = []
    for _ in range(number):
        with suppress(ConnectionResetError):  # the server refused this one before its client knew it was there
            wires.append(socket.create_connection(("127.0.0.1", site.port), timeout=10, source_address=(address, 0)))
    return wires


def status(site: SiteProcess, request: bytes) -> int:
    with connect(site) as wire:
        wire.sendall(request)
        return int(wire.recv(64).split()[1])


def memory(site: SiteProcess) -> float:
    """Memory of the process in megabytes."""
    pages = int(Path(f"/proc/{site.pid}/statm").read_text().split()[1])
    return pages * 4096 / MEGABYTE


def is_well(site: SiteProcess) -> bool:
    begun = time.monotonic()
    healthy = status(site, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 200
    return healthy and time.monotonic() - begun < 2


def is_open(wire: socket.socket, data: bytes) -> bool:
    """Whether the connection is still open; ``data`` is sent over it first."""
    wire.setblocking(False)
    try:
        return wire.recv(1) != b""
    except BlockingIOError:
        wire.sendall(data)
        return True
    except OSError:
        return False


def is_cut_off(wire: socket.socket, data: bytes) -> bool:
    """Whether the site closes a connection that sends ``data`` repeatedly."""
    end = time.monotonic() + 10
    try:
        while time.monotonic() < end:
            wire.sendall(data)
    except OSError:
        return True
    return False


def test_a_body_of_three_hundred_megabytes_is_refused(site: SiteProcess) -> None:
    before = memory(site)
    with connect(site) as wire:
        wire.sendall(b"POST /theme/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 314572800\r\n\r\n")
        assert wire.recv(64).split()[1] == b"413"
        assert is_cut_off(wire, bytes(MEGABYTE))
    assert memory(site) < before + 20
    assert is_well(site)


@pytest.mark.parametrize("frame", [PING, TEXT], ids=["pings", "messages"])
def test_endless_frames_close_the_socket(site: SiteProcess, frame: bytes) -> None:
    with connect(site) as wire:
        wire.sendall(HANDSHAKE.format(path="/ws/practice/slaps/", port=site.port).encode())
        assert b" 101 " in wire.recv(4096)
        assert is_cut_off(wire, frame * 5_000)
    assert is_well(site)


def test_requests_that_never_end_lose_their_places_to_others(site: SiteProcess) -> None:
    """Each byte extended the connection by a minute, and the number of connections was unlimited."""

    wires = connections(site, 400, "127.0.0.1")
    time.sleep(0.5)
    open_ones = [wire for wire in wires if is_open(wire, b"GET / HTTP/1.1\r\nHost: local")]
    assert len(open_ones) == 300
    for _ in range(5):
        time.sleep(1)
        open_ones = [wire for wire in open_ones if is_open(wire, b"x")]
    assert not open_ones
    for wire in wires:
        wire.close()
    assert is_well(site)


def test_an_address_that_finishes_no_request_is_cut_off_while_others_are_served(site: SiteProcess) -> None:
    """Thousands of them got a byte each second, and players at tables waited until all were read."""
    wires = connections(site, 250, "127.0.0.66")
    for wire in wires:
        with suppress(OSError):  # the server has closed this one
            wire.sendall(b"GET / HTTP/1.1\r\nHost: local")
    assert is_well(site)
    end = time.monotonic() + 2
    while (held := sum(is_open(wire, b"x") for wire in wires)) > 200 and time.monotonic() < end:
        time.sleep(0.05)
    assert held == 200
    for wire in wires:
        wire.close()


def test_odd_requests_get_an_answer_that_says_so(site: SiteProcess) -> None:
    good = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    shake = HANDSHAKE.format(path="/ws/lobby/", port=site.port)
    for request, answer in (
        (good, 200),
        (good.replace("localhost", "evil.example"), 400),
        (good + "X-Forwarded-For: \xff\xfe\r\n", 200),
        (good + "Cookie: sessionid=\xff; messages=x\r\n", 200),
        (good.replace("GET / ", "GET /match/%00/ "), 400),
        (good.replace("GET / ", "GET /match/\xff/ "), 400),
        (good.replace("GET / ", "GET /?\xff "), 400),
        (shake.replace("Sec-WebSocket-Key", "X-Key"), 400),
        (shake.replace("Version: 13", "Version: 99"), 400),
        (shake.replace("/ws/lobby/", "/ws/nowhere/"), 403),
        (shake.replace("Origin: http://localhost", "Origin: http://["), 400),
        (shake.replace("Host: localhost", "Host: evil.example"), 403),
    ):
        end = "" if request.endswith("\r\n\r\n") else "\r\n"
        assert status(site, (request + end).encode("latin-1")) == answer, request
    with connect(site) as wire:
        wire.sendall(HANDSHAKE.format(path="/ws/practice/slaps/", port=site.port).encode())
        assert b" 101 " in wire.recv(4096)
        deep = b"[" * 4000
        wire.sendall(b"\x81\xfe" + len(deep).to_bytes(2, "big") + bytes(4) + deep + TEXT)
        time.sleep(0.5)
    assert is_well(site)


def test_the_log_has_no_error(site: SiteProcess) -> None:
    assert not [line for line in site.log.splitlines() if " error " in line or " critical " in line]
