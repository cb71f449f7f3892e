"""What browser tests share: Chromium, and the real site for each module."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.site_process import SiteProcess


@pytest.fixture(scope="session")
def prepared_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an empty database: making its tables takes longer than starting the site."""
    folder = tmp_path_factory.mktemp("prepared")
    SiteProcess(data_dir=folder).manage("migrate", "--verbosity=0")
    return folder


@pytest.fixture(scope="module")
def site_env() -> dict[str, str]:
    """What the environment of the module's site has more; a module that needs something gives its own."""
    return {}


@pytest.fixture(scope="module")
def site(
    prepared_data: Path, site_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SiteProcess]:
    """A site of the module's own."""
    folder = tmp_path_factory.mktemp("site") / "data"
    shutil.copytree(prepared_data, folder)
    with SiteProcess(env=site_env, data_dir=folder) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        yield running
        running.close()


@pytest.fixture
def make_page(browser: Browser, site: SiteProcess) -> Iterator[Callable[..., Page]]:
    """Makes a page in a browser profile of its own; what went wrong in the scripts of any of them fails the test."""
    contexts = []
    wrong: list[str] = []

    def make(**options: object) -> Page:
        context = browser.new_context(base_url=site.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: "Content Security Policy" in message.text and wrong.append(message.text))
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []
