"""What one process takes at once is bounded, and everything that a request took is given back."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from twisted.internet.task import Clock

from armani_site import asgi
from armani_site.asgi_middleware import RequestLimit
from armani_site.management.commands import serve
from armani_site.management.commands.serve import COLLECT_ALL_AFTER, COLLECT_ALL_EVERY, LOOK_EVERY, collect_regularly

SCOPE = {"type": "http", "path": "/", "headers": []}


class Requests:
    """A limited application whose answers wait until they are let go."""

    def __init__(self, running: int, waiting: int) -> None:
        self.go = asyncio.Event()
        self.begun = 0
        self.limit = RequestLimit(self._answer, running=running, waiting=waiting)
        self.answers: list[dict[str, Any]] = []

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        self.begun += 1
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def ask(self, language: str = "en") -> asyncio.Task[None]:
        async def send(message: Any) -> None:
            self.answers.append(message)

        scope = {**SCOPE, "headers": [(b"accept-language", language.encode())]}
        return asyncio.ensure_future(self.limit(scope, None, send))

    @property
    def statuses(self) -> list[int]:
        return [message["status"] for message in self.answers if "status" in message]


async def all_done() -> None:
    """Wait for whatever still runs, threads included."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others, timeout=10)


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_so_many_are_answered_at_once_so_many_wait_and_the_rest_is_told_to_come_again() -> None:
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


async def test_a_visitor_who_leaves_gives_the_place_back() -> None:
    requests = Requests(running=1, waiting=1)
    answered, waiting = requests.ask(), requests.ask()
    await settle()
    for gone in (waiting, answered):
        gone.cancel()
    await all_done()
    requests.go.set()
    await asyncio.gather(requests.ask(), requests.ask())
    assert requests.statuses == [200, 200]


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

    limit = RequestLimit(application, running=1, waiting=0)
    outcome = asyncio.gather(limit(SCOPE, None, None), return_exceptions=True)
    (error,) = await outcome
    assert isinstance(error, LookupError) is fails
    (raw,) = used
    with pytest.raises(Exception, match="closed"):
        raw.execute("SELECT 1")


@pytest.mark.django_db(transaction=True)
async def test_a_place_is_taken_until_its_thread_ends_however_often_its_request_is_cancelled() -> None:
    """As the server does, every second, when a visitor has left."""
    go, begun, used = threading.Event(), asyncio.Queue[int](), []
    loop = asyncio.get_running_loop()

    def view() -> None:
        connection.ensure_connection()
        used.append(connection.connection)
        loop.call_soon_threadsafe(begun.put_nowait, len(used))
        go.wait(10)

    async def application(*_: object) -> None:
        await sync_to_async(view)()

    limit = RequestLimit(application, running=1, waiting=1)
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
    for raw in used:
        with pytest.raises(Exception, match="closed"):
            raw.execute("SELECT 1")


async def test_health_is_told_while_pages_wait(monkeypatch: pytest.MonkeyPatch) -> None:
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
    """Something that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def clock() -> Iterator[Clock]:
    """The time of a server that has just begun to collect garbage."""
    clock = Clock()
    gc.disable()
    gc.freeze()  # what other tests left is not looked through each time
    collect_regularly(clock)
    yield clock
    gc.unfreeze()
    gc.enable()


def ghost_of_a_circle() -> weakref.ref[Circle]:
    return weakref.ref(Circle())


def test_what_held_itself_is_collected_after_a_while(clock: Clock) -> None:
    ghost = ghost_of_a_circle()
    clock.pump([LOOK_EVERY] * (int(COLLECT_ALL_EVERY / LOOK_EVERY) - 1))
    assert ghost() is not None
    clock.advance(LOOK_EVERY)
    assert ghost() is None


def test_it_is_collected_soon_when_there_is_much_of_it(clock: Clock) -> None:
    circle = Circle()
    ghost = weakref.ref(circle)
    for _ in range(COLLECT_ALL_AFTER):
        gc.collect(1)
    del circle  # only a look at the oldest finds it now
    assert ghost() is not None
    clock.advance(LOOK_EVERY)
    assert ghost() is None
    ghost = ghost_of_a_circle()
    clock.advance(LOOK_EVERY)
    assert ghost() is not None


def test_the_server_looks_for_garbage(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    ready = []
    monkeypatch.setattr(serve, "collect_regularly", lambda: ready.append(True))
    monkeypatch.setattr(serve.globalLogPublisher, "addObserver", lambda _observer: None)
    serve._Site._ready(SimpleNamespace(_url="http://localhost:8000"))
    assert ready
