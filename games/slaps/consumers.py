"""The practice room's socket: one card at a time, each press measured as at a table."""

import asyncio
import logging
import random
import time
from functools import partial
from typing import Any

import msgspec
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from games.judging.latency import LatencyMeter
from games.judging.timing import JITTER
from games.realtime import intents, process
from games.realtime.consumer import FIRST_PINGS, MAX_MESSAGE, PING_EVERY, TRY_AGAIN, OrderedConsumer
from games.realtime.process import in_thread, to_text
from games.slaps import practice

log = logging.getLogger(__name__)

#: Seconds before the first card, and after the last.
BREATH = 1.5


class Begin(msgspec.Struct, tag_field="t", tag="begin"):
    """Start a run; an unfinished one is discarded."""


_decoder = msgspec.json.Decoder(
    Begin | intents.SlapIntent | intents.Pong | intents.Visible | intents.Ack | intents.Since
)


class PracticeConsumer(OrderedConsumer):
    """One person's practice; finished runs are stored, for guests and members."""

    run: practice.Run | None = None
    running: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Measure latency from the first moment."""
        process.use_running_loop()
        self.latency = LatencyMeter(wire=self.scope.get("wire"))
        self.sent_at = 0.0
        user = self.scope.get("user")
        self.user_id: int | None = user.pk if user is not None and user.is_authenticated else None
        await self.accept()
        process.sockets.add(self)
        self.run_alongside(self._ping())

    async def clean_up(self) -> None:
        """Discard an unfinished run."""
        process.sockets.discard(self)
        self._stop()

    async def resync(self) -> None:
        """End the run after a fault; the player may start another."""
        self._stop()
        await self._say({"t": "stopped", "reason": _("Something went wrong. Start again.")})

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle one message; ignore unreadable ones, and those beyond the rate limit."""
        received = time.monotonic()
        if not self.has_token(received) or text_data is None or len(text_data) > MAX_MESSAGE:
            return
        try:
            intent = _decoder.decode(text_data)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return
        match intent:
            case Begin():
                self._stop()
                self.running = self.run_alongside(self._play())
            case intents.SlapIntent():
                await self._press(intent, received)
            case intents.Pong():
                self.latency.pong_received(intent.n, received)
            case intents.Visible(on=False) if self.running is not None:
                self._stop()
                await self._say({"t": "stopped", "reason": _("You left the page, so the run stopped.")})

    async def say_restart(self) -> None:
        """Ask the browser to reconnect because this process is ending."""
        await self._say({"t": "restart"})
        await self.close(TRY_AGAIN)

    async def _play(self) -> None:
        try:
            await self._run()
        except Exception:  # whatever failed, the page can begin another run
            log.exception("a practice run failed")
            self.running = None
            await self.resync()

    async def _run(self) -> None:
        """One run from its first card to its figures."""
        run = practice.Run(random.SystemRandom())
        self.run = run
        await self._say({"t": "began", "cards": practice.CARDS_A_RUN})
        await asyncio.sleep(BREATH)
        for _number in range(practice.CARDS_A_RUN):
            card = run.show()
            message = to_text({"t": "card", "v": run.shown, "pile": run.pile[-5:], "card": card})
            self.sent_at = time.monotonic()
            await self.send(text_data=message)
            # The same for every card, as at a table: the wait reveals nothing.
            pause = practice.window() + self.latency.cap + random.uniform(0, JITTER)  # noqa: S311 - a pause is no secret
            await asyncio.sleep(pause / 1000)
        run.close()
        self.run = None
        if self.user_id is not None:
            await in_thread(partial(practice.keep, self.user_id, run, self.latency.ping))
        await self._say(await in_thread(partial(_figures, self.user_id, run)))
        self.running = None

    async def _press(self, intent: intents.SlapIntent, received: float) -> None:
        run = self.run
        if run is None:
            return
        if intent.v != run.shown:
            reason = _("Too late for that card. It cost you nothing.")
            await self._say({"t": "rejected", "code": "late", "reason": reason})
            return
        row = run.press(self.latency.measure((received - self.sent_at) * 1000, intent.r))
        if row is None:
            return
        if row["result"] == "early":
            reason = _("Too early for this card. It cost you nothing.")
            await self._say({"t": "rejected", "code": "early", "reason": reason})
        else:
            await self._say({"t": "verdict", "v": run.shown, "slaps": [row]})

    def _stop(self) -> None:
        self.run = None
        if self.running is not None:
            self.running.cancel()
            self.running = None

    async def _say(self, message: dict[str, Any]) -> None:
        await self.send(text_data=to_text(message))

    async def _ping(self) -> None:
        """Measure latency."""
        number = 0
        while True:
            number += 1
            self.latency.ping_sent(number, time.monotonic())
            await self._say({"t": "ping", "n": number})
            await asyncio.sleep(0.3 if number <= FIRST_PINGS else PING_EVERY)


def _figures(user_id: int | None, run: practice.Run) -> dict[str, Any]:
    """The results of a run, with the history of players who have one."""
    runs = practice.history(user_id) if user_id is not None else []
    now = practice.Hand(tuple(run.reactions), run.missed, run.wrong)
    hand = practice.hand_of(runs[: practice.JUDGED]) if runs else now
    return {
        "t": "done",
        # Stripped, it is plain text, which the messages are built from.
        "html": render_to_string("slaps/results.html", {"now": now, "runs": runs}).strip(),
        "shares": practice.shares(hand),
        "closest": practice.closest(practice.shares(hand)),
    }
