"""The base of all sockets: ordered frames and broadcasts, and no gap between a page and its socket."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextvars import Context, copy_context
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qsl

from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.http import HttpRequest
from django.utils import translation

from games.realtime import log_context
from games.realtime.process import to_text

log = logging.getLogger(__name__)

#: Longest message from a browser, in characters.
MAX_MESSAGE = 4096
#: Messages a browser may send in a burst, and per second afterwards.
BURST = 60
PER_SECOND = 20
#: The most broadcasts that wait for a socket; older ones are dropped.
MOST_WAITING = 1000
#: Seconds between pings, and between checks that the player is still logged in.
PING_EVERY = 4.0
#: Quick pings after a browser has connected.
FIRST_PINGS = 4
#: The close code after which a browser reconnects.
TRY_AGAIN = 4503
#: The message to a page whose state is outdated, by the name of the mark: it then reloads that part.
MESSAGE_OF_MARK = {
    "seating_epoch": "reload",
    "talk": "talk_again",
    "ending": "ending",
    "news": "news",
    "lobby": "changed",
}

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def language_of(scope: Mapping[str, Any]) -> str:
    """A socket's language: that of the page that opened it."""
    accepted = dict(scope.get("headers") or ()).get(b"accept-language", b"").decode("latin-1")
    # Django reads nothing else from a request for this.
    asked = SimpleNamespace(COOKIES=scope.get("cookies") or {}, META={"HTTP_ACCEPT_LANGUAGE": accepted})
    return translation.get_language_from_request(cast(HttpRequest, asked))


