"""Web push: a line on the lock screen of browsers whose owner has allowed it."""

import json
import logging
import re
from functools import cache
from typing import Any

from celery import shared_task
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from py_vapid import Vapid02
from py_vapid.utils import b64urlencode

from accounts.languages import speaking_to
from accounts.models import User
from games.mail.models import Discretion, Notice, Preferences, PushSubscription
from games.mail.outgoing.turn_email import has_not_looked, read_turn, title
from games.mail.schedule import Stage
from games.matches.models import Match, Seat

log = logging.getLogger(__name__)

#: Seconds to wait for a push service, and for which it keeps messages for a browser that is off.
TIMEOUT = 10
LIFETIME = 12 * 3600
#: Maximum browsers per person; the least recently used one is replaced.
MOST_BROWSERS = 10
#: Responses of a push service that mean the browser is gone for good.
_GONE = (404, 410)
#: Format of push service URLs: HTTPS on the default port, and nothing that could be read as another host.
_ENDPOINT = re.compile(r"https://(?P<host>[a-z0-9-]+(\.[a-z0-9-]+)+)(:443)?/[!-\[\]-~]*")
#: A push service for testing, which has to be named in PUSH_SERVICES.
_OF_THIS_MACHINE = re.compile(r"http://127\.0\.0\.1:\d+/")
#: The key's file in the data folder, for sites without the environment variable.
KEY_FILE = "push_key"


def private_key() -> str:
    """The key from ``make_push_keys`` that signs pushes; empty if there is none, and then pushes are off."""
    if settings.VAPID_PRIVATE_KEY:
        return str(settings.VAPID_PRIVATE_KEY)
    path = settings.DATA_DIR / KEY_FILE
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def public_key() -> str:
    """The public key, which browsers need to subscribe; empty without a key."""
    key = private_key()
    return _public_half(key) if key else ""


@cache
def _public_half(key: str) -> str:
    point = Vapid02.from_string(key).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return str(b64urlencode(point))


def is_push_service(endpoint: str) -> bool:
    """Whether a URL from a browser belongs to a push service: the site sends requests nowhere else.

    Programs disagree on where the host of an odd URL ends, so odd ones are refused.
    """
    parts = _ENDPOINT.fullmatch(endpoint)
    if parts is None:
        return "127.0.0.1" in settings.PUSH_SERVICES and bool(_OF_THIS_MACHINE.match(endpoint))
    return any(f".{parts['host']}".endswith(f".{known}") for known in settings.PUSH_SERVICES)


def subscribe(user: User, endpoint: str, p256dh: str, auth: str) -> PushSubscription:
    """Send pushes for ``user`` to this browser from now on; its previous user gets none there any more."""
    with transaction.atomic():
        subscription, _new = PushSubscription.objects.update_or_create(
            endpoint=endpoint, defaults={"user": user, "p256dh": p256dh, "auth": auth, "created_at": timezone.now()}
        )
        kept = PushSubscription.objects.filter(user=user).order_by("-created_at")[:MOST_BROWSERS]
        PushSubscription.objects.filter(user=user).exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()
    return subscription


def send_later(notice_id: int, stage: Stage) -> None:
    """Queue the pushes of a notice; if they are lost, the email still follows."""
    send_pushes.delay(notice_id, stage)


def send(user: User, payload: dict[str, Any]) -> int:
    """Push to all browsers of ``user``; returns how many accepted it. Expired browsers are deleted."""
    key = private_key()
    if not key:
        return 0
    taken = 0
    for subscription in PushSubscription.objects.filter(user=user):
        if is_push_service(subscription.endpoint) and _send(subscription, payload, key):
            taken += 1
    return taken


def _send(subscription: PushSubscription, payload: dict[str, Any], key: str) -> bool:
    # It is slow to load, and most processes never push.
    from pywebpush import WebPushException, webpush

    address = settings.DEFAULT_FROM_EMAIL.rpartition("<")[2].strip("> ")
    try:
        webpush(
            {"endpoint": subscription.endpoint, "keys": {"p256dh": subscription.p256dh, "auth": subscription.auth}},
            json.dumps(payload),
            vapid_private_key=key,
            vapid_claims={"sub": f"mailto:{address}"},
            ttl=LIFETIME,
            timeout=TIMEOUT,
            headers={"Urgency": "high"},
        )
    except WebPushException as error:
        status = error.response.status_code if error.response is not None else None
        if status in _GONE:
            subscription.delete()
        else:
            log.warning("push %d was rejected: %s", subscription.pk, status)
        return False
    except Exception as error:
        # The service is down, or the browser's keys are invalid: the next stage or the email follows anyway.
        log.warning("push %d could not be sent: %s", subscription.pk, type(error).__name__)
        return False
    PushSubscription.objects.filter(pk=subscription.pk).update(used_at=timezone.now())
    return True


def payload(match: Match, title: str, news: str, discretion: str, stage: str) -> dict[str, Any]:
    """The text of a push about a turn: it may be read on a locked screen, so it never names a card in a hand."""
    if discretion == Discretion.NONE:
        head, body = _("Armani"), _("A match is waiting for you.")
    else:
        head = _("Last call: %(title)s") % {"title": title} if stage == Stage.LAST else title
        body = news if discretion == Discretion.FULL and news else _("It's your turn.")
    return {"title": head, "body": body, "url": match.get_absolute_url(), "tag": match.get_absolute_url()}


@shared_task(name="games.mail.tasks.send_pushes")
def send_pushes(notice_id: int, stage: str) -> None:
    """Push one stage of a turn's notice to the person's browsers, if it's still their turn."""
    notice = Notice.objects.filter(pk=notice_id).first()
    if notice is None or not PushSubscription.objects.filter(user=notice.user_id).exists():
        return
    seats = Seat.objects.select_related("match", "player__notice_preferences").filter(match=notice.match_id)
    seat = seats.filter(player=notice.user_id, asked_version=notice.version, ai_level="").first()
    if seat is None or seat.player is None or seat.match.status != Match.Status.RUNNING or not has_not_looked(seat):
        return
    with speaking_to(seat.player):
        _push(seat, seat.player, stage)


def _push(seat: Seat, user: User, stage: str) -> None:
    discretion = Preferences.of(user).discretion
    news = ""
    if discretion == Discretion.FULL:
        turn = read_turn(seat, discretion)
        news = turn.news.public_headline
    names = [place.name for place in seat.match.seats.order_by("number")]
    whole = title(seat.match, names, seat.number)
    send(user, payload(seat.match, whole, news, discretion, stage))
