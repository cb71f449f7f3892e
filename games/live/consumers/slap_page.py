"""The socket of a player who watches a slap point: one card at a time, each at most once.

It sends the same messages as the table's socket, so one page shows both. Cards ahead of the cursor stay in this
process, and the database records that a card is shown before it is sent.
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
from games.matches.slap_points.models import SlapPoint
from games.realtime import intents, process
from games.realtime.consumer import TRY_AGAIN
from games.realtime.process import in_thread, to_text
from games.table import messages, slap_view

log = logging.getLogger(__name__)

#: Shortest and longest time that a card lies open, in ms; the same for slappable cards and others.
WINDOW = (1100, 1700)
#: How long a collected hand is shown before the next card, in ms.
HANDED_OVER = 700
#: Cards that a press may still be meant for: the open one, and on a slow connection the one before it.
REMEMBERED = 2


class SlapPageConsumer(MatchConsumer):
    """One browser on the watch page of a match."""

    scene: slap_view.Scene | None = None
    #: This socket's session id while it shows cards; otherwise empty.
    session = ""
    streaming: "asyncio.Task[None] | None" = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.looking = asyncio.Lock()
        self.storing = asyncio.Lock()
        #: When each card was sent, in seconds on this process's clock, and its window in ms.
        self.open: dict[int, tuple[float, float]] = {}
        #: Presses whose result has not been sent yet; None while one is being stored.
        self.pressed: dict[int, SlapAttempt | None] = {}

    @property
    def has_slaps(self) -> bool:
        """Whether slaps are judged with this connection's latency."""
        return True

    async def enter(self, stored: Stored) -> None:
        """Send the state of the slap point."""
        if not stored.has_begun:
            await self.turn_away_early()
        await self._look()

    async def clean_up(self) -> None:
        """Void the open card."""
        self._stop_streaming()
        await super().clean_up()
        await self._end_session()

    def status(self) -> str:
        """The match's status as last sent to this page."""
        return super().status() if self.scene is None else self.scene.projected.match.status

    # Messages from the browser.

    async def handle(self, intent: intents.Intent, received: float) -> None:
        """Handle a start, a slap or a pong; this page accepts nothing else."""
        match intent:
            case intents.Watch():
                await self._begin()
            case intents.SlapIntent():
                await self._press(intent, received)
            case intents.Pong():
                self.latency.pong_received(intent.n, received)
            case intents.Since():
                await self.resync()
            case intents.MoveIntent() | intents.WhyIntent():
                await self.reject(intent.id, "watch", _("You only watch cards here. Make your choices at the table."))

    async def _begin(self) -> None:
        """Start showing the cards, on this device only."""
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
            # Another device may have shown some of them since this page was rendered.
            self.scene = await in_thread(partial(slap_view.load, self.match_id, self.user_id))
            if self.scene.point is None or (self.scene.point.pk, self.scene.cursor) != (begun.point_id, begun.cursor):
                await self.close(TRY_AGAIN)
                return
            await self.send_text(to_text(self.scene.snapshot()))
            await self._send_state()
        self.streaming = self.run_alongside(self._show(self.scene))

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
        measured = self.latency.measure((received - sent) * 1000, intent.r)
        # Neither the next card nor a delay may reveal that this card was slappable, so each card keeps its own time.
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

    # Messages to the browser.

    async def _show(self, scene: slap_view.Scene) -> None:
        """Show the rest of the segment card by card, then record its end."""
        try:
            pause = random.uniform(*WINDOW)  # noqa: S311 - a rhythm is no secret
            while not scene.is_all_shown:
                await asyncio.sleep(pause / 1000)
                if not await self._show_next(scene):
                    return
                pause = self.open[scene.version][1] if scene.version in self.open else HANDED_OVER
            # A press that was in time may still be on its way.
            await asyncio.sleep((pause + self.latency.cap) / 1000)
            async with self.storing:
                await self._send_wrong_slap()
            await self._end_session()
            await self._look()
        except asyncio.CancelledError:
            raise
        except Exception:  # whatever failed, the page starts over
            log.exception("match %s: showing the cards failed", scene.projected.match.key)
            await self.close(TRY_AGAIN)

    async def _show_next(self, scene: slap_view.Scene) -> bool:
        """Show one move. False if this socket may not: another device does, or the point is settled."""
        point = scene.point
        if point is None or not await in_thread(partial(service.show_move, point.pk, self.session, scene.cursor + 1)):
            self.session = ""
            await self._look()
            return False
        await self._send_wrong_slap()
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

    async def _send_wrong_slap(self) -> None:
        """Send the result of wrong slaps with the next card, as for right ones."""
        for version in sorted(self.pressed):
            attempt = self.pressed[version]
            if attempt is None:
                continue
            del self.pressed[version]
            if attempt.result == SlapAttempt.Result.WRONG:
                slaps = [verdicts.row(attempt, attempt.result)]
                await self.send_text(to_text(messages.Verdict(t="verdict", v=version, by_mail="burns", slaps=slaps)))

    async def _end_session(self) -> None:
        """Stop showing cards, because all were shown or the connection is lost."""
        session, self.session = self.session, ""
        if not session or self.scene is None or self.seat is None:
            return
        # A press in time must be stored before its player counts as finished.
        async with self.storing:
            if self.scene.is_all_shown:
                await in_thread(partial(service.finish_watch, self.match_id, self.seat, session))
            else:
                await in_thread(partial(service.lose_watch, self.match_id, session))

    async def _look(self) -> None:
        """Send the current state, unless this socket is showing cards."""
        async with self.looking:
            if self.session:
                return
            self.open.clear()
            before = self.scene
            scene = await in_thread(partial(slap_view.load, self.match_id, self.user_id))
            self.seat = scene.seat
            self.latency.is_rated = scene.projected.table.is_rated
            if before is not None and before.point is not None and before.point != scene.point:
                await self._send_settled(before, scene)
            elif (
                before is None or before.cursor != scene.cursor or scene.projected.match.status != Match.Status.RUNNING
            ):
                await self.send_text(to_text(scene.snapshot()))
            self.scene = scene
            self.version = scene.version
            await self._send_state()

    async def _send_state(self) -> None:
        if self.scene is not None:
            told = await in_thread(partial(slap_view.standing, self.scene, self.session))
            # If no player is left to wait for, the point is being settled at this moment.
            if told.state != "seen" or told.waits:
                await self.send_text(to_text(told.to_json()))

    async def _send_settled(self, before: slap_view.Scene, now: slap_view.Scene) -> None:
        """Send the verdict and all moves not shown to this viewer: the point is settled, or the match over."""
        settled = SlapPoint.objects.filter(match=self.match_id, version=before.begin_version, verdict__isnull=False)
        verdict = await in_thread(settled.values_list("verdict", flat=True).first)
        if verdict is not None:
            await self.send_text(to_text({"t": "verdict", **verdict}))
        entries, _due, _clocks = await in_thread(partial(read_entries, self.match_id, before.version))
        for message in before.follow(entries):
            await self.send_text(to_text(message))
        if before.version != now.version or now.projected.match.status != Match.Status.RUNNING:
            await self.send_text(to_text(now.snapshot()))

    async def resync(self) -> None:
        """Send everything this viewer may see, after a fault or a gap."""
        if self.scene is not None:
            async with self.looking:
                await self.send_text(to_text(self.scene.snapshot()))
                await self._send_state()

    async def table_moved(self, message: dict[str, Any]) -> None:
        """Handle stored moves: the slap point is settled, or a player has chosen."""
        if message["process"] != process.ID:
            service.apply_remote_commit(self.match_id, message)
        await self._changed()

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """Update the page after a player has watched or left, or the match has ended."""
        await self._changed()

    async def _changed(self) -> None:
        if self.scene is None:
            return
        if self.session and await in_thread(partial(service.is_at_slap_point, self.match_id)):
            # A player who is being shown cards goes on, and learns meanwhile which players are still missing.
            async with self.looking:
                await self._send_state()
            return
        if self.session:
            # The match is over, or the point was settled without this player.
            self._stop_streaming()
            self.session = ""
        await self._look()
