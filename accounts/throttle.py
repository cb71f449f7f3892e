"""A general rate limit on requests, beside the narrower limits of forms that cost or reveal something.

The narrow ones are in ``ACCOUNT_RATE_LIMITS``, and views check them; ``tests/attacks/test_limits.py`` lists them.
"""

from collections.abc import Callable

from allauth.core.ratelimit import consume, respond_429
from django.http import HttpRequest, HttpResponse

#: Services that send many requests for many people, and authenticate with a secret.
_EXEMPT = frozenset({"anymail"})


class ThrottleMiddleware:
    """Rate-limit users, and addresses of visitors who aren't logged in, beyond human speed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: object, _args: object, _kwargs: object) -> HttpResponse | None:
        """Answer 429 instead of calling the view, if there are too many requests."""
        match = request.resolver_match
        if request.method in ("GET", "HEAD", "OPTIONS") or (match and _EXEMPT & set(match.app_names)):
            return None
        if request.user.is_authenticated:
            allowed = consume(request, action="send", user=request.user)
        else:
            allowed = consume(request, action="send_as_visitor")
        return None if allowed else respond_429(request)
