"""Changes between a page and its socket aren't missed: each socket is tested with a change in that gap."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts import social
from accounts.models import User
from games.chat import lines
from games.live import timers
from games.live.consumers import match_page
from games.lobby import consumers as lobby
from games.lobby import invitations
from games.matches import service
from games.matches.models import Match
from games.matches.pauses import Pause
from games.realtime import broadcast as publish
from games.realtime import consumer, process
from games.site_status import state
from games.site_status.models import Switches
from tests.factories.clients import QuickClient
from tests.factories.slaps import past_the_bets
from tests.factories.sockets import Browser, run, settle

pytestmark = pytest.mark.django_db(transaction=True)

#: Messages that make a page reload something.
READ_AGAIN = {*consumer.MESSAGE_OF_MARK.values(), "snapshot"}


def page_of(user: User | None, match: Match | None) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get("/lobby/" if match is None else match.get_absolute_url()).content.decode()


def marks_of(page: str) -> dict[str, str]:
    """The URL of a page's socket, and the marks in it."""
    marks = dict(re.findall(r'data-mark="(\w+)"\s+data-shows="([^"]*)"', page))
    snapshot = re.search(r'<script id="snapshot" type="application/json">(.*?)</script>', page)
    if snapshot:
        marks["since"] = str(json.loads(snapshot[1])["v"])
    address = re.search(r'data-socket="([^"]*)"', page)
    return marks | ({"path": address[1]} if address else {})


@dataclass
class Gap:
    """A page, a change while its socket is connecting, and the message it must get."""

    match: Match | None
    user: User | None
    change: Callable[[], object]
    told: str
    where: dict[str, Any] = field(default_factory=dict)
    #: The group that gets the message, if not that of the table or the lobby.
    group: str = ""
    #: The call that broadcasts it directly, if it is a different one.
    broadcast: tuple[str, ...] = ()


Start = Callable[..., Match]


@dataclass
class World:
    """Where changes happen."""

    ada: User
    ben: User
    start: Start
    start_slow: Start

    def open(self) -> Match:
        return service.open_table(self.ada, "normal-cards", 2, {})

    def full(self) -> Match:
        match = self.open()
        service.join(match, self.ben)
        return match

    def running(self) -> Match:
        return self.start("normal-cards", self.ada, self.ben)

    def slow(self) -> Match:
        return self.start_slow("normal-cards", self.ada, self.ben)


Case = Callable[[World], Gap]


@pytest.fixture
def world(ada: User, ben: User, start_match: Start, start_by_mail: Start) -> World:
    return World(ada, ben, start_match, start_by_mail)


def a_player_sits_down(w: World) -> Gap:
    match = w.open()
    return Gap(match, w.ada, lambda: service.join(match, w.ben), "reload")


def an_ai_player_sits_down_before_a_visitor(w: World) -> Gap:
    match = w.open()
    return Gap(match, None, lambda: service.set_ai(match, w.ada, 1, "easy"), "reload")


def a_table_is_closed(w: World) -> Gap:
    match = w.open()
    return Gap(match, w.ben, lambda: service.leave(match, w.ada), "reload")


def a_match_begins(w: World) -> Gap:
    match = w.full()
    return Gap(match, w.ben, lambda: service.start(match, w.ada), "reload")


def a_move_is_made(w: World) -> Gap:
    match = w.running()
    return Gap(match, w.ben, partial(make_move, match), "snapshot", {"v": 1}, broadcast=("moved",))


def a_player_resigns(w: World) -> Gap:
    match = w.running()
    return Gap(match, w.ben, lambda: service.resign(match, w.ada), "snapshot", {"status": "over"})


def a_player_resigns_before_a_visitor(w: World) -> Gap:
    match = w.running()
    return Gap(match, None, lambda: service.resign(match, w.ada), "snapshot", {"status": "over"})


def all_agree_to_end(w: World) -> Gap:
    match = w.running()
    service.offer_end(match, w.ada)
    return Gap(match, w.ada, lambda: service.offer_end(match, w.ben), "snapshot", {"status": "over"})


def the_same_players_meet_again(w: World) -> Gap:
    match = w.running()
    service.resign(match, w.ada)
    return Gap(match, w.ben, lambda: service.rematch(match, w.ada), "snapshot", {"v": 0, "status": "over"})


