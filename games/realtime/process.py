"""This process's event loop and open sockets."""

import asyncio
import logging
import threading
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import msgspec
from django.db import connection


class Socket(Protocol):
    """An open socket, as this module needs it."""

    async def say_restart(self) -> None:
        """Ask the browser to reconnect soon."""


log = logging.getLogger(__name__)

#: This process's name among those serving the same tables.
ID = uuid.uuid4().hex
#: Seconds between dismissing two sockets when a process ends, and the maximum for all.
APART, SPREAD = 0.01, 3.0
#: Seconds after that in which browsers must read their last message; a browser that doesn't read can't delay the end.
GOODBYE = 0.5
#: Maximum arriving browsers handled at a time. Two threads that read for them would take the interpreter from the loop
#: and the writer twice as often: moves of other tables took a third longer.
ARRIVING_AT_ONCE = 1
sockets: set[Socket] = set()
#: Threads for database work off the loop, apart from Django's shared thread.
READERS = 2
readers = ThreadPoolExecutor(READERS, thread_name_prefix="rooms")
_loop: asyncio.AbstractEventLoop | None = None
#: Work for the loop from other threads, and the loop that was woken for it but hasn't started yet.
_wanted: deque[Callable[[], None]] = deque()
_woken: asyncio.AbstractEventLoop | None = None
_arrivals: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_lock = threading.Lock()


def use_running_loop() -> None:
    """Let other threads reach the running loop; the first socket calls it."""
    global _loop
    running = asyncio.get_running_loop()
    if _loop is not running:
        _wanted.clear()  # work for sockets that no longer exist
        _loop = running


def arrivals() -> asyncio.Semaphore:
    """The semaphore for arriving browsers, on the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _arrivals:
        _arrivals[loop] = asyncio.Semaphore(ARRIVING_AT_ONCE)
    return _arrivals[loop]


def loop() -> asyncio.AbstractEventLoop:
    """The loop of this process's channel layer; in a thread of its own if it serves no sockets."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = _loop_without_sockets()
        return _loop


@cache
def _loop_without_sockets() -> asyncio.AbstractEventLoop:
    """The one loop with a thread of its own; it's never closed."""
    made = asyncio.new_event_loop()
    threading.Thread(target=made.run_forever, name="channel-layer", daemon=True).start()
    return made


def call_soon(work: Callable[[], None]) -> None:
    """Call ``work`` on the loop, from any thread.

    This creates no task, and simultaneous calls of a thread wake the loop once, since that takes a system call.
    """
    global _woken
    _wanted.append(work)
    there = loop()
    if _woken is not there:
        _woken = there
        there.call_soon_threadsafe(_work_off)


def _work_off() -> None:
    global _woken
    _woken = None  # clear it first: later work either wakes the loop again or is found below
    while _wanted:
        try:
            _wanted.popleft()()
        except Exception:  # after any error, the messages behind it must still be sent
            log.exception("a message could not be delivered")


async def drain(sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    """Ask all browsers, one after the other, to reconnect before this process ends, so that they return gradually."""

    async def dismiss(socket: Socket, after: float) -> None:
        await sleep(after)
        await socket.say_restart()

    there = list(sockets)
    apart = min(SPREAD / max(1, len(there)), APART)
    farewells = [asyncio.ensure_future(dismiss(each, number * apart)) for number, each in enumerate(there)]
    if farewells:
        _done, silent = await asyncio.wait(farewells, timeout=SPREAD + GOODBYE)
        for farewell in silent:
            farewell.cancel()
        await asyncio.gather(*farewells, return_exceptions=True)


async def in_thread(work: Any) -> Any:
    """Run blocking database work off the loop."""

    def run() -> Any:
        connection.close_if_unusable_or_obsolete()
        return work()

    # In the caller's context, so that it uses the caller's language.
    return await asyncio.get_running_loop().run_in_executor(readers, copy_context().run, run)


def to_text(message: Mapping[str, Any]) -> str:
    """Encode a message for the socket."""
    return msgspec.json.encode(message).decode()
