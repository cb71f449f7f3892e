"""Tables over sockets: order, resuming, refusals, and no hidden cards in messages."""

import asyncio
import contextlib
import json
import random
import threading
from functools import partial
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.db import OperationalError

from armani_site.asgi import application
from games.live import rooms, timers
from games.live.consumers import match_page
from games.live.consumers.table import COST_OF_SINCE, TableConsumer
from games.matches import history, live_match, service
from games.matches.commands import moves
from games.matches.models import Match
from games.realtime import consumer, process
from games.realtime.broadcast import group_of
from games.table import projection
from tests.factories.sockets import Browser, run
from tests.factories.tables import keep_up

pytestmark = pytest.mark.django_db(transaction=True)


def seats_of(match: Match) -> list[Any]:
    return [seat.player for seat in match.seats.select_related("player")]


def choice(view: dict[str, Any]) -> str:
    return view["moves"][0]


def test_a_browser_begins_with_the_whole_table_as_its_seat_sees_it(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ben) as browser:
            snapshot = await browser.receive("snapshot")
            assert (snapshot["v"], snapshot["you"], snapshot["status"]) == (0, 1, "running")
            assert [player["name"] for player in snapshot["players"]] == ["Ada", "Ben"]
            assert snapshot["view"]["seat"] == 1
            assert snapshot["seed"] is None
            assert snapshot["log"] == []
            await make_move(match, "first")
            await browser.receive("moved")
        async with Browser(match, ben) as browser:
            line = (await browser.receive("snapshot"))["log"][0]
            assert line["v"] == 1
            assert line["text"].startswith(("Ada ", "You "))

    run(go)


