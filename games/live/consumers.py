"""The socket of one browser at one table."""

import asyncio
import logging
import random
import time
from collections.abc import Mapping
from dataclasses import astuple
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from django.contrib.sessions.backends.base import SessionBase
from django.db import DatabaseError
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.standing import standing
from accounts.sessions import is_signed_in
from games import engine
from games.chat import lines
from games.chat.phrases import PHRASES
from games.judging.latency import Line
from games.live import rooms, timers
from games.live.rooms import Post, Room
from games.lobby import end_offers
from games.matches import service
from games.matches.models import Match
from games.matches.pauses import Waiting
from games.realtime import broadcast, intents, process
from games.realtime.consumer import FIRST_PINGS, MAX_MESSAGE, PING_EVERY, OrderedConsumer
from games.realtime.process import in_thread, to_text
from games.site_status import state
from games.table import projection

log = logging.getLogger(__name__)

#: As how many messages it counts to ask for all that was missed: the answer may be a hundred times as long.
COST_OF_SINCE = 15
RECHECK_EVERY = 60.0
#: How far a browser's acknowledgements may lag before its socket is closed.
MAX_LAG = 200
#: Cards whose time of sending is remembered.
REMEMBERED_CARDS = 8
PRESENCE_EVERY = 10.0
PRESENCE_LASTS = 25.0
#: Close codes of our own.
NOT_FOUND, SIGNED_OUT, TOO_SLOW = 4404, 4401, 4408


