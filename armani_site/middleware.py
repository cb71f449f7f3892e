"""What every request passes through inside Django."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

Answer = Callable[[HttpRequest], HttpResponse]


def refuse_nul(get_response: Answer) -> Answer:
    """Refuse forms with a character that no text has: PostgreSQL takes it nowhere."""

    def respond(request: HttpRequest) -> HttpResponse:
        # The body first: once Django has read a form of it, a view that expects something else finds it gone.
        if request.method == "POST" and (b"\\u0000" in request.body or _has_nul(request)):
            return HttpResponseBadRequest(
                _("We couldn't read what your browser sent."), content_type="text/plain; charset=utf-8"
            )
        return get_response(request)

    return respond


def _has_nul(request: HttpRequest) -> bool:
    return any("\0" in text for name, values in request.POST.lists() for text in (name, *values))


def keep_private(get_response: Answer) -> Answer:
    """Keep browsers from storing pages of a logged-in user, which the next person could go back to."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Only where something has looked at the user: a page for everyone costs no query more, and tells nothing.
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated and not response.has_header("Cache-Control"):
            patch_cache_control(response, no_store=True, private=True)
        return response

    return respond
