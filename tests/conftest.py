"""What tests of the site share."""

import gc
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.cache import cache, caches
from django.db import connection
from django.test import override_settings
from django.utils import translation
from django.utils.translation import gettext

from accounts.models import User
from armani_site.caching import LastingCache
from games.engine import text
from games.matches import service
from games.matches.models import Match, hash_of
from games.realtime import log_context, process
from games.table import past_events
from tests.factories.matches import SEED

pytest_plugins = ["tests.database", "tests.tiers"]

TESTS = Path(__file__).parent
#: Folders of tests that need no site.
PURE = {"engine", "laws", "reference", "rules"}


def pytest_pycollect_makemodule(module_path: Path) -> None:
    """Settings of Hypothesis, before the first module that uses it: it takes half a second to load."""
    if "tests.factories.examples" not in sys.modules and b"from hypothesis" in module_path.read_bytes():
        importlib.import_module("tests.factories.examples")


def pytest_collection_finish() -> None:
    """What is loaded by now stays, and need not be looked at by each collection of garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


@pytest.fixture(autouse=True, scope="session")
def _static_files_are_looked_for_when_asked_for() -> Iterator[None]:
    """Not all of them whenever a test client begins, which took a quarter of the time of tests of pages."""
    with override_settings(WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture(autouse=True, scope="session")
def _passwords_are_quick_to_check() -> Iterator[None]:
    """What the site takes its time over on purpose, tests would take it for thousands of times."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(autouse=True, scope="module")
def _rules_by_themselves(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where there is no site, the rules speak English as they stand: a tenth of the time of the laws was gettext's."""
    if not _is_pure(request):
        yield
        return
    text.set_translator(str)
    yield
    text.set_translator(gettext)


@pytest.fixture(autouse=True)
def _fresh_site(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing of one test is there in the next: no state of a match, no language of a reader, no cached count."""
    if _is_pure(request):
        yield
        return
    service.forget_all()
    _empty_cache()
    # A request of Django's test client has no server around it that begins a context of its own.
    log_context.begin()
    # A request leaves its reader's language behind in the thread; every test begins in English.
    with translation.override("en"):
        yield
    service.stop_writer()
    # The next test's database gives the same ids again.
    service.forget_all()
    close_readers()
    # What a module makes for its tests is made before the first of them empties the cache.
    _empty_cache()


def _is_pure(request: pytest.FixtureRequest) -> bool:
    """Whether a test is about rules alone."""
    return request.path.relative_to(TESTS).parts[0] in PURE


def _empty_cache() -> None:
    """What other tests did often, or long ago, does not count here.

    ``cache.clear()`` would empty the whole database of Redis, and with it what tests beside this one count.
    """
    past_events.forget()
    if isinstance(caches["default"], LastingCache):
        with redis.from_url(settings.REDIS_URL) as client:
            client.delete(*client.scan_iter(match=f"{cache.key_prefix}:*"), "none")
    else:
        cache.clear()


def close_readers() -> None:
    """Close the database connections of the threads that read for rooms: no test database goes while they are open."""
    barrier = threading.Barrier(process.READERS)

    def close() -> None:
        barrier.wait(10)
        connection.close()

    for done in [process.readers.submit(close) for _ in range(process.READERS)]:
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
def make_moderator(make_player: Callable[[str], User]) -> Callable[..., User]:
    """Makes someone with the roles of that name: talk, results, accounts, operations."""

    def make(name: str, *roles: str) -> User:
        user = make_player(name)
        user.is_staff = True
        user.save()
        for role in roles:
            user.groups.add(Group.objects.get(name="Operations" if role == "operations" else f"Moderators: {role}"))
        return User.objects.get(pk=user.pk)

    return make


@pytest.fixture
def start_match(make_player: Callable[[str], User]) -> Callable[..., Match]:
    """Starts a match of ``slug`` between the given people, and AI players on the seats of ``ai``."""

    def start(slug: str, *people: User, ai: dict[int, str] | None = None, **options: object) -> Match:
        seat_count = len(people) + len(ai or {})
        match = service.open_table(people[0], slug, seat_count, options, ai=ai)
        for person in people[1:]:
            service.join(match, person)
        Match.objects.filter(pk=match.pk).update(seed=SEED, seed_hash=hash_of(SEED))
        service.start(match, people[0])
        return match

    return start


@pytest.fixture
def start_by_mail(make_player: Callable[[str], User]) -> Callable[..., Match]:
    """Starts a match with days for each turn between the given people, and AI players on the seats of ``ai``."""

    def start(
        slug: str, *people: User, ai: dict[int, str] | None = None, clock: str = "daily", **options: object
    ) -> Match:
        match = service.open_table(people[0], slug, len(people) + len(ai or {}), options, ai=ai, clock=clock)
        for person in people[1:]:
            service.join(match, person)
        Match.objects.filter(pk=match.pk).update(seed=SEED, seed_hash=hash_of(SEED))
        service.start(match, people[0])
        return match

    return start
