"""URLs of the lobby and of invitations."""

from django.urls import path

from games.lobby import end_offers, views

urlpatterns = [
    path("lobby/", views.lobby, name="lobby"),
    path("lobby/any/", views.any_table, name="any_table"),
    path("lobby/with/<str:name_key>/", views.play_with, name="play_with"),
    path("match/<slug:key>/invite/", views.invite, name="match_invite"),
    path("match/<slug:key>/decline/", views.decline, name="match_decline"),
    path("match/<slug:key>/ending/", end_offers.ending, name="match_ending"),
    path("match/<slug:key>/live/", end_offers.play_live, name="match_live"),
    path("invitation/<str:token>/", views.invitation, name="invitation"),
    path("invitation/<str:token>/no-more/", views.stop_invitations, name="invitation_no_more"),
]