def all_agree_to_play_live(w: World) -> Gap:
    match = w.slow()
    service.offer_live(match, w.ada.pk)
    return Gap(match, w.ada, lambda: service.offer_live(match, w.ben.pk), "snapshot", {"live": True})


def an_end_is_offered(w: World) -> Gap:
    match = w.running()
    return Gap(match, w.ben, lambda: service.offer_end(match, w.ada), "ending")


def an_offer_to_end_is_refused(w: World) -> Gap:
    match = w.running()
    service.offer_end(match, w.ada)
    return Gap(match, w.ada, lambda: service.refuse_end(match, w.ben), "ending")


def playing_live_is_offered(w: World) -> Gap:
    match = w.slow()
    return Gap(match, w.ben, lambda: service.offer_live(match, w.ada.pk), "ending")


def something_is_said_at_an_open_table(w: World) -> Gap:
    match = w.full()
    return Gap(match, w.ada, lambda: lines.say(match, w.ben, phrase="hello"), "talk_again", broadcast=("talk",))


def something_more_is_said(w: World) -> Gap:
    match = w.running()
    lines.say(match, w.ben, phrase="hello")
    return Gap(match, w.ada, lambda: lines.say(match, w.ben, text="Good luck"), "talk_again", broadcast=("talk",))


def something_said_is_taken_away(w: World) -> Gap:
    match = w.running()
    first = lines.say(match, w.ben, phrase="hello")
    lines.say(match, w.ben, phrase="hello")
    return Gap(match, w.ada, lambda: lines.remove(first), "talk_again", broadcast=("talk_removed",))


def a_player_is_muted(w: World) -> Gap:
    match = w.running()
    lines.say(match, w.ben, phrase="hello")
    return Gap(match, w.ada, lambda: social.block(w.ada, w.ben, "mute"), "talk_again", group=f"user.{w.ada.pk}")


def news_come_to_a_waiting_room(w: World) -> Gap:
    return Gap(w.open(), w.ada, announce, "news", group=publish.EVERYBODY)


def news_come_to_a_table(w: World) -> Gap:
    return Gap(w.running(), w.ada, announce, "news", group=publish.EVERYBODY)


def news_come_to_the_lobby(w: World) -> Gap:
    return Gap(None, w.ada, announce, "news", group=publish.EVERYBODY)


def a_table_is_opened(w: World) -> Gap:
    return Gap(None, None, w.open, "changed")


def a_seat_in_the_lobby_is_taken(w: World) -> Gap:
    match = w.open()
    return Gap(None, w.ben, lambda: service.join(match, w.ben), "changed")


def a_match_in_the_lobby_begins(w: World) -> Gap:
    match = w.full()
    return Gap(None, None, lambda: service.start(match, w.ada), "changed")


def a_table_takes_the_place_of_another(w: World) -> Gap:
    match = w.open()

    def change() -> None:
        service.leave(match, w.ada)
        w.open()

    return Gap(None, w.ben, change, "changed")


def a_player_is_invited(w: World) -> Gap:
    match = w.open()
    invite = partial(invitations.invite, match, w.ada, [w.ben])
    return Gap(None, w.ben, invite, "changed", group=f"user.{w.ben.pk}")


def a_player_is_blocked(w: World) -> Gap:
    w.open()
    return Gap(None, w.ben, lambda: social.block(w.ben, w.ada), "changed", group=f"user.{w.ben.pk}")


AT_TABLES = [
    a_player_sits_down,
    an_ai_player_sits_down_before_a_visitor,
    a_table_is_closed,
    a_match_begins,
    a_move_is_made,
    a_player_resigns,
    a_player_resigns_before_a_visitor,
    all_agree_to_end,
    the_same_players_meet_again,
    all_agree_to_play_live,
    an_end_is_offered,
    an_offer_to_end_is_refused,
    playing_live_is_offered,
    something_is_said_at_an_open_table,
    something_more_is_said,
    something_said_is_taken_away,
    a_player_is_muted,
    news_come_to_a_waiting_room,
    news_come_to_a_table,
]
IN_LOBBY = [
    news_come_to_the_lobby,
    a_table_is_opened,
    a_seat_in_the_lobby_is_taken,
    a_match_in_the_lobby_begins,
    a_table_takes_the_place_of_another,
    a_player_is_invited,
    a_player_is_blocked,
]
every_case = pytest.mark.parametrize("case", [*AT_TABLES, *IN_LOBBY], ids=lambda case: case.__name__)
#: One for each kind of message to a table or the lobby; the others take the same path.
ONE_EACH = {
    a_player_sits_down,
    a_move_is_made,
    a_player_resigns_before_a_visitor,
    an_end_is_offered,
    something_is_said_at_an_open_table,
    something_said_is_taken_away,
    a_player_is_muted,
    news_come_to_a_table,
    news_come_to_the_lobby,
    a_table_is_opened,
    a_player_is_invited,
}


