"""Announcements: reload them on open pages, and dismiss them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts import links
from games.site_status import state
from games.site_status.models import Announcement, Dismissal

#: Announcements that a browser remembers, the newest.
REMEMBERED = 20
YEAR = 365 * 24 * 3600


@never_cache
@require_safe
def announcements(request: HttpRequest) -> HttpResponse:
    """Banner and announcements as they are now, for a page that is open ``at`` an address."""
    return render(request, "partials/notices.html", {"here": request.GET.get("at", "")})


@require_POST
def dismiss(request: HttpRequest, pk: int) -> HttpResponse:
    """Show it no more: to a member nowhere, to a visitor in this browser."""
    announcement = get_object_or_404(Announcement, pk=pk, starts_at__lte=timezone.now())
    response = redirect(links.next_page(request, "home"))
    if request.user.is_authenticated:
        Dismissal.objects.get_or_create(user=request.user, announcement=announcement)
    else:
        put_away = sorted({*state.dismissed_in(request), pk})[-REMEMBERED:]
        response.set_cookie(
            state.COOKIE, ".".join(map(str, put_away)), max_age=YEAR, samesite="Lax", secure=request.is_secure()
        )
    return response


def site_state(request: HttpRequest) -> dict[str, object]:
    """For templates: ``site``, the switches and the banner, and ``announcements``.

    With them the mark of what is shown, and in how many seconds it changes. Read when a template asks.
    """
    return {
        "site": SimpleLazyObject(state.current),
        "announcements": SimpleLazyObject(lambda: state.announcements_for(request)),
        "news_mark": SimpleLazyObject(state.mark),
        "news_in": SimpleLazyObject(lambda: str(state.seconds_to_next(timezone.now()) or "")),
    }


urlpatterns = [
    path("announcements/", announcements, name="announcements"),
    path("announcements/<int:pk>/dismiss/", dismiss, name="dismiss"),
]
