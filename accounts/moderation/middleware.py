"""Stop suspended people from playing, and show decisions that they must read first."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from accounts.moderation.restrictions import restrictions_of

#: Views that are always open: reading and answering decisions, changing the account, leaving.
_ALWAYS = frozenset({"my_standing", "read_sanction", "appeal", "my_reports", "account_logout", "set_theme", "export"})


class RestrictionsMiddleware:
    """Send suspended people, and people with an unread decision, to the account status page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: object, _args: object, _kwargs: object) -> HttpResponse | None:
        """Show the account status page instead of the requested page, if that must come first."""
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
            return None
        found = restrictions_of(request.user)
        if found.may_play:
            return None
        match = request.resolver_match
        name = match.url_name if match else ""
        if name in _ALWAYS or (match and match.app_names == ["admin"]):
            return None
        is_account = match is not None and match.route.removeprefix("^").startswith("accounts/")
        if found.must_read and not is_account:
            said = _("Please read this first, then go on.")
        elif request.method not in ("GET", "HEAD") and not is_account:
            said = _("You're suspended: you can look around, but you can't play or chat.")
        else:
            return None
        if request.accepts("application/json") and not request.accepts("text/html"):
            return JsonResponse({"t": "rejected", "code": "barred", "reason": said}, status=403)
        messages.warning(request, said)
        return redirect("my_standing")
