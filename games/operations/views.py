"""Announcements: reload them on open pages, and dismiss them."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts import links
from games.site_status import state
from games.site_status.models import Announcement, Dismissal

#: Maximum dismissed announcements remembered by a browser; the oldest are dropped.
REMEMBERED = 20
YEAR = 365 * 24 * 3600


@never_cache
@require_safe
def announcements(request: HttpRequest) -> HttpResponse:
    """The current banner and announcements, for an open page ``at`` a URL."""
    return render(request, "partials/notices.html", {"here": request.GET.get("at", "")})


@require_POST
def dismiss(request: HttpRequest, pk: int) -> HttpResponse:
    """Dismiss an announcement: for a member everywhere, for a visitor in this browser."""
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
    """Template context: ``site`` with switches and banner, and ``announcements``.

    Includes the mark of what is shown, and the seconds until it changes. Loaded only when a template uses it.
    """
    return {
        "site": cache(state.current),
        "announcements": cache(lambda: state.announcements_for(request)),
        "news_mark": state.mark,
        "news_in": lambda: str(state.seconds_to_next(timezone.now()) or ""),
    }


urlpatterns = [
    path("announcements/", announcements, name="announcements"),
    path("announcements/<int:pk>/dismiss/", dismiss, name="dismiss"),
]
