"""Addresses of home, lobby and matches."""

from django.urls import include, path
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView

from games import profile_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("quick/<slug:slug>/", views.quick_match, name="quick_match"),
    path("lobby/new/", views.open_table, name="open_table"),
    path("my/", views.my_matches, name="my_matches"),
    path("friends/", profile_views.friends, name="friends"),
    path("player/<str:name_key>/", profile_views.player, name="player"),
    path("match/<slug:key>/", views.match, name="match"),
    path("match/<slug:key>/state/", views.match_state, name="match_state"),
    path("match/<slug:key>/join/", views.match_join, name="match_join"),
    path("match/<slug:key>/leave/", views.match_leave, name="match_leave"),
    path("match/<slug:key>/seat/", views.match_seat_ai, name="match_seat_ai"),
    path("match/<slug:key>/start/", views.match_start, name="match_start"),
    path("match/<slug:key>/move/", views.match_move, name="match_move"),
    path("match/<slug:key>/resign/", views.match_resign, name="match_resign"),
    path("match/<slug:key>/take/", views.match_take, name="match_take"),
    path("match/<slug:key>/rematch/", views.match_rematch, name="match_rematch"),
    path("match/<slug:key>/", include("games.replays.urls")),
    path("match/<slug:key>/", include("games.cases.urls")),
    path("", include("games.ai_pages")),
    path("match/<slug:key>/", include("games.points.pages")),
    path("theme/", views.set_theme, name="set_theme"),
    path(
        "manifest.webmanifest",
        TemplateView.as_view(template_name="manifest.webmanifest", content_type="application/manifest+json"),
        name="manifest",
    ),
    # At the root, so that it may look after every page; asked for anew each time, so that it never grows old.
    path(
        "service-worker.js",
        never_cache(TemplateView.as_view(template_name="service-worker.js", content_type="text/javascript")),
        name="service_worker",
    ),
    path("offline/", TemplateView.as_view(template_name="offline.html"), name="offline"),
    path("robots.txt", TemplateView.as_view(template_name="robots.txt", content_type="text/plain"), name="robots"),
]
