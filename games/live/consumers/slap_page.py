"""The socket of a player who watches a slap point: one card at a time, each at most once.

It speaks as the table's socket does, so the same page shows both. What lies ahead of the cursor stays in this
process, and before a card is sent the database says that it was.
"""

import asyncio
import logging
import random
import time
import uuid
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from games.judging import verdicts
from games.live.consumers.match_page import MatchConsumer, Stored
from games.live.rooms import read_entries
from games.matches import service
from games.matches.live_match import FLIP
from games.matches.models import Match, SlapAttempt
from games.matches.slap_points import commands
from games.matches.slap_points.models import SlapPoint
from games.realtime import intents, process
from games.realtime.consumer import TRY_AGAIN
from games.realtime.process import in_thread, to_text
from games.table import messages, slap_view

log = logging.getLogger(__name__)

#: How long a card lies open before the next one comes, from and to, in ms: slappable ones no longer than others.
WINDOW = (1100, 1700)
#: How long a hand that falls is seen before the next card, in ms.
HANDED_OVER = 700
#: Cards that a press may still be meant for: the one that lies open, and the one before it on a slow line.
REMEMBERED = 2


class SlapPageConsumer(MatchConsumer):
    """One browser on the watch page of a match."""

    scene: slap_view.Scene | None = None
    #: The name of this socket's watching while it shows cards; empty else.
    session = ""
    streaming: "asyncio.Task[None] | None" = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.looking = asyncio.Lock()
        self.storing = asyncio.Lock()
        #: When each card was sent, in seconds on this process's clock, and its window in ms.
        self.open: dict[int, tuple[float, float]] = {}
        #: The presses that are not told of yet; None while one is stored.
        self.pressed: dict[int, SlapAttempt | None] = {}

    @property
    def has_slaps(self) -> bool:
        """Whether slaps are judged by what this line takes."""
        return True

    async def enter(self, stored: Stored) -> None:
        """Show how things stand."""
        if not stored.has_begun:
            await self.turn_away_early()
        await self._look()

    async def gone(self) -> None:
        """The card that lies open is void."""
        self._stop_streaming()
        await super().gone()
        await self._end_session()

    def status(self) -> str:
        """The status of the match, as this page was last shown it."""
        return super().status() if self.scene is None else self.scene.reading.match.status

    # What the browser says.

    async def handle(self, intent: intents.Intent, received: float) -> None:
        """Begin, slap, answer a ping; there is nothing else to do here."""
        match intent:
            case intents.Watch():
                await self._begin()
            case intents.SlapIntent():
                await self._press(intent, received)
            case intents.Pong():
                self.line.pong_received(intent.n, received)
            case intents.Since():
                await self.resync()
            case intents.MoveIntent() | intents.WhyIntent():
                await self.reject(intent.id, "watch", _("You only watch cards here. Make your choices at the table."))

    async def _begin(self) -> None:
        """Show the cards from here on, on this device and on no other."""
        if self.seat is None or self.session:
            return
        session = uuid.uuid4().hex
        try:
            begun = await in_thread(partial(service.begin_watch, self.match_id, self.seat, session))
        except service.Refused as refusal:
            await self.reject(None, refusal.code, str(refusal))
            begun = None
        if begun is None:
            await self._look()
            return
        self.session = session
        async with self.looking:
            # Another device may have shown some of them since this page was made.
            self.scene = await in_thread(partial(slap_view.load, self.match_id, self.user_id))
            if self.scene.point is None or (self.scene.point.pk, self.scene.cursor) != (begun.point_id, begun.cursor):
                await self.close(TRY_AGAIN)
                return
            await self.send_text(to_text(self.scene.snapshot()))
            await self._tell()
        self.streaming = self.beside(self._show(self.scene))

    def _stop_streaming(self) -> None:
        streaming, self.streaming = self.streaming, None
        if streaming is not None:
            streaming.cancel()

    async def _press(self, intent: intents.SlapIntent, received: float) -> None:
        scene, session = self.scene, self.session
        if self.seat is None or scene is None:
            await self.reject(intent.id, "not_seated", _("You're watching this match."))
            return
        if not session or intent.v not in self.open:
            await self.reject(intent.id, "late", _("Too late for that card. It cost you nothing."))
            return
        sent, window = self.open[intent.v]
        measured = self.line.measure((received - sent) * 1000, intent.r)
        # Neither the next card nor its absence may say that this one was to be slapped: its time is its own.
        if measured.reaction > window:
            await self.reject(intent.id, "late", _("Too late for that card. It cost you nothing."))
            return
        if intent.v in self.pressed or not scene.may_slap():
            await self.reject(intent.id, "illegal", _("You can't slap this card."))
            return
        command = service.RecordPress(
            self.match_id,
            seat=self.seat,
            card=intent.v,
            elapsed=measured.elapsed,
            claimed=measured.claimed,
            ping=measured.ping,
            cap=measured.cap,
            player_id=self.user_id,
            session=session,
        )
        self.pressed[intent.v] = None
        async with self.storing:
            try:
                await asyncio.wrap_future(service.submit(command))
            except service.Refused as refusal:
                if refusal.code == "early":
                    del self.pressed[intent.v]
                await self.reject(intent.id, refusal.code, str(refusal))
                return
        self.pressed[intent.v] = command.attempt
        if not scene.is_right(intent.v):
            scene.note_wrong([intent.v])
        await self.send_text(to_text(messages.Accepted(t="ok", id=intent.id, v=intent.v)))

    # What the browser hears.

    async def _show(self, scene: slap_view.Scene) -> None:
        """Show what is left of the segment, card by card, and note the end of it."""
        try:
            pause = random.uniform(*WINDOW)  # noqa: S311 - a rhythm is no secret
            while not scene.is_all_shown:
                await asyncio.sleep(pause / 1000)
                if not await self._show_next(scene):
                    return
                pause = self.open[scene.version][1] if scene.version in self.open else HANDED_OVER
            # A press that was in time may still be on its way.
            await asyncio.sleep((pause + self.line.cap) / 1000)
            async with self.storing:
                await self._tell_wrong()
            await self._end_session()
            await self._look()
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("match %s: the cards could not be shown on", scene.reading.match.key)
            await self.close(TRY_AGAIN)

    async def _show_next(self, scene: slap_view.Scene) -> bool:
        """Show one move. False if this socket is not to show it: another device does, or the point is settled."""
        point = scene.point
        if point is None or not await in_thread(partial(commands.advance, point.pk, self.session, scene.cursor + 1)):
            self.session = ""
            await self._look()
            return False
        await self._tell_wrong()
        is_card = scene.segment.moves[scene.cursor][1] == FLIP
        text = to_text(scene.step())
        if is_card:
            window = random.uniform(*WINDOW)  # noqa: S311 - a rhythm is no secret
            self.open[scene.version] = (time.monotonic(), window)
            while len(self.open) > REMEMBERED:
                del self.open[min(self.open)]
        self.version = scene.version
        await self.send_text(text)
        return True

    async def _tell_wrong(self) -> None:
        """What the player slapped in vain, told with the next card, as a right slap would be."""
        for version in sorted(self.pressed):
            attempt = self.pressed[version]
            if attempt is None:
                continue
            del self.pressed[version]
            if attempt.result == SlapAttempt.Result.WRONG:
                slaps = [verdicts.row(attempt, attempt.result)]
                await self.send_text(to_text(messages.Verdict(t="verdict", v=version, by_mail="burns", slaps=slaps)))

    async def _end_session(self) -> None:
        """This socket shows no more cards: all have been shown, or the line is lost."""
        session, self.session = self.session, ""
        if not session or self.scene is None or self.seat is None:
            return
        # A press that came in time is stored before its player counts as finished.
        async with self.storing:
            if self.scene.is_all_shown:
                await in_thread(partial(service.finish_watch, self.match_id, self.seat, session))
            else:
                await in_thread(partial(service.lose_watch, self.match_id, session))

    async def _look(self) -> None:
        """Show how things stand now; nothing while this socket shows cards."""
        async with self.looking:
            if self.session:
                return
            self.open.clear()
            before = self.scene
            scene = await in_thread(partial(slap_view.load, self.match_id, self.user_id))
            self.seat = scene.seat
            self.line.is_rated = scene.reading.table.is_rated
            if before is not None and before.point is not None and before.point != scene.point:
                await self._tell_settled(before, scene)
            elif before is None or before.cursor != scene.cursor or scene.reading.match.status != Match.Status.RUNNING:
                await self.send_text(to_text(scene.snapshot()))
            self.scene = scene
            self.version = scene.version
            await self._tell()

    async def _tell(self) -> None:
        if self.scene is not None:
            told = await in_thread(partial(slap_view.standing, self.scene, self.session))
            # With no player left to wait for, the point is being settled this moment.
            if told.state != "seen" or told.waits:
                await self.send_text(to_text(told.to_json()))

    async def _tell_settled(self, before: slap_view.Scene, now: slap_view.Scene) -> None:
        """The point is settled, or the match over: the verdict, and every move that this viewer has not been shown."""
        settled = SlapPoint.objects.filter(match=self.match_id, version=before.begin_version, verdict__isnull=False)
        verdict = await in_thread(settled.values_list("verdict", flat=True).first)
        if verdict is not None:
            await self.send_text(to_text({"t": "verdict", **verdict}))
        entries, _due, _clocks = await in_thread(partial(read_entries, self.match_id, before.version))
        for message in before.follow(entries):
            await self.send_text(to_text(message))
        if before.version != now.version or now.reading.match.status != Match.Status.RUNNING:
            await self.send_text(to_text(now.snapshot()))

    async def resync(self) -> None:
        """Send everything that may be seen, after a fault or a hole."""
        if self.scene is not None:
            async with self.looking:
                await self.send_text(to_text(self.scene.snapshot()))
                await self._tell()

    async def table_moved(self, message: dict[str, Any]) -> None:
        """Moves were stored: the slap point is settled, or a player has chosen."""
        if message["process"] != process.ID:
            service.apply_remote_commit(self.match_id, message)
        await self._changed()

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """A player has watched, or gone, or the match is over."""
        await self._changed()

    async def _changed(self) -> None:
        if self.scene is None:
            return
        if self.session and await in_thread(partial(commands.is_open, self.match_id)):
            # A player who is shown cards sees them through, and hears meanwhile who is still to come.
            async with self.looking:
                await self._tell()
            return
        if self.session:
            # The match is over, or the point was settled without this player.
            self._stop_streaming()
            self.session = ""
        await self._look()
