"""URLs of the chat."""

from django.urls import path

from games.chat import views

urlpatterns = [path("match/<slug:key>/talk/", views.talk, name="match_talk")]
