"""ASGI middleware that every request and socket passes through before Django or Channels sees it."""

import asyncio
import math
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import ip_address
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import connections
from django.http.cookie import parse_cookie
from django.http.request import split_domain_port, validate_host
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.session_store import SessionStore
from accounts.sessions import signed_in
from armani_site.budgets import Buckets, Places, network_of
from games.realtime.consumer import language_of
from games.realtime.together import Together

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[..., Awaitable[None]]

#: Seconds after which a refused client may try again.
RETRY_AFTER = 2
#: Seconds of processor time that an address's pages may take at once, and gain again per second, before they are
#: limited to ``ONE_BY_ONE`` at a time: work in more threads finishes no sooner, and slows the tables down.
AT_ONCE, IN_A_SECOND = 0.5, 0.05
ONE_BY_ONE = 2
#: How many letters and digits a session's key has at most.
LONGEST_KEY = 40


class CleanScope:
    """Remove from a scope everything that a visitor could forge.

    The site is at the root of its host, so ``root_path`` is empty: Daphne would fill it from a header that any client
    can send, and every link would begin with it. The visitor's address and scheme are those of the connection or,
    behind ``proxies`` proxies, those that the outermost proxy saw. Each proxy appends the address of its own client to
    X-Forwarded-For; the visitor can make up everything before that.
    """

    def __init__(self, application: Application, proxies: int) -> None:
        self._application = application
        #: The number of proxies in front of this process.
        self.proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            scope = self.cleaned(scope)
        if scope["type"] == "http" and _has_nul(scope):
            await _answer(send, 400, "This address can't be read.")
            return
        await self._application(scope, receive, send)

    def cleaned(self, scope: Scope) -> Scope:
        """``scope`` without anything that a visitor could have forged."""
        headers = [
            (name, value)
            for name, value in scope["headers"]
            # Django reads "X_Real" and "X-Real" as the same header, and proxies only guard the latter.
            if b"_" not in name and name.lower() != b"daphne-root-path"
        ]
        # A request line may have any text as its path, which redirects would put right behind the host.
        scope = {**scope, "root_path": "", "path": "/" + scope["path"].removeprefix("/"), "headers": headers}
        if self.proxies:
            addresses = _all_of(b"x-forwarded-for", headers)
            if len(addresses) >= self.proxies and _is_address(addresses[-self.proxies]):
                scope["client"] = [addresses[-self.proxies], 0]
            schemes = _all_of(b"x-forwarded-proto", headers)
            if scope["type"] == "http" and schemes and schemes[-1] in ("http", "https"):
                scope["scheme"] = schemes[-1]
        return scope


class OwnPages:
    """Only open sockets for pages of the site itself: same scheme, host and port."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_own(dict(scope["headers"])):
            await self._application(scope, receive, send)
        else:
            await send({"type": "websocket.close"})

    @staticmethod
    def _is_own(headers: Mapping[bytes, bytes]) -> bool:
        host, origin = (headers.get(name, b"").decode("latin-1").lower() for name in (b"host", b"origin"))
        if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
            return False
        schemes = ("https",) if settings.HTTPS else ("http", "https")
        # A proxy may drop the port of the host.
        return origin in {*(f"{scheme}://{host}" for scheme in schemes), settings.SITE_URL.lower()}


class Visitor:
    """The visitor behind a request or socket: their address, and the session they claim."""

    __slots__ = ("address", "session")

    def __init__(self, scope: Scope) -> None:
        self.address = network_of((scope.get("client") or ("",))[0])
        cookies = ";".join(_all_of(b"cookie", scope["headers"], b";"))
        session = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME)
        #: None without a session. A made-up session gets its own count, and still counts towards its address.
        self.session = session and (self.address, session)


def _who(session_keys: Sequence[str]) -> list[User | None]:
    people = signed_in(session_keys)
    return [people.get(key) for key in session_keys]


class SignedIn:
    """Add session and user to a socket's scope; sockets that come together are looked up together.

    Of its headers and cookies, only those that tell its language are left. The scope itself is changed: all callers
    hold it as long as the socket is open, perhaps for days.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._who = Together(_who)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sign_in(scope)
        await self._application(scope, receive, send)

    async def _sign_in(self, scope: Scope) -> None:
        cookies = parse_cookie(";".join(_all_of(b"cookie", scope["headers"], b";")))
        key = cookies.get(settings.SESSION_COOKIE_NAME)
        # A database may refuse other text, for all that are looked up with it.
        user = await self._who(key) if key and key.isalnum() and len(key) <= LONGEST_KEY else None
        scope["session"] = None if user is None else SessionStore(key)
        scope["user"] = user or AnonymousUser()
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name == b"accept-language"]
        scope["cookies"] = {name: text for name, text in cookies.items() if name == settings.LANGUAGE_COOKIE_NAME}


