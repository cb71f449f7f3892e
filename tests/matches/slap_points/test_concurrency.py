"""Concurrency on PostgreSQL: a slap point is settled exactly once, and a card is shown exactly once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection

from games.matches import service
from games.matches.commit.batch import BatchCommitter
from games.matches.models import Match, SlapAttempt
from games.matches.slap_points import commands
from games.matches.slap_points.models import SlapPoint, Watch
from tests.factories.commits import done, silent
from tests.factories.slap_points import (
    all_have_watched,
    choose,
    point_of,
    press,
    press_command,
    see,
    segment_of,
    slappable,
)

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def at_once(*works) -> list:
    """Run everything in threads that start together, each with its own connection."""
    barrier = threading.Barrier(len(works))

    def run(work):
        try:
            barrier.wait(10)
            return work()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def test_the_last_viewers_finish_at_once_and_it_is_settled_once(begin):
    assert connection.vendor == "postgresql"
    match = slappable(begin, 4)
    for _point in range(4):
        table = service.load(match.pk)
        if not table.at_slap_point:
            choose(match)
        match.refresh_from_db()
        point, segment = point_of(match), segment_of(match)
        last, seats = len(segment.moves), match.awaited_seats
        for seat in seats:
            service.begin_watch(match.pk, seat, f"{point.pk}-{seat}")
            Watch.objects.filter(point=point, seat=seat).update(cursor=last)
            if segment.is_slappable:
                assert press(match, seat, f"{point.pk}-{seat}", last, 300 + 50 * seat, at_point=(point, segment))
        results = at_once(
            *(partial(service.finish_watch, match.pk, seat, f"{point.pk}-{seat}") for seat in seats),
            *[partial(service.settle, match.pk)] * 4,
        )
        assert [result for result in results if isinstance(result, Exception)] == []
        point.refresh_from_db()
        assert point.settled_at is not None
        assert SlapPoint.objects.filter(match=match, version=point.version).count() == 1
        if segment.is_slappable:
            assert match.moves.filter(move="slap", request_id=f"slap:{point.version + last}:{seats[0]}").count() == 1
            judged = SlapAttempt.objects.filter(match=match, version=point.version + last)
            assert sorted(judged.values_list("result", flat=True)) == ["beaten"] * (len(seats) - 1) + ["won"]
        match.refresh_from_db()
        assert match.version == match.moves.count()
        assert SlapPoint.objects.filter(match=match, settled_at=None).count() == service.load(match.pk).at_slap_point


def test_processes_that_settle_at_the_same_time_settle_once(begin):
    match = slappable(begin, 2)
    point, segment = point_of(match), segment_of(match)
    all_have_watched(match)
    told: list[int] = []

    def settle() -> None:
        """Settle like another process, with a cache of its own."""
        command = commands.SettleSlapPoints(match.pk)
        BatchCommitter(lambda change: told.append(change.table.version)).commit([command])
        assert command.answer.exception() is None or isinstance(command.answer.exception(), service.Refused)

    at_once(*[settle] * 8)
    assert len(told) == 1
    assert SlapPoint.objects.filter(match=match).count() == 2
    assert match.moves.filter(number__gt=point.version).count() == len(segment.moves)


def test_one_of_many_sockets_shows_a_card(begin):
    match = begin(2)
    point = point_of(match)
    service.begin_watch(match.pk, 0, "s")
    for number in range(1, 4):
        results = at_once(*[lambda number=number: commands.advance(point.pk, "s", number)] * 8)
        assert sorted(results) == [False] * 7 + [True]


def test_of_devices_that_begin_at_once_one_shows_the_cards(begin):
    match = begin(2)
    point = point_of(match)
    at_once(*(lambda name=name: service.begin_watch(match.pk, 0, f"d{name}") for name in range(6)))
    watch = Watch.objects.get(point=point, seat=0)
    assert watch.losses == 0
    shown = at_once(*(lambda name=name: commands.advance(point.pk, f"d{name}", 1) for name in range(6)))
    assert sorted(shown) == [False] * 5 + [True]
    assert Match.objects.get(pk=match.pk).version == match.version


def test_a_press_that_comes_while_its_point_is_settled_counts_or_is_refused(begin):
    """In two processes: settling never misses a stored press."""
    for number in range(12):
        match = slappable(begin, 2)
        point, segment = point_of(match), segment_of(match)
        see(match, 1)
        service.begin_watch(match.pk, 0, "s")
        last = len(segment.moves)
        Watch.objects.filter(point=point, seat=0).update(cursor=last)
        both = (
            press_command(match, 0, "s", last, 300 + number, (point, segment)),
            commands.FinishSlapPoint(match.pk, 0, "s"),
        )
        (pressed,), (finished,) = at_once(*(partial(done, BatchCommitter(silent), command) for command in both))
        assert finished is None
        stored = SlapAttempt.objects.filter(match=match, seat=0)
        if isinstance(pressed, service.Acted):
            assert [attempt.result for attempt in stored] == ["won"]
        else:
            assert isinstance(pressed, service.Refused)
            assert not stored.exists()
