"""The ASGI application: pages by Django, tables by Channels.

``manage.py serve`` imports this module after it has set up Django, because the imports below need its apps.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.urls import re_path

from armani_site import metrics
from armani_site.access_log import AccessLog
from armani_site.asgi_middleware import (
    CleanScope,
    OwnPages,
    ProcessorBudget,
    Receive,
    RequestLimit,
    Scope,
    Send,
    SignedIn,
    SocketLimit,
)
from games.live.routing import websocket_urlpatterns

#: How many threads keep their database connection between two pages.
KEPT_CONNECTIONS = 4
#: The share of all places that one address may take.
SHARE = 1 / 2


class PageRequest(ASGIRequest):
    """A request that is freed once it is closed, although what the middleware keeps in it refers back to it.

    One for which a template was rendered still waits for the garbage collector: contexts of templates refer to each
    other.
    """

    def close(self) -> None:
        super().close()
        for name in ("user", "auser", "_messages"):
            vars(self).pop(name, None)


class PageHandler(ASGIHandler):
    """Django's handler, which leaves less to the garbage collector: a full collection stops every table."""

    request_class = PageRequest

    async def listen_for_disconnect(self, receive: Callable[[], Awaitable[Mapping[str, Any]]]) -> None:
        """Return when the client disconnects, which cancels the request if it is still being answered.

        Django raises an exception here. Its traceback would keep the request and its response, and their task would
        keep the exception.
        """
        await receive()


django_application = PageHandler()
pages = RequestLimit(
    django_application,
    running=settings.PARALLEL_REQUESTS,
    waiting=settings.WAITING_REQUESTS,
    kept=KEPT_CONNECTIONS,
    share=SHARE,
    budget=ProcessorBudget(per_session=settings.PROCESSOR_PER_SESSION, per_address=settings.PROCESSOR_PER_ADDRESS),
)


async def nowhere(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Refuse a socket at an unknown URL."""
    await send({"type": "websocket.close"})


routes = [*websocket_urlpatterns, re_path("", nowhere)]  # type: ignore[arg-type]  # Channels routes to applications
sockets = SocketLimit(
    OwnPages(SignedIn(URLRouter(routes))),
    per_session=settings.SOCKETS_PER_SESSION,
    per_address=settings.SOCKETS_PER_ADDRESS,
)
#: Health checks get an answer even while visitors request many pages.
health = {path: RequestLimit(django_application, running=2, waiting=8, kept=1) for path in ("/healthz", "/readyz")}


async def http(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, within the limits that apply to its path."""
    if scope["path"] == "/metrics":
        await metrics.application(scope, receive, send)
        return
    await health.get(scope["path"], pages)(scope, receive, send)


application = CleanScope(
    AccessLog(ProtocolTypeRouter({"http": http, "websocket": sockets})),
    proxies=settings.TRUSTED_PROXY_COUNT,
)
