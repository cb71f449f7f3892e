"""The socket of one browser in the lobby: it only says that something has changed."""

import asyncio
from typing import Any

from games.live import process, publish
from games.live.consumers import OrderedConsumer

#: Changes within so many seconds are told as one.
PAUSE = 0.5


class LobbyConsumer(OrderedConsumer):
    """Tells its browser to look again when a table opens, fills, begins or closes, or somebody invites its user."""

    groups_joined: tuple[str, ...] = ()
    telling: "asyncio.Task[None] | None" = None

    async def connect(self) -> None:
        """Listen to the lobby, and to what concerns whoever is logged in."""
        process.use_running_loop()
        await self.accept()
        user = self.scope.get("user")
        groups = ["lobby", publish.EVERYBODY]
        if user is not None and user.is_authenticated:
            groups.append(f"user.{user.pk}")
        for group in groups:
            await self.channel_layer.group_add(group, self.channel_name)
            self.groups_joined += (group,)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """There is nothing to be said in the lobby."""

    async def lobby_changed(self, _message: dict[str, Any]) -> None:
        """A table has changed."""
        if self.telling is None or self.telling.done():
            self.telling = asyncio.ensure_future(self._tell())

    async def user_invited(self, message: dict[str, Any]) -> None:
        """Somebody invites this person."""
        await self.lobby_changed(message)

    async def user_listen(self, message: dict[str, Any]) -> None:
        """Whom this person wants to meet has changed."""
        await self.lobby_changed(message)

    async def user_signed_out(self, _message: dict[str, Any]) -> None:
        """The session ended: the browser comes back as whoever it is then."""
        await self.close()

    async def _tell(self) -> None:
        await asyncio.sleep(PAUSE)
        await self.send(text_data='{"t":"changed"}')

    async def gone(self) -> None:
        """Leave all groups."""
        if self.telling is not None:
            self.telling.cancel()
        close_channel = getattr(self.channel_layer, "close_channel", None)
        if close_channel is not None:
            close_channel(self.channel_name)
        for group in self.groups_joined:
            await self.channel_layer.group_discard(group, self.channel_name)
