"""Guests: players without an address, created at once, and deleted when they no longer play."""

import secrets
from collections.abc import Iterator
from datetime import timedelta

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume, respond_429
from django.contrib.auth import login
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from .models import User
from .playing_times import calendars
from .signals import is_signup_open

#: After this long without a visit or play, a guest's browser has lost its session.
IDLE = timedelta(days=60)
#: An unconfirmed sign-up gives back its name after this time; its links have expired by then.
UNCONFIRMED = timedelta(days=7)
#: Nouns in guests' names: short, and similar in the site's languages.
ANIMALS = (
    "Bison", "Cobra", "Collie", "Dingo", "Emu", "Flamingo", "Gecko", "Gibbon", "Hamster", "Husky", "Ibis", "Jaguar",
    "Kiwi", "Koala", "Lemur", "Leopard", "Nandu", "Okapi", "Otter", "Panda", "Puma", "Quokka", "Serval", "Tapir",
    "Viper", "Wombat", "Yak", "Zebra",
)  # fmt: skip
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def ensure_player(request: HttpRequest) -> User:
    """The logged-in user, or else a new guest, logged in now.

    Raises:
        ImmediateHttpResponse: (429) too many guests came from this address, or (403) sign-up is closed; the
            middleware answers with it.
    """
    if request.user.is_authenticated:
        return request.user
    if not is_signup_open():
        raise ImmediateHttpResponse(render(request, "account/signup_closed.html", status=403))
    if not consume(request, action="guest"):
        raise ImmediateHttpResponse(respond_429(request))
    guest = make_guest()
    calendars.take_zone(guest, request.POST.get("browser_zone", ""))
    login(request, guest, backend=_BACKEND)
    return guest


def make_guest() -> User:
    """A new guest with a name that is still free, such as "Guest Otter 48"."""
    for name in free_names():
        try:
            with transaction.atomic():
                return User.objects.create_user(name=name)
        except IntegrityError:
            continue  # the name is taken
    raise RuntimeError("no free name for a guest in six tries")


def free_names() -> Iterator[str]:
    """Anonymous names that are easy to tell apart and most likely free."""
    for digits in (2, 2, 3, 4, 6, 8):
        number = secrets.randbelow(9 * 10 ** (digits - 1)) + 10 ** (digits - 1)
        yield _("Guest %(animal)s %(number)d") % {"animal": secrets.choice(ANIMALS), "number": number}


def delete_expired() -> int:
    """Delete expired guests and unconfirmed sign-ups; returns their number.

    Guests at an open table or in a running match stay. Finished matches keep the guest's name.
    """
    now = timezone.now()
    idle = User.objects.filter(is_guest=True, is_staff=False).filter(
        Q(last_login__lt=now - IDLE) | Q(last_login=None, created_at__lt=now - UNCONFIRMED)
    )
    playing = Q(seats__match__status__in=["open", "running"]) | Q(seats__match__finished_at__gte=now - IDLE)
    gone = idle.exclude(pk__in=User.objects.filter(playing).values("pk"))
    return gone.delete()[1].get(User._meta.label, 0)
