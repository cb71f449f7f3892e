"""The practice room in a browser: keyboard and thumb, both sizes, no barriers; and the verdict of all hands."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.site_process import SiteProcess

pytestmark = pytest.mark.browser

SIZES = {"desktop": ({"width": 1280, "height": 800}, "light"), "phone": ({"width": 390, "height": 844}, "dark")}


@pytest.fixture(params=SIZES)
def page(request: pytest.FixtureRequest, browser: Browser, site: SiteProcess):
    size, scheme = SIZES[request.param]
    context = browser.new_context(
        base_url=site.url, viewport=size, color_scheme=scheme, has_touch=request.param == "phone"
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: "Content Security Policy" in message.text and wrong.append(message.text))
    yield page
    context.close()
    assert wrong == []


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found if each["impact"] in ("serious", "critical")]


def hand(seat: int, reaction: int, **more: object) -> dict[str, object]:
    return {"seat": seat, "reaction": reaction, "by_lot": True, **more}


def test_a_minute_alone_is_measured_and_leads_to_a_table(page):
    page.goto("/practice/slaps/")
    assert serious(page) == []
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#practice-count")).to_have_text("1 / 40", timeout=10_000)
    # On the first card nothing can be right: a wrong slap, with its time.
    page.wait_for_timeout(350)
    if page.viewport_size["width"] < 500:
        page.locator("#slap").tap()
    else:
        page.keyboard.press("Space")
    expect(page.locator("#practice-said")).to_contain_text("ms · wrong")
    expect(page.locator("#practice-count")).to_have_text("2 / 40", timeout=10_000)
    box = page.locator("#slap").bounding_box()
    assert box["height"] >= 88
    assert box["y"] + box["height"] <= page.viewport_size["height"]
    assert serious(page) == []
    page.get_by_role("button", name="Play the easy one").click()
    expect(page.locator("#felt")).to_be_visible()


def test_the_verdict_shows_every_hand_and_makes_room_for_the_next_card(page):
    page.goto("/practice/slaps/")
    page.get_by_role("button", name="Play the hard one").click()
    expect(page.locator("#table[data-ready]")).to_be_attached()
    hands = [
        hand(0, 303, raw=341, ping=36, credit=38, handicap=0, result="won"),
        hand(1, 304, raw=561, ping=212, credit=215, handicap=42, result="beaten"),
    ]
    page.evaluate(
        "async (slaps) => { window.verdict = await import('/static/js/table/verdict.js');"
        " window.verdict.showVerdict({ slaps }, ['Ada', 'Ben']); }",
        hands,
    )
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("Ada takes the stack")
    expect(verdict).to_contain_text("303 ms")
    expect(verdict).to_contain_text("561 ms, less 215 ms for the line (ping 212 ms) · less 42 ms given · as fast")
    assert serious(page) == []
    page.evaluate("() => window.verdict.makeRoom()")
    rows = page.locator(".verdict-slaps")
    if page.viewport_size["width"] < 500:
        expect(rows).to_be_hidden()
    else:
        expect(rows).to_be_visible()
