"""How a server accepts connections: a few at a time, refused ones cheaply, and what happens when there is no room."""

import asyncio
import errno
import socket
from collections.abc import Iterator

import pytest
from twisted.internet.task import Clock

from armani_site.serving import acceptor
from armani_site.serving.acceptor import LET_IN_AT_ONCE, LOOKED_AT_AT_ONCE, Acceptor
from armani_site.serving.limits import Shares
from tests.factories.wires import shares_of


class Listener(socket.socket):
    """A listening socket of which a test may say that it can't accept."""

    errors: list[OSError]

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        if self.errors:
            raise self.errors.pop(0)
        return super().accept()


class House:
    """An acceptor with a crowd before it."""

    def __init__(self, listener: Listener, shares: Shares) -> None:
        self.listener, self.shares = listener, shares
        self.acceptor = Acceptor(listener, shares, self.let_in)
        self.inside: list[socket.socket] = []
        self.outside: list[socket.socket] = []
        self.reset: set[socket.socket] = set()
        self.entered = asyncio.Event()
        self.fails = 0

    def let_in(self, connection: socket.socket) -> None:
        if self.fails:
            self.fails -= 1
            raise OSError(errno.ENOTCONN, "gone")
        assert self.shares.connections.take(connection.getpeername()[0])
        self.inside.append(connection)
        self.entered.set()

    def come(self, count: int) -> None:
        for _ in range(count):
            self.outside.append(socket.create_connection(self.listener.getsockname(), 5))

    def turned_away(self) -> int:
        """How many of those who came have found their connection reset."""
        for each in self.outside:
            each.setblocking(False)
            try:
                each.recv(1)
            except ConnectionResetError:  # told once
                self.reset.add(each)
            except BlockingIOError:  # still open
                pass
        return len(self.reset)

    async def until(self, count: int) -> None:
        async with asyncio.timeout(5):
            while len(self.inside) < count:
                self.entered.clear()
                await self.entered.wait()


@pytest.fixture
def house(settings) -> Iterator[House]:
    settings.CONNECTIONS_PER_ADDRESS = 50
    settings.UNFINISHED_REQUESTS_PER_ADDRESS = 3
    with Listener() as listener:
        listener.errors = []
        listener.bind(("127.0.0.1", 0))
        listener.listen(200)
        listener.setblocking(False)
        house = House(listener, shares_of(Clock(), 100, are_visitors=True))
        yield house
        house.acceptor.close()
        for each in (*house.inside, *house.outside):
            each.close()


async def test_a_few_connections_are_accepted_per_turn_of_the_loop_and_all_of_them_in_the_end(house):
    house.come(30)
    house.acceptor.accept_waiting()
    assert len(house.inside) == LET_IN_AT_ONCE
    house.acceptor.open(asyncio.get_running_loop())
    await house.until(30)


async def test_connections_beyond_an_addresss_limit_are_reset_before_anything_is_built(house):
    house.come(60)
    for _ in range(15):
        house.acceptor.accept_waiting()
    assert len(house.inside) == 50
    assert house.turned_away() == 10


async def test_only_a_few_refused_connections_are_handled_in_one_turn(house):
    house.shares.connections.each = 0
    house.come(LOOKED_AT_AT_ONCE + 8)
    house.acceptor.accept_waiting()
    assert house.turned_away() == LOOKED_AT_AT_ONCE
    house.acceptor.accept_waiting()
    assert house.turned_away() == LOOKED_AT_AT_ONCE + 8


async def test_an_address_that_does_not_finish_its_requests_sends_no_more(house):
    assert all(house.shares.unfinished.take("127.0.0.1") for _ in range(3))
    house.come(1)
    house.acceptor.accept_waiting()
    assert house.turned_away() == 1
    house.shares.unfinished.give_back("127.0.0.1")
    house.come(1)
    house.acceptor.accept_waiting()
    assert len(house.inside) == 1


@pytest.mark.parametrize("number", sorted(acceptor.EXHAUSTED))
async def test_without_files_or_memory_it_waits_and_goes_on(house, number, monkeypatch, caplog):
    monkeypatch.setattr(acceptor, "REST", 0.01)
    house.listener.errors = [OSError(number, "no more")]
    house.come(2)
    house.acceptor.open(asyncio.get_running_loop())
    await house.until(2)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


async def test_an_acceptor_that_closes_while_it_waits_stays_closed(house, monkeypatch):
    monkeypatch.setattr(acceptor, "REST", 0.01)
    house.listener.errors = [OSError(errno.EMFILE, "no more")]
    house.acceptor.open(asyncio.get_running_loop())
    house.acceptor.accept_waiting()
    house.acceptor.close()
    house.come(1)
    await asyncio.sleep(0.05)  # nothing to be awaited: nothing must happen
    assert not house.inside


async def test_a_request_that_left_while_it_waited_blocks_no_other(house):
    house.listener.errors = [ConnectionAbortedError(errno.ECONNABORTED, "left")]
    house.fails = 1
    house.come(2)
    house.acceptor.accept_waiting()
    assert len(house.inside) == 1
    assert house.outside[0].recv(1) == b""  # the one that could not be let in is closed


async def test_no_connection_is_accepted_after_it_has_closed(house):
    house.acceptor.open(asyncio.get_running_loop())
    house.come(1)
    await house.until(1)
    house.acceptor.close()
    house.come(1)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(house.inside) == 1
    house.acceptor.accept_waiting()  # it is still there for another process
    assert len(house.inside) == 2
