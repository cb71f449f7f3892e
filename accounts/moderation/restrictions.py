"""What a user may do right now, given the sanctions in force."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from django.core.cache import cache
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.compiled import compiled
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


class Row(NamedTuple):
    """A sanction in force."""

    pk: int
    kind: str
    until: datetime | None
    read_at: datetime | None


def restrictions_of(user: User | int | None) -> Restrictions:
    """The restrictions of a person; visitors and AI players have none. One cache look-up, or else one query."""
    pk = user if isinstance(user, int) else getattr(user, "pk", None)
    return GOOD if pk is None else restrictions_of_all([pk])[pk]


def restrictions_of_all(user_ids: Collection[int]) -> dict[int, Restrictions]:
    """The restrictions of several people: one cache look-up, and one query for those that aren't cached."""
    found = {}
    for name, kept in cache.get_many([_name(pk) for pk in user_ids]).items():
        # A process of another release may have stored it with other fields.
        with suppress(msgspec.MsgspecError):
            found[name] = msgspec.json.decode(kept, type=Restrictions)
    missing = [pk for pk in user_ids if _name(pk) not in found]
    if missing:
        read = {_name(pk): each for pk, each in _read(missing).items()}
        cache.set_many({name: msgspec.json.encode(each) for name, each in read.items()}, KEPT)
        found |= read
    return {pk: found[_name(pk)] for pk in user_ids}


def forget(user_id: int) -> None:
    """Drop the cached restrictions of a person whose sanctions have changed."""
    cache.delete(_name(user_id))


def _name(user_id: int) -> str:
    return f"powers:{user_id}"


@compiled
def _in_force(people: Collection[int], now: datetime) -> QuerySet[Sanction, Any]:
    in_force = Sanction.objects.filter(person__in=people, lifted_at=None, in_force_at__lte=now)
    return in_force.filter(Q(until=None) | Q(until__gt=now)).values_list("person", *Row._fields)


def _read(user_ids: Collection[int]) -> dict[int, Restrictions]:
    of_each: dict[int, list[Row]] = {pk: [] for pk in user_ids}
    for person, *row in _in_force(user_ids, timezone.now()):
        of_each[person].append(Row(*row))
    return {pk: _follow_from(rows) for pk, rows in of_each.items()}


def _follow_from(rows: Collection[Row]) -> Restrictions:
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
