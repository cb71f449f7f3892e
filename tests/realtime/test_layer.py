"""The channel layer of the embedded server."""

import asyncio
import threading
import time

import pytest

from games.realtime.layer import LocalChannelLayer


@pytest.fixture
def layer() -> LocalChannelLayer:
    return LocalChannelLayer()


def test_a_group_message_reaches_every_member_in_order(layer):
    async def go() -> list[list[int]]:
        channels = [await layer.new_channel() for _ in range(3)]
        for channel in channels:
            await layer.group_add("table", channel)
        for number in range(4):
            await layer.group_send("table", {"type": "n", "n": number})
        return [[(await layer.receive(channel))["n"] for _ in range(4)] for channel in channels]

    assert asyncio.run(go()) == [[0, 1, 2, 3]] * 3


def test_a_channel_that_left_the_group_gets_nothing(layer):
    async def go() -> None:
        stays, leaves = await layer.new_channel(), await layer.new_channel()
        await layer.group_add("table", stays)
        await layer.group_add("table", leaves)
        await layer.group_discard("table", leaves)
        await layer.group_send("table", {"type": "n"})
        assert await layer.receive(stays) == {"type": "n"}
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(layer.receive(leaves), 0.02)

    asyncio.run(go())


def test_a_message_from_a_thread_with_its_own_loop_arrives_at_once(layer):
    async def go() -> float:
        channel = await layer.new_channel()
        await layer.group_add("table", channel)
        sent: list[float] = []

        def send() -> None:
            sent.append(time.monotonic())
            asyncio.run(layer.group_send("table", {"type": "n"}))

        receiving = asyncio.ensure_future(layer.receive(channel))
        await asyncio.sleep(0)
        threading.Thread(target=send).start()
        await asyncio.wait_for(receiving, 2)
        return time.monotonic() - sent[0]

    # The loop must be woken: without other work its next turn never comes.
    assert asyncio.run(go()) < 1


def test_a_channel_that_is_not_read_keeps_its_newest_messages():
    layer = LocalChannelLayer(capacity=2)

    async def go() -> list[int]:
        channel = await layer.new_channel()
        for number in range(5):
            await layer.send(channel, {"type": "n", "n": number})
        return [(await layer.receive(channel))["n"] for _ in range(2)]

    assert asyncio.run(go()) == [3, 4]


def test_a_closed_channel_takes_nothing(layer):
    async def go() -> None:
        channel = await layer.new_channel()
        layer.close_channel(channel)
        await layer.send(channel, {"type": "n"})

    asyncio.run(go())


def test_a_reader_that_gives_up_takes_no_message_with_it(layer):
    async def go() -> None:
        channel = await layer.new_channel()
        reading = asyncio.ensure_future(layer.receive(channel))
        await asyncio.sleep(0)
        await layer.send(channel, {"type": "n"})
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        assert await layer.receive(channel) == {"type": "n"}

    asyncio.run(go())
