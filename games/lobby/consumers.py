"""The lobby's socket: it only reports that something has changed."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib.sessions.backends.base import SessionBase

from accounts.models import User
from accounts.sessions import is_signed_in
from games.lobby import finding, invitations
from games.lobby.models import Invitation
from games.realtime import broadcast, process
from games.realtime.consumer import OrderedConsumer
from games.site_status import state

#: Seconds during which several changes are reported as one.
PAUSE = 0.5


class LobbyConsumer(OrderedConsumer):
    """Tells its browser to reload when a table opens, fills, starts or closes, or its user is invited."""

    is_telling = False

    async def connect(self) -> None:
        """Subscribe to changes of the lobby and of the logged-in user."""
        process.use_running_loop()
        someone = self.scope.get("user")
        user: User | None = someone if someone is not None and someone.is_authenticated else None
        await self.join("lobby", broadcast.EVERYBODY)
        if user is not None:
            await self.join(f"user.{user.pk}")
        await self.accept()
        self.compare_soon(self._read_marks(user))

    async def _read_marks(self, user: User | None) -> dict[str, str] | None:
        async with process.arrivals():
            marks: dict[str, str] | None
            marks = await process.in_thread(partial(read_marks, user, self.scope.get("session")))
            return marks

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore messages: the lobby expects none."""

    async def lobby_changed(self, _message: dict[str, Any]) -> None:
        """Report that a table has changed."""
        if not self.is_telling:
            self.is_telling = True
            self.run_alongside(self._send_change())

    async def user_invited(self, message: dict[str, Any]) -> None:
        """Report an invitation."""
        await self.lobby_changed(message)

    async def user_listen(self, message: dict[str, Any]) -> None:
        """Report that this person's blocks or mutes have changed."""
        await self.lobby_changed(message)

    async def _send_change(self) -> None:
        await asyncio.sleep(PAUSE)
        self.is_telling = False
        await self.send(text_data='{"t":"changed"}')


def read_marks(user: User | None, session: SessionBase | None) -> dict[str, str] | None:
    """Return the marks of everything the lobby shows now; None if the session has ended."""
    if user is None:
        invited: Sequence[Invitation] = []
    elif is_signed_in(session, user.pk):
        invited = invitations.waiting_for(user)
    else:
        return None
    return {"lobby": finding.mark_of(user, invited), "news": state.mark()}
