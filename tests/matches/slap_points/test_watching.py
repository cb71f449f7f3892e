"""The watching socket: one card at a time, each at most once, and none ahead."""

import asyncio
from collections.abc import Iterable

import pytest

from games.live.consumers import slap_page
from games.matches import service
from games.matches.live_match import FLIP
from games.matches.models import Match, SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.models import SlapPoint, Watch
from games.realtime import process
from tests.factories.memory import large_garbage_of
from tests.factories.slap_points import SlapPageBrowser, choose, see, segment_of, slappable
from tests.factories.sockets import Browser, run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slap_page, "WINDOW", (15, 25))
    monkeypatch.setattr(slap_page, "HANDED_OVER", 5)


def shown(browsers: Iterable[Browser]) -> list[tuple[int, str]]:
    """Every card shown by itself, with its version."""
    return [
        (message["v"], event["data"]["card"])
        for browser in browsers
        for message in browser.received
        if message["t"] == "moved"
        for event in message["events"]
        if event["kind"] == "flip"
    ]


def cards_of(match: Match) -> list[tuple[int, str]]:
    """The cards of the open segment, with their versions."""
    table = service.load(match.pk)
    segment = segments.ahead(table.state)
    return [
        (table.version + at, now.view(None).zone("pile").cards[-1])
        for at, now in segments.walk(table.state, segment)
        if segment.moves[at - 1][1] == FLIP
    ]


def test_the_cards_come_singly_and_in_order(begin, people):
    match = begin(2)
    expected = cards_of(match)

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser:
            snapshot = await browser.receive("snapshot")
            assert snapshot["v"] == match.version
            assert (await browser.watch_all())["state"] == "seen"
            assert shown([browser]) == expected
            cards = [message["card"] for message in browser.received if message["t"] == "moved"]
            assert [card for card in cards if card is not None] == [version for version, _card in expected]

    run(go)
    assert Watch.objects.get(seat=0).state == Watch.State.SEEN
    assert service.load(match.pk).version == match.version


def test_nothing_is_shown_before_the_player_says_so(begin, people):
    match = begin(2)

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser:
            await browser.receive("watch", state="ready")
            await asyncio.sleep(0.2)
            assert not shown([browser])

    run(go)
    assert Watch.objects.get(seat=0).cursor == 0


def test_the_last_to_watch_sees_the_verdict_and_is_first_at_the_next_point(begin, people):
    match = slappable(begin, 2)
    last = len(segment_of(match).moves)
    see(match, 1, (last, 388))

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser, SlapPageBrowser(match, people[1]) as other:
            await other.receive("watch", state="seen")
            standing = await browser.watch_all()
            assert (standing["state"], standing["waits"]) == ("ready", [0, 1])
            for each in (browser, other):
                verdict = await each.receive("verdict") if each is other else last_received(each, "verdict")
                assert [(slap["seat"], slap["result"]) for slap in verdict["slaps"]] == [(1, "won")]
            assert last_received(browser, "moved")["entry"]["move"] == "slap"
            await browser.go()
            await browser.receive("watch", state="running")
            await browser.receive("moved")

    run(go)


def last_received(browser: Browser, kind: str) -> dict:
    """The last message of that kind."""
    return [message for message in browser.received if message["t"] == kind][-1]


def test_a_player_who_has_slapped_sees_the_slaps_of_earlier_viewers(begin, people):
    match = slappable(begin, 3)
    last = len(segment_of(match).moves)
    see(match, 1, (last, 412))

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser:
            standing = await browser.watch_all()
            assert [(hand["seat"], hand["reaction"]) for hand in standing["hands"]] == [(1, 412)]
            assert standing["waits"] == [2]

    run(go)