def one_each(cases: Iterable[Case], *more: str) -> list[Any]:
    """``cases`` with the options in ``more``; those with the same path as another are left out of the default run."""
    return [
        pytest.param(
            case,
            *more,
            marks=[] if case in ONE_EACH else pytest.mark.whole_match,
            id="-".join([case.__name__, *more]),
        )
        for case in cases
    ]


one_of_each = pytest.mark.parametrize("case", one_each([*AT_TABLES, *IN_LOBBY]))


def announce() -> None:
    Switches.row()
    Switches.objects.update(banner="We look after the site at ten.")
    state.changed()


def make_move(match: Match) -> None:
    table = service.load(match.pk)
    seat = table.state.to_move()[0]
    move = table.state.legal_moves(seat)[0]
    service.act(match.pk, seat, move, request_id=f"m{table.version}", player=match.seats.get(number=seat).player)


async def come_late(browser: Browser, group: str, change: Callable[[], object]) -> None:
    """Connect ``browser``, and make ``change`` before its socket joins ``group``."""
    layer = get_channel_layer()
    join, reached, may_join = layer.group_add, asyncio.Event(), asyncio.Event()

    async def held(name: str, channel: str) -> None:
        if name == group:
            reached.set()
            await may_join.wait()
        await join(name, channel)

    layer.group_add = held
    try:
        coming = asyncio.ensure_future(browser.__aenter__())
        await asyncio.wait_for(reached.wait(), 5)
        await process.in_thread(change)
        may_join.set()
        await coming
    finally:
        layer.group_add = join


def group_of(gap: Gap) -> str:
    return gap.group or ("lobby" if gap.match is None else publish.group_of(gap.match.pk))


@every_case
def test_changes_between_the_page_and_the_socket_are_sent(world: World, case: Case) -> None:
    gap = case(world)
    marks = marks_of(page_of(gap.user, gap.match))
    gap.change()
    settle()

    async def go() -> None:
        async with Browser(gap.match, gap.user, **marks) as browser:
            await browser.receive(gap.told, **gap.where)

    run(go)


@one_of_each
def test_changes_while_the_socket_joins_its_groups_are_sent(world: World, case: Case) -> None:
    gap = case(world)
    marks = marks_of(page_of(gap.user, gap.match))

    async def go() -> None:
        browser = Browser(gap.match, gap.user, **marks)
        await come_late(browser, group_of(gap), gap.change)
        await browser.receive(gap.told, **gap.where)
        await browser.__aexit__()

    run(go)


