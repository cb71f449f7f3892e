"""Health pages for monitoring: whether the process works, and everything it depends on."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from uuid import uuid4

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import close_old_connections
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils import timezone

from games.matches.models import Heartbeat, Match, Seat
from games.matches.outages import BEAT_EVERY

log = logging.getLogger(__name__)

#: Time limit of a check in seconds.
PATIENCE = 3.0
#: How long something may be overdue before the sweep seems to be down; it normally runs every few seconds.
LATEST = timedelta(seconds=60)
#: Maximum age of the last heartbeat, which each web process stores every ten seconds.
UNSTORED = timedelta(seconds=3 * BEAT_EVERY)
#: How long anything may be overdue before an alarm is logged.
OVERDUE = timedelta(minutes=5)


async def healthz(request: HttpRequest) -> HttpResponse:
    """Answer ``ok`` as long as this process can answer at all: decides about restarts."""
    return HttpResponse("ok\n", content_type="text/plain")


async def readyz(request: HttpRequest) -> JsonResponse:
    """Report whether database, channel layer and sweep work, with status 200 or 503: decides about traffic."""
    checks = {"database_and_sweep": _nothing_is_late, "channel_layer": _layer_answers}
    results = {name: await _works(name, check) for name, check in checks.items()}
    return JsonResponse(results, status=200 if all(results.values()) else 503)


async def _works(name: str, check: Callable[[], Awaitable[None]]) -> bool:
    try:
        await asyncio.wait_for(check(), PATIENCE)
    except Exception:  # any error means no, and the log says why
        log.exception("not ready: %s", name)
        return False
    return True


def overdue_since(now: datetime) -> datetime | None:
    """For the alarm: the due time of the most overdue match or turn, if that is over five minutes ago; else None.

    A match that always fails is leased again and again, so its own row is never overdue for long: the seats of matches
    due about now show it.
    """
    latest = now - OVERDUE
    running = Match.objects.filter(status=Match.Status.RUNNING, due_at__isnull=False)
    first = running.order_by("due_at").values_list("due_at", flat=True).first()
    if first is not None and first < latest:
        return first
    seats = Seat.objects.filter(match__in=running.filter(due_at__lt=now + OVERDUE), due_at__lt=latest)
    return seats.order_by("due_at").values_list("due_at", flat=True).first()


@sync_to_async
def _nothing_is_late() -> None:
    close_old_connections()
    now = timezone.now()
    beat = Heartbeat.objects.values_list("at", flat=True).first()
    if beat is not None and beat < now - UNSTORED:
        raise RuntimeError(f"nothing could be stored since {beat}: is the disk full?")
    late = overdue_since(timezone.now())
    if late is not None:
        raise RuntimeError(f"a turn is overdue since {late}: does its match fail whenever it is processed?")
    oldest = Match.objects.filter(status=Match.Status.RUNNING).aggregate(oldest=Min("due_at"))["oldest"]
    if oldest is not None and oldest < timezone.now() - LATEST:
        raise RuntimeError(f"something is due since {oldest}: are Celery's worker and beat running?")


async def _layer_answers() -> None:
    """Send a message through the channel layer and wait for it."""
    layer = get_channel_layer()
    channel = await layer.new_channel()
    try:
        sent = {"type": "health.check", "id": uuid4().hex}
        await layer.send(channel, sent)
        if await layer.receive(channel) != sent:
            raise RuntimeError("the channel layer gave back something else")
    finally:
        layer.close_channel(channel)


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