class TableConsumer(OrderedConsumer):
    """One browser at one table: player or spectator."""

    room: Room | None = None
    seat: int | None = None
    is_visible = True
    version = 0
    acked = 0
    #: The newest version of which it is stored that this player saw it.
    looked = -1
    #: Who the browser was last told is here.
    told_online: list[int] | None = None
    pinging: asyncio.Task[None] | None = None
    #: What this person wants to hear of the talk.
    ear = lines.Ear()

    async def connect(self) -> None:
        """Sit in the room of the match, or watch; continue from ``since`` if the browser has that version."""
        process.use_running_loop()
        service.start_writer()
        self.line = Line()
        self.taken_up = time.time()
        self.sent: dict[int, float] = {}
        self.sending = asyncio.Lock()
        user = self.scope.get("user")
        self.user_id: int | None = user.pk if user is not None and user.is_authenticated else None
        match_id = await in_thread(partial(_find, self.scope["url_route"]["kwargs"]["key"]))
        if match_id is None:
            await self.accept()
            await self.close(NOT_FOUND)
            return
        self.match_id = match_id
        await self.join(broadcast.group_of(match_id), broadcast.EVERYBODY)
        if self.user_id is not None:
            await self.join(f"user.{self.user_id}")
        await self.accept()
        # A few at a time: after a restart hundreds come at once, and whoever plays already must not wait for them.
        async with process.arrivals():
            await self._arrive()

    async def _arrive(self) -> None:
        process.sockets.add(self)
        stored = await in_thread(partial(_stored, self.match_id, self.user_id))
        if not stored.may_play:
            await self.close(SIGNED_OUT)
            return
        self.ear = stored.ear
        self.pinging = asyncio.ensure_future(self._ping())
        if stored.has_begun:
            await self._enter_room(stored)
        else:
            await self.compare({"roster": str(stored.roster)})
        session = self.scope.get("session")
        self.compare_soon(partial(_marks, self.match_id, self.user_id, session, self.ear, self.shown))

    async def _enter_room(self, stored: "Stored") -> None:
        room = await rooms.enter(self.match_id, self)
        self.room = room
        self.seat = room.table.seat_of(self.user_id)
        self.line.is_rated = room.table.is_rated
        # What was announced before this socket could hear it, others here may not have taken in yet.
        if room.table.roster < stored.roster:
            others = [watcher.table_reload({}) for watcher in room.watchers - {self}]
            await asyncio.gather(rooms.reopen(room), *others)
            self.seat = room.table.seat_of(self.user_id)
        since = _since(self.shown)
        roster = str(room.table.roster)
        if (
            since is not None
            and self.shown.get("roster", roster) == roster
            and 0 <= since <= room.table.version
            and room.steps_since(since, self.seat, self.language) is not None
        ):
            self.version = self.acked = self.looked = since
            await self.catch_up(is_live=False)
            self.told_online = sorted(room.online())
            await self.send_text(to_text({"t": "presence", "online": self.told_online}))
            await self._tell_waiting()
        else:
            await self.resync()
        if room.table.version < stored.version and await room.refill():
            timers.resume(room)
        self._tell_presence()
        timers.arm(room)

    async def gone(self) -> None:
        """Leave the room and everything else."""
        process.sockets.discard(self)
        if self.pinging is not None:
            self.pinging.cancel()
        if self.room is not None:
            rooms.leave(self.room, self)
            self._tell_presence()
            if not self.room.watchers:
                timers.close(self.room)
        if self.is_visible:
            await self._remember_look()

    # What the browser says.

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Read one message; what can't be read is answered and changes nothing."""
        received = time.monotonic()
        if not self.has_token(received):
            await self._reject(None, "rate", _("Too many messages at once. Slow down a little."))
            return
        if text_data is None or len(text_data) > MAX_MESSAGE:
            await self._reject(None, "malformed", _("This message can't be read."))
            return
        try:
            intent = intents.read(text_data)
        except ValueError:
            await self._reject(None, "malformed", _("This message can't be read."))
            return
        await self.handle(intent, received)

    async def handle(self, intent: intents.Intent, received: float) -> None:
        """Do what the browser says, which came at ``received`` on this process's clock."""
        if self.room is None:
            return
        match intent:
            case intents.MoveIntent():
                await self._move(intent)
            case intents.SlapIntent():
                await self._slap(intent, received)
            case intents.WhyIntent():
                await self._why(intent)
            case intents.Pong():
                self.line.pong_received(intent.n, received)
            case intents.Ack():
                self.acked = max(self.acked, min(intent.v, self.version))
            case intents.Since():
                if self.has_token(received, COST_OF_SINCE - 1):
                    await self.catch_up(since=intent.v)
                else:
                    await self._reject(None, "rate", _("Too many messages at once. Slow down a little."))
            case intents.Watch():
                pass  # cards are watched over a socket of their own
            case intents.Visible():
                self._looked(is_visible=intent.on)
                if not intent.on:
                    await self._remember_look()

    async def _move(self, intent: intents.MoveIntent) -> None:
        if self.seat is None:
            await self._reject(intent.id, "not_seated", _("You are watching this match."))
            return
        if intent.move == "slap" and self.room is not None and self.room.table.card is not None:
            await self._reject(intent.id, "malformed", _("A slap is sent as a slap, with its card."))
            return
        try:
            deed = service.move_deed(
                self.match_id,
                self.seat,
                intent.move,
                request_id=intent.id,
                seen_version=intent.v,
                player_id=self.user_id,
                largest_cap=0 if self.room is None else timers.largest_cap(self.room),
            )
        except service.Refused as refusal:
            await self._reject(intent.id, refusal.code, str(refusal))
            return
        self._answer_later(intent.id, service.submit(deed))

    async def _why(self, intent: intents.WhyIntent) -> None:
        """Name the rule that forbids a move, in the words of its refusal; no reason if it may be made.

        ``check`` decides by the asking seat's own view alone, so the answer tells nothing else.
        """
        reason: str | None = None
        if self.seat is None:
            reason = _("You are watching this match.")
        elif self.room is not None:
            try:
                self.room.table.state.check(self.seat, intent.move)
            except engine.IllegalMove as refusal:
                reason = str(refusal)
        await self.send_text(to_text({"t": "why", "id": intent.id, "reason": reason}))

    async def _slap(self, intent: intents.SlapIntent, received: float) -> None:
        room = self.room
        assert room is not None  # noqa: S101 - for the type checker: `receive` has looked
        sent = self.sent.get(intent.v)
        if self.seat is None:
            await self._reject(intent.id, "not_seated", _("You are watching this match."))
            return
        if sent is None:
            await self._reject(intent.id, "late", _("That card's time was over. It cost you nothing."))
            return
        if room.posts()[self.seat].taken_up > self.post.taken_up:
            # What this screen has shown and what the newer one has are not one measurement.
            self._take_up()
            reason = _("You have this table open elsewhere, too. This screen counts from the next card on.")
            await self._reject(intent.id, "elsewhere", reason)
            return
        measured = self.line.measure((received - sent) * 1000, intent.r)
        deed = service.PressDeed(
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
        self._answer_later(intent.id, service.submit(deed))

    def _looked(self, *, is_visible: bool) -> None:
        """The page came to the front, or went behind."""
        is_back = is_visible and not self.is_visible
        self.is_visible = is_visible
        if is_back:
            self._take_up()
        else:
            self._tell_presence()

    async def _remember_look(self) -> None:
        """Store up to where this player has seen the match, so that the next visit tells what came after it."""
        if self.room is None or self.seat is None or self.version <= self.looked:
            return
        self.looked = self.version
        try:
            await in_thread(partial(service.looked, self.match_id, self.scope.get("user"), self.version))
        except DatabaseError:
            log.exception("what a player has seen could not be stored; the next visit tells a little more")

    def _take_up(self) -> None:
        """From now on this of its player's sockets presents the cards."""
        self.taken_up = time.time()
        self._tell_presence()

    def _answer_later(self, request_id: str, answer: Any) -> None:
        """Answer when the deed is stored or refused; the browser's next message need not wait for it."""
        loop = asyncio.get_running_loop()

        def done(future: Any) -> None:
            if future.exception() is None and future.result().is_new:
                # The announced move carries its id and is the answer.
                return
            loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._answer(request_id, future)))

        answer.add_done_callback(done)

    async def _answer(self, request_id: str, answer: Any) -> None:
        error = answer.exception()
        if error is None:
            await self.send_text(to_text({"t": "ok", "id": request_id, "v": answer.result().version}))
        elif isinstance(error, service.Refused):
            await self._reject(request_id, error.code, str(error), error.version)
        else:
            await self._reject(request_id, "unavailable", _("Something went wrong. Nothing was lost; try again."))
            await self.resync()

    async def _reject(self, request_id: str | None, code: str, reason: str, version: int | None = None) -> None:
        await self.send_text(
            to_text(
                {
                    "t": "rejected",
                    "id": request_id,
                    "code": code,
                    "reason": reason,
                    "v": self.version if version is None else version,
                }
            )
        )

    # What the browser hears.

    async def send_text(self, text: str) -> None:
        """Send one message as it is; a socket that is gone is no fault."""
        try:
            await self.send(text_data=text)
        except Exception as error:
            log.debug("a message could not be sent: %r", error)

    async def catch_up(self, *, since: int | None = None, is_live: bool = True) -> None:
        """Send every version after the browser's, in order; the whole view if too many are missing.

        ``since`` is the browser's own word for its version. A card which is not sent as it comes (``is_live``),
        because the browser was away, counts as seen since this process knew it.
        """
        room = self.room
        if room is None:
            return
        async with self.sending:
            if since is not None:
                self.version = max(0, min(since, room.table.version))
            steps = room.steps_since(self.version, self.seat, self.language)
            if steps is None:
                await self._send_snapshot()
                return
            for step in steps:
                if step.verdict is not None:
                    await self.send_text(step.verdict)
                if step.shows_card:
                    # Seen on one screen is seen on all: a card sent again does not begin anew.
                    self.sent[step.version] = step.sent.setdefault(self.seat, time.monotonic() if is_live else step.at)
                    while len(self.sent) > REMEMBERED_CARDS:
                        del self.sent[min(self.sent)]
                self.version = step.version
                await self.send_text(step.messages[self.seat, self.language])
        if self.version - self.acked > MAX_LAG:
            await self.close(TOO_SLOW)

    async def resync(self) -> None:
        """Send the whole view."""
        if self.room is not None:
            async with self.sending:
                await self._send_snapshot()

    async def _send_snapshot(self) -> None:
        room = self.room
        if room is not None:
            # A card in it was shown before, or too late to be slapped: its sending is not remembered.
            self.version = self.acked = room.table.version
            self.told_online = None
            await self.send_text(room.snapshot_text(self.seat))

    @property
    def post(self) -> Post:
        """What the other processes must know of this socket, to judge slaps."""
        return Post(self.taken_up, self.line.cap, self.is_visible)

    async def table_moved(self, message: dict[str, Any]) -> None:
        """Moves were stored: bring the room up to them and this browser up to the room."""
        room = self.room
        if room is None:
            return
        before = room.table.version
        if not room.advance(
            message["first"], message["entries"], message["verdict"], message["clocks"], message["incidents"]
        ):
            if await room.refill():
                timers.resume(room)
        elif room.table.version > before:
            if message["process"] != process.ID:
                service.hear(room.match_id, message)
            room.due = message["due"]
            timers.card_shown(room)
            timers.arm(room)
        await self.catch_up()
        await self._see_turn()

    async def _see_turn(self) -> None:
        """A turn of days that begins before its player's eyes is seen: no push and no mail need tell of it."""
        room = self.room
        if room is None or self.seat is None or not self.is_visible or room.table.is_live:
            return
        asked = room.table.clocks[self.seat].asked_version
        if asked is not None and asked > self.looked:
            await self._remember_look()

    async def table_slapped(self, message: dict[str, Any]) -> None:
        """Somebody pressed: the next card waits for the verdict."""
        room = self.room
        if room is None:
            return
        if message["card"] == room.table.card:
            room.due = message["due"]
            room.pressed.update(message["seats"])
            timers.arm(room)
        # Also if it was judged at once, and another socket here has heard of that already.
        if self.seat in message["seats"]:
            # The hands of others are shown with the verdict, or they would tell when to press.
            await self.send_text(to_text({"t": "slapped", "v": message["card"], "seats": [self.seat]}))

    async def table_due(self, message: dict[str, Any]) -> None:
        """The next step has another time: somebody asked for the card, or the table waits for a player."""
        room = self.room
        if room is not None and message["v"] == room.table.version:
            room.due = message["due"]
            waiting = message["waiting"]
            room.waiting = waiting and Waiting(waiting[0], datetime.fromtimestamp(waiting[1], UTC))
            room.reading.waiting = room.waiting
            timers.arm(room)
            await self._tell_waiting()

    async def _tell_waiting(self) -> None:
        if self.room is not None:
            await self.send_text(to_text({"t": "waiting", "waiting": projection.waiting_to_json(self.room.waiting)}))

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """Somebody sat down or left, or the match began, ended, changed hands or goes on elsewhere."""
        room = self.room
        if room is None:
            await self.send_text(to_text({"t": "reload"}))
            return
        await rooms.reopen(room)
        self.seat = room.table.seat_of(self.user_id)
        await self.resync()
        timers.arm(room)

    async def table_ending(self, _message: dict[str, Any]) -> None:
        """Somebody has offered to end the match, or said no to it."""
        if self.seat is not None:
            await self.send_text(to_text({"t": "ending"}))

    async def table_presence(self, message: dict[str, Any]) -> None:
        """Who is at the table in another process, or here."""
        room = self.room
        if room is not None:
            if message["process"] != process.ID:
                if message["process"] not in room.presence:
                    # It does not know yet who is here.
                    self._tell_presence()
                posts = {seat: Post(*post) for seat, *post in message["posts"]}
                room.presence[message["process"]] = (posts, time.monotonic() + PRESENCE_LASTS)
            timers.presence_changed(room)
            online = sorted(room.online())
            if online != self.told_online:
                self.told_online = online
                await self.send_text(to_text({"t": "presence", "online": online}))

    async def table_talk(self, message: dict[str, Any]) -> None:
        """Somebody has said something."""
        line = message["line"]
        if self.ear.hears(line["author"]) and lines.is_for(line, self._status(), self.seat):
            is_own = line["author"] is not None and line["author"] == self.user_id
            words = str(PHRASES.get(line["phrase"], "")) or line["text"]
            shown = {name: line[name] for name in ("id", "seat", "name", "name_key", "phrase", "at")}
            await self.send_text(to_text({"t": "talk", "line": {**shown, "words": words, "is_own": is_own}}))

    async def table_talk_removed(self, message: dict[str, Any]) -> None:
        """A moderator has taken a line away."""
        await self.send_text(to_text({"t": "talk_removed", "id": message["line"]}))

    async def user_listen(self, _message: dict[str, Any]) -> None:
        """Whom this person wants to hear has changed."""
        self.ear = await in_thread(partial(lines.ear_of, self.user_id))
        await self.send_text(to_text({"t": "talk_again"}))

    def _status(self) -> str:
        return self.room.table.status if self.room is not None else Match.Status.OPEN

    async def user_signed_out(self, message: dict[str, Any]) -> None:
        """The session of this socket ended, or the account was closed."""
        session: SessionBase | None = self.scope.get("session")
        if message["session"] is None or (session is not None and session.session_key == message["session"]):
            await self.close(SIGNED_OUT)

    async def user_standing(self, _message: dict[str, Any]) -> None:
        """The moderators have decided something about this person: who may not play has no table."""
        if self.user_id is not None and not (await in_thread(partial(standing, self.user_id))).may_play:
            await self.close(SIGNED_OUT)

    async def say_restart(self) -> None:
        """This process ends: come back in a moment."""
        await self.send_text(to_text({"t": "restart"}))

    async def _stay_live(self) -> None:
        """Renew the spell in which a slow match is played live, while all its people look at it; or see it end."""
        room = self.room
        if room is None or self.seat is None or room.reading.match.live_until is None:
            return
        match = room.reading.match
        here = {seat for seat, post in room.posts().items() if post.is_visible}
        if here.issuperset(sitter.seat for sitter in room.table.sitters if sitter.player_id is not None):
            await in_thread(partial(service.stay_live, self.match_id))
        elif not match.is_played_live:
            # By what this process has read: everybody reads again, in case others know better.
            match.live_until = None
            broadcast.reload(self.match_id)
            broadcast.to_table(self.match_id, "ending")

    def _tell_presence(self) -> None:
        room = self.room
        if room is not None and self.seat is not None:
            room.told_presence = time.monotonic()
            posts = [[seat, *astuple(post)] for seat, post in sorted(room.posts_here().items())]
            broadcast.to_table(self.match_id, "presence", process=process.ID, posts=posts)

    async def _ping(self) -> None:
        """Measure the line, renew the lease on being here, and see whether the session still holds."""
        number = 0
        rechecked = time.monotonic()
        while True:
            number += 1
            self.line.ping_sent(number, time.monotonic())
            await self.send_text(to_text({"t": "ping", "n": number}))
            # Spread out: after a restart all browsers come at once, and would be pinged at once for ever.
            pause = 0.3 if number <= FIRST_PINGS else PING_EVERY
            await asyncio.sleep(pause * random.uniform(0.7, 1.3))  # noqa: S311 - a pause is no secret
            now = time.monotonic()
            is_due = self.room is not None and now - self.room.told_presence > PRESENCE_EVERY
            # The first pings tell what the line is like, which every process must know to judge slaps.
            if is_due or number == FIRST_PINGS:
                self._tell_presence()
                await self._stay_live()
            if self.user_id is not None and now - rechecked > RECHECK_EVERY:
                rechecked = now
                if self.is_visible:
                    await self._remember_look()
                try:
                    is_logged_in = await in_thread(partial(is_signed_in, self.scope["session"], self.user_id))
                except DatabaseError:
                    log.exception("whether a player is still logged in could not be seen; the next look will tell")
                    continue
                if not is_logged_in:
                    await self.close(SIGNED_OUT)
                    return


