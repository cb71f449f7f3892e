"""What tests of the site share."""

import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from accounts.models import User
from games import play
from games.live import rooms
from games.models import Match, hash_of

#: The seed of every match that tests start: the same cards each time.
SEED = "5eed" * 8


@pytest.fixture(autouse=True)
def _fresh_tables() -> Iterator[None]:
    """No state of a match outlives its test: the next one's database gives the same ids again."""
    play.forget_all()
    yield
    play.stop_writer()
    play.forget_all()
    close_readers()


def close_readers() -> None:
    """Close the database connections of the threads that read for rooms: no test database goes while they are open."""
    workers = len(rooms._readers._threads)
    barrier = threading.Barrier(workers) if workers else None

    def close() -> None:
        if barrier is not None:
            barrier.wait(10)
        connection.close()

    for done in [rooms._readers.submit(close) for _ in range(workers)]:
        done.result()


@pytest.fixture
def make_player(db: None) -> Callable[[str], User]:
    """Makes a signed-up player of that name."""

    def make(name: str) -> User:
        return User.objects.create_user(f"{name.lower()}@example.org", name=name)

    return make


@pytest.fixture
def ada(make_player: Callable[[str], User]) -> User:
    return make_player("Ada")


@pytest.fixture
def ben(make_player: Callable[[str], User]) -> User:
    return make_player("Ben")


@pytest.fixture
def start_match(make_player: Callable[[str], User]) -> Callable[..., Match]:
    """Starts a match of ``slug`` between the given people, and AI players on the seats of ``ai``."""

    def start(slug: str, *people: User, ai: dict[int, str] | None = None, **options: object) -> Match:
        seat_count = len(people) + len(ai or {})
        match = play.open_table(people[0], slug, seat_count, options, ai=ai)
        for person in people[1:]:
            play.join(match, person)
        Match.objects.filter(pk=match.pk).update(seed=SEED, seed_hash=hash_of(SEED))
        play.start(match, people[0])
        return match

    return start
