"""The ASGI application: pages by Django, tables by Channels."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")
django_application = get_asgi_application()

# Django must be set up before anything imports a model, so these stand below it.
from channels.auth import AuthMiddlewareStack  # noqa: E402 - after the set-up
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402 - after the set-up
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402 - after the set-up
from django.conf import settings  # noqa: E402 - after the set-up

from armani_site.asgi_middleware import CleanScope, Receive, RequestLimit, Scope, Send  # noqa: E402 - after the set-up
from games.live.routing import websocket_urlpatterns  # noqa: E402 - after the set-up

pages = RequestLimit(django_application, running=settings.PARALLEL_REQUESTS, waiting=settings.WAITING_REQUESTS)
#: Who looks whether this process lives and is ready gets an answer however many others ask for pages.
health = {path: RequestLimit(django_application, running=2, waiting=8) for path in ("/healthz", "/readyz")}


async def http(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, within the limits of what it asks for."""
    await health.get(scope["path"], pages)(scope, receive, send)


application = CleanScope(
    ProtocolTypeRouter(
        {
            "http": http,
            "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
        }
    ),
    proxies=settings.TRUSTED_PROXY_COUNT,
)
