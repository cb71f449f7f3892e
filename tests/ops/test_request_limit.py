"""The number of requests in a process is limited, and everything a request used is freed."""

import asyncio
import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from twisted.internet.task import Clock

from armani_site import asgi, budgets
from armani_site.asgi_middleware import (
    AT_ONCE,
    ONE_BY_ONE,
    CleanScope,
    OwnPages,
    ProcessorBudget,
    RequestLimit,
    SocketLimit,
    Visitor,
)
from armani_site.budgets import Buckets
from armani_site.serving import site as site_module
from armani_site.serving.site import COLLECT_ALL_AFTER, COLLECT_ALL_EVERY, LOOK_EVERY, collect_regularly
from tests.factories.turns_of_the_loop import settle

SCOPE = {"type": "http", "path": "/", "headers": []}


class Requests:
    """A limited application whose responses wait until they are released."""

    def __init__(self, running: int, waiting: int, application: Any = None, **limits: Any) -> None:
        self.go = asyncio.Event()
        self.begun = 0
        self.limit = RequestLimit(application or self._answer, running=running, waiting=waiting, kept=0, **limits)
        self.answers: list[dict[str, Any]] = []

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        self.begun += 1
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def ask(self, language: str = "en", address: str = "", session: str = "") -> asyncio.Task[None]:
        async def send(message: Any) -> None:
            self.answers.append(message)

        headers = [(b"accept-language", language.encode())]
        if session:
            headers.append((b"cookie", f"theme=dark; {settings.SESSION_COOKIE_NAME}={session}".encode()))
        scope = {**SCOPE, "client": [address, 0], "headers": headers}
        return asyncio.ensure_future(self.limit(scope, None, send))

    @property
    def statuses(self) -> list[int]:
        return [message["status"] for message in self.answers if "status" in message]


def is_closed(raw: Any) -> bool:
    """Whether a driver's connection is closed."""
    try:
        raw.execute("SELECT 1")
    except Exception as error:  # each driver has its own class
        return "closed" in str(error)
    return False


async def all_done() -> None:
    """Wait for everything still running, including threads."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others, timeout=10)


async def test_some_requests_are_answered_some_wait_and_the_rest_are_told_to_try_again() -> None:
    requests = Requests(running=2, waiting=3)
    taken = [requests.ask() for _ in range(5)]
    await settle()
    assert (requests.begun, requests.statuses) == (2, [])
    await requests.ask("de")
    start, body = requests.answers
    assert start["status"] == 503
    assert dict(start["headers"])[b"retry-after"] == b"2"
    assert "Armani ist gerade sehr ausgelastet" in body["body"].decode()
    requests.go.set()
    await asyncio.gather(*taken)
    assert (requests.begun, sorted(requests.statuses)) == (5, [200] * 5 + [503])
    await requests.ask()
    assert requests.begun == 6


async def test_an_address_takes_half_of_the_threads_and_of_the_places_and_others_have_the_rest() -> None:
    requests = Requests(running=4, waiting=8, share=1 / 2)
    mine = [requests.ask(address="198.51.100.7") for _ in range(7)]
    await settle()
    assert (requests.begun, requests.statuses) == (2, [503])
    other = requests.ask(address="203.0.113.9")
    await settle()
    assert (requests.begun, requests.statuses) == (3, [503])
    mine[5].cancel()  # it waits
    await settle()
    again = requests.ask(address="198.51.100.7")
    await settle()
    assert requests.statuses == [503]
    requests.go.set()
    await asyncio.gather(*mine[:5], other, again)
    assert requests.statuses == [503] + [200] * 7
    assert not requests.limit.running, "what is known of an address goes with its last request"


async def test_a_visitor_who_has_used_up_the_budget_waits_and_others_do_not() -> None:
    budget = ProcessorBudget(per_session=0.05, per_address=0.2)

    def work() -> None:
        end = time.thread_time() + 0.06
        while time.thread_time() < end:
            pass

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await sync_to_async(work)()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    requests = Requests(running=2, waiting=2, application=application, budget=budget)
    for _ in range(2):
        await requests.ask(address="198.51.100.7", session="one")
    assert requests.statuses == [200, 429]
    assert int(dict(requests.answers[1]["headers"])[b"retry-after"]) >= 1
    assert "going too fast" in requests.answers[2]["body"].decode()
    # Other sessions of the address have their own places, until the address has none: made-up sessions don't help.
    for number in range(5):
        await requests.ask(address="198.51.100.7", session=f"made up {number}")
    assert requests.statuses == [200, 429, 200, 200, 200, 429, 429]
    await requests.ask(address="203.0.113.9", session="one")
    assert requests.statuses[-1] == 200


async def test_pages_of_a_busy_address_are_answered_two_at_a_time() -> None:
    """Eight readers of a match's state had eight threads, and the tables a ninth of the interpreter."""
    first, second = asyncio.Event(), asyncio.Event()
    begun: asyncio.Queue[None] = asyncio.Queue()

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        requests.begun += 1
        begun.put_nowait(None)
        await (first if requests.begun <= 4 else second).wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def begin(count: int) -> None:
        for _ in range(count):
            await asyncio.wait_for(begun.get(), 10)
        await asyncio.sleep(0.05)  # in which no more may begin
        assert begun.empty()

    budget = ProcessorBudget(per_session=100, per_address=100)
    requests = Requests(running=8, waiting=20, share=1 / 2, application=application, budget=budget)
    mine = [requests.ask(address="198.51.100.7") for _ in range(10)]
    await begin(4)
    # Requests already waiting wait as long as later ones.
    budget.use(Visitor({"client": ["198.51.100.7", 0], "headers": []}), AT_ONCE + 1)
    first.set()
    await begin(ONE_BY_ONE)
    other = [requests.ask(address="203.0.113.9") for _ in range(4)]
    await begin(4)
    second.set()
    await asyncio.gather(*mine, *other)
    assert requests.statuses == [200] * 14
    assert not requests.limit.running


