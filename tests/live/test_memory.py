"""A socket keeps little, and a closed one nothing; no memory waits for the garbage collector, which seldom runs."""

import asyncio
import gc
import weakref

import pytest
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings

from armani_site.asgi import PageHandler, application
from armani_site.serving.daphne_protocols import Connection, Request
from tests.factories.clients import QuickClient
from tests.factories.memory import large_garbage_of
from tests.factories.sockets import Browser, run
from tests.factories.wires import DaphneFront

pytestmark = pytest.mark.django_db(transaction=True)


def test_nothing_is_left_of_a_table(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def visit() -> None:
        async with Browser(match, ben) as browser:
            await browser.receive("presence")

    assert not large_garbage_of(visit)


def test_nothing_is_left_of_a_table_whose_page_is_still_compared(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def visit() -> None:
        async with Browser(match, ben, seating_epoch="another"):
            pass

    assert not large_garbage_of(visit)


def test_nothing_is_left_of_a_lobby_that_was_about_to_send_something(ada):
    async def visit() -> None:
        async with Browser(None, ada):
            await get_channel_layer().group_send("lobby", {"type": "lobby.changed"})
            await asyncio.sleep(0)

    assert not large_garbage_of(visit)


def test_nothing_is_left_of_a_run_in_the_practice_room(ada):
    async def visit() -> None:
        async with Browser(None, ada, path="/ws/practice/slaps/") as room:
            await room.say({"t": "begin"})
            await room.receive("card")

    assert not large_garbage_of(visit)


#: Part of the headers that are sent below and not needed later.
MARK = "seldom-seen"


def texts_of(holder: object) -> list[str]:
    return [str(each) for each in gc.get_referents(holder) if isinstance(each, (str, bytes))]


def test_an_open_socket_keeps_neither_its_request_nor_the_headers(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    client = QuickClient()
    client.force_login(ben)
    key = client.session.session_key

    async def visit() -> tuple[list[str], list[object]]:
        wire = DaphneFront(application, connections=10, are_visitors=True).connect()
        gc.freeze()
        gc.disable()
        try:
            wire.send(
                (
                    f"GET /ws/match/{match.key}/ HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
                    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nUser-Agent: {MARK}\r\nReferer: {MARK}\r\n"
                    f"Cookie: theme={MARK}; {settings.SESSION_COOKIE_NAME}={key}\r\n\r\n"
                ).encode()
            )
            for _ in range(500):
                await asyncio.sleep(0.01)
                if b'"t":"snapshot"' in wire.value():
                    break
            assert b'"t":"snapshot"' in wire.value()
            objects = gc.get_objects()
            kept = sorted({text for each in objects for text in texts_of(each) if MARK in text})
            return kept, [each for each in objects if isinstance(each, (Connection, Request))]
        finally:
            gc.enable()
            wire.leave()

    assert run(visit) == ([], [])


def test_the_answered_state_of_a_match_keeps_neither_its_request_nor_its_response(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    client = QuickClient()
    client.force_login(ada)
    cookie = f"sessionid={client.session.session_key}".encode()
    kept = []

    class Watched(PageHandler):
        async def run_get_response(self, request):
            response = await super().run_get_response(request)
            kept.extend([weakref.ref(request), weakref.ref(response)])
            return response

    async def visit() -> None:
        answered = asyncio.Event()
        messages = iter([{"type": "http.request", "body": b""}])

        async def receive():
            for message in messages:
                return message
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            if message["type"] == "http.response.body" and not message.get("more_body"):
                answered.set()
                await asyncio.sleep(0)  # the disconnection is heard before the answer is

        headers = [(b"host", b"testserver"), (b"cookie", cookie)]
        scope = {"type": "http", "method": "GET", "query_string": b"", "headers": headers}
        scope["path"] = f"/match/{match.key}/state/"
        await Watched()(scope, receive, send)

    gc.disable()
    try:
        async_to_sync(visit)()
        assert [each() for each in kept] == [None, None]
    finally:
        gc.enable()