def test_a_move_appears_at_all_seats_and_to_spectators_once_and_in_order(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    people = seats_of(match)

    async def go() -> None:
        async with Browser(match, people[0]) as first, Browser(match, people[1]) as second, Browser(match) as watcher:
            browsers = [first, second]
            views = [(await browser.receive("snapshot"))["view"] for browser in browsers]
            await watcher.receive("snapshot")
            for version in range(8):
                seat = views[0]["to_move"][0]
                await browsers[seat].move(choice(views[seat]), version, f"m{version}")
                moved = [await browser.receive("moved", v=version + 1) for browser in (*browsers, watcher)]
                views = [message["view"] for message in moved[:2]]
                assert moved[seat]["entry"]["id"] == f"m{version}"
                assert moved[1 - seat]["entry"]["id"] is None
                assert moved[2]["view"]["moves"] == []
            for browser in (*browsers, watcher):
                assert [message["v"] for message in browser.received if message["t"] == "moved"] == list(range(1, 9))

    run(go)


def test_a_browser_that_comes_back_gets_exactly_what_it_missed(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    people = seats_of(match)

    async def go() -> None:
        async with Browser(match, people[0]) as first:
            view = (await first.receive("snapshot"))["view"]
            async with Browser(match, people[1]) as second:
                await second.receive("snapshot")
            for version in range(3):
                seat = view["to_move"][0]
                table = await process.in_thread(lambda: service.load(match.pk))
                move = table.state.legal_moves(seat)[0]
                command = service.move_command(
                    match.pk, seat, move, request_id=f"m{version}", player_id=people[seat].pk
                )
                await asyncio.wrap_future(service.submit(command))
                view = (await first.receive("moved", v=version + 1))["view"]
            async with Browser(match, people[0], since=1) as again:
                assert (await again.receive("moved"))["v"] == 2
                assert (await again.receive("moved"))["v"] == 3
                assert not any(message["t"] == "snapshot" for message in again.received)
            async with Browser(match, people[1], since=99) as ahead:
                assert (await ahead.receive("snapshot"))["v"] == 3

    run(go)


def test_a_gap_in_the_announcements_is_filled_from_the_database(ada, ben, start_match, monkeypatch):
    match = start_match("normal-cards", ada, ben)
    people = seats_of(match)

    async def go() -> None:
        async with Browser(match, people[0]) as browser:
            await browser.receive("snapshot")
            announce = moves.writer.committer.announce
            moves.writer.committer.announce = lambda change: None
            for version in range(2):
                await make_move(match, f"lost{version}")
            moves.writer.committer.announce = announce
            await make_move(match, "heard")
            assert [(await browser.receive("moved"))["v"] for _ in range(3)] == [1, 2, 3]

    run(go)


def test_moves_whose_announcement_was_lost_are_noticed_without_another_one(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr("games.live.timers.CHECK_EVERY", 0.05)
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            monkeypatch.setattr(moves.writer.committer, "announce", lambda change: None)
            await make_move(match, "lost")
            assert (await browser.receive("moved"))["v"] == 1

    run(go)


def test_moves_that_one_socket_requested_reach_all_others_even_after_it_has_left(ada, ben, start_match, monkeypatch):
    match = start_match("normal-cards", ada, ben)
    read_entries, is_reading, goes_on = rooms.read_entries, threading.Event(), threading.Event()

    def read_slowly(match_id: int, after: int) -> rooms.Entries:
        is_reading.set()
        assert goes_on.wait(5)
        return read_entries(match_id, after)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            monkeypatch.setattr(timers, "all_rooms", list)  # the regular check finds no room
            monkeypatch.setattr(moves.writer.committer, "announce", lambda change: None)
            await make_move(match, "lost")
            monkeypatch.setattr(rooms, "read_entries", read_slowly)
            async with Browser(match, ben, since=0) as other:
                await asyncio.to_thread(is_reading.wait, 5)
                other.patience = 0.05
            goes_on.set()
            assert (await browser.receive("moved"))["v"] == 1

    run(go)


def test_a_socket_behind_its_room_is_brought_up_to_it(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr("games.live.timers.CHECK_EVERY", 0.05)
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            monkeypatch.setattr(moves.writer.committer, "announce", lambda change: None)
            await make_move(match, "lost")
            (room,) = rooms.all_rooms()
            entries, _due, clocks = await process.in_thread(partial(rooms.read_entries, match.pk, 0))
            room.advance(1, entries, clocks=clocks)
            assert (await browser.receive("moved"))["v"] == 1

    run(go)


async def make_move(match: Match, request_id: str) -> None:
    """Make one legal move of the awaited player, without a socket."""

    def work() -> None:
        table = service.load(match.pk)
        seat = table.state.to_move()[0]
        move = table.state.legal_moves(seat)[0]
        person = match.seats.get(number=seat).player
        service.act(match.pk, seat, move, request_id=request_id, player=person)

    await process.in_thread(work)


def test_a_doubled_and_a_stale_message_change_nothing(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    people = seats_of(match)

    async def go() -> None:
        async with Browser(match, people[0]) as first, Browser(match, people[1]) as second:
            browsers = [first, second]
            views = [(await browser.receive("snapshot"))["view"] for browser in browsers]
            seat = views[0]["to_move"][0]
            for _ in range(2):
                await browsers[seat].move(choice(views[seat]), 0, "twice")
            assert (await browsers[seat].receive("ok"))["v"] == 1
            view = (await browsers[1 - seat].receive("moved"))["view"]
            await browsers[1 - seat].move(choice(view), 0, "stale")
            rejected = await browsers[1 - seat].receive("rejected")
            assert (rejected["code"], rejected["id"], rejected["v"]) == ("stale", "stale", 1)

    run(go)
    assert match.moves.count() == 1


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "malformed"),
        ("[]", "malformed"),
        ('"move"', "malformed"),
        ('{"t":"explode"}', "malformed"),
        ('{"t":"move","id":"a","v":0}', "malformed"),
        ('{"t":"move","id":"a","v":"0","move":"play:AC"}', "malformed"),
        ('{"t":"move","id":"a","v":0,"move":"' + "x" * 5000 + '"}', "malformed"),
        ('{"t":"move","id":"","v":0,"move":"play:AC"}', "malformed"),
        ('{"t":"move","id":"a","v":0,"move":"resign"}', "illegal"),
        ('{"t":"slap","id":"a","v":0,"r":200}', "late"),
    ],
)
def test_invalid_messages_are_answered_and_the_socket_stays_open(ada, ben, start_match, message, code):
    match = start_match("normal-cards", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    person = seats_of(match)[seat]

    async def go() -> None:
        async with Browser(match, person) as browser:
            view = (await browser.receive("snapshot"))["view"]
            await browser.say(message)
            rejected = await browser.receive("rejected")
            assert rejected["code"] == code
            assert rejected["reason"]
            await browser.move(choice(view), 0)
            await browser.receive("moved")

    run(go)


def test_a_browser_that_sends_too_fast_is_warned_and_then_accepted_again(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr(consumer, "BURST", 5)
    monkeypatch.setattr(consumer, "PER_SECOND", 50)
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            for _ in range(10):
                await browser.say({"t": "ack", "v": 0})
            assert (await browser.receive("rejected"))["code"] == "rate"
            await asyncio.sleep(0.1)
            await browser.say({"t": "since", "v": 0})
            await browser.say("{")
            assert (await browser.receive("rejected", code="malformed"))["code"] == "malformed"
            assert [message.get("code") for message in browser.received].count("rate") == 1, (
                "one answer a second is enough"
            )

    run(go)


def test_a_spectator_only_watches(ada, ben, start_match, make_player):
    match = start_match("normal-cards", ada, ben)
    cleo = make_player("Cleo")

    async def go() -> None:
        async with Browser(match, cleo) as browser:
            snapshot = await browser.receive("snapshot")
            assert snapshot["you"] is None
            await browser.move("play:AC", 0)
            assert (await browser.receive("rejected"))["code"] == "not_seated"
            await browser.say({"t": "slap", "id": "s", "v": 1, "r": 100})
            assert (await browser.receive("rejected", id="s"))["code"] == "not_seated"

    run(go)


def test_there_is_no_socket_for_a_missing_match():
    async def go() -> None:
        async with Browser("nothingxx") as browser:
            assert await browser.closed_with() == match_page.NOT_FOUND

    run(go)


def test_a_socket_that_could_not_be_opened_is_closed_for_another_try(ada, ben, start_match, monkeypatch):
    match = start_match("normal-cards", ada, ben)

    def fails(match_id: int) -> Any:
        raise OperationalError("gone")

    monkeypatch.setattr(rooms, "read", fails)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            assert await browser.closed_with() == consumer.TRY_AGAIN

    run(go)
    assert not process.sockets


def test_a_socket_that_can_handle_no_more_broadcasts_is_closed_for_another_try(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            await consumer.get_channel_layer().group_send(group_of(match.pk), {"type": "table.nonsense"})
            assert await browser.closed_with() == consumer.TRY_AGAIN

    run(go)
    assert not process.sockets


def test_of_many_sockets_that_connect_at_once_two_get_their_tables_at_a_time(ada, ben, start_match, monkeypatch):
    match = start_match("normal-cards", ada, ben)
    at_once = most = 0
    enter = TableConsumer.enter

    async def looked_after(*args: Any) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        try:
            await asyncio.sleep(0.02)
            await enter(*args)
        finally:
            at_once -= 1

    monkeypatch.setattr(TableConsumer, "enter", looked_after)

    async def go() -> None:
        browsers = [Browser(match, [ada, ben, None][number % 3]) for number in range(9)]
        async with contextlib.AsyncExitStack() as stack:
            await asyncio.gather(*(stack.enter_async_context(browser) for browser in browsers))
            assert {(await browser.receive("snapshot"))["v"] for browser in browsers} == {0}

    run(go)
    assert most == process.ARRIVING_AT_ONCE


def test_a_socket_that_is_cut_off_leaves_nothing_behind(ada, ben, start_match):
    match = start_match("armani", ada, ben)

    async def go() -> None:
        browser = Browser(match, ada)
        await browser.__aenter__()
        await browser.receive("snapshot")
        (room,) = rooms.all_rooms()
        browser.socket.future.cancel()
        await asyncio.wait([browser.socket.future], timeout=5)
        assert not rooms.all_rooms()
        assert not room.sockets
        assert not process.sockets
        assert not timers.armed

    run(go)


def test_a_move_made_while_the_room_is_opened_is_not_missed(ada, ben, start_match, monkeypatch):
    match = start_match("normal-cards", ada, ben)
    read, is_first = projection.read, [True]

    def slow_read(match_id: int) -> Any:
        projected = read(match_id)
        if is_first.pop() if is_first else False:
            table = service.load(match.pk)
            seat = table.state.to_move()[0]
            move = table.state.legal_moves(seat)[0]
            service.act(match.pk, seat, move, request_id="meanwhile", player=match.seats.get(number=seat).player)
        return projected

    monkeypatch.setattr(rooms, "read", slow_read)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            started = asyncio.get_running_loop().time()
            heard = await browser.receive("snapshot")
            if heard["v"] == 0:
                # By itself, or with the complete table.
                await browser.receive(("moved", "snapshot"), v=1)
            assert asyncio.get_running_loop().time() - started < timers.CHECK_EVERY / 2

    run(go)


def test_an_open_table_announces_its_changes_and_its_start(ada, ben):
    match = service.open_table(ada, "normal-cards", 2, {})

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await process.in_thread(lambda: service.join(match, ben))
            await browser.receive("reload")
            await process.in_thread(lambda: service.start(match, ada))
            await browser.receive("reload")

    run(go)


@pytest.mark.parametrize("page", ["", "watch/"])
def test_a_table_that_has_not_begun_makes_its_page_reload(ada, page):
    match = service.open_table(ada, "normal-cards", 2, {})

    async def go() -> None:
        async with Browser(match, ada, path=f"/ws/match/{match.key}/{page}") as browser:
            await browser.receive("reload")
            assert await browser.closed_with() == consumer.TRY_AGAIN

    run(go)
    assert not process.sockets


def test_resigning_ends_the_match_on_every_screen(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ben) as browser:
            await browser.receive("snapshot", status="running")
            await process.in_thread(lambda: service.resign(match, ada))
            over = await browser.receive("snapshot", status="over")
            assert over["outcome"]["reason"] == "resignation"
            assert over["seed"] == match.seed

    run(go)


def test_a_second_device_of_a_player_sees_and_plays_the_same_seat(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)
    seat = service.load(match.pk).state.to_move()[0]
    person = seats_of(match)[seat]

    async def go() -> None:
        async with Browser(match, person) as desk, Browser(match, person) as phone:
            view = (await desk.receive("snapshot"))["view"]
            await phone.receive("snapshot")
            await phone.move(choice(view), 0, "from-phone")
            assert (await desk.receive("moved"))["entry"]["move"] == choice(view)
            await phone.receive("moved")

    run(go)


def test_logging_out_closes_the_sockets_of_that_session_only(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            layer = consumer.get_channel_layer()
            await layer.group_send(f"user.{ada.pk}", {"type": "user.signed_out", "session": "another"})
            await browser.say({"t": "since", "v": 0})
            await layer.group_send(f"user.{ada.pk}", {"type": "user.signed_out", "session": None})
            assert await browser.closed_with() == match_page.SIGNED_OUT

    run(go)


def hidden_from(view: dict[str, Any], cards: set[str]) -> set[str]:
    """The cards of the pack missing from a view."""
    text = json.dumps(view)
    return {card for card in cards if f'"{card}"' not in text and f":{card}" not in text}


@pytest.mark.parametrize("slug", ["normal-cards", "armani"])
def test_no_message_contains_a_card_that_the_seat_may_not_see(ada, ben, start_match, slug):
    """Every message to a seat depends only on its view: changing everything else changes no byte of it."""
    match = start_match(slug, ada, ben)
    people = [*seats_of(match), None]

    async def go() -> list[Browser]:
        browsers = [Browser(match, person) for person in people]
        for browser in browsers:
            await browser.__aenter__()
            await browser.receive("snapshot")
        rng = random.Random(slug)
        table = await process.in_thread(lambda: service.load(match.pk))
        for version in range(30):
            await process.in_thread(lambda: keep_up(table))
            forced = table.forced_step()
            if forced:
                service.submit(service.AdvanceTable(match.pk, table.version))
            else:
                seat = table.state.to_move()[0]
                moves = [move for move in table.state.legal_moves(seat) if move != "slap"]
                await browsers[seat].move(rng.choice(moves), version, f"m{version}")
            for browser in browsers:
                await browser.receive("moved", v=version + 1)
        for browser in browsers:
            await browser.__aexit__()
        return browsers

    browsers = run(go)
    whole = history.last(match)
    views: dict[int | None, list[str]] = {0: [], 1: [], None: []}
    table = live_match.deal(match, match.seats.all())
    for _seat, _move in [(None, None), *match.moves.values_list("seat", "move")]:
        if _move is not None:
            table.enter(_seat, _move, f"v{table.version}")
        for viewer in views:
            views[viewer].append(table.state.view(viewer).to_json())
    assert table.version == whole.version == 30
    for viewer, browser in zip((0, 1, None), browsers, strict=True):
        assert all(match.seed not in text for text in browser.raw)
        for message in browser.received:
            if message["t"] in ("snapshot", "moved"):
                assert message["view"] == json.loads(json.dumps(views[viewer][message["v"]]))
        for message in (message for message in browser.received if message["t"] == "moved"):
            before, after = views[viewer][message["v"] - 1], views[viewer][message["v"]]
            unseen = hidden_from(before, PACK) & hidden_from(after, PACK)
            told = json.dumps([message["events"], message["entry"]])
            # An event may name a card (taken in a trick) only if the seat saw it in the move itself.
            assert not {card for card in unseen if f'"{card}"' in told and card not in message["entry"]["move"]}


PACK = {rank + suit for rank in "A23456789TJQK" for suit in "CDHS"}


@pytest.mark.parametrize(
    ("origin", "is_let_in"),
    [
        (b"http://localhost:8000", True),
        (b"http://localhost:9999", False),
        (b"http://localhost", False),
        (b"http://evil.example", False),
        (b"http://localhost:8000.evil.example", False),
        (b"http://[", False),
        (b"null", False),
        (None, False),
    ],
)
def test_only_our_own_pages_open_sockets(ada, ben, start_match, origin, is_let_in):
    match = start_match("normal-cards", ada, ben)
    headers = [(b"host", b"localhost:8000")] + ([] if origin is None else [(b"origin", origin)])

    async def go() -> None:
        socket = WebsocketCommunicator(application, f"/ws/match/{match.key}/", headers=headers)
        connected, _ = await socket.connect(timeout=5)
        assert connected is is_let_in
        await socket.disconnect()

    run(go)


def test_a_socket_ends_when_its_password_was_changed(ada, ben, start_match, client, monkeypatch):
    monkeypatch.setattr(match_page, "RECHECK_EVERY", 0.0)
    match = start_match("normal-cards", ada, ben)
    client.force_login(ada)

    async def go() -> None:
        browser = Browser(match, ada)
        browser.socket.scope["session"] = client.session
        async with browser:
            await browser.receive("snapshot")
            await process.in_thread(lambda: change_password(ada))
            assert await browser.closed_with() == match_page.SIGNED_OUT

    run(go)


def change_password(player: Any) -> None:
    player.set_password("another long password")
    player.save()


def test_a_message_of_many_brackets_is_only_unreadable(ada, ben, start_match):
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            await browser.say('{"t":"ack","v":0,"x":' + "[" * 4000)
            assert (await browser.receive("rejected"))["code"] == "malformed"
            assert [message["t"] for message in browser.received].count("snapshot") == 1

    run(go)


def test_asking_for_everything_over_and_over_counts_as_many_messages(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr(consumer, "BURST", 3 * COST_OF_SINCE)
    monkeypatch.setattr(consumer, "PER_SECOND", 1)
    match = start_match("normal-cards", ada, ben)

    async def go() -> None:
        async with Browser(match, ada, since=0) as browser:
            # Before it has the table, a move would come with the complete view.
            await browser.receive("presence")
            await make_move(match, "first")
            await browser.receive("moved")
            for _ in range(4):
                await browser.say({"t": "since", "v": 0})
            assert (await browser.receive("rejected"))["code"] == "rate"
            assert [message["t"] for message in browser.received].count("moved") <= 1 + 3

    run(go)


def test_a_change_at_a_table_is_read_once_for_all_viewers(ada, ben, start_match, monkeypatch):
    match = start_match("normal-cards", ada, ben)
    reads = []
    read = projection.read
    monkeypatch.setattr(rooms, "read", lambda match_id: reads.append(match_id) or read(match_id))

    async def go() -> None:
        browsers = [Browser(match) for _ in range(8)]
        for browser in browsers:
            await browser.__aenter__()
            await browser.receive("snapshot")
        reads.clear()
        await process.in_thread(lambda: service.resign(match, ada))
        for browser in browsers:
            assert (await browser.receive("snapshot"))["status"] == "over"
        assert 1 <= len(reads) <= 2
        for browser in browsers:
            await browser.__aexit__()

    run(go)


class _Wire:
    """A connection that counts its protocol pings."""

    delay = None
    probes = 0

    def probe(self) -> None:
        self.probes += 1


def test_a_connection_is_measured_only_at_tables_with_slaps(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr(match_page, "PING_EVERY", 0.0)
    matches = {slug: start_match(slug, ada, ben) for slug in ("armani", "normal-cards")}
    wires = {slug: _Wire() for slug in matches}

    async def go() -> None:
        for slug, match in matches.items():
            browser = Browser(match, ada)
            browser.socket.scope["wire"] = wires[slug]
            async with browser:
                await browser.receive("snapshot")
                while not wires[slug].probes and len(browser.raw) < 8:
                    browser.raw.append((await browser.socket.receive_output(timeout=5))["text"])

    run(go)
    assert wires["armani"].probes
    assert not wires["normal-cards"].probes


def test_without_slaps_nothing_is_pinged_and_only_a_silence_is_ended(ada, ben, start_match, monkeypatch):
    monkeypatch.setattr(match_page, "PING_EVERY", 3600.0)
    matches = {slug: start_match(slug, ada, ben) for slug in ("armani", "normal-cards")}

    async def sent(match: Match) -> set[str]:
        async with Browser(match, ada) as browser:
            await browser.receive("snapshot")
            await browser.say("no message")
            await browser.receive("rejected")
            return {json.loads(text)["t"] for text in browser.raw} & {"ping", "alive"}

    async def go() -> None:
        assert await sent(matches["armani"]) == {"ping"}
        assert await sent(matches["normal-cards"]) == set()
        monkeypatch.setattr(match_page, "PING_EVERY", 0.0)
        assert await sent(matches["normal-cards"]) == {"alive"}

    run(go)
