"""URLs of the home page, the lobby and matches."""

from django.urls import include, path
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView

from games import rules
from games.lobby import pages
from games.profiles import views as profile_views

urlpatterns = [
    path("", pages.home, name="home"),
    path("play/", pages.choose, name="choose"),
    path("quick/<slug:slug>/", pages.quick_match, name="quick_match"),
    path("lobby/new/", pages.open_table, name="open_table"),
    path("my/", pages.my_matches, name="my_matches"),
    path("friends/", profile_views.friends, name="friends"),
    path("player/<str:name_key>/", profile_views.player, name="player"),
    path("match/<slug:key>/", pages.match, name="match"),
    path("match/<slug:key>/state/", pages.match_state, name="match_state"),
    path("match/<slug:key>/join/", pages.match_join, name="match_join"),
    path("match/<slug:key>/leave/", pages.match_leave, name="match_leave"),
    path("match/<slug:key>/seat/", pages.match_seat_ai, name="match_seat_ai"),
    path("match/<slug:key>/start/", pages.match_start, name="match_start"),
    path("match/<slug:key>/move/", pages.match_move, name="match_move"),
    path("match/<slug:key>/resign/", pages.match_resign, name="match_resign"),
    path("match/<slug:key>/take/", pages.match_take, name="match_take"),
    path("match/<slug:key>/rematch/", pages.match_rematch, name="match_rematch"),
    path("match/<slug:key>/", include("games.replays.urls")),
    path("match/<slug:key>/", include("games.ai_reports.urls")),
    path("", include("games.guide.ai_pages")),
    path("match/<slug:key>/", include("games.live.slap_page_views")),
    path("theme/", pages.set_theme, name="set_theme"),
    path(
        "manifest.webmanifest",
        TemplateView.as_view(template_name="manifest.webmanifest", content_type="application/manifest+json"),
        name="manifest",
    ),
    # At the root, so that it can serve every page; never cached, so that updates arrive.
    path(
        "service-worker.js",
        never_cache(TemplateView.as_view(template_name="service-worker.js", content_type="text/javascript")),
        name="service_worker",
    ),
    path(
        "offline/",
        TemplateView.as_view(template_name="offline.html", extra_context={"games": rules.all}),
        name="offline",
    ),
    path("robots.txt", TemplateView.as_view(template_name="robots.txt", content_type="text/plain"), name="robots"),
]
