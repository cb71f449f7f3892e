"""URLs of the lessons."""

from django.urls import path

from games.lessons import views

urlpatterns = [
    path("", views.learn, name="learn"),
    path("at/<slug:key>/", views.step, name="learn_step"),
    path("<slug:slug>/", views.learn_game, name="learn_game"),
    path("<slug:slug>/<slug:name>/", views.begin, name="learn_begin"),
]
