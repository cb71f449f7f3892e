"""Addresses of sockets."""

from django.urls import path

from games.lobby.consumers import LobbyConsumer
from games.points.live import WatchConsumer
from games.slaps.consumers import PracticeConsumer

from .consumers import TableConsumer

websocket_urlpatterns = [
    path("ws/match/<slug:key>/", TableConsumer.as_asgi()),
    path("ws/match/<slug:key>/watch/", WatchConsumer.as_asgi()),
    path("ws/practice/slaps/", PracticeConsumer.as_asgi()),
    path("ws/lobby/", LobbyConsumer.as_asgi()),
]
