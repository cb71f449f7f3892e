"""URLs of the practice room."""

from django.urls import path

from games.slaps import views

urlpatterns = [
    path("slaps/", views.practice_page, name="practice_slaps"),
    path("slaps/guest/", views.practice_join, name="practice_join"),
    path("slaps/match/", views.practice_match, name="practice_match"),
]
