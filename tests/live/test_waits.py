"""The clock that skips waits in socket tests: all clocks agree, and no work is skipped."""

import asyncio
import threading
import time

import pytest
from django.utils import timezone

from games.realtime import process
from tests.factories import waits
from tests.factories.sockets import run

pytestmark = pytest.mark.skipif(not waits.may_leap(), reason="with Redis between sockets nothing is leapt over")


def test_everyone_who_asks_for_the_time_notices_a_jump() -> None:
    async def go() -> None:
        loop = asyncio.get_running_loop()
        clocks = (lambda: timezone.now().timestamp(), time.time, time.monotonic, loop.time)
        before = [tell() for tell in clocks]
        await asyncio.sleep(20)
        # Timers are exact to the clock's resolution, and the wall clock to a microsecond.
        assert all(tell() - begun > 19.999 for tell, begun in zip(clocks, before, strict=True))

    with waits.leapt_over() as clock:
        run(go)
    assert 0 < clock.ahead <= 20


def test_timers_go_off_in_their_order() -> None:
    told: list[str] = []

    async def say(word: str, after: float) -> None:
        await asyncio.sleep(after)
        told.append(word)

    async def go() -> None:
        await asyncio.gather(say("third", 9), say("first", 1), say("second", 8.5))

    run(go)
    assert told == ["first", "second", "third"]


def test_a_thread_at_work_is_not_leapt_over() -> None:
    may_end = threading.Event()

    async def go() -> None:
        asyncio.get_running_loop().call_later(0.01, may_end.set)
        assert await process.in_thread(lambda: may_end.wait(10))

    with waits.leapt_over() as clock:
        run(go)
    assert clock.ahead == 0
