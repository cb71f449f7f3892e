"""The table's timers: turn cards, wait for slaps and have them judged, and press for AI players.

Timers of the event loop make steps punctual. The match's row stores the due time, and a step only succeeds on the
version it starts from. So several processes may run one table, and each step still happens once.
"""

import asyncio
import logging
import math
import time
import zlib
from functools import partial
from typing import Any

from games.ai import slaps
from games.judging.timing import GONE_AFTER
from games.live.rooms import Room, all_rooms
from games.matches import service
from games.matches.models import Match
from games.realtime import process
from games.realtime.process import in_thread

log = logging.getLogger(__name__)

#: The shortest wait for a step of a table that no process ran, so that players can come back, in seconds.
RESUME_PAUSE = 1.0
#: Head start in seconds of the elected process, so that not every process tries each step.
STAND_BACK = 0.025
#: Seconds between checks of the database for lost announcements.
CHECK_EVERY = 5.0

armed: dict[int, asyncio.TimerHandle] = {}
_presses: dict[int, list[asyncio.TimerHandle]] = {}
_checking: "asyncio.Task[None] | None" = None
_tasks: set["asyncio.Task[Any]"] = set()


def arm(room: Room) -> None:
    """Set the timer for the table's next step, if it makes one by itself and a player is present to see it."""
    global _checking
    if _checking is None or _checking.done():
        _checking = asyncio.ensure_future(_check())
    _cancel(room.match_id)
    if not _is_played(room) or room.table.forced_step() is None:
        return
    wait = -math.inf if room.due is None else room.due - time.time()
    if wait < -RESUME_PAUSE:
        wait = RESUME_PAUSE
    wait = max(0.0, wait) + (0.0 if is_elected(room) else STAND_BACK)
    version = room.table.version
    armed[room.match_id] = asyncio.get_running_loop().call_later(wait, partial(_due, room, version))


def presence_changed(room: Room) -> None:
    """Update the timer after a player came or left: a paused table of two goes on when its player is back."""
    room.note_presence()
    waiting = room.waiting
    if waiting is not None and waiting.seat not in room.gone_since and _is_played(room):
        _start(_resume_play(room, room.table.version))


def absent(room: Room) -> int | None:
    """Return the player a table of two waits for: the only one missing, for long enough."""
    sitters = room.table.sitters
    if len(sitters) != 2 or any(sitter.is_ai for sitter in sitters):
        return None
    room.note_presence()
    if len(room.gone_since) != 1:
        return None
    ((seat, since),) = room.gone_since.items()
    is_gone = room.waiting is not None or (time.monotonic() - since) * 1000 >= GONE_AFTER
    return seat if is_gone else None


async def _resume_play(room: Room, version: int) -> None:
    """End the pause; another process may have."""
    try:
        await asyncio.wrap_future(service.submit(service.ResumeTable(room.match_id, version, largest_cap(room))))
    except service.Refused as refusal:
        log.debug("match %s: not resumed at version %s: %s", room.match_id, version, refusal)


def resume(room: Room) -> None:
    """Catch up a room whose moves did not arrive as announcements."""
    card_shown(room)
    arm(room)


def card_shown(room: Room) -> None:
    """Let the AI players react to a card that was just turned."""
    _forget_presses(room.match_id)
    card = room.table.card
    table = room.table
    if card is None or not _is_played(room) or table.lesson is not None:
        return
    loop = asyncio.get_running_loop()
    handles = []
    for sitter in table.sitters:
        if not sitter.is_ai or "slap" not in table.state.legal_moves(sitter.seat):
            continue
        reaction = slaps.reaction(
            table.state.view(sitter.seat), sitter.ai_level, seed=table.seed, version=card, seat=sitter.seat
        )
        if reaction is not None:
            handles.append(loop.call_later(reaction / 1000, partial(_press, room, sitter.seat, card, reaction)))
    _presses[room.match_id] = handles


def rival_cap(room: Room, seat: int) -> float | None:
    """The most credit of a player other than ``seat`` who can still press, in ms; None if there is none.

    Players who are absent, look elsewhere, have pressed, or may not slap are not counted, nor are AI players, whose
    presses arrive at exactly their reaction.
    """
    connections = room.connections()
    rivals = [
        sitter
        for sitter in room.table.sitters
        if sitter.seat != seat
        and not sitter.is_ai
        and sitter.seat in connections
        and connections[sitter.seat].is_visible
        and sitter.seat not in room.pressed
    ]
    able = [rival for rival in rivals if "slap" in room.table.state.legal_moves(rival.seat)]
    return max((connections[rival.seat].cap + rival.handicap for rival in able), default=None)


