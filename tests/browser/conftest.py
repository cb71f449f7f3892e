"""Fixtures for browser tests: Chromium, and the real site for each module."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import chromium
from tests.factories.site_process import SiteProcess

#: Nothing becomes due by itself: a test may start late.
_DEMO = """
from datetime import timedelta
from django.core.management import call_command
from django.utils import timezone
from games.matches.models import Match, Seat
call_command("seed_demo", "--matches", "1")
tomorrow = timezone.now() + timedelta(days=1)
Match.objects.filter(due_at__isnull=False).update(due_at=tomorrow)
Seat.objects.filter(due_at__isnull=False).update(due_at=tomorrow)
"""
#: Time limits for waiting on a busy machine.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def prepared_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an empty database: creating its tables takes longer than starting the site."""
    folder = tmp_path_factory.mktemp("prepared")
    SiteProcess(data_dir=folder).migrate()
    return folder


@pytest.fixture(scope="session")
def demo_data(prepared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the people and matches of ``seed_demo``."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    shutil.copytree(prepared_data, folder)
    SiteProcess(data_dir=folder).manage("shell", "-v", "0", "-c", _DEMO)
    return folder


@pytest.fixture(scope="module")
def site_env() -> dict[str, str]:
    """Additional environment of the module's site; modules override it."""
    return {}


@pytest.fixture(scope="module")
def site_data(prepared_data: Path) -> Path:
    """The initial data of the module's site."""
    return prepared_data


@pytest.fixture(scope="module")
def site(site_data: Path, site_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteProcess]:
    """A site of the module's own."""
    folder = tmp_path_factory.mktemp("site") / "data"
    shutil.copytree(site_data, folder)
    with SiteProcess(env=site_env, data_dir=folder) as running:
        yield running


@pytest.fixture(scope="package")
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = chromium.launch(playwright.chromium)
        yield running
        running.close()


@pytest.fixture
def browser(_chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Chromium; pages are closed after the test that opened them."""
    if request.node.get_closest_marker("full_chromium"):
        running = chromium.launch(_chromium.browser_type, is_full=True)
        yield running
        running.close()
        return
    yield _chromium
    for context in _chromium.contexts:
        context.close()


@pytest.fixture
def make_page(browser: Browser, site: SiteProcess) -> Iterator[Callable[..., Page]]:
    """Open a page in a browser profile of its own; script errors in any of them fail the test."""
    contexts = []
    wrong: list[str] = []

    def make(**options: object) -> Page:
        context = browser.new_context(base_url=site.url, **options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: "Content Security Policy" in message.text and wrong.append(message.text))
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []
