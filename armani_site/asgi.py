"""The ASGI application: pages by Django, tables by Channels."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")
django_application = get_asgi_application()

# Django must be set up before anything imports a model, so these stand below it.
from channels.auth import AuthMiddlewareStack  # noqa: E402 - after the set-up
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402 - after the set-up
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402 - after the set-up

from games.live.routing import websocket_urlpatterns  # noqa: E402 - after the set-up

application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)
