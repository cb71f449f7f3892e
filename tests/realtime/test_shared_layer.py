"""Processes that share their tables over Redis; each is a layer of its own here, on one loop."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest
from django.conf import settings
from django.utils.translation import gettext_lazy

from games.realtime import shared_layer
from games.realtime.shared_layer import SharedChannelLayer

redis_only = pytest.mark.services
#: No server listens at this port.
NOWHERE = "redis://127.0.0.1:1"
WITHIN = 5.0


class Process(SharedChannelLayer):
    """The layer of one process, and what its sockets have received."""

    def __init__(self, url: str, prefix: str) -> None:
        super().__init__(url, prefix)
        self.channels: list[str] = []

    async def open(self, *groups: str) -> None:
        channel = await self.new_channel()
        for group in groups:
            await self.group_add(group, channel)
        self.channels.append(channel)

    async def hears(self, count: int) -> list[list[Any]]:
        """The next ``count`` messages of each socket."""
        async with asyncio.timeout(WITHIN):
            return [[(await self.receive(channel))["n"] for _ in range(count)] for channel in self.channels]


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(work())


@pytest.fixture
def prefix() -> str:
    return uuid.uuid4().hex


@redis_only
def test_every_socket_hears_each_message_once_and_in_order(prefix: str) -> None:
    async def go() -> None:
        one, two = Process(settings.REDIS_URL, prefix), Process(settings.REDIS_URL, prefix)
        for layer in (one, two, two):
            await layer.open("table", "everybody")
        for number in range(200):
            one.deliver("table", {"type": "n", "n": number})
        one.deliver("other", {"type": "n", "n": "of a table without sockets"})
        one.deliver("everybody", {"type": "n", "n": "end"})
        told = [*range(200), "end"]
        assert await one.hears(201) == [told]
        assert await two.hears(201) == [told, told]
        two.deliver("table", {"type": "n", "n": "answer"})
        assert await one.hears(1) == [["answer"]]
        assert await two.hears(1) == [["answer"]] * 2

    run(go)


@redis_only
def test_messages_of_a_process_without_sockets_arrive(prefix: str) -> None:
    async def go() -> None:
        serves, works = Process(settings.REDIS_URL, prefix), Process(settings.REDIS_URL, prefix)
        await serves.open("table")
        works.deliver("table", {"type": "n", "n": str(gettext_lazy("Chat"))})
        works.deliver("table", {"type": "n", "n": gettext_lazy("Chat")})
        assert await serves.hears(2) == [["Chat", "Chat"]]

    run(go)


@redis_only
def test_a_message_to_one_channel_goes_over_redis_and_back(prefix: str) -> None:
    async def go() -> None:
        here, there = Process(settings.REDIS_URL, prefix), Process(settings.REDIS_URL, prefix)
        for layer in (here, there):
            await layer.open("table")
            await here.send(layer.channels[0], {"type": "n", "n": 1})
            assert await layer.hears(1) == [[1]]
        nowhere = Process(NOWHERE, prefix)
        with pytest.raises(shared_layer.redis.ConnectionError):
            await nowhere.send(here.channels[0], {"type": "n", "n": 1})

    run(go)


@redis_only
def test_messages_sent_during_a_round_trip_leave_together(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    published: list[int] = []
    publish = shared_layer.redis.Redis.publish

    async def counted(*args: Any) -> Any:
        published.append(1)
        return await publish(*args)

    monkeypatch.setattr(shared_layer.redis.Redis, "publish", counted)

    async def go() -> None:
        one, two = Process(settings.REDIS_URL, prefix), Process(settings.REDIS_URL, prefix)
        await two.open("table")
        for number in range(50):
            one.deliver("table", {"type": "n", "n": number})
        assert await two.hears(50) == [[*range(50)]]

    run(go)
    assert len(published) == 1


def test_without_redis_the_sockets_of_one_process_still_hear_each_other(
    prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_layer, "PATIENCE", 0.01)

    async def go() -> None:
        alone = Process(NOWHERE, prefix)
        await alone.open("table")
        await alone.open("table")
        alone.deliver("table", {"type": "n", "n": 1})
        assert await alone.hears(1) == [[1], [1]]

    run(go)


def test_while_redis_stands_still_only_the_newest_messages_wait(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    published: list[int] = []
    goes_on, is_through = asyncio.Event(), asyncio.Event()

    async def slow(_redis: Any, _name: str, data: bytes) -> None:
        _sender, told = msgspec.msgpack.decode(data)
        published.append(len(told))
        await goes_on.wait()
        if len(published) == 2:
            is_through.set()

    monkeypatch.setattr(shared_layer, "MOST_WAITING", 3)
    monkeypatch.setattr(shared_layer, "PATIENCE", 0.01)
    monkeypatch.setattr(shared_layer.redis.Redis, "publish", slow)

    async def go() -> None:
        alone = Process(NOWHERE, prefix)
        await alone.open("table")
        for number in range(10):
            alone.deliver("table", {"type": "n", "n": number})
            await asyncio.sleep(0)
        assert await alone.hears(10) == [[*range(10)]]
        goes_on.set()
        async with asyncio.timeout(WITHIN):
            await is_through.wait()

    run(go)
    assert published == [1, 3]


@redis_only
def test_a_process_whose_connection_broke_hears_the_others_again(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_layer, "AGAIN", 0.01)

    async def go() -> None:
        one, two = Process(settings.REDIS_URL, prefix), Process(settings.REDIS_URL, prefix)
        async with shared_layer.redis.Redis.from_url(settings.REDIS_URL) as control:
            others = {each["id"] for each in await control.client_list(_type="pubsub")}
            await two.open("table")
            for each in await control.client_list(_type="pubsub"):
                if each["id"] not in others:
                    await control.client_kill_filter(_id=each["id"])
        hearing = asyncio.ensure_future(two.hears(1))
        while not hearing.done():
            one.deliver("table", {"type": "n", "n": 1})
            await asyncio.wait({hearing}, timeout=0.02)
        assert hearing.result() == [[1]]

    run(go)


@redis_only
def test_an_unreadable_message_is_logged_and_later_ones_are_heard(prefix: str, caplog: Any) -> None:
    async def go() -> None:
        one, two = Process(settings.REDIS_URL, prefix), Process(settings.REDIS_URL, prefix)
        await two.open("table")
        async with shared_layer.redis.Redis.from_url(settings.REDIS_URL) as control:
            await control.publish(f"{prefix}.broadcasts", b"\xc1")
        one.deliver("table", {"type": "n", "n": 1})
        assert await two.hears(1) == [[1]]

    run(go)
    assert "could not be delivered" in caplog.text
