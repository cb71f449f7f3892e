"""The channel layer of the embedded server: one process, any thread."""

import asyncio
import uuid
from typing import Any

from channels.layers import BaseChannelLayer


class LocalChannelLayer(BaseChannelLayer):
    """In-memory groups and channels with immediate delivery, also from threads without a loop.

    Messages are passed on without copying, because senders don't change them. An unread channel loses its oldest
    messages at ``capacity``, which readers notice by versions.
    """

    extensions = ("groups",)

    def __init__(self, capacity: int = 1000, **kwargs: Any) -> None:
        super().__init__(capacity=capacity, **kwargs)
        self._queues: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._loops: dict[str, asyncio.AbstractEventLoop] = {}
        self._groups: dict[str, set[str]] = {}

    async def new_channel(self, prefix: str = "local") -> str:
        """Create a channel that the calling loop reads."""
        name = f"{prefix}.{uuid.uuid4().hex}"
        self._queues[name] = asyncio.Queue(self.capacity)
        self._loops[name] = asyncio.get_running_loop()
        return name

    async def receive(self, channel: str) -> dict[str, Any]:
        """Wait for the next message of ``channel``."""
        return await self._queues[channel].get()

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        """Put ``message`` into one channel."""
        self.put(channel, message)

    def put(self, channel: str, message: dict[str, Any]) -> None:
        """Put ``message`` into one channel, from any loop."""
        loop = self._loops.get(channel)
        if loop is asyncio.get_running_loop():
            self._put(channel, message)
        elif loop is not None:
            loop.call_soon_threadsafe(self._put, channel, message)

    async def group_add(self, group: str, channel: str) -> None:
        """Add ``channel`` to ``group``."""
        self._groups.setdefault(group, set()).add(channel)

    async def group_discard(self, group: str, channel: str) -> None:
        """Remove ``channel`` from ``group``."""
        members = self._groups.get(group, set())
        members.discard(channel)
        if not members:
            self._groups.pop(group, None)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Put ``message`` into every channel of ``group``."""
        self.deliver(group, message)

    def deliver(self, group: str, message: dict[str, Any]) -> None:
        """Put ``message`` into every channel of ``group``, from any loop."""
        for channel in self._groups.get(group, ()):
            self.put(channel, message)

    def close_channel(self, channel: str) -> None:
        """Delete a channel that is no longer read."""
        self._queues.pop(channel, None)
        self._loops.pop(channel, None)

    async def flush(self) -> None:
        self._queues.clear()
        self._loops.clear()
        self._groups.clear()

    def _put(self, channel: str, message: dict[str, Any]) -> None:
        waiting = self._queues.get(channel)
        if waiting is None:
            return
        if waiting.full():
            waiting.get_nowait()
        waiting.put_nowait(message)
