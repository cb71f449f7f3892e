"""A clock that skips waits: if nothing can happen before the next timer, the time jumps to it.

Everything uses the same time: the loop of the sockets, the windows of cards, the rows of matches. While work is going
on, in the loop or in a thread, time passes normally.
"""

import asyncio
import contextlib
import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

import pytest
import time_machine

from games.matches.commit.batch import BatchCommitter
from games.matches.commit.changeset import Command
from games.matches.commit.writer import Writer
from games.realtime import broadcast

#: Maximum wait for a thread at a time, in seconds: it may end without waking the loop.
LOOK_EVERY = 0.001


class Clock:
    """How far the time is ahead, and the work in threads."""

    def __init__(self, wall: time_machine.Traveller) -> None:
        self._wall = wall
        self._commands: set[int] = set()
        #: Calls in threads whose results the loop doesn't have yet.
        self.calls = 0
        self.ahead = 0.0

    @property
    def is_at_work(self) -> bool:
        return self.calls > 0 or bool(self._commands)

    def begin(self, command: Command) -> None:
        self._commands.add(id(command))

    def end(self, commands: Sequence[Command]) -> None:
        self._commands.difference_update(map(id, commands))

    def leap(self, seconds: float) -> None:
        self.ahead += seconds
        self._wall.shift(seconds)


class LeapingSelector(selectors.DefaultSelector):
    """Waits only for threads."""

    clock: Clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        end = time.monotonic() + timeout
        while not (ready := super().select(0)):
            left = end - time.monotonic()
            if left <= 0:
                break
            # Checked before selecting again: by then, everything a thread has sent at its end has arrived.
            if not self.clock.is_at_work:
                if not (ready := super().select(0)):
                    self.clock.leap(left)
                break
            if ready := super().select(min(left, LOOK_EVERY)):
                break
        return ready


class LeapingLoop(asyncio.SelectorEventLoop):
    """A loop that runs timers as soon as nothing else is left to do."""

    def __init__(self, clock: Clock) -> None:
        selector = LeapingSelector()
        selector.clock = self._leaping = clock
        super().__init__(selector)

    def run_in_executor(self, executor: Executor | None, func: Callable[..., Any], *args: Any) -> Any:
        """Let time pass normally until the loop has the result."""
        future = super().run_in_executor(executor, func, *args)
        self._leaping.calls += 1
        future.add_done_callback(self._came_back)
        return future

    def _came_back(self, _future: object) -> None:
        self._leaping.calls -= 1


_clock: Clock | None = None


def may_leap() -> bool:
    """Whether everything that can happen is visible from here: with Redis between sockets it isn't."""
    return not broadcast.is_shared()


def new_loop() -> asyncio.AbstractEventLoop:
    """Create a loop for sockets."""
    return LeapingLoop(_clock) if _clock is not None and may_leap() else asyncio.new_event_loop()


@contextmanager
def leapt_over() -> Iterator[Clock]:
    """Let loops for sockets skip waits, for one test."""
    global _clock
    outer = _clock
    with contextlib.ExitStack() as stack:
        wall = stack.enter_context(time_machine.travel(time.time(), tick=True))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        _clock = clock = Clock(wall)
        monotonic = time.monotonic
        patch.setattr(time, "monotonic", lambda: monotonic() + clock.ahead)
        _count(patch, clock)
        try:
            yield clock
        finally:
            _clock = outer


def _count(patch: pytest.MonkeyPatch, clock: Clock) -> None:
    """The writer's thread works from receiving something until announcing it."""
    submit, commit = Writer.submit, BatchCommitter.commit

    def counted_submit(writer: Writer, command: Command) -> None:
        clock.begin(command)
        submit(writer, command)

    def counted_commit(committer: BatchCommitter, commands: Sequence[Command]) -> None:
        try:
            commit(committer, commands)
        finally:
            clock.end(commands)

    patch.setattr(Writer, "submit", counted_submit)
    patch.setattr(BatchCommitter, "commit", counted_commit)
