"""Changing one's name: once in a while, with the old one kept for moderators and, for as long, from others."""

from datetime import datetime, timedelta

from django.utils import timezone

from accounts import names
from accounts.models import User

#: A member changes the name once in so long. Nobody else gets the old one before.
EVERY = timedelta(days=60)


def locked_until(user: User) -> datetime | None:
    """When ``user`` may change the name again; None if now.

    Guests, whose names are made for them, and whoever lost a name to a moderator choose freely.
    """
    from accounts.moderation.models import NameChange  # needs the user model first

    last = NameChange.objects.filter(user=user).order_by("-at", "-pk").first()
    if user.is_guest or last is None or last.was_forced or last.at + EVERY <= timezone.now():
        return None
    return last.at + EVERY


def is_kept_for_another(name: str, user: User | None) -> bool:
    """Whether somebody else had this name until lately, and gave it up themselves."""
    from accounts.moderation.models import NameChange  # needs the user model first

    lately = NameChange.objects.filter(at__gt=timezone.now() - EVERY, was_forced=False)
    others = lately.exclude(user=user) if user and user.pk else lately
    return others.filter(old_name__iexact=names.tidy(name)).exists()


def change_name(user: User, name: str, *, by: User | None = None) -> None:
    """Give somebody another name; the old one is kept for moderators. ``by`` is the moderator who did it."""
    from accounts.moderation.models import NameChange  # needs the user model first

    old = user.name
    user.name = name
    user.save(update_fields=["name"])
    NameChange.objects.create(user=user, old_name=old, new_name=user.name, was_forced=by is not None)
