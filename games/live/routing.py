"""Socket URLs."""

from django.urls import path

from games.live.consumers.slap_page import SlapPageConsumer
from games.live.consumers.table import TableConsumer
from games.live.consumers.waiting_room import WaitingRoomConsumer
from games.lobby.consumers import LobbyConsumer
from games.slaps.consumers import PracticeConsumer

websocket_urlpatterns = [
    path("ws/match/<slug:key>/", TableConsumer.as_asgi()),
    path("ws/match/<slug:key>/waiting/", WaitingRoomConsumer.as_asgi()),
    path("ws/match/<slug:key>/watch/", SlapPageConsumer.as_asgi()),
    path("ws/practice/slaps/", PracticeConsumer.as_asgi()),
    path("ws/lobby/", LobbyConsumer.as_asgi()),
]
