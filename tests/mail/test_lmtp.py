"""The LMTP server, driven like a mail server on the same machine would."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from games.mail import tokens
from games.mail.inbound import handler, lmtp
from games.mail.inbound.lmtp import BadAddress, Server, accept_email
from games.mail.inbound.message import MOST_BYTES, Incoming, parse
from games.matches import service
from games.matches.models import Match, Move, Seat
from tests.factories.replies import reply
from tests.factories.turns import asked


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.SITE_URL = "https://play.example.org"
    settings.REPLY_ADDRESS = "turn+{}@play.example.org"


@pytest.fixture
def address(_site: None) -> str:
    """The address of a turn that isn't in the database."""
    return tokens.reply_address(Seat(pk=987_654_321, player_id=2), 3, 3)


class Talk:
    """A connection, used line by line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def receive(self) -> str:
        while True:
            line = (await self.reader.readline()).decode().rstrip()
            if line[3:4] != "-":
                return line

    async def say(self, line: str) -> str:
        self.writer.write(f"{line}\r\n".encode())
        return await self.receive()

    async def begin(self, *recipients: str, sender: str = "ada@example.org") -> list[str]:
        await self.receive()
        said = [await self.say("LHLO mail"), await self.say(f"MAIL FROM:<{sender}>")]
        return said + [await self.say(f"RCPT TO:<{recipient}>") for recipient in recipients]

    async def send(self, raw: bytes) -> str:
        assert (await self.say("DATA")).startswith("354")
        self.writer.write(raw + b"\r\n.\r\n")
        await self.writer.drain()
        return await self.receive()


def talk(scene: Callable[[Server, Callable[[], Awaitable[Talk]]], Awaitable[None]], path: Path, answer: Any) -> None:
    """Run a dialogue with a server on a Unix socket."""

    async def play() -> None:
        with ThreadPoolExecutor(1) as executor:
            server = Server(executor, answer)
            listening = await server.listen(str(path / "lmtp.sock"))

            async def connect() -> Talk:
                return Talk(*await asyncio.open_unix_connection(str(path / "lmtp.sock")))

            async with asyncio.timeout(20):
                await scene(server, connect)
            listening.close()
            server.hang_up()

    asyncio.run(play())


def test_an_email_is_accepted_with_a_reply_for_each_recipient(address: str, tmp_path: Path):
    came: list[Incoming] = []

    async def scene(_server: Server, connect: Any) -> None:
        client = await connect()
        assert (await client.begin(address, address))[-1].startswith("250")
        assert (await client.send(b"Subject: x\r\n\r\n2\r\n..dot")).startswith("250")
        assert (await client.receive()).startswith("250")
        # A second one on the same connection, sent automatically.
        assert (await client.say("MAIL FROM:<>")).startswith("250")
        assert (await client.say(f"RCPT TO:<{address}>")).startswith("250")
        assert (await client.send(b"\r\n1")).startswith("250")

    talk(scene, tmp_path, lambda mail: came.append(mail) or lmtp.OK)
    assert [mail.text for mail in came] == ["2\r\n.dot\r\n", "2\r\n.dot\r\n", "1\r\n"]
    assert [mail.is_automatic for mail in came] == [False, False, True]
    assert came[0].recipients[0] == address


def test_an_unknown_recipient_is_refused_before_the_email_is_sent(address: str, tmp_path: Path):
    async def scene(_server: Server, connect: Any) -> None:
        client = await connect()
        said = await client.begin("stranger@play.example.org", "turn+" + "a" * 50 + "@play.example.org")
        assert [line[:3] for line in said[2:]] == ["550", "550"]
        assert (await client.say("DATA")).startswith("503")
        assert (await client.say(f"RCPT TO:<{address}>")).startswith("250")

    talk(scene, tmp_path, None)


def test_ten_megabytes_pass_without_being_kept_and_more_is_refused(address: str, tmp_path: Path):
    came: list[Incoming] = []
    picture = b"Content-Type: image/png\r\n\r\n" + (b"x" * 76 + b"\r\n") * (MOST_BYTES // 78 - 100)

    async def scene(_server: Server, connect: Any) -> None:
        client = await connect()
        await client.begin(address)
        head = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n2\r\n--b\r\n"
        assert (await client.send(head + picture + b"--b--")).startswith("250")
        await client.say("MAIL FROM:<a@b.org>")
        await client.say(f"RCPT TO:<{address}>")
        assert (await client.send(head + picture + b"x" * 20_000)).startswith("552")
        # The connection can be used for the next one.
        await client.say("MAIL FROM:<a@b.org>")
        await client.say(f"RCPT TO:<{address}>")
        assert (await client.send(b"\r\n3")).startswith("250")

    talk(scene, tmp_path, lambda mail: came.append(mail) or lmtp.OK)
    assert [mail.text.strip() for mail in came] == ["2", "3"]


def test_only_so_many_connections_and_addresses(address: str, tmp_path: Path):
    async def scene(server: Server, connect: Any) -> None:
        clients = [await connect() for _number in range(lmtp.MOST_CONNECTIONS)]
        for client in clients:
            await client.receive()
        assert (await (await connect()).receive()).startswith("421")
        await clients[0].say("QUIT")
        # The server closes a connection only after it has forgotten it.
        assert await clients[0].reader.read() == b""
        client = await connect()
        said = await client.begin(*[address] * (lmtp.MOST_RECIPIENTS + 1))
        assert said[-1].startswith("452")
        assert said[-2].startswith("250")

    talk(scene, tmp_path, None)


def test_a_connection_ends_at_its_time_limit_whatever_it_sends(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lmtp, "LONGEST", 0.05)

    async def scene(server: Server, connect: Any) -> None:
        client = await connect()
        await client.begin(address)
        client.writer.write(b"DATA\r\n")
        assert (await client.receive()).startswith("354")
        with suppress(ConnectionError):  # that is the server closing the connection
            while server.open:
                client.writer.write(b"x\r\n")
                await client.writer.drain()
        assert not server.open

    talk(scene, tmp_path, None)


@pytest.mark.parametrize(
    "where", ["0.0.0.0:2424", "192.168.1.5:2424", "example.org:2424", "::1:2424", "2424", "relative", ""]
)
def test_it_only_listens_to_this_machine(where: str):
    with pytest.raises(BadAddress):
        asyncio.run(Server(ThreadPoolExecutor(1)).listen(where))
    with pytest.raises(CommandError, match=r"or 127\.0\.0\.1 with a port"):
        call_command("receive_lmtp", where)


def test_it_listens_to_a_port_of_this_machine(address: str):
    async def scene() -> None:
        with ThreadPoolExecutor(1) as executor:
            listening = await Server(executor, lambda _mail: lmtp.OK).listen("127.0.0.1:0")
            host, port = listening.sockets[0].getsockname()
            assert host == "127.0.0.1"
            client = Talk(*await asyncio.open_connection(host, port))
            await client.begin(address)
            assert (await client.send(b"\r\n2")).startswith("250")
            client.writer.close()
            listening.close()

    asyncio.run(scene())


# What is answered.


@pytest.fixture
def rummy(begun_rummy: tuple[int, int, int], db: None) -> Match:
    return Match.objects.get(pk=begun_rummy[2])


def mail_to(match: Match, text: str = "1") -> Incoming:
    seat = asked(match)
    address = tokens.reply_address(seat, seat.asked_version or 0, match.version)
    return parse(reply(address, text).as_bytes(), [address], "ada@example.org")


@pytest.fixture(autouse=True)
def _one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmtp, "close_old_connections", lambda: None)  # the test's own connection must stay open


def test_a_move_is_played(rummy: Match):
    assert accept_email(mail_to(rummy)) == lmtp.OK
    assert Move.objects.get().move == "draw:stock"


@pytest.mark.django_db
def test_the_address_of_a_missing_turn_is_unknown(address: str):
    assert accept_email(parse(b"\r\n1", [address])) == lmtp.UNKNOWN


@pytest.mark.parametrize("error", [OperationalError("gone"), service.Unavailable(), RuntimeError("?")])
def test_while_the_database_is_down_the_email_is_redelivered(
    rummy: Match, error: Exception, monkeypatch: pytest.MonkeyPatch
):
    def fail(_ticket: object) -> None:
        raise error

    monkeypatch.setattr(handler.turns, "find", fail)
    assert accept_email(mail_to(rummy)).startswith("451")
    assert not Move.objects.exists()


def test_no_thread_is_left(tmp_path: Path, address: str):
    before = threading.active_count()

    async def scene(_server: Server, connect: Any) -> None:
        client = await connect()
        await client.begin(address)
        await client.send(b"\r\n1")

    talk(scene, tmp_path, lambda _mail: lmtp.OK)
    assert threading.active_count() == before
