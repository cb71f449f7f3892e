"""Who is on the site right now: each page view renews a mark in the cache that lasts two minutes.

The day's first page view also renews the session, so that only people who stay away are logged out.
"""

from collections.abc import Callable, Iterable
from typing import cast

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.models import User

#: How many seconds a page view counts, and the least time between two marks of one person.
LASTS = 120
RENEWED_AFTER = 45


def mark(user_id: int) -> None:
    """Mark this person as present."""
    cache.set(f"here:{user_id}", 1, LASTS)


def here(user_ids: Iterable[int]) -> set[int]:
    """The people among ``user_ids`` who are present, with one cache look-up."""
    names = {f"here:{pk}": pk for pk in user_ids}
    return {names[name] for name in cache.get_many(names)} if names else set()


def middleware(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Mark the user who requests a page as present, and keep them logged in."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Only if the view has looked at the user: a page that is the same for everyone costs no query.
        user = getattr(request, "user", None)
        pk = getattr(request, "_cached_user", None) and user and user.pk
        if pk and cache.add(f"here-lately:{pk}", 1, RENEWED_AFTER):
            mark(pk)
        if pk:
            _renew(request, cast(User, user))
        return response

    return respond


def _renew(request: HttpRequest, user: User) -> None:
    """Extend the session and its cookie, once a day."""
    today = str(timezone.now().date())
    # A session that was never renewed has begun with the login.
    if today == request.session.get("used_on", str(user.last_login)[: len(today)]):
        return
    request.session["used_on"] = today
    # A guest never logs in again. A member's links to reset the password would end with a new date.
    User.objects.filter(pk=user.pk, is_guest=True).update(last_login=timezone.now())
