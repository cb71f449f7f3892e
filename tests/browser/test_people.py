"""People meeting: the lobby updates, messages arrive; every page at both widths, checked by axe."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.looks import barriers, sideways
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def enter(browser: Browser, site: SiteProcess) -> Iterator[Callable[..., Page]]:
    """Open a separate browser; script errors and policy violations fail the test."""
    contexts: list[BrowserContext] = []
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


def axe(page: Page) -> None:
    assert barriers(page) == []
    assert sideways(page) == 0


def open_table(page: Page, game: str, **fields: str) -> str:
    """Open a table as a guest who starts it; returns its URL."""
    page.goto(f"/lobby/new/?game={game}")
    page.locator(".house-rules > summary").click()
    page.get_by_label("Start as soon as all seats are taken").uncheck()
    for name, value in fields.items():
        page.locator(f"[name={name}][value='{value}']").check(force=True)
    page.get_by_role("button", name="Create table").click()
    page.wait_for_url(re.compile("/match/"))
    return page.url


@pytest.mark.parametrize("size", sampled([DESK, PHONE], PHONE, ids=lambda size: "phone" if size == PHONE else "desk"))
def test_two_people_find_each_other_and_talk(enter: Callable[..., Page], size: dict[str, int]) -> None:
    ada, ben = enter(viewport=size), enter(viewport=size)
    ben.goto("/lobby/?game=avalanche")
    expect(ben.get_by_role("heading", name="No open table like that right now")).to_be_visible()
    axe(ben)
    open_table(ada, "avalanche")
    # The lobby updates by itself.
    sit = ben.get_by_role("button", name=re.compile("Take a seat *: Avalanche"))
    expect(sit).to_be_visible()
    game = ben.get_by_role("search").get_by_label("Game")
    game.select_option("armed")
    expect(sit).to_be_hidden()
    game.select_option("avalanche")
    expect(sit).to_be_visible()
    expect(ben).to_have_url(re.compile("game=avalanche"))
    axe(ben)
    expect(ben.get_by_role("form", name="Quick match").get_by_label("Game")).to_have_value("avalanche")
    ben.get_by_role("button", name="Quick match").click()
    ben.wait_for_url(re.compile("/match/"))
    axe(ben)
    ada.get_by_role("button", name="Hello", exact=True).click()
    expect(ben.locator(".talk-lines")).to_contain_text("Hello")
    ada.get_by_role("button", name="Start the match").click()
    for page in (ada, ben):
        page.wait_for_selector("#table[data-ready]")
        expect(page.locator(".talk-lines")).to_contain_text("Hello")
    # At the table; on a phone it is a sheet, and its button counts unread messages.
    if size == PHONE:
        ada.get_by_role("button", name="Chat").click()
    ada.get_by_role("button", name="Good luck").click()
    if size == PHONE:
        expect(ben.locator("[data-talk-count]")).to_have_text("1")
        ben.get_by_role("button", name="Chat").click()
        expect(ben.locator("[data-talk-count]")).to_be_hidden()
    expect(ben.locator(".talk-lines li").last).to_contain_text("Good luck")
    expect(ben.locator(".talk-lines li").last.get_by_role("link", name="Report")).to_have_attribute(
        "href", re.compile(r"/report/line/\w+-\d+/")
    )
    axe(ben)
    if size == PHONE:
        for page in (ada, ben):
            page.keyboard.press("Escape")
            expect(page.locator(".talk-box")).to_be_hidden()
    # An offer to end appears at once, and is accepted.
    ada.locator(".table-menu summary").first.click()
    ada.get_by_text("Offer to stop…").click()
    ada.get_by_role("button", name="Offer to stop", exact=True).click()
    expect(ben.get_by_role("button", name="Agree to end")).to_be_visible()
    axe(ben)
    ben.get_by_role("button", name="Agree to end").click()
    expect(ada.get_by_role("heading", name="No result")).to_be_visible()
    expect(ada.locator("#ending form")).to_have_count(0)
    expect(ada.locator(".resign")).to_have_count(0)


def test_everything_works_without_scripts(enter: Callable[..., Page]) -> None:
    ada, ben = enter(java_script_enabled=False), enter(java_script_enabled=False)
    open_table(ada, "armed")
    ben.goto("/lobby/?game=armed")
    ben.get_by_label("Clock").select_option("table")
    ben.get_by_role("button", name="Show").click()
    ben.get_by_role("button", name=re.compile("Take a seat *: Armed")).first.click()
    ben.wait_for_url(re.compile("/match/"))
    ben.get_by_role("button", name="Hello", exact=True).click()
    expect(ben.locator(".talk-lines")).to_contain_text("Hello")
    ada.reload()
    expect(ada.locator(".talk-lines")).to_contain_text("Hello")


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", sampled(["light", "dark"], "light"))
def test_settings_and_people_pages(enter: Callable[..., Page], size: dict[str, int], scheme: str) -> None:
    page = enter(viewport=size, color_scheme=scheme)
    open_table(page, "armed")
    name = page.locator(".site-header .menu summary span").last.inner_text()
    for path in ("", "profile/", "moves/", "look/"):
        page.goto(f"/accounts/settings/{path}")
        axe(page)
    expect(page.locator("[data-look] .playing-card")).to_have_count(4)
    page.get_by_label(re.compile("Large: one big number")).check()
    page.get_by_label("Four colours").check()
    expect(page.locator("[data-look] .playing-card")).to_have_count(4)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator("body")).to_have_attribute("data-faces", "large")
    page.goto(f"/player/{name.lower()}/")
    axe(page)
    page.goto("/friends/")
    axe(page)
