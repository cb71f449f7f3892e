"""A table whose scripts are missing, for example because a new release has replaced them, says so."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import tables
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

MADE = """
made = {name: running("armed", 2, lambda view: True, number=number) for number, name in enumerate(["begun", "over"])}
play.resign(made["over"], ada)
"""


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    return tables.make(site, MADE)


@pytest.fixture
def open_page(make_page, site: SiteProcess, made: dict[str, str]):
    """Open a match as Ada with one of its scripts missing."""

    def open_it(name: str, missing: str) -> Page:
        page = make_page(viewport={"width": 390, "height": 844}, service_workers="block")
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
        page.route(f"**/js/{missing}", lambda route: route.fulfill(status=404))
        page.goto(made[name])
        return page

    return open_it


def reload(page: Page, missing: str) -> None:
    """Reload by the page's own link, with all scripts there again."""
    page.unroute(f"**/js/{missing}")
    page.get_by_role("link", name="Reload").click()
    page.locator("#table[data-complete]").wait_for()
    expect(page.get_by_role("link", name="Reload")).to_have_count(0)


@pytest.mark.parametrize("missing", ["table/table.js", "connect.js"])
def test_a_table_that_is_not_drawn_says_after_a_while_that_it_should_have_been(open_page, missing):
    page = open_page("begun", missing)
    late = page.get_by_text("The table is taking long to load.")
    expect(late).to_have_count(1)
    expect(late).not_to_be_visible()
    page.evaluate("for (const each of document.getAnimations()) each.currentTime = 9_900")
    expect(late).not_to_be_visible()
    page.evaluate("for (const each of document.getAnimations()) each.currentTime = 10_100")
    expect(late).to_be_visible()
    reload(page, missing)


def test_a_table_without_its_log_is_played_on_and_says_that_something_is_missing(open_page):
    page = open_page("begun", "table/extras.js")
    expect(page.get_by_text("Part of this page hasn't loaded.")).to_be_visible()
    page.locator("#table[data-ready]").wait_for()
    expect(page.locator("body")).to_have_attribute("data-connection", "open")
    expect(page.locator("#hand .playing-card").first).to_be_visible()
    reload(page, "table/extras.js")


def test_a_result_that_cannot_be_drawn_is_missed(open_page):
    page = open_page("over", "table/result.js")
    expect(page.get_by_text("Part of this page hasn't loaded.")).to_be_visible()
    reload(page, "table/result.js")
    expect(page.locator("#result")).to_be_visible()
