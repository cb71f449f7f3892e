"""Note turns that players saw begin, and store them together a moment later."""

import asyncio
import logging
from functools import partial

from django.db import DatabaseError

from games.matches import service
from games.realtime.process import in_thread

log = logging.getLogger(__name__)

#: Seconds for which looks are collected; they must be stored before a notification is due (``schedule.PUSH_AFTER``).
COLLECTED_FOR = 1.0

_seen: dict[tuple[int, int], int] = {}
_storing: "asyncio.Task[None] | None" = None


def note(match_id: int, player_id: int, version: int) -> None:
    """Note that a player sees ``version``. If the process dies before storing it, one notification too many is sent."""
    global _storing
    _seen[match_id, player_id] = version
    if _storing is None or _storing.done() or _storing.get_loop() is not asyncio.get_running_loop():
        _storing = asyncio.ensure_future(_store())


async def _store() -> None:
    while _seen:
        await asyncio.sleep(COLLECTED_FOR)
        looks = [(*key, version) for key, version in _seen.items()]
        _seen.clear()
        try:
            await in_thread(partial(service.have_looked, looks))
        except DatabaseError:
            log.exception("could not store what players have seen; some may be notified of a turn they saw begin")