class Stored(NamedTuple):
    """What is stored of a match and of whoever comes to its table, read after their socket has joined its groups."""

    has_begun: bool
    version: int
    roster: int
    ear: lines.Ear
    may_play: bool


def _find(key: str) -> int | None:
    """The match of that key."""
    return Match.objects.filter(key=key).values_list("pk", flat=True).first()


def _stored(match_id: int, user_id: int | None) -> Stored:
    """What the table begins with: one thread's work for all of it."""
    started_at, version, roster = Match.objects.values_list("started_at", "version", "roster").get(pk=match_id)
    return Stored(started_at is not None, version, roster, lines.ear_of(user_id), standing(user_id).may_play)


def _marks(
    match_id: int, user_id: int | None, session: SessionBase | None, ear: lines.Ear, shown: Mapping[str, str]
) -> dict[str, str] | None:
    """The marks of all that the page shows beside the table; None if the session has ended."""
    if not is_signed_in(session, user_id):
        return None
    marks = {"news": state.mark()}
    if "talk" in shown or "ending" in shown:
        match = Match.objects.only("status", "clock", "live_until").prefetch_related("seats").get(pk=match_id)
        user = None if user_id is None else User(pk=user_id)
        marks["talk"] = lines.mark_now(match, user, ear, shown.get("talk", ""))
        marks["ending"] = end_offers.context_of(match, user)["mark"]
    return marks


def _since(shown: Mapping[str, str]) -> int | None:
    """The version that the browser says it has."""
    value = shown.get("since", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
