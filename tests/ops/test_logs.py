"""Log lines: complete, on one line, and without anything that opens a door."""

import json
import logging
import sys
from typing import Any

import pytest

from armani_site.logs import JsonFormatter, KeyValueFormatter, access_log, without_secrets


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
def test_keys_of_links_and_queries_are_blotted_out(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_a_line_has_time_level_logger_message_and_values() -> None:
    line = KeyValueFormatter().format(record("%s moved", "Ada", match="k3h8pzq2vt", version=12, why="two words"))
    assert line == '1970-01-01T00:00:00.007Z info armani Ada moved match=k3h8pzq2vt version=12 why="two words"'


def test_a_line_break_in_what_people_send_makes_no_second_line() -> None:
    forged = "/a\n1970-01-01T00:00:00.000Z info armani forged"
    assert "\n" not in KeyValueFormatter().format(record("Not found: %s", forged, path=forged))


def test_a_json_line_holds_the_same_and_the_traceback() -> None:
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


def test_every_request_is_one_line_except_static_files_that_were_found(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "armani.access")
    details = {"client": "127.0.0.1:1", "method": "GET", "status": 200, "size": 5, "time_taken": 0.0123}
    access_log("http", "complete", {**details, "path": "/lobby/?q=1"})
    access_log("http", "complete", {**details, "path": "/static/css/base.css"})
    access_log("http", "complete", {**details, "path": "/static/css/gone.css", "status": 404})
    access_log("websocket", "connected", {"client": "127.0.0.1:1", "path": b"/ws/match/k3h8pzq2vt/"})
    assert [(line.getMessage(), vars(line)["path"]) for line in caplog.records] == [
        ("GET", "/lobby/?***"),
        ("GET", "/static/css/gone.css"),
        ("socket connected", "/ws/match/k3h8pzq2vt/"),
    ]
