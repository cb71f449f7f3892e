"""The ASGI application: pages by Django, tables by Channels."""

import os

from django.core.asgi import get_asgi_application

from armani_site import metrics

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")
django_application = get_asgi_application()

# Django must be set up before anything imports a model, so these stand below it.
from channels.auth import AuthMiddlewareStack  # noqa: E402 - after the set-up
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402 - after the set-up
from django.conf import settings  # noqa: E402 - after the set-up
from django.urls import re_path  # noqa: E402 - after the set-up

from armani_site.access_log import AccessLog  # noqa: E402 - after the set-up
from armani_site.asgi_middleware import (  # noqa: E402 - after the set-up
    CleanScope,
    OwnPages,
    ProcessorBudget,
    Receive,
    RequestLimit,
    Scope,
    Send,
    SocketLimit,
)
from games.live.routing import websocket_urlpatterns  # noqa: E402 - after the set-up

#: Threads that keep their connection to the database between two pages.
KEPT_CONNECTIONS = 4
#: The part of all places that one address may take.
SHARE = 1 / 2
pages = RequestLimit(
    django_application,
    running=settings.PARALLEL_REQUESTS,
    waiting=settings.WAITING_REQUESTS,
    kept=KEPT_CONNECTIONS,
    share=SHARE,
    budget=ProcessorBudget(per_session=settings.PROCESSOR_PER_SESSION, per_address=settings.PROCESSOR_PER_ADDRESS),
)


async def nowhere(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Refuse a socket at an address that has none."""
    await send({"type": "websocket.close"})


routes = [*websocket_urlpatterns, re_path("", nowhere)]  # type: ignore[arg-type]  # Channels routes to applications
sockets = SocketLimit(
    OwnPages(AuthMiddlewareStack(URLRouter(routes))),
    per_session=settings.SOCKETS_PER_SESSION,
    per_address=settings.SOCKETS_PER_ADDRESS,
)
#: Who looks whether this process lives and is ready gets an answer however many others ask for pages.
health = {path: RequestLimit(django_application, running=2, waiting=8, kept=1) for path in ("/healthz", "/readyz")}


async def http(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, within the limits of what it asks for."""
    if scope["path"] == "/metrics":
        await metrics.application(scope, receive, send)
        return
    await health.get(scope["path"], pages)(scope, receive, send)


application = CleanScope(
    AccessLog(ProtocolTypeRouter({"http": http, "websocket": sockets})),
    proxies=settings.TRUSTED_PROXY_COUNT,
)
