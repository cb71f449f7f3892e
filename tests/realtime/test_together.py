"""What many sockets ask for at the same time is read for all of them at once."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from games.realtime.together import MOST, Together
from tests.factories.sockets import run

pytestmark = pytest.mark.django_db(transaction=True)


def test_readers_who_ask_during_a_call_are_answered_by_the_next_one() -> None:
    calls: list[list[int]] = []
    has_begun, may_end = threading.Event(), threading.Event()

    def read(asked: Sequence[int]) -> list[int]:
        calls.append(list(asked))
        has_begun.set()
        may_end.wait(5)
        return [2 * each for each in asked]

    async def go() -> None:
        doubling = Together(read)
        first = asyncio.ensure_future(doubling(0))
        assert await asyncio.to_thread(has_begun.wait, 5)
        others = [asyncio.ensure_future(doubling(number)) for number in range(1, MOST + 2)]
        await asyncio.sleep(0)
        may_end.set()
        assert await asyncio.gather(first, *others) == [2 * number for number in range(MOST + 2)]

    run(go)
    assert calls == [[0], [*range(1, MOST + 1)], [MOST + 1]]


def test_everyone_hears_of_a_failure_and_the_next_question_is_read_again() -> None:
    failures = [ValueError("gone")]

    def read(asked: Sequence[int]) -> Sequence[int]:
        if failures:
            raise failures.pop()
        return asked

    async def go() -> None:
        reading = Together(read)
        told = await asyncio.gather(reading(1), reading(2), return_exceptions=True)
        assert [str(each) for each in told] == ["gone", "gone"]
        assert await reading(3) == 3

    run(go)


def test_a_reader_who_has_left_is_skipped_and_delays_no_one() -> None:
    calls: list[list[int]] = []

    def read(asked: Sequence[int]) -> Sequence[int]:
        calls.append(list(asked))
        return asked

    async def go() -> None:
        reading = Together(read, after=0.01)
        gone, there = (asyncio.ensure_future(reading(number)) for number in (1, 2))
        await asyncio.sleep(0)
        gone.cancel()
        assert await there == 2

    run(go)
    assert calls == [[2]]
