"""What every request passes through inside Django."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from games.realtime import log_context

Answer = Callable[[HttpRequest], HttpResponse]


#: Brackets that a form may open. Python reads nested JSON by recursion, and no form of ours has more than a few.
MOST_BRACKETS = 200


def refuse_unreadable(get_response: Answer) -> Answer:
    """Refuse forms with a character that no text has, which PostgreSQL never takes, or with too many brackets."""

    def respond(request: HttpRequest) -> HttpResponse:
        # The body first: once Django has read a form of it, a view that expects something else finds it gone.
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
    """Keep browsers from storing pages of a logged-in user, which the next person could go back to."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Only where something has looked at the user: a page for everyone costs no query more, and tells nothing.
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated and not response.has_header("Cache-Control"):
            patch_cache_control(response, no_store=True, private=True)
        return response

    return respond


def name_user(get_response: Answer) -> Answer:
    """Have the log lines of a page say whose it is: the number of the account."""

    def name(request: HttpRequest) -> None:
        # Only where something has looked at the user: a line of the log costs no query.
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated:
            log_context.bind(user=user.pk)

    def respond(request: HttpRequest) -> HttpResponse:
        name(request)
        response = get_response(request)
        name(request)
        return response

    return respond