class SocketLimit:
    """Limit sockets per session and per address, and how many open per second.

    An address may open ``per_address`` at once, as after a restart, and gains a fiftieth of that per second.
    """

    def __init__(self, application: Application, *, per_session: int, per_address: int) -> None:
        self._application = application
        self.sessions = Places(math.inf, per_session)
        self.addresses = Places(math.inf, per_address)
        self.openings = Buckets(per_address, per_address / 50)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the socket, or refuse it."""
        visitor = Visitor(scope)
        if self.openings.left(visitor.address) < 1 or not self.addresses.take(visitor.address):
            await send({"type": "websocket.close"})
            return
        try:
            if visitor.session and not self.sessions.take(visitor.session):
                await send({"type": "websocket.close"})
                return
            self.openings.use(visitor.address, 1)
            try:
                await self._application(scope, receive, send)
            finally:
                if visitor.session:
                    self.sessions.give_back(visitor.session)
        finally:
            self.addresses.give_back(visitor.address)


class ProcessorBudget:
    """Limit the processor time of pages, per session and per address.

    The budget refills by a fiftieth per second. A page's cost isn't known before it runs, so a visitor may overdraw the
    budget, and then waits longer for the next page.
    """

    def __init__(self, *, per_session: float, per_address: float) -> None:
        self.sessions = Buckets(per_session, per_session / 50)
        self.addresses = Buckets(per_address, per_address / 50)
        self.unnoticed = Buckets(AT_ONCE, IN_A_SECOND)

    def is_busy(self, visitor: Visitor) -> bool:
        """Whether pages of the visitor's address have used enough processor time lately to slow tables down."""
        return self.unnoticed.left(visitor.address) < 0

    def seconds_until(self, visitor: Visitor) -> float:
        """Seconds until the visitor may send requests again; 0 for now."""
        of_session = self.sessions.seconds_until(visitor.session) if visitor.session else 0.0
        return max(of_session, self.addresses.seconds_until(visitor.address))

    def use(self, visitor: Visitor, seconds: float) -> None:
        """Charge a page's processor time to the visitor."""
        self.addresses.use(visitor.address, seconds)
        self.unnoticed.use(visitor.address, seconds)
        if visitor.session:
            self.sessions.use(visitor.session, seconds)


class RequestThread:
    """A thread that answers one request after another."""

    _clock: int | None = None

    def __init__(self, *, keeps_connection: bool) -> None:
        self.executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        self.keeps_connection = keeps_connection

    async def seconds(self) -> float:
        """The processor time that the thread has used; if the system doesn't tell, the time that has passed."""
        if self._clock is None:
            ident = await asyncio.get_running_loop().run_in_executor(self.executor, threading.get_ident)
            clock_of = getattr(time, "pthread_getcpuclockid", lambda _ident: time.CLOCK_MONOTONIC)
            self._clock = clock_of(ident)
        return time.clock_gettime(self._clock)


