"""Who is at a table; processes tell each other."""

import time
from dataclasses import astuple
from functools import partial
from typing import Any

from games.live.rooms import Room, SeatConnection
from games.matches import service
from games.realtime import broadcast, process
from games.realtime.process import in_thread

#: Seconds between what a process tells, and for which it is believed.
TOLD_EVERY = 10.0
LASTS = 25.0


def tell(room: Room) -> None:
    """Tell all processes which players are at the table in this one."""
    room.told_presence = time.monotonic()
    posts = [[seat, *astuple(post)] for seat, post in sorted(room.posts_here().items())]
    broadcast.to_table(room.match_id, "presence", process=process.ID, posts=posts)


def is_due(room: Room) -> bool:
    """Whether it is time to tell again."""
    return time.monotonic() - room.told_presence > TOLD_EVERY


def note(room: Room, message: dict[str, Any]) -> bool:
    """Remember what a process has told. True if it is one that does not know yet who is here."""
    if message["process"] == process.ID:
        return False
    is_new = message["process"] not in room.presence
    posts = {seat: SeatConnection(*post) for seat, *post in message["posts"]}
    room.presence[message["process"]] = (posts, time.monotonic() + LASTS)
    return is_new


async def stay_live(room: Room) -> None:
    """Renew the spell in which a slow match is played live, while all its people look at it; or see it end."""
    match = room.reading.match
    if match.live_until is None:
        return
    here = {seat for seat, post in room.posts().items() if post.is_visible}
    if here.issuperset(sitter.seat for sitter in room.table.sitters if sitter.player_id is not None):
        await in_thread(partial(service.stay_live, room.match_id))
    elif not match.is_played_live:
        # By what this process has read: everyone reads again, in case others know better.
        match.live_until = None
        broadcast.reload(room.match_id)
        broadcast.to_table(room.match_id, "ending")
