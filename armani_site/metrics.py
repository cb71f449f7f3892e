"""Metrics of the running site for Prometheus, behind a token."""

import asyncio
import hmac
import os

from django.conf import settings
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from armani_site.asgi_middleware import Receive, Scope, Send

disable_created_metrics()  # type: ignore[no-untyped-call]  # the library gives no types for it


def figures() -> bytes:
    """All metrics: of this process, or of all processes that share a folder for them."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library gives no types for it
    return generate_latest(registry)


async def application(scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer GET /metrics; without the right token the page doesn't exist."""
    given = dict(scope["headers"]).get(b"authorization", b"")
    expected = f"Bearer {settings.METRICS_TOKEN}".encode()
    if settings.METRICS_TOKEN and hmac.compare_digest(given, expected):
        status, kind, body = 200, CONTENT_TYPE_LATEST, await asyncio.to_thread(figures)
    else:
        status, kind, body = 404, "text/plain", b"Not found\n"
    headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
