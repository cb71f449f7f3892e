"""Addresses of home, lobby and matches."""

from django.urls import path
from django.views.generic import TemplateView

from games import views

urlpatterns = [
    path("", views.home, name="home"),
    path("quick/<slug:slug>/", views.quick_match, name="quick_match"),
    path("lobby/", views.lobby, name="lobby"),
    path("lobby/new/", views.open_table, name="open_table"),
    path("my/", views.my_matches, name="my_matches"),
    path("match/<slug:key>/", views.match, name="match"),
    path("match/<slug:key>/state/", views.match_state, name="match_state"),
    path("match/<slug:key>/join/", views.match_join, name="match_join"),
    path("match/<slug:key>/leave/", views.match_leave, name="match_leave"),
    path("match/<slug:key>/seat/", views.match_seat_ai, name="match_seat_ai"),
    path("match/<slug:key>/start/", views.match_start, name="match_start"),
    path("match/<slug:key>/move/", views.match_move, name="match_move"),
    path("match/<slug:key>/resign/", views.match_resign, name="match_resign"),
    path("match/<slug:key>/rematch/", views.match_rematch, name="match_rematch"),
    path("theme/", views.set_theme, name="set_theme"),
    path(
        "manifest.webmanifest",
        TemplateView.as_view(template_name="manifest.webmanifest", content_type="application/manifest+json"),
        name="manifest",
    ),
    path("robots.txt", TemplateView.as_view(template_name="robots.txt", content_type="text/plain"), name="robots"),
]
