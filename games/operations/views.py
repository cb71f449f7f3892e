"""Putting an announcement away."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from games.operations import state
from games.operations.models import Announcement, Dismissal

#: Announcements that a browser remembers, the newest.
REMEMBERED = 20
YEAR = 365 * 24 * 3600


@require_POST
def dismiss(request: HttpRequest, pk: int) -> HttpResponse:
    """Show it no more: to a member nowhere, to a visitor in this browser."""
    announcement = get_object_or_404(Announcement, pk=pk)
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure()):
        target = reverse("home")
    response = redirect(target)
    if request.user.is_authenticated:
        Dismissal.objects.get_or_create(user=request.user, announcement=announcement)
    else:
        put_away = sorted({*state.dismissed_in(request), pk})[-REMEMBERED:]
        response.set_cookie(
            state.COOKIE, ".".join(map(str, put_away)), max_age=YEAR, samesite="Lax", secure=request.is_secure()
        )
    return response


def site_state(request: HttpRequest) -> dict[str, object]:
    """For templates: ``site``, the switches and the banner, and ``announcements``; read when a template asks."""
    return {
        "site": SimpleLazyObject(state.current),
        "announcements": SimpleLazyObject(lambda: state.announcements_for(request)),
    }


urlpatterns = [path("announcements/<int:pk>/dismiss/", dismiss, name="dismiss")]
