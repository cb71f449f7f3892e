"""A closed socket's memory is freed at once, without waiting for the garbage collector, which seldom runs."""

import asyncio

import pytest
from channels.layers import get_channel_layer

from tests.factories.memory import large_garbage_of
from tests.factories.sockets import Browser

pytestmark = pytest.mark.django_db(transaction=True)


def test_nothing_is_left_of_a_table(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def visit() -> None:
        async with Browser(match, ben) as browser:
            await browser.receive("presence")

    assert not large_garbage_of(visit)


def test_nothing_is_left_of_a_table_whose_page_is_still_compared(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def visit() -> None:
        async with Browser(match, ben, seating_epoch="another"):
            pass

    assert not large_garbage_of(visit)


def test_nothing_is_left_of_a_lobby_that_was_about_to_send_something(ada):
    async def visit() -> None:
        async with Browser(None, ada):
            await get_channel_layer().group_send("lobby", {"type": "lobby.changed"})
            await asyncio.sleep(0)

    assert not large_garbage_of(visit)


def test_nothing_is_left_of_a_run_in_the_practice_room(ada):
    async def visit() -> None:
        async with Browser(None, ada, path="/ws/practice/slaps/") as room:
            await room.say({"t": "begin"})
            await room.receive("card")

    assert not large_garbage_of(visit)
