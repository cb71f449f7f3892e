"""Addresses of sockets."""

from django.urls import path

from .consumers import TableConsumer

websocket_urlpatterns = [path("ws/match/<slug:key>/", TableConsumer.as_asgi())]