class OrderedConsumer(AsyncWebsocketConsumer):
    """A consumer whose messages go straight to their handlers.

    Channels normally sends every frame and broadcast through the single thread that manages database connections, and
    creates a task for each; here nothing on the loop uses the database. Frames are handled in order, and so are
    broadcasts, independently of each other.

    No change is lost between a page and its socket. In the socket's URL, a page names what it shows by marks that are
    as old or older. The socket joins its groups before it is accepted, and then compares the marks with the database;
    earlier broadcasts wait.
    """

    groups_joined: tuple[str, ...] = ()
    #: When the last message was sent, on this process's clock.
    sent_at = float("-inf")
    #: Whether broadcasts have to wait: until the socket is ready, and while another one is being handled.
    is_hearing = True
    #: How many messages of the server wait or are being handled; at first its message that a browser connects.
    unhandled = 1

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one socket until it closes."""
        self.scope = scope
        self.base_send = send
        #: The task of this socket; None once it ends.
        self.serving = asyncio.current_task()
        #: Sends a text directly, if the server has a shorter way than its messages.
        self.send_directly: Callable[[str], None] | None = getattr(scope.get("wire"), "send_directly", None)
        self.wire = cast(Any, scope.get("wire"))
        if hasattr(self.wire, "take_frame"):
            self.wire.take_frame = self.take_frame
        self.channel_layer = get_channel_layer(self.channel_layer_alias)
        #: Broadcasts that wait; a page that misses one catches up by versions.
        self.heard: list[dict[str, Any]] = []
        self.channel_name = await self.channel_layer.new_channel(hear=self.hear)
        self.tokens, self.filled_at = float(BURST), time.monotonic()
        self.told_to_slow_down = float("-inf")
        self.language = language_of(scope)
        #: The marks of what the page shows.
        self.shown = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        #: Background tasks of this socket.
        self.works: set[asyncio.Task[None]] = set()
        # Everything sent over this socket is sent by tasks that begin here.
        translation.activate(self.language)
        log_context.bind(socket=self.channel_name[-12:])
        #: In which broadcasts are handled: in this language, and logged as of this socket.
        self.context = copy_context()
        try:
            while True:
                await self.dispatch(await receive())
                self.unhandled -= 1
        except StopConsumer:
            pass  # the socket has closed
        except asyncio.CancelledError:
            if self.serving is not None:  # otherwise a broadcast has ended it, see `_stop`
                raise
        finally:
            self.serving = None
            if hasattr(self.wire, "take_frame"):
                self.wire.take_frame = None
            for work in [*self.works]:
                work.cancel()
            try:
                await self.clean_up()
            finally:
                await self._leave()

    def _stop(self) -> None:
        """Close the socket because a broadcast says so."""
        serving, self.serving = self.serving, None
        if serving is not None:
            serving.cancel()

    def run_alongside(self, work: Coroutine[Any, Any, None], context: Context | None = None) -> "asyncio.Task[None]":
        """Run ``work`` in the background, at most until the socket closes.

        A cancelled task keeps the socket and everything it has shown in memory, so keep no reference after it ends.
        """
        task = asyncio.get_running_loop().create_task(work, context=context)
        self.works.add(task)
        task.add_done_callback(self.works.discard)
        return task

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        """Accept the socket, then handle earlier broadcasts."""
        await super().websocket_connect(message)
        await self._handle_heard()

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        """Send one message."""
        if self.send_directly is None or text_data is None or close:
            self.sent_at = time.monotonic()
            await super().send(text_data=text_data, bytes_data=bytes_data, close=close)
        else:
            self.send_now(self.send_directly, text_data)

    def send_now(self, directly: Callable[[str], None], text: str) -> None:
        """Send one message the server's shorter way."""
        self.sent_at = time.monotonic()
        directly(text)

    async def join(self, *groups: str) -> None:
        """Receive broadcasts to ``groups``."""
        for group in groups:
            await self.channel_layer.group_add(group, self.channel_name)
            self.groups_joined += (group,)

    async def compare(self, stored: Mapping[str, str]) -> None:
        """Make the page reload outdated parts; a part without a mark isn't on the page."""
        for name, mark in stored.items():
            if self.shown.get(name, mark) != mark:
                await self.send(text_data=to_text({"t": MESSAGE_OF_MARK[name]}))

    def compare_soon(self, reading: Coroutine[Any, Any, Mapping[str, str] | None]) -> None:
        """Compare with the marks that ``reading`` returns, in the background.

        ``reading`` returns None if the socket's session has ended.
        """
        self.run_alongside(self.compare_stored(reading))

    async def compare_stored(self, reading: Coroutine[Any, Any, Mapping[str, str] | None]) -> None:
        """Compare the page with the marks that ``reading`` returns."""
        try:
            stored = await reading
        except Exception:  # whatever failed, the browser reconnects and asks again
            log.exception("could not check whether the page at %s is up to date", self.scope.get("path"))
            await self.close(TRY_AGAIN)
            return
        if stored is None:
            await self.user_signed_out({"session": None})
        else:
            await self.compare(stored)

    async def _leave(self) -> None:
        self.channel_layer.close_channel(self.channel_name)
        for group in self.groups_joined:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def clean_up(self) -> None:
        """Clean up, however the socket ended."""

    async def user_listen(self, _message: dict[str, Any]) -> None:
        """Handle changed mutes and blocks; by default a page ignores them."""

    async def user_invited(self, _message: dict[str, Any]) -> None:
        """Handle an invitation; by default a page ignores it."""

    async def user_standing(self, _message: dict[str, Any]) -> None:
        """Handle a moderators' decision about this person; by default a page ignores it."""

    async def user_signed_out(self, _message: dict[str, Any]) -> None:
        """Close because the session ended: the browser reconnects as its current user."""
        await self.close()

    async def site_news(self, _message: dict[str, Any]) -> None:
        """Make the page check the site's announcements."""
        await self.send(text_data='{"t":"news"}')

    def hear(self, message: dict[str, Any]) -> None:
        """Take in a broadcast: at once if it can be, otherwise after those before it."""
        if self.serving is None:
            return
        if not self.is_hearing:
            try:
                if self.take_at_once(message):
                    return
            except Exception as error:  # the usual way meets it again, reports it and resyncs
                log.debug("%s could not be handled at once: %r", message["type"], error)
            self.is_hearing = True
            self.run_alongside(self._handle_or_stop(), self.context)
        if len(self.heard) == MOST_WAITING:
            del self.heard[0]
        self.heard.append(message)

    def take_at_once(self, message: dict[str, Any]) -> bool:
        """Handle a broadcast without waiting for anything, which saves a task. False if it has to be handled as usual.

        Called in no particular context, so it may not depend on the active language.
        """
        return False

    def take_frame(self, text: str | None) -> bool:
        """Handle a text from the browser at once (None: something else), which saves a turn of the loop.

        False if it has to wait for its turn, as everything after it then does. The server calls it for each message.
        """
        try:
            is_free = not self.unhandled and self.serving is not None
            if is_free and text is not None and self.context.run(self.take_text, text):
                return True
        except Exception as error:  # the usual way meets it again, reports it and resyncs
            log.debug("a message could not be handled at once: %r", error)
        self.unhandled += 1
        return False

    def take_text(self, text: str) -> bool:
        """Handle a text from the browser without waiting for anything. False if it has to be handled as usual."""
        return False

    async def _handle_heard(self) -> None:
        while self.heard:
            await self.dispatch(self.heard.pop(0))
        self.is_hearing = False

    async def _handle_or_stop(self) -> None:
        try:
            await self._handle_heard()
        except StopConsumer:
            self._stop()
        except Exception:  # whatever failed, the browser reconnects
            log.exception("broadcasts can't be handled at %s", self.scope.get("path"))
            await self.close(TRY_AGAIN)
            self._stop()

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Call the handler of ``message``; an error causes a resync, but keeps the socket."""
        handler = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"no handler for {message['type']}")
        try:
            await handler(message)
        except StopConsumer:
            raise
        except Exception as error:
            log.exception("%s failed at %s", message["type"], self.scope.get("path"))
            if message["type"] == "websocket.connect":
                # The browser reconnects and may have better luck.
                await self.close(TRY_AGAIN)
                raise StopConsumer from error
            await self.resync()

    def has_token(self, now: float, cost: int = 1) -> bool:
        """Take a token for a message; tokens come back over time. False if there is none."""
        self.tokens = min(BURST, self.tokens + (now - self.filled_at) * PER_SECOND)
        self.filled_at = now
        if self.tokens < cost:
            return False
        self.tokens -= cost
        return True

    def may_warn(self, now: float) -> bool:
        """Whether to warn a browser that sends too much: at most once a second."""
        if now - self.told_to_slow_down < 1:
            return False
        self.told_to_slow_down = now
        return True

    async def resync(self) -> None:
        """Send the browser the true state after a fault."""
