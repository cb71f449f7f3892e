"""Change a name: rarely, with the old name kept for moderators and blocked for others."""

from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.db.models import Manager
from django.utils import timezone

from accounts import names
from accounts.models import User

#: How often a member can change their name. Until then, no other member gets the old one.
EVERY = timedelta(days=60)


def _changes() -> Manager[Any]:
    """All name changes; imported late, because account forms are loaded before models."""
    return apps.get_model("moderation", "NameChange")._default_manager


def locked_until(user: User) -> datetime | None:
    """When ``user`` may change the name again; None if now.

    Guests, whose names are generated, and members whose name a moderator removed can choose at any time.
    """
    last = _changes().filter(user=user).order_by("-at", "-pk").first()
    if user.is_guest or last is None or last.was_forced or last.at + EVERY <= timezone.now():
        return None
    until: datetime = last.at + EVERY
    return until


def is_kept_for_another(name: str, user: User | None) -> bool:
    """Whether another member gave up this name recently, or one that looks just like it."""
    lately = _changes().filter(at__gt=timezone.now() - EVERY, was_forced=False)
    others = lately.exclude(user=user) if user and user.pk else lately
    look = names.look(name)
    return any(names.look(old) == look for old in others.values_list("old_name", flat=True))


def change_name(user: User, name: str, *, by: User | None = None) -> None:
    """Rename a user; the old name is kept for moderators. ``by`` is the moderator who did it."""
    old = user.name
    user.name = name
    user.save(update_fields=["name"])
    _changes().create(user=user, old_name=old, new_name=user.name, was_forced=by is not None)
