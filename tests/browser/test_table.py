"""Whole matches through the table page, in a browser, on the real site."""

import re
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.test_accounts import open_mail, sign_up
from tests.site_process import SiteProcess

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def site():
    with SiteProcess() as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        yield running
        running.close()


@pytest.fixture
def make_page(browser: Browser, site: SiteProcess):
    """Makes a page in a browser profile of its own; what went wrong in any of them fails the test."""
    contexts = []
    wrong = []

    def make(**options) -> Page:
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


def open_table(page: Page, slug: str, seats: int, ai: dict[int, str], **options: str) -> None:
    """Fill in the lobby's form and open the table."""
    page.goto(f"/lobby/new/?game={slug}")
    fill_in(page, "seats", str(seats))
    for seat, level in ai.items():
        fill_in(page, f"seat_{seat}", level)
    for name, value in options.items():
        fill_in(page, name, value)
    page.locator("main form button.primary").last.click()
    page.wait_for_url("**/match/**")


def fill_in(page: Page, name: str, value: str) -> None:
    """Give a field of a form its value, whatever kind of field it is."""
    fields = page.locator(f"[name={name}]")
    kind = fields.first.evaluate("field => field.type")
    if kind == "radio":
        fields.and_(page.locator(f"[value='{value}']")).check(force=True)
    elif kind == "select-one":
        fields.select_option(value)
    else:
        fields.fill(value)


def at_table(page: Page) -> Page:
    """Wait until the table is drawn and answers."""
    page.locator("#table[data-ready]").wait_for()
    return page


def version(page: Page) -> int:
    return int(page.locator("#table").get_attribute("data-version"))


def is_over(page: Page) -> bool:
    return page.locator("#result").is_visible()


def bet_or_choose(page: Page) -> None:
    """Make the next choice of a match of Armani that is this player's to make, if there is one: fold if possible.

    The table may move between a look and a press, so both are one.
    """
    page.evaluate(
        """() => (document.querySelector("#table.is-my-turn #controls .control-buttons [data-move]:enabled") ??
                  document.querySelector("#table.is-my-turn #controls [data-act=number]:enabled") ??
                  document.querySelector("#table.is-my-turn #felt button.is-usable:not(.is-chosen)"))?.click()"""
    )


def lines(page: Page) -> list[str]:
    return page.locator("#log li").all_inner_texts()


def test_a_newcomer_signs_up_and_plays_armani_against_an_ai_player(make_page):
    page = make_page()
    sign_up(page, "Ada", "ada@example.org")
    open_mail(page, "ada@example.org")
    page.frame_locator("iframe").get_by_role("link", name="Confirm my address").click()
    page.get_by_role("button", name="Yes, confirm").click()
    # One card in Stage 2 leads to the final lap after its first hand: the shortest whole match.
    open_table(page, "armani", 2, {1: "easy"}, pace="fast", option_stage2_flips="1")
    page.get_by_role("button", name="Start the match").click()
    at_table(page)
    log = page.get_by_role("log")
    slap = page.get_by_role("button", name="Slap")
    expect(slap).to_be_visible()
    place = slap.bounding_box()
    slaps = 0
    end = time.monotonic() + 240
    while not is_over(page):
        assert time.monotonic() < end, lines(page)[-5:]
        bet_or_choose(page)
        if slaps < 3 and page.locator("#felt .pile .playing-card").count() > slaps:
            slaps += 1
            page.locator("body").press("Space")
        page.wait_for_timeout(100)
    assert slaps == 3
    sentences = log.inner_text()
    assert "Stage 2 begins." in sentences
    assert re.search(r"Ada plays ", sentences)
    assert place["height"] >= 44
    expect(page.locator("#result-places li")).to_have_count(2)
    expect(page.locator("#result")).to_contain_text("Ada")
    expect(page.locator("#result-sentence")).to_contain_text("win the match")
    expect(page.locator("#seed")).to_have_text(re.compile(r"^[0-9a-f]{32}$"))
    page.get_by_role("button", name="Rematch").click()
    expect(page.get_by_role("button", name="Start the match")).to_be_visible()


