"""What the sockets of all match pages share: presence, messages, pings and chat."""

import asyncio
import logging
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn

from channels.exceptions import StopConsumer
from django.contrib.sessions.backends.base import SessionBase
from django.db import DatabaseError
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.moderation.restrictions import restrictions_of, restrictions_of_all
from accounts.sessions import signed_in
from games.chat import lines
from games.chat.phrases import PHRASES
from games.judging.latency import LatencyMeter
from games.lobby import end_offers
from games.matches import service
from games.matches.models import Match
from games.realtime import broadcast, intents, log_context, process
from games.realtime.consumer import FIRST_PINGS, MAX_MESSAGE, PING_EVERY, TRY_AGAIN, OrderedConsumer
from games.realtime.process import in_thread, to_text
from games.realtime.together import Together
from games.site_status import state
from games.table import messages

log = logging.getLogger(__name__)

RECHECK_EVERY = 60.0
#: Where no slap depends on latency: the factor on the time between pings (``connect.js`` gives up after 15 s of
#: silence), and what is sent instead of one. An answer to it would cost more than the message itself.
CALM = 2
ALIVE = to_text(messages.Signal(t="alive"))
#: Close codes of our own.
NOT_FOUND, SIGNED_OUT = 4404, 4401


class MatchConsumer(OrderedConsumer, ABC):
    """One browser's connection to a page of a match; subclasses decide how it is entered and what it handles."""

    match_id: int
    user_id: int | None
    #: The player's seat; None for a spectator.
    seat: int | None = None
    #: The newest version that the browser has been shown.
    version = 0
    #: Which chat messages this person wants to see.
    chat_filter = lines.ChatFilter()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.latency = LatencyMeter()

    async def connect(self) -> None:
        """Accept the socket if the match exists and the person may see it."""
        process.use_running_loop()
        service.start_writer()
        self.latency.wire = self.scope.get("wire")
        user = self.scope.get("user")
        self.user_id = user.pk if user is not None and user.is_authenticated else None
        key = self.scope["url_route"]["kwargs"]["key"]
        match_id = await finding((key, self.user_id))
        if match_id is None:
            await self.accept()
            await self.turn_away(NOT_FOUND)
        self.match_id = match_id
        log_context.bind(match=key, user=self.user_id)
        await self.join(broadcast.group_of(match_id), broadcast.EVERYBODY)
        if self.user_id is not None:
            await self.join(f"user.{self.user_id}")
        await self.accept()
        process.sockets.add(self)
        stored = await reading_stored((match_id, self.user_id))
        if stored is None:
            await self.turn_away(NOT_FOUND)
        if not stored.may_play:
            await self.turn_away(SIGNED_OUT)
        self.chat_filter = stored.chat_filter
        # A few at a time: after a restart hundreds connect at once, and running tables must not wait for them.
        async with process.arrivals():
            await self.enter(stored)
        if not self.has_slaps:
            self.latency.wire = None  # no slap is judged by it, and measuring it takes two more frames for each ping
        self.run_alongside(self._ping())
        self.compare_soon(reading_marks(Page(match_id, self.user_id, self._session_key, self.chat_filter, self.shown)))

    @abstractmethod
    async def enter(self, stored: "Stored") -> None:
        """Send the page its initial state."""

    async def turn_away(self, code: int) -> NoReturn:
        """Close a socket that may not be here."""
        await self.close(code)
        raise StopConsumer

    async def turn_away_early(self) -> NoReturn:
        """Make the page reload because the match has not begun."""
        await self.send_text(to_text(messages.Signal(t="reload")))
        await self.turn_away(TRY_AGAIN)

    async def clean_up(self) -> None:
        """Forget this socket."""
        process.sockets.discard(self)

    # Messages from the browser.

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Parse and handle one message; an unreadable one is answered and changes nothing."""
        received = time.monotonic()
        if not self.has_token(received):
            await self.slow_down(received)
            return
        if text_data is None or len(text_data) > MAX_MESSAGE:
            await self.reject(None, "malformed", _("We couldn't read this message."))
            return
        try:
            intent = intents.read(text_data)
        except ValueError:
            await self.reject(None, "malformed", _("We couldn't read this message."))
            return
        await self.handle(intent, received)

    async def handle(self, intent: intents.Intent, received: float) -> None:
        """Handle one message, received at ``received`` on this process's clock."""

    async def slow_down(self, received: float) -> None:
        """Refuse a message because too many have come."""
        if self.may_warn(received):
            await self.reject(None, "rate", _("Too many messages at once. Slow down a little."))

    async def reject(self, request_id: str | None, code: str, reason: str, version: int | None = None) -> None:
        """Refuse the command with this request id."""
        await self.send_text(
            to_text(
                messages.Rejected(
                    t="rejected",
                    id=request_id,
                    code=code,
                    reason=reason,
                    v=self.version if version is None else version,
                )
            )
        )

    # Messages to the browser.

    async def send_text(self, text: str) -> None:
        """Send one message unchanged; ignore a socket that has closed."""
        try:
            await self.send(text_data=text)
        except Exception as error:
            log.debug("a message could not be sent: %r", error)

    async def say_restart(self) -> None:
        """Ask the browser to reconnect soon because this process is ending."""
        await self.send_text(to_text(messages.Signal(t="restart")))
        await self.close(TRY_AGAIN)

    async def table_moved(self, _message: dict[str, Any]) -> None:
        """Handle stored moves; by default a page ignores them."""

    async def table_slapped(self, _message: dict[str, Any]) -> None:
        """Handle a stored slap; by default a page ignores it."""

    async def table_due(self, _message: dict[str, Any]) -> None:
        """Handle a new time for the next step; by default a page ignores it."""

    async def table_presence(self, _message: dict[str, Any]) -> None:
        """Handle a change of presence; by default a page ignores it."""

    async def table_reload(self, _message: dict[str, Any]) -> None:
        """Make the page reload because seats or the match's status have changed."""
        await self.send_text(to_text(messages.Signal(t="reload")))

    async def table_ending(self, _message: dict[str, Any]) -> None:
        """Tell the page that a player offered to end the match, or declined."""
        if self.seat is not None:
            await self.send_text(to_text(messages.Signal(t="ending")))

    async def table_talk(self, message: dict[str, Any]) -> None:
        """Send a new chat message."""
        line = message["line"]
        if self.chat_filter.shows(line["author"]) and lines.is_for(line, self.status(), self.seat):
            is_own = line["author"] is not None and line["author"] == self.user_id
            words = str(PHRASES.get(line["phrase"], "")) or line["text"]
            shown = messages.TalkLine(
                id=line["id"],
                seat=line["seat"],
                name=line["name"],
                name_key=line["name_key"],
                phrase=line["phrase"],
                at=line["at"],
                words=words,
                is_own=is_own,
            )
            await self.send_text(to_text(messages.Talk(t="talk", line=shown)))

    async def table_talk_removed(self, message: dict[str, Any]) -> None:
        """Remove a chat message that a moderator has deleted."""
        await self.send_text(to_text(messages.TalkRemoved(t="talk_removed", id=message["line"])))

    @property
    def has_slaps(self) -> bool:
        """Whether slaps are judged with this connection's latency."""
        return False

    def status(self) -> str:
        """The status of the match, as far as this socket knows."""
        return Match.Status.OPEN

    async def user_listen(self, _message: dict[str, Any]) -> None:
        """Apply a change of this person's mutes and blocks."""
        self.chat_filter = await in_thread(partial(lines.chat_filter_of, self.user_id))
        await self.send_text(to_text(messages.Signal(t="talk_again")))

    async def user_signed_out(self, message: dict[str, Any]) -> None:
        """Close the socket because its session ended or the account was closed."""
        if message["session"] is None or message["session"] == self._session_key:
            await self.close(SIGNED_OUT)

    @property
    def _session_key(self) -> str | None:
        session: SessionBase | None = self.scope.get("session")
        return None if session is None else session.session_key

    async def user_standing(self, _message: dict[str, Any]) -> None:
        """Apply a moderators' decision: a player who may not play is sent away from the table."""
        if self.user_id is not None and not (await in_thread(partial(restrictions_of, self.user_id))).may_play:
            await self.close(SIGNED_OUT)

    # Regular work.

    async def _ping(self) -> None:
        """Ping the page where slaps depend on its latency; elsewhere only end a silence, so it knows the line is there.

        Then do the page's regular work, and check now and then that the session is still valid.
        """
        number = 0
        rechecked = time.monotonic()
        while True:
            number += 1
            silence = 0.0 if self.has_slaps else time.monotonic() - self.sent_at
            pause = PING_EVERY * (1 if self.has_slaps else CALM)
            if self.has_slaps and number <= FIRST_PINGS:
                pause = 0.3
            # Random pauses, because browsers that all reconnect after a restart would otherwise be pinged together.
            pause *= random.uniform(0.7, 1.3)  # noqa: S311 - a pause is no secret
            if self.has_slaps:
                self.latency.ping_sent(number, time.monotonic())
                await self.send_text(to_text(messages.Ping(t="ping", n=number)))
            elif silence >= pause:
                await self.send_text(ALIVE)
                silence = 0.0
            await asyncio.sleep(pause - silence)
            await self.look_after(number)
            if self.user_id is not None and time.monotonic() - rechecked > RECHECK_EVERY:
                rechecked = time.monotonic()
                if not await self.recheck():
                    await self.close(SIGNED_OUT)
                    return

    async def look_after(self, number: int) -> None:
        """Do this page's regular work; called every few seconds, with a number from 1."""

    async def recheck(self) -> bool:
        """Check that the player is still logged in."""
        try:
            return await rechecking((self._session_key, self.user_id))
        except DatabaseError:
            log.exception("could not check whether a player is still logged in; trying again later")
            return True


