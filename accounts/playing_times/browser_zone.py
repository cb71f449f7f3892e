"""The browser's time zone, which scripts send with every form, for people who have not chosen one."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.playing_times import calendars

#: A session key: the person whose zone has been checked.
_SESSION_KEY = "zone_of"


class ZoneMiddleware:
    """Store the zone before the view, for turns that it begins, and after it, if it has logged a person in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then store the zone of a person whom the view has logged in."""
        response = self._get_response(request)
        if zone := getattr(request, "_zone", ""):
            _take(request, zone)
        return response

    def process_view(self, request: HttpRequest, view: Any, *_arguments: Any) -> None:
        """Only forms with a token send a zone; their fields have already been read for the token."""
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
