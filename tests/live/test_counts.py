"""The cost of a move in statements, messages, encodings and views: exact, for each kind of table.

Times would depend on the machine; these numbers don't. If you lower one, change it here; if you raise one, give a
reason that a player would accept.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from accounts.models import User
from accounts.sessions import signed_in
from games.chat.lines import ChatFilter
from games.chat.models import Line
from games.devtools.bench.stages import COUNTED, Stages, measuring
from games.live import looks, timers
from games.live.consumers import match_page
from games.matches import service
from games.matches.commands.moves import writer
from games.matches.models import Match
from games.realtime import broadcast, process
from games.site_status import state
from games.table import projection
from tests.factories.clients import QuickClient
from tests.factories.commits import JOINED
from tests.factories.slaps import past_the_bets, press
from tests.factories.sockets import Browser, run

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[..., Match]
WARM_UP, MOVES = 6, 12
#: Statements of a move at a live table, and at a slow one.
LIVE, SLOW = 4 - JOINED, 6 - JOINED


@pytest.fixture(autouse=True)
def _only_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pings and a table's own steps happen at any time, so they are made by hand here. Looks are stored separately."""
    monkeypatch.setattr(match_page, "FIRST_PINGS", 0)
    monkeypatch.setattr(match_page, "PING_EVERY", 3600.0)
    monkeypatch.setattr(timers, "arm", lambda room: None)
    # On a busy machine, a page's marks are compared after the first moves.
    monkeypatch.setattr(match_page.MatchConsumer, "compare_soon", lambda consumer, reading: reading.close())
    monkeypatch.setattr(looks, "COLLECTED_FOR", 3600.0)


class Counting:
    """The browsers of all people at a table, and of some spectators."""

    def __init__(self, match: Match, players: list[User], watchers: list[Browser]) -> None:
        self.match = match
        self.seated = [Browser(match, player) for player in players]
        self.all = [*self.seated, *watchers]

    async def come(self, here: contextlib.AsyncExitStack) -> None:
        for browser in self.all:
            await here.enter_async_context(browser)
        self.views = [(await browser.receive("snapshot"))["view"] for browser in self.all]
        for browser in self.seated:
            await browser.receive("presence", online=list(range(len(self.seated))))

    async def move(self, version: int) -> None:
        seat = self.views[0]["to_move"][0]
        await self.all[seat].move(self.views[seat]["moves"][0], version, f"m{version}")
        await self.see(version + 1)

    async def see(self, version: int) -> None:
        self.views = [(await browser.receive("moved", v=version))["view"] for browser in self.all]

    async def settle(self) -> None:
        """Wait until the writer and every socket have finished the work of earlier moves."""
        with writer.lock:
            pass  # waits until all listeners have handled a move, which players see first
        broadcast.to_table(self.match.pk, "ending")
        for browser in self.seated:
            await browser.receive("ending")

    async def cost(self, work: Callable[[], Any], times: int) -> dict[str, float]:
        """The cost of one of several repetitions of ``work``."""
        await self.settle()
        with measuring() as nothing:
            await self.settle()
        with measuring() as stages:
            await work()
            await self.settle()
        return difference(stages, nothing, times)


def difference(stages: Stages, other: Stages, times: int) -> dict[str, float]:
    more, less = stages.counted(), other.counted()
    return {name: (more[name] - less[name]) / times for name in COUNTED}


def each(**counts: int) -> dict[str, float]:
    """Require exactly this cost."""
    return dict.fromkeys(COUNTED, 0) | counts


def cost_of_a_move(match: Match, watchers: list[Browser] | None = None) -> dict[str, float]:
    """The cost of each move at a table that all its people have open."""

    table = Counting(match, seated(match), watchers or [])

    async def go() -> dict[str, float]:
        async with contextlib.AsyncExitStack() as here:
            await table.come(here)
            for version in range(WARM_UP):
                await table.move(version)

            async def play_on() -> None:
                for version in range(WARM_UP, WARM_UP + MOVES):
                    await table.move(version)

            return await table.cost(play_on, MOVES)

    result: dict[str, float] = run(go)
    return result


def seated(match: Match) -> list[Any]:
    return [seat.player for seat in match.seats.select_related("player")]


@pytest.fixture
def four(make_player: Callable[[str], User]) -> list[User]:
    return [make_player(name) for name in ("Ada", "Ben", "Cleo", "Dora")]


def test_a_live_table(four: list[User], start_match: Start) -> None:
    match = start_match("normal-cards", *four)
    assert cost_of_a_move(match) == each(statements=LIVE, broadcasts=1, messages=4, encodes=4, views=4, frames=4)


def test_spectators_share_one_view(four: list[User], start_match: Start) -> None:
    match = start_match("normal-cards", *four)
    cost = cost_of_a_move(match, [Browser(match) for _ in range(3)])
    assert cost == each(statements=LIVE, broadcasts=1, messages=7, encodes=5, views=5, frames=7)


def test_a_second_screen_shares_its_players_view(four: list[User], start_match: Start) -> None:
    match = start_match("normal-cards", *four)
    cost = cost_of_a_move(match, [Browser(match, seated(match)[0])])
    assert cost == each(statements=LIVE, broadcasts=1, messages=5, encodes=4, views=4, frames=5)


