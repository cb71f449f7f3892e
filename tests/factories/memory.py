"""Objects that only the garbage collector would free."""

import asyncio
import gc
from collections.abc import Awaitable, Callable

from games.live.rooms import Room
from games.realtime.consumer import OrderedConsumer
from tests.factories.sockets import run


def large_garbage_of(visit: Callable[[], Awaitable[None]]) -> list[str]:
    """Sockets and tables left after ``visit``; it runs twice, because the first run fills caches."""

    async def go() -> list[str]:
        await visit()
        # What is there already isn't looked at: in the middle of a long run, that takes more than a second.
        gc.freeze()
        gc.disable()
        try:
            await visit()
            await asyncio.sleep(0)  # cancelled tasks end
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            return [type(each).__name__ for each in gc.garbage if isinstance(each, (OrderedConsumer, Room))]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()

    return run(go)
