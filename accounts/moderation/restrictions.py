"""What a user may do right now, given the sanctions in force."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import msgspec
from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from accounts.moderation.models import Sanction

Kind = Sanction.Kind
#: How many seconds restrictions are cached; a new sanction applies at once, the end of one after at most this time.
KEPT = 30


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What one person may do: everything, unless a sanction forbids it."""

    #: May sit down, move and open tables.
    may_play: bool = True
    may_talk: bool = True
    phrases_only: bool = False
    #: Their profile text is hidden.
    is_hidden: bool = False
    #: Sanctions that the person must read before playing on.
    must_read: tuple[int, ...] = ()
    #: End of a suspension; None if there is none, or if it is permanent.
    suspended_until: datetime | None = None


GOOD = Restrictions()


def restrictions_of(user: User | int | None) -> Restrictions:
    """The restrictions of a person; visitors and AI players have none. One cache look-up, or else one query."""
    pk = user if isinstance(user, int) else getattr(user, "pk", None)
    if pk is None:
        return GOOD
    kept = cache.get(_name(pk))
    if kept is not None:
        # A process of another release may have stored it with other fields.
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(kept, type=Restrictions)
    found = _read(pk)
    cache.set(_name(pk), msgspec.json.encode(found), KEPT)
    return found


def forget(user_id: int) -> None:
    """Drop the cached restrictions of a person whose sanctions have changed."""
    cache.delete(_name(user_id))


def _name(user_id: int) -> str:
    return f"powers:{user_id}"


def _read(user_id: int) -> Restrictions:
    now = timezone.now()
    in_force = Sanction.objects.filter(person=user_id, lifted_at=None, in_force_at__lte=now)
    rows = in_force.filter(Q(until=None) | Q(until__gt=now)).values_list("pk", "kind", "until", "read_at")
    kinds = {kind for _pk, kind, _until, _read_at in rows if kind in Sanction.LASTING}
    unread = tuple(pk for pk, _kind, _until, read_at in rows if read_at is None)
    if not kinds and not unread:
        return GOOD
    is_out = bool(kinds & {Kind.SUSPENDED, Kind.CLOSED})
    return Restrictions(
        may_play=not is_out and not unread,
        may_talk=not is_out and Kind.SILENCE not in kinds,
        phrases_only=Kind.PHRASES in kinds,
        is_hidden=Kind.HIDDEN in kinds or Kind.CLOSED in kinds,
        must_read=unread,
        suspended_until=max(
            (until for _pk, kind, until, _read_at in rows if kind == Kind.SUSPENDED and until), default=None
        ),
    )
