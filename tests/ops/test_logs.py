"""Log lines: complete, on one line, and without anything that gives access."""

import asyncio
import json
import logging
import re
import sys
from typing import Any

import pytest
from django.conf import settings
from django.test import AsyncClient
from django.urls import reverse

from accounts.models import User
from armani_site.access_log import AccessLog
from armani_site.asgi import django_application
from armani_site.logs import JsonFormatter, KeyValueFormatter, without_secrets


def record(message: str, *arguments: object, **extra: object) -> logging.LogRecord:
    made = logging.makeLogRecord({"name": "armani", "levelname": "INFO", "msg": message, "args": arguments, **extra})
    made.created, made.msecs = 0.0, 7.0
    return made


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/accounts/confirm-email/MQ:1vMabc:Zx81nQ0l-signature/", "/accounts/confirm-email/***/"),
        ("/accounts/password/reset/key/1-d4x2kz-8f3b6f0c9d1e2a/", "/accounts/password/reset/key/***/"),
        ("/ws/match/k3h8pzq2vt/?since=3", "/ws/match/k3h8pzq2vt/?***"),
        ("Not Found: /match/k3h8pzq2vt/state/", "Not Found: /match/k3h8pzq2vt/state/"),
    ],
)
def test_keys_in_links_and_queries_are_masked(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_a_line_has_time_level_logger_message_and_values() -> None:
    line = KeyValueFormatter().format(record("%s moved", "Ada", match="k3h8pzq2vt", version=12, why="two words"))
    assert line == '1970-01-01T00:00:00.007Z info armani Ada moved match=k3h8pzq2vt version=12 why="two words"'


def test_a_line_break_in_user_input_does_not_start_a_second_log_line() -> None:
    forged = "/a\n1970-01-01T00:00:00.000Z info armani forged"
    assert "\n" not in KeyValueFormatter().format(record("Not found: %s", forged, path=forged))


def test_a_json_line_has_the_same_values_and_the_traceback() -> None:
    try:
        raise ValueError("no")
    except ValueError:
        made = record("failed", version=12, exc_info=sys.exc_info())
    fields: dict[str, Any] = json.loads(JsonFormatter().format(made))
    assert fields.pop("traceback").endswith("ValueError: no")
    assert fields == {
        "time": "1970-01-01T00:00:00.007Z",
        "level": "info",
        "logger": "armani",
        "message": "failed",
        "version": 12,
    }


async def lines_of(caplog: pytest.LogCaptureFixture, *asked: tuple[dict[str, Any], list[dict[str, Any]]]) -> list[Any]:
    """The lines about requests and sockets, each with the application's messages."""
    caplog.set_level(logging.INFO, "armani.access")

    async def application(scope: dict[str, Any], _receive: object, send: Any) -> None:
        for message in scope["answer"]:
            await send(message)

    async def send(_message: dict[str, Any]) -> None:
        """The browser is not part of this."""

    for scope, answer in asked:
        await AccessLog(application)({"client": ["127.0.0.1", 1], **scope, "answer": answer}, None, send)
    return caplog.records


async def test_every_request_is_one_line_except_static_files_that_were_found(caplog: pytest.LogCaptureFixture) -> None:
    def answer(status: int) -> list[dict[str, Any]]:
        return [
            {"type": "http.response.start", "status": status},
            {"type": "http.response.body", "body": b"abc", "more_body": True},
            {"type": "http.response.body", "body": b"de"},
        ]

    get = {"type": "http", "method": "GET"}
    lines = await lines_of(
        caplog,
        ({**get, "path": "/accounts/password/reset/key/1-d4x2kz-8f3b6f0c9d1e2a/"}, answer(200)),
        ({**get, "path": "/lobby/", "query_string": b"q=1"}, answer(200)),
        ({**get, "path": "/static/css/base.css"}, answer(200)),
        ({**get, "path": "/static/css/gone.css"}, answer(404)),
    )
    assert [(line.getMessage(), line.path, line.status, line.bytes, line.client) for line in lines] == [
        ("GET", "/accounts/password/reset/key/***/", 200, 5, "127.0.0.1:1"),
        ("GET", "/lobby/?***", 200, 5, "127.0.0.1:1"),
        ("GET", "/static/css/gone.css", 404, 5, "127.0.0.1:1"),
    ]


async def test_a_socket_has_a_line_when_it_opens_and_when_it_closes_or_one_if_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    socket = {"type": "websocket", "path": "/ws/match/k3h8pzq2vt/"}
    lines = await lines_of(caplog, (socket, [{"type": "websocket.accept"}]), (socket, [{"type": "websocket.close"}]))
    assert [line.getMessage() for line in lines] == ["socket connected", "socket disconnected", "socket rejected"]


async def test_all_log_lines_of_a_request_have_its_id(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    caplog.handler.setFormatter(KeyValueFormatter())

    async def application(_scope: object, _receive: object, _send: object) -> None:
        logging.getLogger("armani").info("looked")

    for _ in range(2):
        await AccessLog(application)({"type": "http", "method": "GET", "path": "/"}, None, None)
    ids = re.findall(r"request_id=([0-9a-f]{12})", caplog.text)
    assert len(ids) == 4
    assert (ids[0], ids[2]) == (ids[1], ids[3])
    assert ids[0] != ids[2]


@pytest.mark.django_db(transaction=True)
async def test_the_line_of_a_page_says_whose_it_is(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "armani.access")
    caplog.handler.setFormatter(KeyValueFormatter())
    browser = AsyncClient()
    await browser.aforce_login(ada)
    caplog.clear()
    name = settings.SESSION_COOKIE_NAME
    session = (b"cookie", f"{name}={browser.cookies[name].value}".encode())

    async def send(_message: object) -> None:
        """The browser is not part of this."""

    for cookies in ([session], []):
        bodies = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive(bodies: list[dict[str, Any]] = bodies) -> dict[str, Any]:
            if not bodies:
                await asyncio.Event().wait()
            return bodies.pop()

        headers = [(b"host", b"localhost"), *cookies]
        scope = {
            "type": "http",
            "method": "GET",
            "path": reverse("my_matches"),
            "query_string": b"",
            "headers": headers,
        }
        await AccessLog(django_application)(scope, receive, send)
    hers, nobodys = caplog.text.splitlines()
    assert f" user={ada.pk} " in hers
    assert " user=" not in nobodys
