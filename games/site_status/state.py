"""The site's switches and announcements, known to every process at once.

The rows are the truth. A copy is in the cache, written after the commit that changes a row; a process that finds none
reads the rows and adds one, but never replaces a newer one.
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

from games.engine.numbers import number_in
from games.realtime import broadcast, marks
from games.site_status.models import Announcement, Dismissal, Switches

#: The key of the copy in the cache.
NAME = "site-state"
#: Seconds after which the rows are read again in any case.
KEPT = 60
#: The cookie with dismissed announcements for visitors without an account: numbers joined by full stops.
COOKIE = "dismissed"


@dataclass(frozen=True, slots=True)
class Announced:
    """A current or future announcement."""

    pk: int
    text: str
    starts_at: datetime
    ends_at: datetime | None

    def is_shown(self, now: datetime) -> bool:
        """Whether it is shown now."""
        return self.starts_at <= now and (self.ends_at is None or now < self.ends_at)


@dataclass(frozen=True, slots=True)
class State:
    """Everything about the site that operators can change while it runs."""

    signup_open: bool = True
    matches_open: bool = True
    banner: str = ""
    banner_level: str = "notice"
    announcements: tuple[Announced, ...] = ()


def current() -> State:
    """The current state: one cache look-up, rarely two queries."""
    kept = cache.get(NAME)
    if kept is not None:
        # A process of another release may have written it, with other fields.
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(kept, type=State)
    found = _read()
    cache.add(NAME, msgspec.json.encode(found), KEPT)
    return found


def changed() -> None:
    """Make every process use a changed row after this transaction, and notify open pages."""
    cache.delete(NAME)
    transaction.on_commit(_refresh_cache)


def _refresh_cache() -> None:
    cache.set(NAME, msgspec.json.encode(_read()), KEPT)
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
    """Announcements the visitor hasn't dismissed; needs a query only if there are any."""
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
    """The current mark of a page that shows the banner and all announcements."""
    now, state = timezone.now(), current()
    return marks.of(state.banner, state.banner_level, [each for each in state.announcements if each.is_shown(now)])


def seconds_to_next(now: datetime) -> int | None:
    """Seconds until the announcements change; None if no change is due."""
    times = [at for each in current().announcements for at in (each.starts_at, each.ends_at) if at is not None]
    return min((ceil((at - now).total_seconds()) for at in times if at > now), default=None)


def dismissed_in(request: HttpRequest) -> set[int]:
    """The announcements this browser has dismissed."""
    parts = request.COOKIES.get(COOKIE, "")[:400].split(".")
    return {number for part in parts if (number := number_in(part)) is not None}
