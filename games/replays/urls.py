"""URLs of finished matches, below that of the match."""

from django.urls import path

from games.replays import views

urlpatterns = [
    path("replay/", views.replay, name="replay"),
    path("replay/moments/", views.moments_data, name="replay_moments"),
    path("replay/story/", views.story_data, name="replay_story"),
    path("play-on/", views.play_on, name="play_on"),
    path("picture.png", views.match_picture, name="match_picture"),
    path("check/", views.check, name="check"),
    path("check/moves/", views.check_moves, name="check_moves"),
]
