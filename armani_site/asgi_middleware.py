"""What every request and socket passes before Django or Channels sees it."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import connections
from django.utils import translation
from django.utils.translation import gettext as _

from games.realtime.consumer import language_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[..., Awaitable[None]]

#: Seconds after which somebody who was refused may try again.
RETRY_AFTER = 2


class CleanScope:
    """Take out of a scope whatever a visitor could forge.

    The site stands at the root of its host, so ``root_path`` is empty: Daphne would fill it from a header that
    anybody can send, and every link would begin with it. The visitor's address and scheme are those of the
    connection or, behind ``proxies`` proxies, those that the outermost of them saw: each proxy adds the address
    it was asked from to the end of X-Forwarded-For, and what stands before them is the visitor's own invention.
    """

    def __init__(self, application: Application, proxies: int) -> None:
        self._application = application
        #: How many proxies stand before this process.
        self.proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on the request or socket."""
        if scope["type"] in ("http", "websocket"):
            scope = self.cleaned(scope)
        await self._application(scope, receive, send)

    def cleaned(self, scope: Scope) -> Scope:
        """``scope`` without what a visitor could have made up."""
        headers = [
            (name, value)
            for name, value in scope["headers"]
            # Django reads "X_Real" and "X-Real" as one header, and proxies only guard the latter.
            if b"_" not in name and name.lower() != b"daphne-root-path"
        ]
        # A request line may hold any text as its path, which redirects would put right behind the host.
        scope = {**scope, "root_path": "", "path": "/" + scope["path"].removeprefix("/"), "headers": headers}
        if self.proxies:
            addresses = _all_of(b"x-forwarded-for", headers)
            if len(addresses) >= self.proxies and _is_address(addresses[-self.proxies]):
                scope["client"] = [addresses[-self.proxies], 0]
            schemes = _all_of(b"x-forwarded-proto", headers)
            if scope["type"] == "http" and schemes and schemes[-1] in ("http", "https"):
                scope["scheme"] = schemes[-1]
        return scope


class RequestLimit:
    """Answer at most ``running`` requests at once, let ``waiting`` more wait, and refuse the rest with 503.

    Django answers each request in a thread of its own; its database connection is closed here when that thread
    ends, because nothing else would do it before the garbage collector's next look at its oldest objects.
    """

    def __init__(self, application: Application, *, running: int, waiting: int) -> None:
        self._application = application
        self._running = asyncio.Semaphore(running)
        self._places = running + waiting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if not self._places:
            await _refuse(scope, send)
            return
        self._places -= 1
        answer = asyncio.ensure_future(self._answer(scope, receive, send))
        answer.add_done_callback(self._give_back)
        try:
            await asyncio.shield(answer)
        except asyncio.CancelledError:
            # Servers cancel again and again, but a thread can't be cancelled: the place is its own until it ends.
            answer.cancel()
            raise

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._running, ThreadSensitiveContext():
            try:
                await self._application(scope, receive, send)
            finally:
                await _in_spite_of_cancels(sync_to_async(connections.close_all)())

    def _give_back(self, answer: asyncio.Future[None]) -> None:
        self._places += 1
        if not answer.cancelled():
            answer.exception()  # whoever asked has it, or is gone


async def _in_spite_of_cancels(work: Awaitable[None]) -> None:
    """Wait for ``work`` however often this is cancelled: behind it the thread goes that has to do it."""
    doing = asyncio.ensure_future(work)
    is_cancelled = False
    while not doing.done():
        try:
            await asyncio.shield(doing)
        except asyncio.CancelledError:
            is_cancelled = True
    if is_cancelled:
        raise asyncio.CancelledError


async def _refuse(scope: Scope, send: Send) -> None:
    with translation.override(language_of(scope)):
        text = _("Armani is very busy right now. Please try again in a few seconds.")
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"retry-after", b"%d" % RETRY_AFTER),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})


def _all_of(name: bytes, headers: list[tuple[bytes, bytes]]) -> list[str]:
    """The values of a header that may be there more than once, each with commas in it."""
    joined = b",".join(value for other, value in headers if other.lower() == name).decode("latin-1")
    return [value.strip() for value in joined.split(",")] if joined else []


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