class Stored(NamedTuple):
    """What a socket needs to know of a match and its visitor; read after the socket has joined its groups."""

    has_begun: bool
    version: int
    seating_epoch: int
    chat_filter: lines.ChatFilter
    may_play: bool


class Page(NamedTuple):
    """A page of a match, with the marks of what it shows."""

    match_id: int
    user_id: int | None
    session_key: str | None
    chat_filter: lines.ChatFilter
    shown: Mapping[str, str]


def find(asked: Sequence[tuple[str, int | None]]) -> list[int | None]:
    """The match with each key, for the person who looks for it; only its own player finds a lesson."""
    rows = Match.objects.filter(key__in={key for key, _user_id in asked}).values_list("key", "pk", "lesson", "host")
    found = {key: (pk, lesson is None, host) for key, pk, lesson, host in rows}

    def id_for(key: str, user_id: int | None) -> int | None:
        pk, is_for_all, host = found.get(key, (None, False, None))
        return pk if is_for_all or (host is not None and host == user_id) else None

    return [id_for(*each) for each in asked]


def read_stored(asked: Sequence[tuple[int, int | None]]) -> list[Stored | None]:
    """What each table page starts with, for a match and a person; None if the match is gone."""
    rows = Match.objects.filter(pk__in={pk for pk, _user_id in asked})
    matches = {row[0]: row for row in rows.values_list("pk", "started_at", "version", "seating_epoch")}
    chat_filters = lines.chat_filters_of({user_id for _pk, user_id in asked})
    restrictions = restrictions_of_all({user_id for _pk, user_id in asked if user_id is not None})

    def stored(pk: int, user_id: int | None) -> Stored | None:
        if pk not in matches:
            return None
        _pk, started_at, version, seating_epoch = matches[pk]
        may_play = user_id is None or restrictions[user_id].may_play
        return Stored(started_at is not None, version, seating_epoch, chat_filters[user_id], may_play)

    return [stored(*each) for each in asked]