def test_a_turn_based_table_with_everyone_present(four: list[User], start_by_mail: Start) -> None:
    match = start_by_mail("normal-cards", *four)
    assert cost_of_a_move(match) == each(statements=SLOW, broadcasts=1, messages=4, encodes=4, views=4, frames=4)


def test_the_versions_that_several_players_have_seen_are_one_statement(four: list[User], start_by_mail: Start) -> None:
    """With a row lock for each, they could wait for a batch of moves that waits for them."""
    matches = [start_by_mail("normal-cards", *four) for _ in range(3)]
    seen = [(match.pk, player.pk, 2) for match in matches for player in four]
    with measuring() as stages:
        service.have_looked(seen)
    assert stages.counted()["statements"] == (len(seen) if connection.features.has_select_for_update else 1)
    assert {seat.looked_version for match in matches for seat in match.seats.all()} == {2}


def test_a_turn_based_table_with_no_one_there(four: list[User], start_by_mail: Start) -> None:
    match = start_by_mail("normal-cards", *four)

    def moves(first: int, last: int) -> None:
        for version in range(first, last):
            state = service.load(match.pk).state
            seat = state.to_move()[0]
            move = state.legal_moves(seat)[0]
            with measuring() as stages:
                service.act(match.pk, seat, move, request_id=f"m{version}", player=people[seat])
            costs.append(stages.counted())

    people = seated(match)
    costs: list[dict[str, int]] = []
    moves(0, WARM_UP + MOVES)
    assert costs[WARM_UP:] == [each(statements=SLOW, broadcasts=1)] * MOVES


def test_what_arriving_sockets_read_takes_as_many_statements_for_many_as_for_one(
    make_player: Callable[[str], User], start_match: Start
) -> None:
    people = [make_player(name) for name in ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay")]
    matches = [start_match("normal-cards", *people[first : first + 2]) for first in (0, 2, 4)]
    places = [(match, player) for match in matches for player in seated(match)]
    keys = []
    for player in people:
        client = QuickClient()
        client.force_login(player)
        keys.append(str(client.session.session_key))
    line = Line.objects.create(match=matches[1], author=people[2], author_name="Cleo", seat=0, text="Hello")

    def read(number: int) -> list[int]:
        cache.clear()
        state.current()
        some, pages = places[:number], []
        for (match, player), key in zip(some, keys, strict=False):
            pages.append(match_page.Page(match.pk, player.pk, key, ChatFilter(), {"talk": "0-0-0"}))
        calls = [
            lambda: signed_in(keys[:number]),
            lambda: match_page.find([(match.key, player.pk) for match, player in some]),
            lambda: match_page.read_stored([(match.pk, player.pk) for match, player in some]),
            lambda: match_page.read_marks(pages),
        ]
        statements = []
        for call in calls:
            with measuring() as stages:
                found.append(call())
            statements.append(stages.counted()["statements"])
        return statements

    found: list[Any] = []
    assert read(1) == read(len(places)) == [2, 1, 4, 6]
    people_in, ids, stored, marks = found[4:]
    assert [people_in[key] for key in keys] == people
    assert ids == [match.pk for match, _player in places]
    assert all(each.has_begun and each.may_play for each in stored)
    assert [each["talk"] for each in marks] == ["0-0-0"] * 2 + [f"0-{line.pk}-1"] * 2 + ["0-0-0"] * 2


def test_a_table_is_read_in_four_statements_and_its_rematch_in_two_more(four: list[User], start_match: Start) -> None:
    match = start_match("normal-cards", *four[:2])

    def cost() -> tuple[int, int, Any]:
        with measuring() as reading:
            projected = projection.read(match.pk)
        with measuring() as showing:
            shown = projection.snapshot_message(projected, 0)["rematch"]
        return reading.counted()["statements"], showing.counted()["statements"], shown

    assert cost() == (4, 0, None)
    service.resign(match, four[0])
    again = service.rematch(Match.objects.get(pk=match.pk), four[1])
    reading, showing, shown = cost()
    assert (reading, showing) == (6, 0)
    assert shown["url"] == again.get_absolute_url()
    assert (shown["agreed"], shown["asked"]) == ([1], [0])


def test_a_card_that_is_flipped_slapped_and_judged(four: list[User], start_match: Start) -> None:
    match = start_match("armani", *four)
    past_the_bets(match)
    people = seated(match)
    table = Counting(match, people, [])
    version = service.load(match.pk).version

    async def flip() -> None:
        nonlocal version
        await process.in_thread(lambda: service.step(match.pk, version))
        version += 1
        await table.see(version)

    async def slap() -> None:
        await process.in_thread(lambda: press(match, people[0], 0, version, 300))
        await table.seated[0].receive("slapped")

    async def go() -> list[dict[str, float]]:
        async with contextlib.AsyncExitStack() as here:
            await table.come(here)
            await flip()
            return [await table.cost(work, 1) for work in (flip, slap, flip)]

    flipped, slapped, judged = run(go)
    # PostgreSQL locks the row of a match whose card is closed; SQLite has one writer in any case.
    lock = int(connection.features.has_select_for_update)
    assert flipped == each(statements=4 + lock, broadcasts=1, messages=4, encodes=4, views=4, frames=4)
    assert slapped == each(statements=3, broadcasts=1, messages=4, encodes=1, frames=1)
    assert judged == each(statements=5 + lock - JOINED // 2, broadcasts=1, messages=4, encodes=5, views=4, frames=8)
