"""Which of several processes runs a table's steps, without asking the others."""

import time

import pytest

from games.live import timers
from games.live.rooms import Room, SeatConnection
from games.realtime import process

HERE = {0: SeatConnection(presenting_since=1.0, cap=50.0, is_visible=True)}


@pytest.fixture
def is_elected(monkeypatch):
    """Whether the named process runs the steps of a match that the others have open, too, until a certain time."""

    def ask(own: str, match_id: int, **others: float) -> bool:
        monkeypatch.setattr(process, "ID", own)
        now = time.monotonic()
        presence = {name: (HERE, now + seconds) for name, seconds in others.items()}
        return timers.is_elected(Room(match_id, None, presence=presence))

    return ask


def test_of_all_processes_at_a_table_one_is_elected_and_not_always_the_same(is_elected):
    counts = {"one": 0, "two": 0, "three": 0}
    for match_id in range(60):
        first = [own for own in counts if is_elected(own, match_id, **{other: 9 for other in counts if other != own})]
        assert len(first) == 1
        counts[first[0]] += 1
    assert min(counts.values()) >= 5


def test_a_single_process_is_elected_and_another_one_when_it_is_gone(is_elected):
    for match_id in range(20):
        assert is_elected("one", match_id)
        assert is_elected("one", match_id, two=-1)
        assert is_elected("two", match_id, one=-1)
