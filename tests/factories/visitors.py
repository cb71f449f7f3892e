"""Requests to the whole ASGI application, with scopes as Daphne creates them."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlencode

from accounts.models import User
from tests.factories.clients import QuickClient

#: Any value will do: the form's token and the cookie's must be the same.
_TOKEN = "a" * 32


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class Visitor:
    """A browser, with ``root_path`` as Daphne fills it from the header ``Daphne-Root-Path``."""

    def __init__(self, application: Any, user: User | None = None, root_path: str = "", address: str = "192.0.2.1"):
        self._application = application
        self._root_path = root_path
        self._address = address
        self._cookies = {"csrftoken": _TOKEN}
        if user is not None:
            browser = QuickClient()
            browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
            self._cookies["sessionid"] = browser.cookies["sessionid"].value

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, {}, headers)

    def post(self, path: str, data: dict[str, str] | None = None, **headers: str) -> Answer:
        return self.ask("POST", path, data or {}, headers)

    def ask(self, method: str, path: str, data: dict[str, str], headers: dict[str, str]) -> Answer:
        sent = {
            "host": "localhost:8000",
            "cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "x-csrftoken": _TOKEN,
            "content-type": "application/x-www-form-urlencoded",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return asyncio.run(self._ask(method, path, urlencode(data).encode(), sent))

    async def _ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        path, _mark, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "root_path": self._root_path,
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": [self._address, 50_000],
            "server": ["127.0.0.1", 8000],
        }
        received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        received.put_nowait({"type": "http.request", "body": body, "more_body": False})
        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._application(scope, received.get, send)
        start, *parts = sent
        text = b"".join(part.get("body", b"") for part in parts).decode(errors="replace")
        return Answer(start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, text)
