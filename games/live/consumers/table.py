"""The socket of one browser at one table."""

import asyncio
import logging
import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import DatabaseError
from django.utils.translation import gettext as _

from games import engine
from games.engine.numbers import number_in
from games.judging.timing import CAP_MAX
from games.live import looks, presence, rooms, timers
from games.live.consumers.match_page import Stored
from games.live.consumers.versions import VersionsConsumer
from games.live.rooms import SeatConnection
from games.matches import service
from games.matches.pauses import Waiting
from games.realtime import intents
from games.realtime.consumer import FIRST_PINGS, MAX_MESSAGE
from games.realtime.process import in_thread, to_text
from games.table import messages, projection

log = logging.getLogger(__name__)

#: What a resync costs in messages of the rate limit: the answer may be a hundred times as long.
COST_OF_SINCE = 15


class TableConsumer(VersionsConsumer):
    """One browser at one table, of a player or a spectator; it stays in the match's room while it is open."""

    is_visible = True
    #: The newest version stored as seen by this player.
    looked = -1
    #: The newest seen version, including the ones still to be stored.
    noted = -1

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.presenting_since = time.time()
        self.opened = time.monotonic()

    async def enter(self, stored: Stored) -> None:
        """Join the match's room, or watch; continue from version ``since`` if the browser has it."""
        if not stored.has_begun:
            await self.turn_away_early()
        self.room = room = await rooms.enter(self.match_id, self)
        self.seat = room.table.seat_of(self.user_id)
        self.latency.is_rated = room.table.is_rated
        # Other sockets in this room may not have processed what was announced before this one joined.
        if room.table.seating_epoch < stored.seating_epoch:
            others = [socket.table_reload({}) for socket in room.sockets - {self}]
            await asyncio.gather(rooms.reopen(room), *others)
            self.seat = room.table.seat_of(self.user_id)
        since = number_in(self.shown.get("since"))  # the version that the browser claims to have
        seating_epoch = str(room.table.seating_epoch)
        if (
            since is not None
            and self.shown.get("seating_epoch", seating_epoch) == seating_epoch
            and 0 <= since <= room.table.version
            and room.steps_since(since, self.seat, self.language) is not None
        ):
            self.version = self.acked = self.looked = since
            await self.catch_up(is_live=False)
            self.told_online = sorted(room.online())
            await self.send_text(to_text(messages.Presence(t="presence", online=self.told_online)))
            await self._send_waiting()
        else:
            await self.resync()
        if room.table.version < stored.version and await room.refill():
            timers.resume(room)
        self._announce_presence()
        timers.arm(room)

    async def clean_up(self) -> None:
        """Leave the room, if this socket has entered it."""
        await super().clean_up()
        if hasattr(self, "room"):
            await self._leave_room()

    async def _leave_room(self) -> None:
        rooms.leave(self.room, self)
        self._announce_presence()
        if not self.room.sockets:
            timers.close(self.room)
        if self.is_visible:
            await self._remember_look()

    # Messages from the browser.

    async def handle(self, intent: intents.Intent, received: float) -> None:
        """Handle one message, received at ``received`` on this process's clock."""
        match intent:
            case intents.MoveIntent():
                await self._move(intent)
            case intents.SlapIntent():
                await self._slap(intent, received)
            case intents.WhyIntent():
                await self._why(intent)
            case intents.Pong():
                self.latency.pong_received(intent.n, received)
            case intents.Ack():
                self._acknowledge(intent)
            case intents.Since():
                if self.has_token(received, COST_OF_SINCE - 1):
                    await self.catch_up(since=intent.v)
                else:
                    await self.slow_down(received)
            case intents.Watch():
                pass  # cards of a slap point have their own socket
            case intents.Visible():
                self._looked(is_visible=intent.on)
                if not intent.on:
                    await self._remember_look()

    def take_text(self, text: str) -> bool:
        """Handle an acceptable move or an acknowledgement at once.

        Answers to pings wait for their turn as slaps do, because the two times are compared.
        """
        if len(text) > MAX_MESSAGE or not self.has_token(time.monotonic()):
            return False
        try:
            is_done = self._do_at_once(intents.read(text))
        except ValueError:
            is_done = False  # refused as usual, with a reason
        if not is_done:
            self.tokens += 1  # it is taken again
        return is_done

    def _do_at_once(self, intent: intents.Intent) -> bool:
        """Handle a message. False if it needs an answer now; raises ``ValueError`` if it is refused."""
        match intent:
            case intents.MoveIntent():
                self._answer_later(intent.id, service.submit(self._command(intent)))
            case intents.Ack():
                self._acknowledge(intent)
            case _:
                return False
        return True

    def _acknowledge(self, intent: intents.Ack) -> None:
        self.acked = max(self.acked, min(intent.v, self.version))

    async def _move(self, intent: intents.MoveIntent) -> None:
        try:
            command = self._command(intent)
        except service.Refused as refusal:
            await self.reject(intent.id, refusal.code, str(refusal))
            return
        self._answer_later(intent.id, service.submit(command))

    def _command(self, intent: intents.MoveIntent) -> service.MakeMove:
        """The command for a move. Raises :class:`Refused` if it can't be made in this way."""
        if self.seat is None:
            raise service.Refused("not_seated", _("You're watching this match."))
        if intent.move == "slap" and self.room.table.card is not None:
            raise service.Refused("malformed", _("To slap, press the slap button."))
        return service.move_command(
            self.match_id,
            self.seat,
            intent.move,
            request_id=intent.id,
            seen_version=intent.v,
            player_id=self.user_id,
            language=self.language,
            # Only a wish to see the next card has to respect slow connections.
            largest_cap=timers.largest_cap(self.room) if self.room.table.forced_step() else CAP_MAX,
        )

    async def _why(self, intent: intents.WhyIntent) -> None:
        """Name the rule that forbids a move, in the words of its refusal; no reason if it may be made.

        ``check`` decides by the asking seat's own view alone, so the answer tells nothing else.
        """
        reason: str | None = None
        if self.seat is None:
            reason = _("You're watching this match.")
        else:
            try:
                self.room.table.state.check(self.seat, intent.move)
            except engine.IllegalMove as refusal:
                reason = str(refusal)
        await self.send_text(to_text(messages.Why(t="why", id=intent.id, reason=reason)))

    async def _slap(self, intent: intents.SlapIntent, received: float) -> None:
        room = self.room
        # A lesson's card waits, also for pages that were opened after it was turned.
        waits = intent.v == room.table.card and room.table.awaits_pupil
        sent = self.sent.get(intent.v, self.opened if waits else None)
        if self.seat is None:
            await self.reject(intent.id, "not_seated", _("You're watching this match."))
            return
        if sent is None:
            await self.reject(intent.id, "late", _("Too late for that card. It cost you nothing."))
            return
        if not waits and room.connections()[self.seat].presenting_since > self.connection.presenting_since:
            # Times measured on this screen and on the newer one can't be combined.
            self._present_cards()
            reason = _("This table is also open elsewhere. This screen counts from the next card on.")
            await self.reject(intent.id, "elsewhere", reason)
            return
        measured = self.latency.measure((received - sent) * 1000, intent.r)
        command = service.RecordPress(
            self.match_id,
            seat=self.seat,
            card=intent.v,
            elapsed=measured.elapsed,
            claimed=measured.claimed,
            ping=measured.ping,
            cap=measured.cap,
            rival_cap=timers.rival_cap(room, self.seat),
            player_id=self.user_id,
            at_once=True,
        )
        self._answer_later(intent.id, service.submit(command))

    def _looked(self, *, is_visible: bool) -> None:
        """Note whether the page is in front or hidden."""
        is_back = is_visible and not self.is_visible
        self.is_visible = is_visible
        if is_back:
            self._present_cards()
        else:
            self._announce_presence()

    async def _remember_look(self) -> None:
        """Store the last version this player has seen, so that the next visit tells what came after it."""
        if self.seat is None or self.version <= self.looked:
            return
        self.looked = self.version
        try:
            await in_thread(partial(service.looked, self.match_id, self.scope.get("user"), self.version))
        except DatabaseError:
            log.exception("could not store what a player has seen; their next visit repeats some moves")

    def _present_cards(self) -> None:
        """Make this socket the one that presents the cards to its player."""
        self.presenting_since = time.time()
        self._announce_presence()

    def _answer_later(self, request_id: str, answer: Any) -> None:
        """Answer once the command is stored or refused; the browser's next message doesn't wait for it."""
        loop = asyncio.get_running_loop()

        def done(future: Any) -> None:
            if future.exception() is None and future.result().is_new:
                # The announced move carries its id and serves as the answer.
                return
            loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._answer(request_id, future)))

        answer.add_done_callback(done)

    async def _answer(self, request_id: str, answer: Any) -> None:
        error = answer.exception()
        if error is None:
            await self.send_text(to_text(messages.Accepted(t="ok", id=request_id, v=answer.result().version)))
        elif isinstance(error, service.Refused):
            await self.reject(request_id, error.code, str(error), error.version)
        else:
            await self.reject(request_id, "unavailable", str(service.Unavailable()))
            await self.resync()

    # Messages to the browser.

    @property
    def connection(self) -> SeatConnection:
        """What other processes must know of this socket to judge slaps."""
        return SeatConnection(self.presenting_since, self.latency.cap, self.is_visible)

    def see_turn(self) -> None:
        """Note that the player saw a turn of days begin, so that no push or email is sent about it."""
        if self.seat is None or not self.is_visible or self.user_id is None:
            return
        table = self.room.table
        asked = table.clocks[self.seat].asked_version
        if asked is not None and asked > max(self.looked, self.noted) and not table.is_live:
            self.noted = self.version
            looks.note(self.match_id, self.user_id, self.version)

    async def table_slapped(self, message: dict[str, Any]) -> None:
        """Handle a player's press: the next card waits for the verdict."""
        room = self.room
        if message["card"] == room.table.card:
            room.due = message["due"]
            room.pressed.update(message["seats"])
            timers.arm(room)
        # Even if it was judged at once and another socket in this process has handled that already.
        if self.seat is not None and self.seat in message["seats"]:
            # Other players' hands are shown with the verdict; earlier they would give away when to press.
            await self.send_text(to_text(messages.Slapped(t="slapped", v=message["card"], seats=[self.seat])))

    async def table_due(self, message: dict[str, Any]) -> None:
        """Set the timer again because a player asked for the card, or the table waits for a player."""
        room = self.room
        if message["v"] == room.table.version:
            room.due = message["due"]
            waiting = message["waiting"]
            room.waiting = waiting and Waiting(waiting[0], datetime.fromtimestamp(waiting[1], UTC))
            room.projected.waiting = room.waiting
            timers.arm(room)
            await self._send_waiting()

    async def _send_waiting(self) -> None:
        waiting = projection.waiting_to_json(self.room.waiting)
        await self.send_text(to_text(messages.WaitingNow(t="waiting", waiting=waiting)))

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """Reload the table: seats have changed, or the match began, ended or moved on elsewhere."""
        room = self.room
        await rooms.reopen(room)
        self.seat = room.table.seat_of(self.user_id)
        await self.resync()
        timers.arm(room)

    async def table_presence(self, message: dict[str, Any]) -> None:
        """Update which players are at the table, here or in another process."""
        room = self.room
        if presence.note(room, message):
            self._announce_presence()
        timers.presence_changed(room)
        online = sorted(room.online())
        if online != self.told_online:
            self.told_online = online
            await self.send_text(to_text(messages.Presence(t="presence", online=online)))

    @property
    def has_slaps(self) -> bool:
        """Whether slaps are judged with this connection's latency."""
        return self.room.table.has_slaps

    def status(self) -> str:
        """The status of the match."""
        return self.room.table.status

    async def look_after(self, number: int) -> None:
        """Renew the player's presence."""
        # The first pings measure latency, which every process must know to judge slaps.
        if self.seat is not None and (number == FIRST_PINGS or presence.is_due(self.room)):
            presence.renew(self.room)
            await presence.stay_live(self.room)

    async def recheck(self) -> bool:
        """Check that the player is still logged in, and store the version they have seen."""
        if self.is_visible:
            await self._remember_look()
        return await super().recheck()

    def _announce_presence(self) -> None:
        if self.seat is not None:
            presence.announce(self.room)
