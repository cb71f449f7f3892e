"""Reads that many sockets ask for at about the same time: one call reads for all of them.

After a restart hundreds of browsers come back within seconds. Read one by one, the statements for them would take most
of the processor's time, nearly all of it to build them.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context
from functools import partial
from typing import Generic, TypeVar

from games.realtime.process import arrivals, in_thread

Asked = TypeVar("Asked")
Found = TypeVar("Found")

#: For how many one call reads at most: it keeps a thread, and all of them, for some milliseconds.
MOST = 50
#: How many are answered in one turn of the loop: each has work to do then, and tables in play wait for all of it.
ANSWERED_AT_ONCE = 4


class Together(Generic[Asked, Found]):
    """``read``, called in a thread for everyone who has asked since its last call began.

    What is asked is always read after it was asked. ``read`` answers in the order of the questions. Whatever the
    question, one call works at a time, so that a crowd leaves a thread to the tables in play.

    Args:
        after: seconds to wait for more questions before the first call.
    """

    def __init__(self, read: Callable[[Sequence[Asked]], Sequence[Found]], *, after: float = 0.0) -> None:
        self._read = read
        self._after = after
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[tuple[Asked, asyncio.Future[Found]]] = []
        self._working: asyncio.Task[None] | None = None

    async def __call__(self, asked: Asked) -> Found:
        """The answer to one question."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._waiting, self._working = loop, [], None
        answer: asyncio.Future[Found] = loop.create_future()
        self._waiting.append((asked, answer))
        if self._working is None:
            # In a context of its own: it works for others, too.
            self._working = loop.create_task(self._work_off(), context=Context())
        return await answer

    async def _work_off(self) -> None:
        try:
            await asyncio.sleep(self._after)
            while self._waiting:
                together, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                await self._answer([(asked, answer) for asked, answer in together if not answer.done()])
        finally:
            self._working = None

    async def _answer(self, together: Sequence[tuple[Asked, "asyncio.Future[Found]"]]) -> None:
        try:
            async with arrivals():
                found = await in_thread(partial(self._read, [asked for asked, _answer in together]))
        except Exception as error:  # whatever failed, each of those who asked must know
            for _asked, answer in together:
                if not answer.done():
                    answer.set_exception(error)
            return
        for number, ((_asked, answer), each) in enumerate(zip(together, found, strict=True), start=1):
            if not answer.done():
                answer.set_result(each)
            if number % ANSWERED_AT_ONCE == 0:
                await asyncio.sleep(0)