def test_a_press_is_judged_by_its_reaction_and_stored_with_all_measurements(begin, people, monkeypatch):
    monkeypatch.setattr(slap_page, "WINDOW", (260, 300))
    match = slappable(begin, 2, least=2)

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser:
            await browser.receive("watch", state="ready")
            await browser.go()
            moved = await browser.receive("moved")
            await asyncio.sleep(0.17)
            await browser.say({"t": "slap", "id": "s1", "v": moved["card"], "r": 165.0})
            await browser.receive("ok", id="s1")
            await browser.say({"t": "slap", "id": "s2", "v": moved["card"], "r": 170.0})
            assert (await browser.receive("rejected", id="s2"))["code"] in ("illegal", "late")
            verdict = await browser.receive("verdict")
            assert [slap["result"] for slap in verdict["slaps"]] == ["wrong"]
            following = await browser.receive("moved")
            assert following["view"]["facts"]["lockout"][0] > 0
            assert following["view"]["moves"] == []
            await browser.say({"t": "slap", "id": "s3", "v": moved["card"], "r": 170.0})
            assert (await browser.receive("rejected", id="s3"))["code"] in ("illegal", "late")

    run(go)
    attempt = SlapAttempt.objects.get()
    assert (attempt.seat, attempt.version, attempt.result) == (0, match.version + 1, "wrong")
    assert 100 <= attempt.reaction <= attempt.elapsed
    assert attempt.claimed == 165


def test_too_early_and_too_late_cost_nothing(begin, people, monkeypatch):
    monkeypatch.setattr(slap_page, "WINDOW", (200, 210))
    match = slappable(begin, 2, least=4)

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser:
            await browser.receive("watch", state="ready")
            await browser.go()
            moved = await browser.receive("moved")
            await browser.say({"t": "slap", "id": "s1", "v": moved["card"], "r": 3.0})
            assert (await browser.receive("rejected", id="s1"))["code"] == "early"
            await browser.receive("moved")
            await asyncio.sleep(0.15)
            await browser.say({"t": "slap", "id": "s2", "v": moved["card"], "r": 300.0})
            assert (await browser.receive("rejected", id="s2"))["code"] == "late"
            await browser.say({"t": "slap", "id": "s3", "v": 999, "r": 300.0})
            assert (await browser.receive("rejected", id="s3"))["code"] == "late"

    run(go)
    # A press that was too early is stored as evidence, as at a live table.
    assert [attempt.result for attempt in SlapAttempt.objects.all()] == ["early"]


def test_reload_storms_and_two_devices_show_each_card_once_and_none_ahead(begin, people, monkeypatch):
    monkeypatch.setattr(slap_page, "WINDOW", (150, 160))
    match = slappable(begin, 2, least=12)
    expected = cards_of(match)
    browsers: list[SlapPageBrowser] = []

    async def go() -> None:
        phone = SlapPageBrowser(match, people[0])
        browsers.append(phone)
        async with phone:
            await phone.receive("watch", state="ready")
            await phone.go()
            await phone.receive("moved")
            for _ in range(5):
                other = SlapPageBrowser(match, people[0])
                browsers.append(other)
                async with other:
                    snapshot = await other.receive("snapshot")
                    cursor = await process.in_thread(lambda: Watch.objects.get(seat=0).cursor)
                    pile = next(zone for zone in snapshot["view"]["zones"] if zone["id"] == "pile")
                    assert set(pile["cards"]) <= {card for v, card in expected if v <= match.version + cursor}
            desk = SlapPageBrowser(match, people[0])
            browsers.append(desk)
            async with desk:
                await desk.receive("watch", state="again")
                await desk.go()
                await desk.receive("watch", state="running")
                await phone.receive("watch", state="again")
                await desk.receive("watch", state="seen")

    run(go)
    cards = shown(browsers)
    assert len(cards) == len(set(cards))
    assert set(cards) <= set(expected)


def test_a_lost_connection_only_voids_the_open_card(begin, people):
    match = begin(2)

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as first:
            await first.receive("watch", state="ready")
            await first.go()
            await first.receive("moved")
            seen = len(shown([first]))
        async with SlapPageBrowser(match, people[0]) as second:
            standing = await second.receive("watch", state="again")
            assert standing["returns"] == 1
            await second.go()
            moved = await second.receive("moved")
            assert moved["v"] > max(message["v"] for message in first.received if message["t"] == "moved")
            await second.receive("watch", state="seen")
            assert len(shown([first, second])) >= seen + 1

    run(go)
    assert SlapPoint.objects.count() == 1


