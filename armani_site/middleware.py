"""Django middleware that every request passes through."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from games.realtime import log_context

Answer = Callable[[HttpRequest], HttpResponse]


#: How many brackets a form may open. Python parses nested JSON recursively, and no form of ours has more than a few.
MOST_BRACKETS = 200


def refuse_unreadable(get_response: Answer) -> Answer:
    """Refuse forms with a NUL character, which PostgreSQL never accepts, or with too many brackets."""

    def respond(request: HttpRequest) -> HttpResponse:
        # Read the body first: once Django has parsed a form from it, a view that needs the raw body can't read it.
        if request.method == "POST" and not _is_readable(request):
            return HttpResponseBadRequest(
                _("We couldn't read what your browser sent."), content_type="text/plain; charset=utf-8"
            )
        return get_response(request)

    return respond


def _is_readable(request: HttpRequest) -> bool:
    body = request.body
    if b"\\u0000" in body or body.count(b"[") + body.count(b"{") > MOST_BRACKETS:
        return False
    texts = [text for name, values in request.POST.lists() for text in (name, *values)]
    return not any("\0" in text or text.count("[") + text.count("{") > MOST_BRACKETS for text in texts)


def keep_private(get_response: Answer) -> Answer:
    """Keep browsers from storing a logged-in user's pages, which the next person could go back to."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Only if the view has looked at the user: a page that is the same for everyone costs no query, and reveals
        # nothing.
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated and not response.has_header("Cache-Control"):
            patch_cache_control(response, no_store=True, private=True)
        return response

    return respond


def name_user(get_response: Answer) -> Answer:
    """Add the user's account number to the log lines of a page."""

    def name(request: HttpRequest) -> None:
        # Only if the view has looked at the user, so that a log line costs no query.
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated:
            log_context.bind(user=user.pk)

    def respond(request: HttpRequest) -> HttpResponse:
        name(request)
        response = get_response(request)
        name(request)
        return response

    return respond
