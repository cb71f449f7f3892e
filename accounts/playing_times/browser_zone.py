"""The browser's time zone, which scripts send with every form: used once, for people who have chosen none."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.playing_times import calendars

#: In a session: the person whose zone was looked at.
_SESSION_KEY = "zone_of"


class ZoneMiddleware:
    """Take the zone before the view, for the turns that it begins, and after it, of a person that it logged in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and take the zone of a person that the view has logged in."""
        response = self._get_response(request)
        if zone := getattr(request, "_zone", ""):
            _take(request, zone)
        return response

    def process_view(self, request: HttpRequest, view: Any, *_arguments: Any) -> None:
        """Only forms with a token have a zone; their fields were read for the token already."""
        zone = (
            request.POST.get("browser_zone", "")
            if request.method == "POST" and not hasattr(view, "csrf_exempt")
            else ""
        )
        if zone:
            request._zone = zone  # type: ignore[attr-defined]  # read again when the login is done
            _take(request, zone)


def _take(request: HttpRequest, zone: str) -> None:
    user = request.user
    if not user.is_authenticated or request.session.get(_SESSION_KEY) == user.pk:
        return
    request.session[_SESSION_KEY] = user.pk
    if calendars.take_zone(user, zone) and not user.is_guest:
        text = _("Your clock in turn-based matches runs by your browser's time zone: {zone}. See Playing times.")
        messages.info(request, text.format(zone=zone.replace("_", " ")))
