"""A log line for each answered request, and for each socket that is opened, refused or closed."""

import logging
import time
from typing import Any
from uuid import uuid4

from django.conf import settings

from armani_site.asgi_middleware import Application, Message, Receive, Scope, Send
from armani_site.logs import without_secrets
from games.realtime import log_context

logger = logging.getLogger("armani.access")


class AccessLog:
    """Write the log lines, and give each request and socket an id that all its lines carry."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        log_context.begin(request_id=uuid4().hex[:12])
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self._socket(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = time.monotonic()
        status, size, is_written = 0, 0, False

        def write() -> None:
            nonlocal is_written
            is_written = True
            # Style sheets and scripts that were found aren't logged: the request of interest is the page's.
            if not (scope["path"].startswith(settings.STATIC_URL) and 0 < status < 400):
                ms = round((time.monotonic() - begun) * 1000)
                logger.info(scope["method"], extra=_client(scope) | {"status": status, "bytes": size, "ms": ms})

        async def follow(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            if message["type"] == "http.response.body" and not message.get("more_body"):
                write()
            await send(message)

        try:
            await self._application(scope, receive, follow)
        finally:
            if not is_written:  # the client disconnected
                write()

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = "rejected"

        async def follow(message: Message) -> None:
            nonlocal state
            if message["type"] == "websocket.accept":
                state = "disconnected"
                logger.info("socket connected", extra=_client(scope))
            await send(message)

        try:
            await self._application(scope, receive, follow)
        finally:
            logger.info("socket %s", state, extra=_client(scope))


def _client(scope: Scope) -> dict[str, Any]:
    host, port = (scope.get("client") or ("", 0))[:2]
    query = "?***" if scope.get("query_string") else ""
    return {"path": without_secrets(scope["path"]) + query, "client": f"{host}:{port}"}
