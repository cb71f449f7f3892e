"""The feeds, which need only their address, and the settings page to create and delete them."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import conditional_page, require_http_methods, require_safe

from accounts.languages import speaking_to
from accounts.models import User
from games.feeds import contents
from games.feeds.models import Feed


@require_safe
@conditional_page
def calendar_feed(request: HttpRequest, token: str) -> HttpResponse:
    """The calendar of turn ends."""
    feed = _feed(Feed.Kind.CALENDAR, token)
    with speaking_to(feed.user):
        content = contents.calendar(feed.user)
    return _answer(content, "text/calendar; charset=utf-8")


@require_safe
@conditional_page
def news_feed(request: HttpRequest, token: str) -> HttpResponse:
    """The news feed."""
    feed = _feed(Feed.Kind.NEWS, token)
    with speaking_to(feed.user):
        content = contents.news(feed.user, feed.url)
    return _answer(content, "application/atom+xml; charset=utf-8")


def _feed(kind: str, token: str) -> Feed:
    feed = Feed.find(kind, token)
    if feed is None:
        raise Http404(_("There's no such feed, or its address has changed."))
    return feed


def _answer(content: bytes, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Cache-Control"] = "private, max-age=300"
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    return response


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    """Create or delete a feed, or change its address."""
    user = cast(User, request.user)
    if request.method == "POST":
        kind, wish = request.POST.get("kind", ""), request.POST.get("action", "")
        if kind not in Feed.Kind.values or wish not in ("make", "renew", "remove"):
            raise Http404
        found = Feed.objects.filter(user=user, kind=kind)
        if wish == "make":
            Feed.objects.get_or_create(user=user, kind=kind)
            messages.success(request, _("Your feed is ready. Copy its address."))
        elif wish == "renew":
            for feed in found:
                feed.renew()
            messages.success(request, _("Your feed has a new address. The old one no longer works."))
        else:
            found.delete()
            messages.success(request, _("The feed is deleted. Its address no longer works."))
        return redirect("account_settings_feeds")
    had = {feed.kind: feed for feed in Feed.objects.filter(user=user)}
    offers = [
        (Feed.Kind.CALENDAR, _("Calendar"), _("See in your calendar when your turns end."), had.get("calendar")),
        (
            Feed.Kind.NEWS,
            _("News"),
            _("Your turns, invitations and results, in a feed reader (Atom)."),
            had.get("news"),
        ),
    ]
    return render(request, "feeds/settings.html", {"offers": offers})


urlpatterns = [
    path("feeds/calendar/<slug:token>.ics", calendar_feed, name="calendar_feed"),
    path("feeds/news/<slug:token>.atom", news_feed, name="news_feed"),
    path("accounts/settings/feeds/", settings_page, name="account_settings_feeds"),
]