def test_work_that_is_done_with_is_forgotten() -> None:
    now = [1000.0]
    budget = ProcessorBudget(per_session=100, per_address=100)
    budget.unnoticed = Buckets(0.5, 0.05, now=lambda: now[0])
    reader = Visitor({"client": ["198.51.100.7", 0], "headers": []})
    for _page in range(10):
        budget.use(reader, 0.04)
        now[0] += 1
    assert not budget.is_busy(reader)
    budget.use(reader, 1)
    assert budget.is_busy(reader)
    now[0] += 20
    assert not budget.is_busy(reader)


def test_rendering_a_page_keeps_the_interpreter_for_half_a_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    intervals: list[float] = []
    monkeypatch.setattr(sys, "setswitchinterval", intervals.append)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "set_threshold", lambda *_numbers: None)
    idle = SimpleNamespace(start=lambda: None, listen=lambda _backlog: None)
    site_module.Site.begin(SimpleNamespace(_heart=idle, _celery=None, listener=idle))
    assert intervals == [0.0005]


async def test_waiting_costs_nothing() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await sync_to_async(time.sleep)(0.1)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    budget = ProcessorBudget(per_session=0.1, per_address=0.1)
    requests = Requests(running=1, waiting=5, application=application, budget=budget)
    await asyncio.gather(*(requests.ask(session="one") for _ in range(3)))
    await requests.ask(session="one")
    assert requests.statuses == [200] * 4


def test_used_budget_comes_back_with_time() -> None:
    now = [1000.0]
    buckets = Buckets(10, 2, now=lambda: now[0])
    buckets.use("a", 16)
    assert buckets.seconds_until("a") == 3
    now[0] += 4
    assert (buckets.left("a"), buckets.seconds_until("a")) == (2, 0)
    now[0] += 100
    assert buckets.left("a") == 10


def test_holders_without_recent_use_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "MANY", 100)
    now = [1000.0]
    buckets = Buckets(10, 2, now=lambda: now[0])
    for number in range(1000):
        buckets.use(number, 1)
        now[0] += 0.1
    assert len(buckets) <= 100


def test_the_holders_who_used_most_are_remembered_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "MANY", 100)
    buckets = Buckets(10, 2, now=lambda: 1000.0)
    buckets.use("greedy", 50)
    for number in range(1000):
        buckets.use(number, 1)
    assert len(buckets) <= 100
    assert buckets.left("greedy") == -40


