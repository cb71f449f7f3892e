"""The channel layer of several processes: each delivers to its own sockets, and tells the others over Redis."""

import asyncio
import logging
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import redis.asyncio as redis
from channels_redis.utils import create_pool

from games.realtime.layer import Hear, LocalChannelLayer

log = logging.getLogger(__name__)

Deliver = Callable[[str, dict[str, Any]], None]

#: Seconds until a lost connection is tried again, and for how many the first socket waits for the connection.
AGAIN, PATIENCE = 1.0, 2.0
#: The most messages that wait while Redis doesn't answer; older ones are dropped, since pages look for missed moves.
MOST_WAITING = 10_000

#: The sender of what every process reads, including the one that sends it.
ANYONE = ""
#: A text may be of a class of its own, such as one that is translated when it is read.
_encoder = msgspec.msgpack.Encoder(enc_hook=str)


class SharedChannelLayer(LocalChannelLayer):
    """Groups in this process, and everything sent to them copied to all other processes.

    Each process reads one Redis channel with the messages of all processes, and drops those of groups without a socket
    here. So a socket subscribes to nothing, a message is decoded once however many sockets get it, and messages that
    are sent during a round trip to Redis leave together with the next one.
    """

    is_shared = True

    def __init__(self, url: str, prefix: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._url = url
        self._name = f"{prefix}.broadcasts"
        self._sender = uuid.uuid4().hex
        self._links: WeakKeyDictionary[asyncio.AbstractEventLoop, _Link] = WeakKeyDictionary()

    async def new_channel(self, prefix: str = "local", hear: Hear | None = None) -> str:
        """Create a channel, as the local layer does; from here on, this process hears the others."""
        await self._link().hear(self._heard)
        return await super().new_channel(prefix, hear)

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        """Put ``message`` into one channel, over Redis even if the channel is in this process."""
        await self._link().publish(ANYONE, [(channel, message)])

    def deliver(self, group: str, message: dict[str, Any]) -> None:
        """Put ``message`` into every channel of ``group``: here at once, in other processes soon."""
        super().deliver(group, message)
        self._link().tell(group, message)

    def _heard(self, name: str, message: dict[str, Any]) -> None:
        if name in self._readers:
            self.put(name, message)
        else:
            super().deliver(name, message)

    def _link(self) -> "_Link":
        loop = asyncio.get_running_loop()
        link = self._links.get(loop)
        if link is None:
            link = self._links[loop] = _Link(self._url, self._name, self._sender)
        return link


class _Link:
    """The connection of one loop to Redis."""

    def __init__(self, url: str, name: str, sender: str) -> None:
        self._redis = redis.Redis(connection_pool=create_pool({"address": url, "socket_keepalive": True}))
        self._name = name
        #: This process, which drops what it hears from itself.
        self._sender = sender
        self._outbox: deque[tuple[str, dict[str, Any]]] = deque(maxlen=MOST_WAITING)
        self._telling: asyncio.Task[None] | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._has_begun = asyncio.Event()

    def tell(self, group: str, message: dict[str, Any]) -> None:
        """Send ``message`` to the other processes, after those before it."""
        self._outbox.append((group, message))
        if self._telling is None:
            self._telling = asyncio.ensure_future(self._tell())

    async def _tell(self) -> None:
        try:
            while self._outbox:
                told = list(self._outbox)
                self._outbox.clear()
                await self.publish(self._sender, told)
        except (redis.RedisError, OSError) as error:
            log.warning("other processes could not be told: %r", error)
        finally:
            self._telling = None

    async def publish(self, sender: str, told: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Publish messages with the group or channel of each."""
        await self._redis.publish(self._name, _encoder.encode((sender, told)))

    async def hear(self, deliver: Deliver) -> None:
        """Wait until everything that others send from now on is given to ``deliver``, but not long for Redis.

        Without it players of other processes' tables are late, but not shut out: pages look for missed moves.
        """
        if self._hearing is None:
            self._hearing = asyncio.ensure_future(self._hear(deliver))
        if not self._has_begun.is_set():
            with suppress(TimeoutError):  # a later socket doesn't wait again
                await asyncio.wait_for(self._has_begun.wait(), PATIENCE)
            self._has_begun.set()

    async def _hear(self, deliver: Deliver) -> None:
        try:
            await self._hear_on(deliver)
        finally:  # the loop ends
            await self._redis.aclose(close_connection_pool=True)

    async def _hear_on(self, deliver: Deliver) -> None:
        while True:
            try:
                async with self._redis.pubsub() as heard:
                    await heard.subscribe(self._name)
                    async for each in heard.listen():
                        if each["type"] == "subscribe":
                            self._has_begun.set()
                        elif each["type"] == "message":
                            self._read(each["data"], deliver)
            except Exception as error:  # whatever failed, the others must be heard again
                log.warning("other processes can't be heard: %r", error)
            await asyncio.sleep(AGAIN)

    def _read(self, data: bytes, deliver: Deliver) -> None:
        try:
            sender, told = msgspec.msgpack.decode(data)
            if sender != self._sender:
                for name, message in told:
                    deliver(name, message)
        except Exception:  # after any error, later messages must still be heard
            log.exception("a message of another process could not be delivered")
