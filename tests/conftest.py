"""Shared fixtures."""

import functools
import importlib
import itertools
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.cache import cache, caches
from django.db import connection
from django.test import override_settings
from django.test.signals import template_rendered
from django.utils import translation
from django.utils.translation import gettext

from accounts.models import User
from armani_site.caching import LastingCache
from games.engine import text
from games.matches import models, service
from games.matches.models import Match, hash_of
from games.realtime import log_context, process
from games.site_status import state
from games.table import past_events
from tests.factories import matches
from tests.factories.clients import QuickClient

pytest_plugins = ["tests.database", "tests.speed", "tests.tiers"]

TESTS = Path(__file__).parent
#: The site's switches in the cache. Without them, each test that loads a page would begin with two queries.
_AS_MIGRATED = msgspec.json.encode(state.State())
#: Folders of tests that don't need a site.
PURE = {"engine", "laws", "reference", "rules"}
#: Marks of tests that start sites.
STARTING_SITES = {"browser", "process", "services"}


def pytest_pycollect_makemodule(module_path: Path) -> None:
    """Set up Hypothesis before the first module that uses it, since loading it takes half a second."""
    if "tests.factories.examples" not in sys.modules and b"from hypothesis" in module_path.read_bytes():
        importlib.import_module("tests.factories.examples")


@pytest.fixture(autouse=True, scope="session")
def _settings_of_all_tests(request: pytest.FixtureRequest) -> Iterator[None]:
    """Spare the tests what only a real site needs.

    One fixture for all of it, and one each for modules and tests, since pytest goes through every one for each test.
    """
    if any(mark.name in STARTING_SITES for item in request.session.items for mark in item.iter_markers()):
        # Once for all tests that start sites.
        request.getfixturevalue("migrated_database")
    settings_of_tests = override_settings(
        # Scanning the static files for every test client took a quarter of the time of page tests.
        WHITENOISE_AUTOREFRESH=True,
        # The real hash is deliberately slow, and tests would need thousands.
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    )
    with settings_of_tests, pytest.MonkeyPatch.context() as patch:
        # Most tests have no readers, and waking their threads took a third of a teardown.
        patch.setattr(process, "readers", _readers)
        # Copying the context of every template took a twentieth of the time of page tests.
        patch.setattr(template_rendered, "connect", lambda *_args, **_options: None)
        yield


@pytest.fixture(autouse=True, scope="module")
def _fresh_module(request: pytest.FixtureRequest) -> Iterator[None]:
    """Empty the cache before a module sets up what its tests share, which is before the first of them empties it.

    Without a site, the rules use their English texts directly: gettext took a tenth of the time of the laws.
    """
    if not _is_pure(request.path):
        _fresh_cache()
        yield
        return
    text.set_translator(str)
    yield
    text.set_translator(gettext)


@pytest.fixture(autouse=True)
def _fresh_site(request: pytest.FixtureRequest) -> Iterator[None]:
    """Isolate tests from each other: no match states, languages or cached counts remain."""
    if _is_pure(request.path):
        yield
        return
    service.forget_all()
    _fresh_cache()
    # Requests of Django's test client have no server that starts a log context.
    log_context.begin()
    # A request leaves its language behind in the thread; every test begins in English.
    with translation.override("en"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "secrets", _same_deals(request.node.nodeid))
        yield
    service.stop_writer()
    # The next test's database uses the same ids again.
    service.forget_all()
    close_readers()


def _same_deals(name: str) -> SimpleNamespace:
    """Give each test the same deals in every run: of the real, random ones, one in many is unlike what a test needs."""
    numbers = itertools.count()

    def token_hex(size: int) -> str:
        return hash_of(f"{name} {next(numbers)}")[: 2 * size]

    return SimpleNamespace(choice=secrets.choice, token_hex=token_hex)


@functools.cache
def _is_pure(module: Path) -> bool:
    """Whether the tests of a module need only the rules."""
    return module.relative_to(TESTS).parts[0] in PURE


def _fresh_cache() -> None:
    """Give each test a cache with only the site's switches, and without rate limits used up by others.

    ``cache.clear()`` would empty the whole Redis database, including what parallel tests have stored.
    """
    past_events.forget()
    if isinstance(caches["default"], LastingCache):
        with redis.from_url(settings.REDIS_URL) as client:
            client.delete(*client.scan_iter(match=f"{cache.key_prefix}:*"), "none")
    else:
        cache.clear()
    cache.set(state.NAME, _AS_MIGRATED)


class _Readers(ThreadPoolExecutor):
    """Threads that read rooms, and whether they may have open connections."""

    have_read = False

    def submit(self, /, *args: Any, **kwargs: Any) -> Any:
        self.have_read = True
        return super().submit(*args, **kwargs)


_readers = _Readers(process.READERS)


def close_readers() -> None:
    """Close the database connections of room-reading threads, because the test database can't be deleted before."""
    if not _readers.have_read:
        return
    barrier = threading.Barrier(process.READERS)

    def close() -> None:
        barrier.wait(10)
        connection.close()

    for done in [_readers.submit(close) for _ in range(process.READERS)]:
        done.result()
    _readers.have_read = False


@pytest.fixture
def contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep in ``response.context`` and ``response.templates`` what pages are made from."""
    monkeypatch.delattr(template_rendered, "connect")


@pytest.fixture
def client() -> QuickClient:
    return QuickClient()


@pytest.fixture
def make_player(db: None) -> Callable[[str], User]:
    """Create a signed-up player with that name."""

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
def make_moderator(db: None) -> Callable[..., User]:
    """Create a moderator with these roles: talk, results, accounts, operations."""

    def make(name: str, *roles: str) -> User:
        user = User.objects.create_user(f"{name.lower()}@example.org", name=name, is_staff=True)
        groups = Group.objects.in_bulk(field_name="name")
        user.groups.add(*(groups["Operations" if role == "operations" else f"Moderators: {role}"] for role in roles))
        return user

    return make


@pytest.fixture
def start_match(make_player: Callable[[str], User]) -> Callable[..., Match]:
    """Start a match of ``slug`` between the given people, and AI players on the seats of ``ai``."""

    def start(slug: str, *people: User, ai: dict[int, str] | None = None, **options: object) -> Match:
        return matches.begin(slug, people, options, ai=ai)

    return start


@pytest.fixture
def start_by_mail(make_player: Callable[[str], User]) -> Callable[..., Match]:
    """Start a turn-based match between the given people, and AI players on the seats of ``ai``."""

    def start(
        slug: str, *people: User, ai: dict[int, str] | None = None, clock: str = "daily", **options: object
    ) -> Match:
        return matches.begin(slug, people, options, ai=ai, clock=clock)

    return start
