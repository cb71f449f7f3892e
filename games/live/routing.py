"""Addresses of sockets."""

from django.urls import path

from games.live.slap_page import WatchConsumer
from games.lobby.consumers import LobbyConsumer
from games.slaps.consumers import PracticeConsumer

from .consumers import TableConsumer

websocket_urlpatterns = [
    path("ws/match/<slug:key>/", TableConsumer.as_asgi()),
    path("ws/match/<slug:key>/watch/", WatchConsumer.as_asgi()),
    path("ws/practice/slaps/", PracticeConsumer.as_asgi()),
    path("ws/lobby/", LobbyConsumer.as_asgi()),
]
