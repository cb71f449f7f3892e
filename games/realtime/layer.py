"""The channel layer of the embedded form: one process, any thread."""

import asyncio
import uuid
from typing import Any

from channels.layers import BaseChannelLayer


class LocalChannelLayer(BaseChannelLayer):
    """Groups and channels in memory, delivered at once, also from threads without a loop.

    Messages are handed over as they are, not copied: the sender does not touch one again. A channel
    that is not read loses its oldest messages at ``capacity``, which every reader notices by versions.
    """

    extensions = ("groups",)

    def __init__(self, capacity: int = 1000, **kwargs: Any) -> None:
        super().__init__(capacity=capacity, **kwargs)
        self._queues: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._loops: dict[str, asyncio.AbstractEventLoop] = {}
        self._groups: dict[str, set[str]] = {}

    async def new_channel(self, prefix: str = "local") -> str:
        """A name for a new channel, read by the loop that asked."""
        name = f"{prefix}.{uuid.uuid4().hex}"
        self._queues[name] = asyncio.Queue(self.capacity)
        self._loops[name] = asyncio.get_running_loop()
        return name

    async def receive(self, channel: str) -> dict[str, Any]:
        """The next message of ``channel``, waiting for it."""
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
        """Let ``channel`` hear what is sent to ``group``."""
        self._groups.setdefault(group, set()).add(channel)

    async def group_discard(self, group: str, channel: str) -> None:
        """Let ``channel`` hear it no more."""
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
        """Forget a channel that isn't read any more."""
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
