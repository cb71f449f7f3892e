"""A match that another connection moves on during a read is still read consistently."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from games.live import rooms
from games.matches import loading, service
from games.matches.commit.batch import BatchCommitter
from games.matches.models import Match
from games.matches.turn_clock import SeatClock
from games.table import projection
from tests.factories.commits import at_once, done, silent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def match(start_by_mail, ada, ben) -> Match:
    """A match whose clocks change with each move: only the current turn's clock runs."""
    return start_by_mail("normal-cards", ada, ben)


def play(match: Match, count: int = 1) -> None:
    """Make this many moves in another process."""
    committer = BatchCommitter(silent)
    for _ in range(count):
        table = service.load(match.pk)
        seat = table.state.to_move()[0]
        player_id, move = table.sitters[seat].player_id, table.state.legal_moves(seat)[0]
        name = f"m{table.version}"
        (answer,) = done(committer, service.move_command(match.pk, seat, move, request_id=name, player_id=player_id))
        assert answer.version == table.version + 1


@contextmanager
def played_before(table: str, match: Match, times: int = 1) -> Iterator[list[str]]:
    """Store a move by another connection before each of the first queries of ``table``."""
    queries: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if f'FROM "{table}"' in sql:
            queries.append(sql)
            if len(queries) <= times:
                assert at_once(lambda: play(match)) == [None]
        return execute(sql, *arguments)

    with connection.execute_wrapper(watch):
        yield queries


def asked(clocks: list[SeatClock]) -> list[int]:
    """The seats whose clocks run."""
    return [seat for seat, clock in enumerate(clocks) if clock.asked_version is not None]


@pytest.mark.parametrize("table", ["games_seat", "games_move"])
@pytest.mark.parametrize("times", [1, 3])
def test_a_page_shows_moves_and_clocks_of_one_version(match, table, times):
    play(match, 2)
    with played_before(table, match, times):
        projected = projection.read(match.pk)
    found = projected.table
    assert found.version == projected.match.version == 2 + times
    assert asked(found.clocks) == list(found.state.to_move())


@pytest.mark.parametrize("table", ["games_seat", "games_move"])
def test_a_process_decides_on_moves_and_clocks_of_one_version(match, table):
    play(match, 2)
    with played_before(table, match):
        found = loading.load([match.pk])[match.pk]
    assert found.version == 3
    assert asked(found.clocks) == list(found.state.to_move())


@pytest.mark.parametrize("table", ["games_seat", "games_move"])
def test_a_room_that_missed_moves_gets_the_clocks_after_the_last_of_them(match, table):
    play(match, 2)
    with played_before(table, match):
        entries, _due, clocks = rooms.read_entries(match.pk, 1)
    assert len(entries) == 2
    stored = service.load(match.pk)
    assert [SeatClock.from_json(clock) for _seat, clock in clocks] == stored.clocks
    assert stored.version == 3


def test_a_match_with_more_moves_than_its_row_says_is_read_as_it_is(match):
    play(match, 3)
    Match.objects.filter(pk=match.pk).update(version=2)
    with played_before("games_move", match, times=0) as queries:
        assert projection.read(match.pk).table.version == 3
    assert len(queries) == 2
    assert service.load(match.pk).version == 3


def test_an_unchanged_match_is_read_once(match):
    play(match, 2)
    with played_before("games_move", match, times=0) as queries:
        projection.read(match.pk)
        loading.load([match.pk])
        rooms.read_entries(match.pk, 1)
    assert len(queries) == 3