def largest_cap(room: Room) -> float:
    """The most credit of any player who is looking at the table, in ms."""
    return max((connection.cap for connection in room.connections().values() if connection.is_visible), default=0.0)


def close(room: Room) -> None:
    """Cancel the timers of a room that closes."""
    _cancel(room.match_id)
    _forget_presses(room.match_id)


def _is_played(room: Room) -> bool:
    """Whether the match is running and one of its players is present."""
    return room.table.status == Match.Status.RUNNING and any(socket.seat is not None for socket in room.sockets)


def is_elected(room: Room) -> bool:
    """Whether this process is elected to take the table's steps; others follow later in case it has died."""

    def place(name: str) -> int:
        return zlib.crc32(f"{name}/{room.match_id}".encode())

    now = time.monotonic()
    return all(
        place(process.ID) < place(name)
        for name, (connections, until) in room.presence.items()
        if connections and until > now
    )


def _due(room: Room, version: int) -> None:
    armed.pop(room.match_id, None)
    if room.table.version == version:
        _start(_step(room, version))


async def _step(room: Room, version: int) -> None:
    """Make the step that is due, unless another process has made it."""
    command = service.AdvanceTable(
        room.match_id,
        version=version,
        largest_cap=largest_cap(room),
        due=room.due,
        absent=absent(room),
        is_paused=room.waiting is not None,
    )
    try:
        await asyncio.wrap_future(service.submit(command))
    except service.Unavailable:
        room.due = time.time() + RESUME_PAUSE
        arm(room)
    except service.NotYet as later:
        room.due = later.due
        arm(room)
    except service.Refused as refusal:
        log.debug("match %s: no step from version %s: %s", room.match_id, version, refusal)
    except Exception:  # after any error, the regular check of all rooms tries again
        log.exception("match %s: the step from version %s failed", room.match_id, version)


def _press(room: Room, seat: int, card: int, reaction: float) -> None:
    """Press for an AI player."""
    if room.table.card != card:
        return
    command = service.RecordPress(
        room.match_id,
        seat=seat,
        card=card,
        elapsed=reaction,
        claimed=reaction,
        ping=0,
        cap=0,
        rival_cap=rival_cap(room, seat),
        at_once=True,
    )
    service.submit(command).add_done_callback(_ignore_refusal)


def _ignore_refusal(future: Any) -> None:
    error = future.exception()
    if error is not None and not isinstance(error, service.Refused):
        log.error("an AI player's slap failed", exc_info=error)


def _start(work: Any) -> None:
    task = asyncio.ensure_future(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def _cancel(match_id: int) -> None:
    timer = armed.pop(match_id, None)
    if timer is not None:
        timer.cancel()


def _forget_presses(match_id: int) -> None:
    for handle in _presses.pop(match_id, []):
        handle.cancel()


async def _check() -> None:
    """While rooms are open, compare them with the database in one query, and restart any that stands still."""
    while rooms := all_rooms():
        await asyncio.sleep(CHECK_EVERY)
        try:
            stored = await in_thread(partial(_stored, [room.match_id for room in rooms]))
        except Exception:  # the next check tries again
            log.exception("the rooms could not be compared with the database")
            continue
        for room in rooms:
            if room.match_id in stored and room.sockets:
                try:
                    await _catch_up(room, *stored[room.match_id])
                except Exception:  # a fault in one room must not keep the others behind
                    log.exception("match %s: the room could not catch up", room.match_id)


async def _catch_up(room: Room, version: int, seating_epoch: int, due: float | None) -> None:
    """Catch up on announcements that this process missed."""
    if seating_epoch != room.table.seating_epoch:
        for socket in list(room.sockets):
            await socket.table_reload({})
    if version > room.table.version:
        await room.refill()
        resume(room)
        return
    await room.catch_up()
    if room.match_id not in armed:
        room.due = due
        arm(room)


def _stored(match_ids: list[int]) -> dict[int, tuple[int, int, float | None]]:
    rows = Match.objects.filter(pk__in=match_ids).values_list("pk", "version", "seating_epoch", "due_at")
    return {
        pk: (version, seating_epoch, due_at.timestamp() if due_at else None)
        for pk, version, seating_epoch, due_at in rows
    }