def are_signed_in(asked: Sequence[tuple[str | None, int | None]]) -> list[bool]:
    """Whether each session still exists and is this person's; visitors without one have nothing that could end."""
    people = signed_in({key for key, _user_id in asked if key is not None})

    def is_signed_in(key: str | None, user_id: int | None) -> bool:
        return key is None or user_id is None or (key in people and people[key].pk == user_id)

    return [is_signed_in(*each) for each in asked]


def read_marks(pages: Sequence[Page]) -> list[dict[str, str] | None]:
    """The marks of everything else that each page shows; None if its session has ended."""
    are_in = are_signed_in([(page.session_key, page.user_id) for page in pages])
    news = state.mark()
    marks: list[dict[str, str] | None] = [{"news": news} if is_in else None for is_in in are_in]
    full = [
        (page, each)
        for page, each in zip(pages, marks, strict=True)
        if each is not None and ("talk" in page.shown or "ending" in page.shown)
    ]
    if full:
        rows = Match.objects.only("status", "clock", "live_until").prefetch_related("seats", "end_offers")
        matches = rows.in_bulk({page.match_id for page, _marks in full})
        full = [(page, each) for page, each in full if page.match_id in matches]
        shown = [
            lines.Shown(
                matches[page.match_id],
                None if page.user_id is None else User(pk=page.user_id),
                page.chat_filter,
                page.shown.get("talk", ""),
            )
            for page, _marks in full
        ]
        for (_page, each), chat, talk in zip(full, shown, lines.marks_now(shown), strict=True):
            each["talk"] = talk
            each["ending"] = end_offers.context_of(chat.match, chat.user, chat.match.end_offers.all())["mark"]
    return marks


# By their names in this module, which tests replace.
finding: Together[tuple[str, int | None], int | None] = Together(lambda asked: find(asked))
reading_stored: Together[tuple[int, int | None], Stored | None] = Together(lambda asked: read_stored(asked))
#: A moment later, when those who come at the same time have their tables.
reading_marks: Together[Page, dict[str, str] | None] = Together(lambda pages: read_marks(pages), after=0.1)
rechecking: Together[tuple[str | None, int | None], bool] = Together(lambda asked: are_signed_in(asked), after=1.0)