def test_spectators_hold_nothing_and_may_not_begin(begin, people, make_player):
    match = begin(2)
    eve = make_player("Eve")

    async def go() -> None:
        async with (
            SlapPageBrowser(match, eve) as browser,
            SlapPageBrowser(match) as nobody,
            SlapPageBrowser(match, people[0]) as player,
        ):
            for each in (browser, nobody):
                await each.receive("watch", state="others")
                await each.go()
                await each.say({"t": "slap", "id": "s", "v": match.version + 1, "r": 300.0})
                assert (await each.receive("rejected", id="s"))["code"] == "not_seated"
            await player.watch_all()
            assert not shown([browser, nobody])

    run(go)


def test_a_slap_point_settled_without_its_viewers_is_shown_to_everyone_watching(begin, people):
    match = slappable(begin, 2)
    expected = cards_of(match)

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser, SlapPageBrowser(match) as nobody:
            await browser.receive("watch", state="ready")
            await nobody.receive("watch", state="others")
            await process.in_thread(lambda: [see(match, seat) for seat in (0, 1)])
            await nobody.receive("verdict")
            await browser.receive("verdict")
            await browser.receive("watch", state="ready")
            await nobody.receive("watch", state="others")
            assert shown([nobody]) == expected

    run(go)


def test_at_the_end_of_the_stage_they_are_sent_to_the_table(begin, people):
    match = begin(2)
    while True:
        segment = segment_of(match)
        if not segment.is_slappable:
            break
        for seat in (0, 1):
            see(match, seat, (len(segment.moves), 300 + seat))

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as browser:
            await process.in_thread(lambda: see(match, 1))
            standing = await browser.watch_all()
            while standing["state"] != "table":
                standing = await browser.receive("watch")

    run(go)


def test_nothing_is_left_of_a_watch_page_that_is_closed_while_cards_are_shown(begin, people):
    match = slappable(begin, 2)

    async def visit() -> None:
        async with SlapPageBrowser(match, people[0]) as browser:
            await browser.receive("watch")
            await browser.go()
            await browser.receive("watch", state="running")

    assert not large_garbage_of(visit)


def test_the_table_shows_the_beginning_until_all_is_settled(begin, people):
    match = slappable(begin, 2)

    async def go() -> None:
        async with (
            Browser(match, people[0]) as table,
            Browser(match) as spectator,
            SlapPageBrowser(match, people[0]) as watcher,
        ):
            for each in (table, spectator):
                snapshot = await each.receive("snapshot")
                assert snapshot["by_mail"]
                assert snapshot["view"]["moves"] == []
                assert snapshot["view"]["to_move"] == [0, 1]
            await watcher.watch_all()
            snapshot = await table.receive("snapshot")
            assert (snapshot["v"], snapshot["view"]["to_move"]) == (match.version, [1])
            await process.in_thread(lambda: see(match, 1))
            last = await process.in_thread(lambda: service.load(match.pk).version)
            for each in (table, spectator):
                await each.receive("verdict")
                moved = await each.receive("moved", v=last)
                assert moved["view"]["to_move"] == [0, 1]

    run(go)
    choose(match)


def test_a_socket_that_was_cut_off_cannot_slap_or_continue(begin, people):
    match = begin(2)

    async def go() -> None:
        async with SlapPageBrowser(match, people[0]) as phone:
            await phone.receive("watch", state="ready")
            await phone.go()
            moved = await phone.receive("moved")
            await process.in_thread(lambda: service.begin_watch(match.pk, 0, "desk"))
            await phone.receive("watch", state="again")
            await phone.say({"t": "slap", "id": "s", "v": moved["v"], "r": 150.0})
            assert (await phone.receive("rejected", id="s"))["code"] == "late"

    run(go)
    assert Watch.objects.get(seat=0).session == "desk"
