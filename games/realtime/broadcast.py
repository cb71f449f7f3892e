"""Broadcast to open sockets in any process. Best effort: a page that misses a message catches up later."""

from functools import partial
from typing import Any

from channels.layers import get_channel_layer

from games.realtime import process

#: The channel-layer group of every socket.
EVERYBODY = "everybody"


def group_of(match_id: int) -> str:
    """The channel-layer group of everyone at a table."""
    return f"match.{match_id}"


def to_table(match_id: int, kind: str, **content: Any) -> None:
    """Send a message to every socket at a table, from any thread; a lost one only causes a delay."""
    send(group_of(match_id), {"type": f"table.{kind}", "match": match_id, **content})


def to_user(user_id: int, kind: str, **content: Any) -> None:
    """Send a message to every socket of one person, at any table."""
    send(f"user.{user_id}", {"type": f"user.{kind}", **content})


def reload(match_id: int) -> None:
    """Report that seats, the match's status or its rematch have changed."""
    to_table(match_id, "reload")


def lobby_changed() -> None:
    """Report to the lobby that a table was opened, filled, started or closed."""
    send("lobby", {"type": "lobby.changed"})


def news() -> None:
    """Report to all tables, waiting rooms and lobbies that an announcement was made or withdrawn."""
    send(EVERYBODY, {"type": "site.news"})


def signed_out(user_id: int, session_key: str | None) -> None:
    """Close the sockets of one of the user's sessions, or of all."""
    to_user(user_id, "signed_out", session=session_key)


def is_shared() -> bool:
    """Whether other processes may receive what is sent."""
    return bool(get_channel_layer().is_shared)


def send(group: str, message: dict[str, Any]) -> None:
    """Send a message to a channel-layer group, from any thread."""
    process.call_soon(partial(get_channel_layer().deliver, group, message))
