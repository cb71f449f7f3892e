"""Which players are at a table; processes tell each other."""

import time
from dataclasses import astuple
from functools import partial
from typing import Any

from games.live.rooms import Room, SeatConnection
from games.matches import service
from games.realtime import broadcast, process
from games.realtime.process import in_thread

#: Seconds between announcements of presence, and for how long one is valid.
ANNOUNCED_EVERY = 10.0
LASTS = 25.0


def announce(room: Room) -> None:
    """Announce the players who are at the table in this process."""
    room.announced_presence = time.monotonic()
    connections = [[seat, *astuple(connection)] for seat, connection in sorted(room.connections_here().items())]
    broadcast.to_table(room.match_id, "presence", process=process.ID, posts=connections)


def renew(room: Room) -> None:
    """Announce the players again to other processes; a process that is alone has none to remind."""
    if broadcast.is_shared():
        announce(room)
    else:
        room.announced_presence = time.monotonic()


def is_due(room: Room) -> bool:
    """Whether the next announcement is due."""
    return time.monotonic() - room.announced_presence > ANNOUNCED_EVERY


def note(room: Room, message: dict[str, Any]) -> bool:
    """Store another process's announcement. True if that process does not know this one's presence yet."""
    if message["process"] == process.ID:
        return False
    is_new = message["process"] not in room.presence
    connections = {seat: SeatConnection(*connection) for seat, *connection in message["posts"]}
    room.presence[message["process"]] = (connections, time.monotonic() + LASTS)
    return is_new


async def stay_live(room: Room) -> None:
    """Renew the live session of a turn-based match while all its people are there, or let it end."""
    match = room.projected.match
    if match.live_until is None:
        return
    here = {seat for seat, connection in room.connections().items() if connection.is_visible}
    if here.issuperset(sitter.seat for sitter in room.table.sitters if sitter.player_id is not None):
        match.live_until = await in_thread(partial(service.stay_live, room.match_id))
    if not match.is_played_live:
        # Based on what this process knows, so all processes read again in case others know better.
        match.live_until = None
        broadcast.reload(room.match_id)
        broadcast.to_table(room.match_id, "ending")
