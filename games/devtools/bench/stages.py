"""The cost of one move: how many times each of its stages runs, and for how long.

The stages are wrapped from here, so a server that isn't measured has no overhead.
"""

import contextlib
import inspect
import itertools
import json
import signal
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.db.backends.utils import CursorWrapper

from games.live import rooms
from games.live.consumers.table import TableConsumer
from games.matches.commit import batch, writer
from games.matches.commit.changeset import Command
from games.matches.live_match import LiveMatch
from games.realtime import broadcast
from games.realtime.consumer import OrderedConsumer

#: The stages of a move in a server, in order; each is timed.
STAGES = ("read", "queue", "decide", "store", "announce", "build", "write")
#: Operations that are counted.
COUNTED = ("statements", "broadcasts", "messages", "encodes", "views", "frames")


class Stages:
    """Counts and seconds of all threads since the measurement began."""

    def __init__(self) -> None:
        # Appending is atomic in the interpreter; adding to a number isn't.
        self._records: list[tuple[str, float]] = []
        self._waiting: dict[int, float] = {}

    def note(self, name: str, seconds: float = 0.0) -> None:
        """Count one more ``name`` that took ``seconds``."""
        self._records.append((name, seconds))

    def statement(self, sql: object) -> None:
        """Count a statement, except the beginning of a transaction, which is a statement on only some databases."""
        if not str(sql).startswith("BEGIN"):
            self.note("statements")

    def totals(self) -> dict[str, tuple[int, float]]:
        """By name: count and total seconds."""
        counts: Counter[str] = Counter()
        seconds: dict[str, float] = defaultdict(float)
        for name, took in itertools.islice(self._records, len(self._records)):
            counts[name] += 1
            seconds[name] += took
        return {name: (counts[name], seconds[name]) for name in counts}

    def viewed(self, viewers: int) -> None:
        """Record that so many views were built."""
        self._records += [("views", 0.0)] * viewers

    def counted(self) -> dict[str, int]:
        """The count of each of ``COUNTED``."""
        totals = self.totals()
        return {name: totals.get(name, (0, 0.0))[0] for name in COUNTED}

    def submitted(self, command: Command) -> None:
        """Record that a command starts waiting for the writer."""
        self._waiting[id(command)] = time.perf_counter()

    def taken(self, commands: Sequence[Command]) -> None:
        """Record that the writer has started with these commands."""
        for command in commands:
            since = self._waiting.pop(id(command), None)
            if since is not None:
                self.note("queue", time.perf_counter() - since)


@contextlib.contextmanager
def measuring() -> Iterator[Stages]:
    """Measure all moves of this process while the body runs."""
    with contextlib.ExitStack() as undo:
        yield start(undo)


def start(undo: contextlib.ExitStack) -> Stages:
    """Measure all moves of this process until ``undo`` is closed."""
    stages = Stages()

    def wrap(owner: Any, name: str, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(owner, name)
        setattr(owner, name, wrapper(original))
        undo.callback(setattr, owner, name, original)

    wrap(TableConsumer, "receive", _timed(stages, "read"))
    wrap(TableConsumer, "take_text", _timed(stages, "read"))
    wrap(writer.Writer, "submit", _before(lambda _writer, command: stages.submitted(command)))
    wrap(batch.BatchCommitter, "commit", _before(lambda _self, commands: stages.taken(commands)))
    for kind in _kinds(Command):
        if "decide" in vars(kind):
            wrap(kind, "decide", _timed(stages, "decide"))
    wrap(batch.BatchCommitter, "_store", _timed(stages, "store"))
    wrap(batch.BatchCommitter, "_announce", _timed(stages, "announce"))
    wrap(rooms.Room, "advance", _timed(stages, "build"))
    wrap(TableConsumer, "catch_up", _timed(stages, "write"))
    wrap(TableConsumer, "send_steps", _timed(stages, "write"))

    layer = get_channel_layer()
    wrap(CursorWrapper, "execute", _before(lambda _cursor, sql, *_values: stages.statement(sql)))
    wrap(CursorWrapper, "executemany", _counted(stages, "statements"))
    wrap(layer, "put", _counted(stages, "messages"))
    wrap(broadcast, "send", _counted(stages, "broadcasts"))
    wrap(msgspec.json, "encode", _counted(stages, "encodes"))
    wrap(LiveMatch, "views", _before(lambda _match, viewers: stages.viewed(len(viewers))))
    wrap(AsyncWebsocketConsumer, "send", _counted(stages, "frames"))
    wrap(OrderedConsumer, "send_now", _counted(stages, "frames"))
    return stages


def write_on_signal(folder: Path) -> None:
    """Measure until this process ends; each SIGUSR1 writes the totals so far to a file in ``folder``."""
    stages = start(contextlib.ExitStack())
    numbers = itertools.count()

    def write(_number: int, _frame: FrameType | None) -> None:
        file = folder / f"stages-{next(numbers)}.json"
        file.with_suffix(".part").write_text(json.dumps(stages.totals()))
        file.with_suffix(".part").rename(file)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, write)


def _kinds(kind: type[Any]) -> Iterator[type[Any]]:
    yield kind
    for more in kind.__subclasses__():
        yield from _kinds(more)


def _timed(stages: Stages, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Wrap a function or coroutine to record its calls and duration."""

    def wrapper(work: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(work):

            async def later(*args: Any, **kwargs: Any) -> Any:
                since = time.perf_counter()
                try:
                    return await work(*args, **kwargs)
                finally:
                    stages.note(name, time.perf_counter() - since)

            return later

        def now(*args: Any, **kwargs: Any) -> Any:
            since = time.perf_counter()
            try:
                return work(*args, **kwargs)
            finally:
                stages.note(name, time.perf_counter() - since)

        return now

    return wrapper


def _counted(stages: Stages, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Wrap a function to count its calls."""
    return _before(lambda *_args, **_kwargs: stages.note(name))


def _before(note: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Wrap a function to call ``note`` with its arguments first."""

    def wrapper(work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            note(*args, **kwargs)
            return work(*args, **kwargs)

        return noted

    return wrapper
