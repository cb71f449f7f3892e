"""The replay of a finished match in a browser: stepping, playing, jumping, changing seats, playing on."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import chromium, tables
from tests.browser.looks import barriers, sideways
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


def resign_a_match(page: Page, site: SiteProcess) -> str:
    """Start a match of Basic Rummy against an AI player, play a few moves, resign; returns the match's path."""
    page.goto(site.url)
    tables.play_an_ai_player(page, "basic-rummy")
    page.wait_for_selector("#table[data-ready]")
    hand = page.locator("#hand button")
    for _turn in range(2):
        page.wait_for_selector("#table.is-my-turn")
        expect(hand).to_have_count(10)
        page.get_by_role("button", name="Draw from the stock").first.click()
        expect(hand).to_have_count(11)
        hand.first.click(position={"x": 12, "y": 12})  # the rest of it lies under the next one
        page.get_by_role("button", name=re.compile("^Discard")).first.click()
        expect(hand).to_have_count(10)
    page.locator(".table-menu > summary").click()
    page.locator("#resign > summary").click()
    page.get_by_role("button", name="Yes, resign").click()
    page.wait_for_selector("#result:not([hidden])")
    return page.url.removeprefix(site.url)


def test_a_finger_on_a_card_of_a_replay_scrolls_the_page(site: SiteProcess, browser: Browser) -> None:
    page = browser.new_context(viewport=SIZES["phone"], has_touch=True).new_page()
    resign_a_match(page, site)
    page.get_by_role("link", name="Review").click()
    page.wait_for_selector("#table[data-ready]")
    box = page.locator("#hand .playing-card").nth(3).bounding_box()
    assert box
    x, y = box["x"] + 12, box["y"] + 40
    line = page.context.new_cdp_session(page)
    for kind, up in [("touchStart", 0), *(("touchMove", 20 * n) for n in range(1, 8)), ("touchEnd", None)]:
        points = [] if up is None else [{"x": x, "y": y - up}]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function("scrollY > 50")


@pytest.mark.parametrize("size", sampled(SIZES, "phone"))
def test_the_bar_of_a_replay_covers_no_card_and_melds_have_a_button_only_in_a_drawer(
    site: SiteProcess, browser: Browser, size: str
) -> None:
    page = browser.new_context(viewport=SIZES[size]).new_page()
    resign_a_match(page, site)
    page.get_by_role("link", name="Review").click()
    page.wait_for_selector("#table[data-ready]")
    hand, bar = page.locator("#hand").bounding_box(), page.locator(".replay-bar").bounding_box()
    assert hand
    assert bar
    assert hand["y"] + hand["height"] <= bar["y"]
    expect(page.locator(".centre:not(.has-drawer) .melds-open")).to_be_hidden()


@pytest.mark.parametrize("size", sampled(SIZES, "phone"))
def test_a_finished_match_is_replayed_and_continued(site: SiteProcess, browser: Browser, size: str) -> None:
    page = browser.new_context(viewport=SIZES[size]).new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    resign_a_match(page, site)
    page.get_by_role("link", name="Review").click()
    page.wait_for_selector("#table[data-ready]")
    moment = page.locator("#moment")
    expect(moment).to_have_text(re.compile("^Move 0 of"))
    last = int(page.locator("#table").get_attribute("data-last") or "0")
    assert last >= 4

    page.get_by_role("link", name="One move forward").click()
    expect(moment).to_have_text(f"Move 1 of {last}")
    page.keyboard.press("ArrowRight")
    expect(moment).to_have_text(f"Move 2 of {last}")
    page.keyboard.press("ArrowLeft")
    expect(moment).to_have_text(f"Move 1 of {last}")
    page.keyboard.press("End")
    expect(moment).to_have_text(f"Move {last} of {last}")
    page.locator("#story button").first.click()
    expect(moment).to_have_text(f"Move 1 of {last}")
    page.locator("#speed").select_option(label="Very fast")
    page.locator("#play").click()
    expect(moment).to_have_text(f"Move {last} of {last}")
    expect(page.locator("#play")).to_have_text("Play")

    page.keyboard.press("Home")
    expect(moment).to_have_text(f"Move 0 of {last}")
    page.locator("#eyes").select_option(label="All hands open")
    page.wait_for_url("**seat=all")
    page.wait_for_selector("#table[data-ready]")
    told = " ".join(page.locator(".seat .chip-known").all_text_contents())
    assert len(re.findall(r"\bthe \w+ of \w+", told)) == 20
    expect(page.locator("#mine")).to_be_hidden()
    assert sideways(page) == 0
    assert barriers(page) == []

    page.goto(re.sub(r"\?.*", "?v=2&seat=0", page.url))
    page.wait_for_selector("#table[data-ready]")
    expect(moment).to_have_text(f"Move 2 of {last}")
    page.get_by_text("Play on from here").click()
    page.get_by_role("button", name="Play on").click()
    page.wait_for_selector("#table[data-socket][data-ready]")
    assert not problems


@pytest.fixture
def without_scripts(browser: Browser) -> Iterator[Browser]:
    """A Chromium without scripts: disabling them for one page may be too late for its ``noscript``."""
    running = chromium.launch(browser.browser_type, "--blink-settings=scriptEnabled=false")
    yield running
    running.close()


def test_without_scripts_each_moment_is_a_page(site: SiteProcess, browser: Browser, without_scripts: Browser) -> None:
    page = browser.new_context().new_page()
    path = resign_a_match(page, site)
    plain = without_scripts.new_page(java_script_enabled=False)
    plain.goto(f"{site.url}{path}replay/")
    plain.get_by_role("link", name="Go to the deal").click()
    expect(plain.locator("#moment")).to_have_text(re.compile(r"^\s*Move 0 of"))
    # Later it may be gone: the first player may take its only card.
    expect(plain.get_by_role("heading", name=re.compile("Discard pile"))).to_be_visible()
    plain.get_by_role("link", name="One move forward").click()
    expect(plain.locator("#moment")).to_have_text(re.compile(r"^\s*Move 1 of"))
