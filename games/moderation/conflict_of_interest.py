"""Conflicts of interest: moderators don't decide about friends and frequent partners."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import social
from accounts.compiled import compiled
from accounts.models import User
from accounts.moderation.models import NameChange
from games.matches.models import Match, Seat

#: How many recently finished matches together make two players frequent partners.
FREQUENT, LATELY = 5, timedelta(days=90)


@dataclass(slots=True)
class Known:
    """A person as seen by one moderator."""

    person: User
    #: Why this moderator must leave the person to others: a friend or a frequent partner; otherwise empty.
    why_not: str
    #: Former names, newest first.
    names: list[NameChange] = field(default_factory=list)


def known_to(moderator: User, people: Collection[int], match_id: int | None = None) -> dict[int, Known]:
    """These people, and everyone with a seat in the match if one is given, by id; one query."""
    found: dict[int, Known] = {}
    rows: Any = _people(moderator.pk, timezone.now() - LATELY, people, match_id or 0)
    for person in rows:
        known = found.setdefault(person.pk, Known(person, _why_not(person.is_friend, person.times_met or 0)))
        if person.old_name:
            known.names.append(NameChange(user=person, old_name=person.old_name, at=person.renamed_at))
    return found


@compiled
def _people(moderator_id: int, since: datetime, people: Collection[int], match_id: int) -> QuerySet[User]:
    """Users with columns for :func:`known_to`, one row for each former name."""
    mine = Match.objects.filter(seats__player=moderator_id, finished_at__gte=since).values("pk")
    met = Seat.objects.filter(player=OuterRef("pk"), match__in=mine).order_by().values("player")
    friend = Q(asker=OuterRef("pk")) | Q(other=OuterRef("pk"))
    # Their union can be looked up by key; with an "or", PostgreSQL would go through all users.
    named = User.objects.filter(pk__in=people).values("pk")
    seated = Seat.objects.filter(match=match_id, player__isnull=False).order_by().values("player")
    return (
        User.objects.filter(pk__in=named.union(seated))
        .annotate(
            is_friend=Exists(social.friendships_of(moderator_id).filter(friend)),
            times_met=met.values(times=Count("match")),
            old_name=F("name_changes__old_name"),
            renamed_at=F("name_changes__at"),
        )
        .order_by("pk", "-name_changes__at")
    )


def _why_not(is_friend: bool, times_met: int) -> str:
    if is_friend:
        return _("One of them is your friend.")
    return _("You play with one of them often.") if times_met >= FREQUENT else ""


def first_reason(people: Iterable[Known]) -> str:
    """Why a moderator must leave these people to others; empty if there is no reason."""
    return next((known.why_not for known in people if known.why_not), "")


def too_close(moderator: User, people: Collection[int]) -> str:
    """By id, those of ``people`` whom this moderator must not judge, and why: a friend, or a frequent partner."""
    return first_reason(known_to(moderator, people).values())
