"""Who is on the site right now: each page view renews a mark in the cache that lasts two minutes."""

from collections.abc import Callable, Iterable

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

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
    """Mark the user who requests a page as present."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Only if the view has looked at the user: a page that is the same for everyone costs no query.
        user = getattr(request, "user", None)
        pk = getattr(request, "_cached_user", None) and user and user.pk
        if pk and cache.add(f"here-lately:{pk}", 1, RENEWED_AFTER):
            mark(pk)
        return response

    return respond
