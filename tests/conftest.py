"""What tests of the site share."""

import threading
from collections.abc import Callable, Iterator

import pytest
from django.core.cache import cache, caches
from django.core.cache.backends.redis import RedisCache
from django.core.management.commands import flush
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import override_settings
from django.utils import translation

from accounts.models import User
from games import play
from games.live import rooms
from games.models import Match, hash_of

#: The seed of every match that tests start: the same cards each time.
SEED = "5eed" * 8


@pytest.fixture(autouse=True, scope="session")
def _static_files_are_looked_for_when_asked_for() -> Iterator[None]:
    """Not all of them whenever a test client begins, which took a quarter of the time of tests of pages."""
    with override_settings(WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture(autouse=True, scope="session")
def _emptied_log() -> Iterator[None]:
    """Tests that commit have all tables emptied row by row on SQLite, where the log of moderation refuses it."""
    sql_flush = flush.sql_flush

    def unsealed(style: object, connection: BaseDatabaseWrapper, **options: object) -> list[str]:
        statements = sql_flush(style, connection, **options)
        if connection.vendor != "sqlite":
            return statements
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%BEFORE DELETE%'")
            seals = cursor.fetchall()
        return [*(f"DROP TRIGGER {name}" for name, _sql in seals), *statements, *(sql for _name, sql in seals)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", unsealed)
        yield


@pytest.fixture(autouse=True)
def _fresh_tables() -> Iterator[None]:
    """No state of a match outlives its test: the next one's database gives the same ids again."""
    play.forget_all()
    yield
    play.stop_writer()
    play.forget_all()
    close_readers()


@pytest.fixture(autouse=True)
def _own_language() -> Iterator[None]:
    """A request leaves its reader's language behind in the thread; every test begins in English."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """What other tests did often, or long ago, does not count here.

    ``cache.clear()`` would empty the whole database of Redis, and with it what tests beside this one count.
    """
    if isinstance(caches["default"], RedisCache):
        client = cache._cache.get_client(None, write=True)
        client.delete(*client.scan_iter(match=f"{cache.key_prefix}:*"), "none")
    else:
        cache.clear()


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


@pytest.fixture
def start_by_mail(make_player: Callable[[str], User]) -> Callable[..., Match]:
    """Starts a match with days for each turn between the given people, and AI players on the seats of ``ai``."""

    def start(
        slug: str, *people: User, ai: dict[int, str] | None = None, clock: str = "daily", **options: object
    ) -> Match:
        match = play.open_table(people[0], slug, len(people) + len(ai or {}), options, ai=ai, clock=clock)
        for person in people[1:]:
            play.join(match, person)
        Match.objects.filter(pk=match.pk).update(seed=SEED, seed_hash=hash_of(SEED))
        play.start(match, people[0])
        return match

    return start
