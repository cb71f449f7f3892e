"""What the site offers right now, known to every process at once: switches and announcements.

The rows are the truth. A copy of them lies in the cache, written after the commit that changes a row; a process
that finds none reads the rows and adds one, never over a newer one.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from math import ceil

import msgspec
from django.core.cache import cache
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from games.realtime import broadcast, marks
from games.site_status.models import Announcement, Dismissal, Switches

_NAME = "site-state"
#: Seconds after which the rows are read again in any case.
KEPT = 60
#: Where a browser without an account remembers what was dismissed: numbers joined by full stops.
COOKIE = "dismissed"


@dataclass(frozen=True, slots=True)
class Announced:
    """An announcement that is shown or will be."""

    pk: int
    text: str
    starts_at: datetime
    ends_at: datetime | None

    def is_shown(self, now: datetime) -> bool:
        """Whether its time is now."""
        return self.starts_at <= now and (self.ends_at is None or now < self.ends_at)


@dataclass(frozen=True, slots=True)
class State:
    """Everything about the site that operators change while it runs."""

    signup_open: bool = True
    matches_open: bool = True
    banner: str = ""
    banner_level: str = "notice"
    announcements: tuple[Announced, ...] = ()


def current() -> State:
    """The state now: one look at the cache, rarely two queries."""
    kept = cache.get(_NAME)
    if kept is not None:
        # A process of another release may have written it, with other fields.
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(kept, type=State)
    found = _read()
    cache.add(_NAME, msgspec.json.encode(found), KEPT)
    return found


def changed() -> None:
    """Make every process use a changed row from the end of this transaction on, and tell open pages."""
    cache.delete(_NAME)
    transaction.on_commit(_refresh_cache)


def _refresh_cache() -> None:
    cache.set(_NAME, msgspec.json.encode(_read()), KEPT)
    broadcast.news()


def _read() -> State:
    row = Switches.objects.filter(pk=1).first() or Switches()
    announced = Announcement.objects.filter(Q(ends_at=None) | Q(ends_at__gt=timezone.now())).order_by("starts_at")
    return State(
        signup_open=row.signup_open,
        matches_open=row.matches_open,
        banner=row.banner,
        banner_level=row.banner_level,
        announcements=tuple(Announced(each.pk, each.text, each.starts_at, each.ends_at) for each in announced),
    )


def announcements_for(request: HttpRequest) -> list[Announced]:
    """What the visitor has still to be told; a query only where something is announced."""
    now = timezone.now()
    shown = [each for each in current().announcements if each.is_shown(now)]
    if not shown:
        return []
    dismissed = dismissed_in(request)
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        mine = Dismissal.objects.filter(user=user, announcement__in=[each.pk for each in shown])
        dismissed |= set(mine.values_list("announcement_id", flat=True))
    return [each for each in shown if each.pk not in dismissed]


def mark() -> str:
    """What a page that shows all of the banner and the announcements is marked with now."""
    now, state = timezone.now(), current()
    return marks.of(state.banner, state.banner_level, [each for each in state.announcements if each.is_shown(now)])


def seconds_to_next(now: datetime) -> int | None:
    """How long what is announced stays as it is; None if nothing is to begin or end."""
    times = [at for each in current().announcements for at in (each.starts_at, each.ends_at) if at is not None]
    return min((ceil((at - now).total_seconds()) for at in times if at > now), default=None)


def dismissed_in(request: HttpRequest) -> set[int]:
    """The announcements that this browser has put away."""
    parts = request.COOKIES.get(COOKIE, "")[:400].split(".")
    return {int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 10}
