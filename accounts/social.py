"""Friends, blocks and mutes, as the rest of the site uses them.

A block works both ways wherever two people would meet, and isn't announced: blocked users see what they would see if
the other person were busy or away. A mute only hides the other person's chat; a block is a mute, too.
"""

from collections.abc import Collection, Iterable
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.compiled import compiled
from accounts.models import User
from accounts.people.models import Block, Friendship

#: The most unanswered friend requests that one person may have.
MOST_ASKED = 50

#: Sent with ``user_id`` after the commit: the people whom this person has muted have changed.
mutes_changed = Signal()
#: Sent with ``owner_id`` and ``other_id`` after the commit: a user was blocked.
blocked = Signal()


class FriendshipError(Exception):
    """A social action that isn't allowed; its text tells the user why."""


def is_blocked(one: User | int, other: User | int) -> bool:
    """Whether either of the two has blocked the other."""
    a, b = _id(one), _id(other)
    pair = Q(owner=a, other=b) | Q(owner=b, other=a)
    return Block.objects.filter(pair, kind=Block.Kind.BLOCK).exists()


def blocked_ids(user: User | int) -> set[int]:
    """Ids of everyone ``user`` has blocked or been blocked by: they don't meet."""
    me = _id(user)
    return {pk for pair in _blocked_pairs(me) for pk in pair} - {me}


@compiled
def _blocked_pairs(me: int) -> QuerySet[Block, tuple[int, int]]:
    return Block.objects.filter(Q(owner=me) | Q(other=me), kind=Block.Kind.BLOCK).values_list("owner_id", "other_id")


def any_blocked(user: User | int, others: Iterable[int]) -> bool:
    """Whether there is a block between ``user`` and any of ``others``, in either direction."""
    ids = list(others)
    return bool(ids) and bool(_blocks_with(_id(user), ids))


@compiled
def _blocks_with(me: int, others: Collection[int]) -> QuerySet[Block, int]:
    pair = Q(owner=me, other__in=others) | Q(owner__in=others, other=me)
    return Block.objects.filter(pair, kind=Block.Kind.BLOCK).values_list("pk", flat=True)[:1]


def blocks(owner: User, others: Iterable[int]) -> bool:
    """Whether ``owner`` has blocked any of ``others``."""
    return Block.objects.filter(owner=owner, other__in=others, kind=Block.Kind.BLOCK).exists()


def muted_or_blocked_ids(user: User | int) -> set[int]:
    """Ids of the people ``user`` has muted or blocked."""
    return set(_muted_or_blocked_ids(_id(user)))


@compiled
def _muted_or_blocked_ids(owner_id: int) -> QuerySet[Block, int]:
    return Block.objects.filter(owner=owner_id).values_list("other_id", flat=True)


def muted_or_blocked_by(user_ids: Collection[int]) -> dict[int, set[int]]:
    """Ids of the people whom each of several users has muted or blocked."""
    found: dict[int, set[int]] = {pk: set() for pk in user_ids}
    if found:
        for owner_id, other_id in _muted_or_blocked_pairs(user_ids):
            found[owner_id].add(other_id)
    return found


@compiled
def _muted_or_blocked_pairs(owner_ids: Collection[int]) -> QuerySet[Block, tuple[int, int]]:
    return Block.objects.filter(owner__in=owner_ids).values_list("owner_id", "other_id")


def friendships_of(user: User | int) -> QuerySet[Friendship]:
    """The friendships of ``user``, without unanswered requests."""
    return _friendships(_id(user))


def _friendships(me: int) -> QuerySet[Friendship]:
    return Friendship.objects.filter(Q(asker=me) | Q(other=me), accepted_at__isnull=False)


def friend_ids(user: User | int) -> set[int]:
    """Ids of the friends of ``user``."""
    me = _id(user)
    return {pk for pair in _friend_pairs(me) for pk in pair} - {me}


@compiled
def _friend_pairs(me: int) -> QuerySet[Friendship, tuple[int, int]]:
    return _friendships(me).values_list("asker_id", "other_id")


def friendship(one: User, other: User) -> Friendship | None:
    """The friendship or request between two people, if any."""
    return Friendship.objects.filter(Q(asker=one, other=other) | Q(asker=other, other=one)).first()


def block_of(owner: User, other: User) -> Block | None:
    """The block or mute of ``owner`` against ``other``, if any."""
    return Block.objects.filter(owner=owner, other=other).first()


def ask(asker: User, other: User) -> Friendship:
    """Send ``other`` a friend request, or accept theirs if there is one. Raises :class:`FriendshipError`.

    A blocked person may ask and isn't told about the block: no one sees the request.
    """
    if asker == other:
        raise FriendshipError(_("You can't be your own friend."))
    if asker.is_guest or other.is_guest:
        raise FriendshipError(_("Guests have no list of friends. You both need an account."))
    if Block.objects.filter(owner=asker, other=other, kind=Block.Kind.BLOCK).exists():
        raise FriendshipError(_("You've blocked %(name)s. Unblock them first.") % {"name": other.name})
    there = friendship(asker, other)
    if there is None:
        if Friendship.objects.filter(asker=asker, accepted_at=None).count() >= MOST_ASKED:
            raise FriendshipError(_("You've already asked many people. Wait for some answers first."))
        try:
            with transaction.atomic():
                return Friendship.objects.create(asker=asker, other=other)
        except IntegrityError:  # both asked at the same moment
            there = friendship(asker, other)
            if there is None:
                raise
    if there.accepted_at is None and there.other_id == asker.pk:
        there.accepted_at = timezone.now()
        there.save(update_fields=["accepted_at"])
    return there


def end_friendship(one: User, other: User) -> bool:
    """End a friendship, or withdraw or decline a request; returns whether there was one."""
    return bool(Friendship.objects.filter(Q(asker=one, other=other) | Q(asker=other, other=one)).delete()[0])


def block(owner: User, other: User, kind: str = Block.Kind.BLOCK) -> None:
    """Block or mute ``other``; a block ends a friendship. Raises :class:`FriendshipError` if it is the owner."""
    if owner == other:
        raise FriendshipError(_("You can't block yourself."))
    with transaction.atomic():
        Block.objects.update_or_create(owner=owner, other=other, defaults={"kind": kind})
        if kind == Block.Kind.BLOCK:
            end_friendship(owner, other)
            transaction.on_commit(partial(blocked.send, sender=None, owner_id=owner.pk, other_id=other.pk))
        _announce_change(owner)


def unblock(owner: User, other: User) -> None:
    """Remove a block or mute."""
    with transaction.atomic():
        Block.objects.filter(owner=owner, other=other).delete()
        _announce_change(owner)


def _announce_change(owner: User) -> None:
    transaction.on_commit(partial(mutes_changed.send, sender=None, user_id=owner.pk))


def requests_to(user: User) -> Collection[Friendship]:
    """Unanswered friend requests to ``user``, without those of people whom ``user`` has blocked."""
    blocked = Block.objects.filter(owner=user, kind=Block.Kind.BLOCK).values("other_id")
    waiting = Friendship.objects.filter(other=user, accepted_at=None).exclude(asker__in=blocked)
    return list(waiting.select_related("asker").order_by("-created_at"))


def _id(user: User | int) -> int:
    return user.pk if isinstance(user, User) else user
