"""Turns that began before their players' eyes: noted as they are seen, and stored together a moment later."""

import asyncio
import logging
from functools import partial

from django.db import DatabaseError

from games.matches import service
from games.realtime.process import in_thread

log = logging.getLogger(__name__)

#: Seconds that looks are collected; they must be stored before anyone is told of a turn (``schedule.PUSH_AFTER``).
COLLECTED_FOR = 1.0

_seen: dict[tuple[int, int], int] = {}
_storing: "asyncio.Task[None] | None" = None


def note(match_id: int, player_id: int, version: int) -> None:
    """A player sees ``version`` of a match. What a process that dies has not stored costs at most a notification."""
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
            log.exception("what players have seen could not be stored; some may be told of a turn that they saw begin")