class RequestLimit:
    """Answer at most ``running`` requests at once, let ``waiting`` more wait, and refuse the rest with 503.

    Each request runs in one of ``running`` permanent threads. Code that still wants a thread after its request is over
    gets an error instead of a new thread, so there are never more database connections than threads. The ``kept``
    threads used most keep their connection, because opening one takes as long as a page; the others close theirs after
    the answer. A request that has begun runs to its end even if the server cancels it, because its thread can't be
    stopped.

    No address gets more than ``share`` of the threads or of the places to wait, so others always have some. An address
    whose pages have used much processor time lately gets ``ONE_BY_ONE`` threads.
    """

    def __init__(
        self,
        application: Application,
        *,
        running: int,
        waiting: int,
        kept: int,
        share: float = 1.0,
        budget: ProcessorBudget | None = None,
    ) -> None:
        self._application = application
        self._budget = budget
        self._running_each = max(1, int(running * share))
        #: A semaphore for each address with requests, and for each of its limits: the one while it is busy, and the
        #: usual one.
        self.running: dict[tuple[str, bool], asyncio.Semaphore] = {}
        self._threads: asyncio.LifoQueue[RequestThread] = asyncio.LifoQueue()
        for number in reversed(range(running)):
            self._threads.put_nowait(RequestThread(keeps_connection=number < kept))
        self._places = Places(running + waiting, max(1, int((running + waiting) * share)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or refuse it."""
        visitor = Visitor(scope)
        wait = self._budget.seconds_until(visitor) if self._budget else 0
        if wait:
            await _refuse(scope, send, 429, math.ceil(wait))
            return
        if not self._places.take(visitor.address):
            await _refuse(scope, send, 503, RETRY_AFTER)
            return
        try:
            running = await self._turn(visitor)
            try:
                thread = await self._threads.get()
            except asyncio.CancelledError:
                running.release()
                raise
        except asyncio.CancelledError:
            self._leave(visitor)
            raise
        answer = asyncio.ensure_future(self._answer(thread, visitor, scope, receive, send))
        answer.add_done_callback(partial(self._give_back, thread, running, visitor))
        await asyncio.shield(answer)

    async def _turn(self, visitor: Visitor) -> asyncio.Semaphore:
        """Wait until the visitor's address may use another thread; returns the semaphore to release afterwards."""
        while True:
            running = self._running(visitor)
            await running.acquire()
            if running is self._running(visitor):
                return running
            running.release()  # another limit applies since this request began to wait

    def _running(self, visitor: Visitor) -> asyncio.Semaphore:
        is_busy = self._budget is not None and self._budget.is_busy(visitor)
        most = min(ONE_BY_ONE, self._running_each) if is_busy else self._running_each
        return self.running.setdefault((visitor.address, is_busy), asyncio.Semaphore(most))

    async def _answer(
        self, thread: RequestThread, visitor: Visitor, scope: Scope, receive: Receive, send: Send
    ) -> None:
        begun = await thread.seconds() if self._budget else 0
        async with ThreadSensitiveContext(executor=thread.executor):
            try:
                await self._application(scope, receive, send)
            finally:
                if not thread.keeps_connection:
                    await sync_to_async(connections.close_all)()
                if self._budget:
                    self._budget.use(visitor, await thread.seconds() - begun)

    def _give_back(
        self, thread: RequestThread, running: asyncio.Semaphore, visitor: Visitor, answer: asyncio.Future[None]
    ) -> None:
        self._threads.put_nowait(thread)
        running.release()
        self._leave(visitor)
        if not answer.cancelled():
            answer.exception()  # mark the error as seen: the visitor has the answer, or has left

    def _leave(self, visitor: Visitor) -> None:
        self._places.give_back(visitor.address)
        if not self._places.by_holder[visitor.address]:
            for is_busy in (False, True):
                self.running.pop((visitor.address, is_busy), None)


async def _refuse(scope: Scope, send: Send, status: int, retry_after: int) -> None:
    with translation.override(language_of(scope)):
        if status == 503:
            text = _("Armani is very busy right now. Please try again in a few seconds.")
        else:
            text = _("You're going too fast. Please try again in %(seconds)d seconds.") % {"seconds": retry_after}
    await _answer(send, status, text, (b"retry-after", b"%d" % retry_after))


async def _answer(send: Send, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
    common = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": [*common, *headers]})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})


def _has_nul(scope: Scope) -> bool:
    """Whether the URL has a NUL character, which PostgreSQL accepts nowhere."""
    return "\0" in scope["path"] or b"%00" in scope.get("query_string", b"")


def _all_of(name: bytes, headers: list[tuple[bytes, bytes]], mark: bytes = b",") -> list[str]:
    """All values of a header that may be repeated, each of which may be a list separated by ``mark``."""
    joined = mark.join(value for other, value in headers if other.lower() == name).decode("latin-1")
    return [value.strip() for value in joined.split(mark.decode())] if joined else []


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
