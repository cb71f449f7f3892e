"""What pages that open a table share: a rate limit, and one table per submission.

A form opens one table, however often it is sent: by double clicks or repeated requests.
"""

import hashlib
from collections.abc import Callable
from functools import wraps

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume, respond_429
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

#: Seconds within which the same form of the same page counts as the same submission.
ONE_PRESS = 10

View = Callable[..., HttpResponse]


def limit_tables(request: HttpRequest) -> None:
    """Count a table opened from this address. Raises ``ImmediateHttpResponse`` (429) above the limit."""
    if not consume(request, action="open_table"):
        raise ImmediateHttpResponse(respond_429(request))


def single_submit(view: View) -> View:
    """Redirect a repeated submission to the first one's table, or to the user's matches while that is not known.

    A form's token changes with each rendered page, so it identifies the submission. A visitor without an account
    becomes a new guest with each one, which disturbs no one else.
    """

    @wraps(view)
    def respond(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        token = request.POST.get("csrfmiddlewaretoken", "")
        if not token or not request.user.is_authenticated:
            return view(request, *args, **kwargs)
        press = hashlib.sha256(f"{request.user.pk} {request.path} {token}".encode()).hexdigest()
        name = f"press:{press}"
        if not cache.add(name, "", ONE_PRESS):
            return redirect(cache.get(name) or "my_matches")
        leads_to = ""
        try:
            response = view(request, *args, **kwargs)
            leads_to = response.get("Location", "")
        finally:
            if leads_to:
                cache.set(name, leads_to, ONE_PRESS)
            else:
                cache.delete(name)
        return response

    return respond
