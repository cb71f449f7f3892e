"""Whole matches through the table page, in a browser, on the real site."""

import re
import time

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.people import follow, open_mail, sign_up

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site_env():
    return {"HURRY": "4"}


def open_table(page: Page, slug: str, seats: int, ai: dict[int, str], **options: str) -> None:
    """Fill in the lobby's form and open the table."""
    page.goto(f"/lobby/new/?game={slug}")
    page.locator(".house-rules > summary").click()
    fill_in(page, "seats", str(seats))
    for seat, level in ai.items():
        fill_in(page, f"seat_{seat}", level)
    for name, value in options.items():
        fill_in(page, name, value)
    page.locator("main form button.primary").last.click()
    page.wait_for_url("**/match/**")


def fill_in(page: Page, name: str, value: str) -> None:
    """Set a form field of any kind."""
    fields = page.locator(f"[name={name}]")
    kind = fields.first.evaluate("field => field.type")
    if kind == "radio":
        fields.and_(page.locator(f"[value='{value}']")).check(force=True)
    elif kind == "select-one":
        fields.select_option(value)
    else:
        fields.fill(value)


def at_table(page: Page) -> Page:
    """Wait until the table is drawn and responds."""
    page.locator("#table[data-ready]").wait_for()
    return page


def version(page: Page) -> int:
    return int(page.locator("#table").get_attribute("data-version"))


def is_over(page: Page) -> bool:
    return page.locator("#result").is_visible()


def bet_or_choose(page: Page) -> None:
    """Make this player's next choice in a match of Armani, if there is one: fold if possible.

    Done in one step, because the table may change between looking and pressing.
    """
    page.evaluate(
        """() => (document.querySelector("#table.is-my-turn #controls .control-buttons [data-move]:enabled") ??
                  document.querySelector("#table.is-my-turn #controls [data-act=number]:enabled") ??
                  document.querySelector("#table.is-my-turn #felt button.is-usable:not(.is-chosen)"))?.click()"""
    )


def lines(page: Page) -> list[str]:
    return page.locator("#log li").all_inner_texts()


@pytest.mark.long
def test_a_newcomer_signs_up_and_plays_armani_against_an_ai_player(make_page):
    page = make_page()
    sign_up(page, "Ada", "ada@example.org")
    open_mail(page, "ada@example.org")
    follow(page.frame_locator("iframe").get_by_role("link", name="Confirm my address"))
    follow(page.get_by_role("button", name="Yes, confirm"))
    # One card in Stage 2 leads to the final lap after its first hand: the shortest complete match.
    open_table(page, "armani", 2, {1: "easy"}, pace="fast", option_stage2_flips="1")
    at_table(page)
    log = page.get_by_role("log", name="Moves")
    slap = page.get_by_role("button", name="Slap")
    # Nothing can be slapped during the bets; later the button is always in its place.
    expect(slap).to_be_hidden()
    place, sentences = _play_slapping(page, slap, log)
    for _ in range(3):
        if "All 52 cards" not in sentences:
            break
        # Rare: Stage 1 gave one player every card, so there was no Stage 2.
        _rematch(page)
        place, sentences = _play_slapping(page, slap, log)
    assert "Stage 2 begins." in sentences
    assert re.search(r"You play ", sentences)
    assert place["height"] >= 44
    expect(page.locator("#result-places li")).to_have_count(2)
    expect(page.locator("#result-places .is-me")).to_contain_text("You")
    # In the game's own words, with the winner.
    sentence = page.locator("#result-sentence").inner_text()
    assert sentence
    assert sentence not in page.locator("#result-places .result-why").all_inner_texts()
    expect(page.locator("#seed")).to_have_text(re.compile(r"^[0-9a-f]{32}$"))
    _rematch(page)


def _play_slapping(page: Page, slap: Locator, log: Locator) -> tuple[FloatRect, str]:
    """Play the match to its end with three slaps; returns the places of the button, and the log."""
    place = None
    slaps = 0
    end = time.monotonic() + 600
    while not is_over(page):
        assert time.monotonic() < end, lines(page)[-5:]
        bet_or_choose(page)
        place = place or (slap.bounding_box() if slap.is_visible() else None)
        if slaps < 3 and page.locator("#felt .pile .playing-card").count() > slaps:
            slaps += 1
            page.locator("body").press("Space")
        page.wait_for_timeout(100)
    assert slaps == 3
    assert place
    return place, log.inner_text()


def _rematch(page: Page) -> None:
    over = page.url
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: "/match/" in url and url != over)
    at_table(page)


def test_two_people_and_two_ai_players_while_one_browser_dies_and_returns(make_page, browser, site):
    ada = make_page()
    open_table(ada, "armani", 4, {2: "easy", 3: "medium"}, pace="relaxed")
    ben = make_page()
    ben.goto(ada.url)
    ben.get_by_role("button", name="Take a seat", exact=True).click()
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
    # The table doesn't wait for absent players.
    _wait(lambda: version(ada) > before + 3)
    assert not is_over(ada)

    returned = make_page(storage_state=cookies)
    returned.goto(ada.url)
    at_table(returned)
    expect(returned.locator("#own-seat .seat-who")).to_have_text(name)
    expect(seat.locator(".dot")).to_have_class(re.compile("is-online"))
    now = version(returned)
    assert now > before + 3
    _play_until(ada, returned, lambda: min(version(ada), version(returned)) > now + 3)
    # Everyone's log is complete, and includes what they alone saw.
    until = min(version(ada), version(returned))
    told, missed = _public(ada, until), _public(returned, until)
    shared = min(len(told), len(missed)) - 5
    assert shared > 10
    assert told[-shared:] == missed[-shared:]


def _play_until(one: Page, other: Page, done) -> None:
    def step() -> bool:
        for page in (one, other):
            bet_or_choose(page)
        return done()

    _wait(step)


def _wait(condition, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def _public(page: Page, until: int) -> list[str]:
    """What the public lines of the log tell up to this version; each says "You" to its own player."""
    marks = """(all, until) => all.filter(({ dataset }) => Number(dataset.v) <= until)
        .map(({ dataset: { v, kind, seat, cards } }) => [v, kind, seat, cards].join())"""
    return page.locator("#log li:not([data-kind=look])").evaluate_all(marks, until)
