"""The channel layer of the embedded server: one process, any thread."""

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

from channels.layers import BaseChannelLayer

from games.realtime.inbox import Inbox

#: Takes a message of a channel on the loop that made the channel; must not raise.
Hear = Callable[[dict[str, Any]], None]


class LocalChannelLayer(BaseChannelLayer):
    """In-memory groups and channels with immediate delivery, also from threads without a loop.

    Messages are passed on without copying, because senders don't change them. An unread channel loses its oldest
    messages at ``capacity``, which readers notice by versions.
    """

    extensions = ("groups",)
    #: Whether other processes may receive what is sent.
    is_shared = False

    def __init__(self, capacity: int = 1000, **kwargs: Any) -> None:
        super().__init__(capacity=capacity, **kwargs)
        #: The channels that are read with ``receive``.
        self._inboxes: dict[str, Inbox] = {}
        #: What each channel does with a message, and on which loop.
        self._readers: dict[str, tuple[asyncio.AbstractEventLoop, Hear]] = {}
        self._groups: dict[str, set[str]] = {}

    async def new_channel(self, prefix: str = "local", hear: Hear | None = None) -> str:
        """Create a channel that the calling loop reads, or whose messages ``hear`` takes as they come."""
        name = f"{prefix}.{uuid.uuid4().hex}"
        if hear is None:
            inbox = self._inboxes[name] = Inbox(self.capacity)
            hear = inbox.put_nowait
        self._readers[name] = asyncio.get_running_loop(), hear
        return name

    async def receive(self, channel: str) -> dict[str, Any]:
        """Wait for the next message of ``channel``."""
        return await self._inboxes[channel].get()

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        """Put ``message`` into one channel."""
        self.put(channel, message)

    def put(self, channel: str, message: dict[str, Any]) -> None:
        """Put ``message`` into one channel, from any loop."""
        reader = self._readers.get(channel)
        if reader is None:
            return
        loop, hear = reader
        if loop is asyncio.get_running_loop():
            hear(message)
        else:
            loop.call_soon_threadsafe(hear, message)

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
        # A reader may leave the group.
        for channel in list(self._groups.get(group, ())):
            self.put(channel, message)

    def close_channel(self, channel: str) -> None:
        """Delete a channel that is no longer read."""
        self._inboxes.pop(channel, None)
        self._readers.pop(channel, None)

    async def flush(self) -> None:
        self._inboxes.clear()
        self._readers.clear()
        self._groups.clear()