@pytest.mark.parametrize(
    ("case", "reading"),
    [*one_each(AT_TABLES, "read_stored"), *one_each([*AT_TABLES, *IN_LOBBY], "read_marks")],
)
def test_changes_after_the_socket_has_read_the_stored_state_are_sent(
    world: World, case: Case, reading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gap = case(world)
    marks = marks_of(page_of(gap.user, gap.match))
    module = lobby if gap.match is None else match_page
    read = getattr(module, reading)

    def read_and_change(*args: Any) -> Any:
        found = read(*args)
        gap.change()
        return found

    monkeypatch.setattr(module, reading, read_and_change)

    async def go() -> None:
        async with Browser(gap.match, gap.user, **marks) as browser:
            await browser.receive([gap.told, *gap.broadcast], **gap.where)

    run(go)


@one_of_each
def test_a_page_that_shows_what_is_stored_reads_nothing_again(
    world: World, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    gap = case(world)
    gap.change()
    settle()
    marks = marks_of(page_of(gap.user, gap.match))
    compared = asyncio.Event()
    compare = consumer.OrderedConsumer.compare_stored

    async def compare_and_say_so(*args: Any) -> None:
        await compare(*args)
        compared.set()

    monkeypatch.setattr(consumer.OrderedConsumer, "compare_stored", compare_and_say_so)

    async def go() -> None:
        async with Browser(gap.match, gap.user, **marks) as browser:
            await asyncio.wait_for(compared.wait(), 5)
            publish.news()
            await browser.receive("news")
            assert [message["t"] for message in browser.received if message["t"] in READ_AGAIN] == ["news"]

    run(go)


def test_a_page_without_marks_only_gets_the_table(world: World) -> None:
    match = world.running()

    async def go() -> None:
        async with Browser(match, world.ada, talk="no mark", since="٣") as browser:
            await browser.receive("snapshot")
            await browser.receive("talk_again")
        async with Browser(match, world.ada) as browser:
            await browser.say({"t": "why", "id": "q", "move": "pass"})
            await browser.receive("why")
            assert [message["t"] for message in browser.received if message["t"] in READ_AGAIN] == ["snapshot"]

    run(go)


def test_broadcasts_before_a_socket_is_accepted_wait_for_it(world: World) -> None:
    match = world.running()

    async def go() -> None:
        for table in (match, None):
            browser = Browser(table, world.ada)
            # Joined last, so the socket receives news already.
            await come_late(browser, f"user.{world.ada.pk}", publish.news)
            await browser.receive("news")
            await browser.__aexit__()

    run(go)


def test_a_pause_that_began_or_ended_before_the_socket_joined_is_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "arm", lambda room: None)
    match = world.start("armani", world.ada, world.ben)
    past_the_bets(match)
    marks = marks_of(page_of(world.ada, match))
    Pause.objects.create(match=match, seat=1, since=timezone.now())

    async def go() -> None:
        async with Browser(match, world.ada, **marks) as browser:
            assert (await browser.receive("waiting"))["waiting"]["seat"] == 1
        await process.in_thread(lambda: Pause.objects.update(since=None))
        async with Browser(match, world.ada, **marks) as browser:
            assert (await browser.receive("waiting"))["waiting"] is None

    run(go)


@pytest.mark.parametrize("change", ["move", "resignation"])
def test_a_new_socket_and_the_others_get_moves_that_the_room_has_not_processed_yet(
    world: World, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(timers, "CHECK_EVERY", 1000)
    match = world.running()
    marks = marks_of(page_of(world.ada, match))

    def make() -> None:
        if change == "move":
            make_move(match)
        else:
            service.resign(match, world.ben)

    async def go() -> None:
        async with Browser(match, world.ben) as first:
            await first.receive("snapshot")
            # Announced, and still on its way.
            with monkeypatch.context() as on_its_way:
                on_its_way.setattr(publish, "send", lambda _group, _message: None)
                await process.in_thread(make)
            async with Browser(match, world.ada, **marks) as second:
                for browser in (first, second):
                    if change == "resignation":
                        await browser.receive("snapshot", status="over")
                    else:
                        await browser.receive("moved", v=1)

    run(go)


@pytest.mark.parametrize("is_at_table", [True, False], ids=["table", "lobby"])
def test_a_session_that_ends_while_its_socket_joins_takes_the_socket_with_it(world: World, is_at_table: bool) -> None:
    match = world.running() if is_at_table else None
    client = QuickClient()
    client.force_login(world.ada)

    async def go() -> None:
        browser = Browser(match, world.ada)
        browser.socket.scope["session"] = client.session
        await come_late(browser, f"user.{world.ada.pk}", client.logout)
        with pytest.raises(ConnectionError) as closed:
            await browser.receive("anything")
        assert closed.value.args == (match_page.SIGNED_OUT if is_at_table else None,)
        await browser.__aexit__()

    run(go)


def test_a_logout_takes_effect_before_it_is_announced(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client = QuickClient()
    client.force_login(ada)
    told = []
    monkeypatch.setattr(
        publish, "signed_out", lambda user_id, key: told.append((key, Session.objects.filter(pk=key).exists()))
    )
    key = client.session.session_key
    client.post("/accounts/logout/")
    assert told == [(key, False)]


def test_a_decision_of_the_moderators_does_not_disturb_the_lobby(ada: User) -> None:
    async def go() -> None:
        async with Browser(None, ada) as browser:
            publish.to_user(ada.pk, "standing")
            publish.news()
            await browser.receive("news")

    run(go)