def test_two_people_and_two_ai_players_while_one_browser_dies_and_returns(make_page, browser, site):
    ada = make_page()
    open_table(ada, "armani", 4, {2: "easy", 3: "medium"}, pace="fast")
    ben = make_page()
    ben.goto(ada.url)
    ben.get_by_role("button", name="Sit down").click()
    ada.get_by_role("button", name="Start the match").click()
    at_table(ada)
    at_table(ben)
    _play_until(ada, ben, lambda: all(page.locator("#felt .pile").count() for page in (ada, ben)))
    name = ben.locator("#own-seat .seat-who").inner_text()
    seat = ada.locator(f".seat:has(.seat-who:text-is('{name}'))")
    expect(seat.locator(".dot")).to_have_class(re.compile("is-online"))

    cookies = ben.context.storage_state()
    before = version(ben)
    ben.context.close()
    expect(seat.locator(".dot")).not_to_have_class(re.compile("is-online"))
    # The table goes on without waiting for whoever is away.
    _wait(lambda: version(ada) > before + 3)
    assert not is_over(ada)

    returned = make_page(storage_state=cookies)
    returned.goto(ada.url)
    at_table(returned)
    expect(returned.locator("#own-seat .seat-who")).to_have_text(name)
    expect(seat.locator(".dot")).to_have_class(re.compile("is-online"))
    now = version(returned)
    assert now > before + 3
    _wait(lambda: min(version(ada), version(returned)) > now + 3)
    # Nobody has a hole in the story; what each saw alone is told to them alone.
    told, missed = _public(lines(ada)), _public(lines(returned))
    shared = min(len(told), len(missed)) - 5
    assert shared > 10
    assert missed[-1] in told[-8:] or told[-1] in missed[-8:]
    last = missed[-6]
    at = len(told) - 1 - told[::-1].index(last)
    back = min(shared, at, len(missed) - 6)
    assert told[at - back : at] == missed[len(missed) - 6 - back : len(missed) - 6]


def test_normal_cards_at_phone_size_by_keyboard_alone(make_page):
    page = make_page(viewport=PHONE, has_touch=True)
    page.goto("/")
    page.locator("form[action='/quick/normal-cards/'] button").first.focus()
    page.keyboard.press("Enter")
    at_table(page)
    found = Axe().run(page)
    serious = [each for each in found.response["violations"] if each["impact"] in ("serious", "critical")]
    assert serious == []
    said = page.get_by_role("log")
    played = []
    end = time.monotonic() + 85
    while not is_over(page):
        assert time.monotonic() < end, lines(page)[-5:]
        if not page.locator("#table.is-my-turn").count():
            page.wait_for_timeout(60)
            continue
        for _press in range(40):
            if page.evaluate("document.activeElement.matches('#hand button')"):
                break
            page.keyboard.press("Tab")
        for _press in range(10):
            if page.evaluate("document.activeElement.matches('.is-usable')"):
                break
            page.keyboard.press("ArrowRight")
        card = page.evaluate("document.activeElement.innerText.trim()")
        was = version(page)
        page.keyboard.press("Enter")
        expect(page.locator("#hand .is-chosen")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Enter")
        _wait(lambda was=was: version(page) > was)
        played.append(card)
    # Eighteen tricks of two cards; ours were read out.
    assert len(played) == 18
    sentences = said.inner_text()
    assert said.get_attribute("aria-live") == "polite"
    for card in played[-5:]:
        assert f"plays {card}." in sentences
    expect(page.locator("#result-title")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "result"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _play_until(one: Page, other: Page, done) -> None:
    def step() -> bool:
        for page in (one, other):
            bet_or_choose(page)
        return done()

    _wait(step)


def _wait(condition, seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def _public(sentences: list[str]) -> list[str]:
    return [line for line in sentences if " looks at " not in line]