class Sockets:
    """A limited application that serves sockets until they close."""

    def __init__(self, **limits: int) -> None:
        self.limit = SocketLimit(self._serve, **limits)
        self.said: list[str] = []

    async def _serve(self, _scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        await receive()

    async def open(self, address: str = "198.51.100.7", session: str = "") -> asyncio.Event:
        async def send(message: Any) -> None:
            self.said.append(message["type"].removeprefix("websocket."))

        cookie = f"{settings.SESSION_COOKIE_NAME}={session}" if session else "theme=dark"
        scope = {"type": "websocket", "client": [address, 0], "headers": [(b"cookie", cookie.encode())]}
        leaves = asyncio.Event()
        task = asyncio.ensure_future(self.limit(scope, leaves.wait, send))
        leaves.task = task  # kept as long as the socket
        await settle()
        return leaves


async def test_the_sockets_of_a_session_and_of_an_address_are_limited() -> None:
    sockets = Sockets(per_session=2, per_address=4)
    sockets.limit.openings.burst = 100
    mine = [await sockets.open(session="one") for _ in range(3)]
    assert sockets.said == ["accept", "accept", "close"]
    await sockets.open(session="two")
    await sockets.open()
    await sockets.open(session="three")
    assert sockets.said[3:] == ["accept", "accept", "close"]
    await sockets.open("203.0.113.9", session="one")
    assert sockets.said[6:] == ["accept"]
    mine[0].set()
    await settle()
    await sockets.open(session="one")
    await sockets.open(session="one")
    assert sockets.said[7:] == ["accept", "close"]


async def test_an_address_that_keeps_reconnecting_is_refused() -> None:
    sockets = Sockets(per_session=2, per_address=4)
    for _ in range(6):
        (await sockets.open()).set()
        await settle()
    assert sockets.said == ["accept"] * 4 + ["close"] * 2
    assert not sockets.limit.addresses.taken


async def test_a_visitor_who_leaves_while_waiting_gives_the_place_back_at_once() -> None:
    requests = Requests(running=1, waiting=1)
    answered, waiting = requests.ask(), requests.ask()
    await settle()
    waiting.cancel()
    await settle()
    next_one = requests.ask()
    requests.go.set()
    await asyncio.gather(answered, next_one)
    assert (requests.begun, requests.statuses) == (2, [200, 200])


async def test_a_visitor_who_leaves_during_the_answer_gives_the_place_back_with_its_end() -> None:
    requests = Requests(running=1, waiting=0)
    gone = requests.ask()
    await settle()
    gone.cancel()
    await settle()
    await requests.ask()
    assert requests.statuses == [503]
    requests.go.set()
    await all_done()
    await requests.ask()
    assert requests.statuses == [503, 200, 200]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fails", [False, True])
async def test_the_connection_to_the_database_is_closed_with_the_answer(fails: bool) -> None:
    used = []

    def read() -> None:
        connection.ensure_connection()
        used.append(connection.connection)
        if fails:
            raise LookupError

    async def application(*_: object) -> None:
        await sync_to_async(read)()

    limit = RequestLimit(application, running=1, waiting=0, kept=0)
    outcome = asyncio.gather(limit(SCOPE, None, None), return_exceptions=True)
    (error,) = await outcome
    assert isinstance(error, LookupError) is fails
    (raw,) = used
    assert is_closed(raw)


@pytest.mark.django_db(transaction=True)
async def test_the_threads_used_most_keep_their_connection() -> None:
    used = []
    both_read = threading.Barrier(2)

    def read(alone: bool) -> None:
        connection.ensure_connection()
        used.append(connection.connection)
        if not alone:
            both_read.wait(10)

    def close() -> None:
        connection.close()

    async def application(scope: Any, *_: object) -> None:
        await sync_to_async(scope["view"])()

    limit = RequestLimit(application, running=2, waiting=0, kept=1)
    for _ in range(3):
        await limit({**SCOPE, "view": partial(read, alone=True)}, None, None)
    assert len(set(map(id, used))) == 1
    used.clear()
    await asyncio.gather(*(limit({**SCOPE, "view": partial(read, alone=False)}, None, None) for _ in range(2)))
    assert sorted(is_closed(raw) for raw in used) == [False, True]
    await limit({**SCOPE, "view": close}, None, None)


@pytest.mark.django_db(transaction=True)
async def test_work_left_over_from_a_request_opens_no_thread() -> None:
    go = asyncio.Event()
    left: list[asyncio.Task[Any]] = []

    async def straggler() -> None:
        await go.wait()
        await sync_to_async(connection.ensure_connection)()

    async def application(*_: object) -> None:
        left.append(asyncio.ensure_future(straggler()))

    await RequestLimit(application, running=1, waiting=0, kept=0)(SCOPE, None, None)
    go.set()
    (outcome,) = await asyncio.gather(*left, return_exceptions=True)
    assert isinstance(outcome, RuntimeError)


@pytest.mark.django_db(transaction=True)
async def test_a_place_is_taken_until_its_thread_ends_however_often_its_request_is_cancelled() -> None:
    """The server cancels it every second after a visitor has left."""
    go, begun, used = threading.Event(), asyncio.Queue[int](), []
    loop = asyncio.get_running_loop()

    def view() -> None:
        connection.ensure_connection()
        used.append(connection.connection)
        loop.call_soon_threadsafe(begun.put_nowait, len(used))
        go.wait(10)

    async def application(*_: object) -> None:
        await sync_to_async(view)()

    limit = RequestLimit(application, running=1, waiting=1, kept=0)
    first, second = (asyncio.ensure_future(limit(SCOPE, None, None)) for _ in range(2))
    await begun.get()
    for _ in range(4):
        first.cancel()
        await settle()
    assert first.cancelled()
    assert begun.empty(), "its place was given away"
    go.set()
    await all_done()
    assert second.done()
    assert all(map(is_closed, used))


async def test_health_pages_answer_while_other_pages_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = Requests(running=1, waiting=1)
    monkeypatch.setattr(asgi, "pages", requests.limit)
    requests.ask()
    answers = []

    async def send(message: Any) -> None:
        answers.append(message)

    received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    received.put_nowait({"type": "http.request"})
    scope = {**SCOPE, "path": "/healthz", "method": "GET", "headers": [(b"host", b"localhost")], "query_string": b""}
    await asgi.application(scope, received.get, send)
    assert answers[0]["status"] == 200
    await settle()
    assert (requests.begun, requests.statuses) == (1, [])
    requests.go.set()


class Circle:
    """An object that only the garbage collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def clock() -> Iterator[Clock]:
    """The time of a server that has just started to collect garbage."""
    clock = Clock()
    gc.disable()
    # Leftovers of other tests aren't scanned each time, and stay frozen: scanning them at the end takes seconds.
    gc.freeze()
    collect_regularly(clock.callLater)
    yield clock
    gc.enable()


def ghost_of_a_circle() -> weakref.ref[Circle]:
    return weakref.ref(Circle())


def test_reference_cycles_are_collected_after_a_while(clock: Clock) -> None:
    ghost = ghost_of_a_circle()
    clock.pump([LOOK_EVERY] * (int(COLLECT_ALL_EVERY / LOOK_EVERY) - 1))
    assert ghost() is not None
    clock.advance(LOOK_EVERY)
    assert ghost() is None


def test_a_lot_of_garbage_is_collected_soon(clock: Clock) -> None:
    circle = Circle()
    ghost = weakref.ref(circle)
    for _ in range(COLLECT_ALL_AFTER):
        gc.collect(1)
    del circle  # only a full collection finds it now
    assert ghost() is not None
    clock.advance(LOOK_EVERY)
    assert ghost() is None
    ghost = ghost_of_a_circle()
    clock.advance(LOOK_EVERY)
    assert ghost() is not None


def test_the_server_looks_for_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    call_later = Clock().callLater
    looks: list[object] = []
    monkeypatch.setattr(site_module, "collect_regularly", looks.append)
    site_module.Site.ready(SimpleNamespace(_url="http://localhost:8000"), call_later)
    assert looks == [call_later]


@given(
    headers=st.lists(
        st.tuples(
            st.sampled_from([b"host", b"origin", b"cookie", b"x-forwarded-for", b"x-forwarded-proto", b"x"]),
            st.binary(),
        ),
        max_size=6,
    ),
    path=st.text(),
    query=st.binary(),
    proxies=st.integers(0, 2),
    kind=st.sampled_from(["http", "websocket"]),
)
@hypothesis_settings(max_examples=300, deadline=None)
def test_headers_and_paths_of_any_kind_do_not_stop_the_pages(
    headers: Any, path: str, query: bytes, **more: Any
) -> None:
    async def go() -> None:
        reached.clear()
        scope = {
            "type": more["kind"],
            "path": path,
            "headers": headers,
            "query_string": query,
            "client": ["192.0.2.1", 5],
        }
        await site({**scope, "scheme": "http"}, None, send)
        assert sent or reached

    async def page(scope: Any, _receive: Any, _send: Any) -> None:
        assert scope["path"].startswith("/")
        reached.append(scope)

    async def send(message: Any) -> None:
        sent.append(message)

    reached: list[Any] = []
    sent: list[Any] = []
    requests = RequestLimit(page, running=1, waiting=0, kept=1, budget=None)
    sockets = SocketLimit(OwnPages(page), per_session=1, per_address=1)

    async def either(scope: Any, receive: Any, send: Any) -> None:
        await (requests if scope["type"] == "http" else sockets)(scope, receive, send)

    site = CleanScope(either, more["proxies"])
    asyncio.run(go())
