"""Messages that wait for one reader."""

import asyncio
from collections.abc import Mapping
from typing import Any


class Inbox:
    """Messages for one reader, in order; when ``capacity`` of them wait, the oldest is dropped for a new one.

    Each socket has one for its frames, nearly always empty. An ``asyncio.Queue`` takes three kilobytes even then.
    """

    __slots__ = ("_capacity", "_messages", "_reader")

    def __init__(self, capacity: int | None = None) -> None:
        self._capacity = capacity
        self._messages: list[Mapping[str, Any]] = []
        self._reader: asyncio.Future[None] | None = None

    def put_nowait(self, message: Mapping[str, Any]) -> None:
        """Add a message, on the reader's loop."""
        if len(self._messages) == self._capacity:
            del self._messages[0]
        self._messages.append(message)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def get(self) -> Any:
        """Wait for the next message; only one reader may wait."""
        if not self._messages:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self._messages.pop(0)
