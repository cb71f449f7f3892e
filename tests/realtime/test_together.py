"""What many sockets ask for at the same time is read for all of them at once."""

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence

import pytest

from games.realtime.process import in_thread
from games.realtime.together import ANSWERED_AT_ONCE, MOST, Together
from tests.factories.sockets import run
from tests.factories.turns_of_the_loop import settle

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


def test_of_a_crowd_only_a_few_go_on_in_one_turn_of_the_loop() -> None:
    turn, gone_on = 0, Counter[int]()

    async def ask(reading: Together[int, int]) -> None:
        await reading(0)
        gone_on[turn] += 1

    async def go() -> None:
        nonlocal turn
        reading: Together[int, int] = Together(lambda asked: asked)
        crowd = asyncio.gather(*(ask(reading) for _ in range(3 * ANSWERED_AT_ONCE)))
        while not crowd.done():
            turn += 1
            await asyncio.sleep(0)

    run(go)
    assert list(gone_on.values()) == [ANSWERED_AT_ONCE] * 3


def test_two_questions_leave_a_thread_to_others() -> None:
    has_begun, may_end = threading.Event(), threading.Event()
    calls: list[str] = []

    def read_slowly(asked: Sequence[str]) -> Sequence[str]:
        has_begun.set()
        may_end.wait(5)
        return asked

    def read(asked: Sequence[str]) -> Sequence[str]:
        calls.extend(asked)
        return asked

    async def go() -> None:
        first = asyncio.ensure_future(Together(read_slowly)("one"))
        assert await asyncio.to_thread(has_begun.wait, 5)
        second = asyncio.ensure_future(Together(read)("two"))
        await settle()
        # Were the second call under way, this one would have come after it.
        await in_thread(lambda: calls.append("a table"))
        may_end.set()
        assert await asyncio.gather(first, second) == ["one", "two"]

    run(go)
    assert calls == ["a table", "two"]
