"""What this process has open: its event loop and its sockets."""

import asyncio
import logging
import threading
import uuid
from collections.abc import Awaitable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import msgspec
from django.db import connection


class Socket(Protocol):
    """An open socket, as far as the process is concerned."""

    async def say_restart(self) -> None:
        """Tell the browser to come back in a moment."""


log = logging.getLogger(__name__)

#: This process's name among those that serve the same tables.
ID = uuid.uuid4().hex
#: Browsers whose coming is looked after at one time.
ARRIVING_AT_ONCE = 2
sockets: set[Socket] = set()
#: Threads for database work off the loop, apart from Django's one shared thread.
_readers = ThreadPoolExecutor(2, thread_name_prefix="rooms")
_loop: asyncio.AbstractEventLoop | None = None
_arrivals: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_lock = threading.Lock()


def use_running_loop() -> None:
    """Let other threads reach the sockets of the running loop; the first socket calls it."""
    global _loop
    _loop = asyncio.get_running_loop()


def arrivals() -> asyncio.Semaphore:
    """What a browser that comes waits for, on the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _arrivals:
        _arrivals[loop] = asyncio.Semaphore(ARRIVING_AT_ONCE)
    return _arrivals[loop]


def loop() -> asyncio.AbstractEventLoop:
    """The loop that owns this process's channel layer; one in a thread of its own if it serves no sockets."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="channel-layer", daemon=True).start()
        return _loop


def run_soon(work: Coroutine[Any, Any, Any]) -> None:
    """Have ``work`` done on the loop, from any thread."""
    asyncio.run_coroutine_threadsafe(work, loop()).add_done_callback(_log_failure)


def _log_failure(future: "Future[Any]") -> None:
    error = None if future.cancelled() else future.exception()
    if error is not None:
        log.warning("a message could not be handed to the channel layer: %r", error)


async def drain() -> None:
    """Before this process ends: tell all browsers to come back in a moment."""
    farewells: list[Awaitable[None]] = [socket.say_restart() for socket in list(sockets)]
    await asyncio.gather(*farewells, return_exceptions=True)


async def in_thread(work: Any) -> Any:
    """Do blocking database work off the loop."""

    def run() -> Any:
        connection.close_if_unusable_or_obsolete()
        return work()

    # With the caller's context, so that it speaks the caller's language.
    return await asyncio.get_running_loop().run_in_executor(_readers, copy_context().run, run)


def to_text(message: dict[str, Any]) -> str:
    """A message as it goes over the socket."""
    return msgspec.json.encode(message).decode()
