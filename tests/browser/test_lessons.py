"""Lessons in a browser: by keyboard alone and by touch, each step read out, accessible, on the real table."""

import re
from collections.abc import Iterator
from operator import attrgetter

import pytest
from playwright.sync_api import Browser, Page, expect

from games import rules
from games.engine import Lesson
from tests.browser.looks import barriers
from tests.browser.players import Player, wait_until
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

LESSONS = [lesson for game in rules.all() for lesson in rules.by_slug()[game.slug].lessons]
#: Whether a place is marked only while a button that targets it has the focus or the pointer.
IS_AIMED_AT = """[...document.querySelectorAll(".is-aimed")].every((place) =>
    [...document.querySelectorAll("[data-aims]:is(:hover, :focus)")].some(
        (button) => button.dataset.aims === place.dataset.target))"""
#: Whether the moves, the hand and the sentence are above the bar with Back and Skip.
IS_AT_THE_FOOT = """[...document.querySelectorAll("#strip, #controls, #hand")].every((place) =>
    place.getBoundingClientRect().top <= document.querySelector("#lesson").getBoundingClientRect().top)"""
#: Whether no button covers the sentence.
IS_APART = """(() => {
    const strip = document.querySelector("#strip").getBoundingClientRect();
    return [...document.querySelectorAll("#controls button")].every((button) => {
        const place = button.getBoundingClientRect();
        return place.left >= strip.right || place.right <= strip.left || place.top >= strip.bottom;
    });
})()"""
#: The first lesson of each game, and one lesson for each kind of move; the others use the same code.
EACH_KIND = ("basic-rummy/turn", "armani/slap")
KEY = attrgetter("key")


@pytest.fixture(scope="module")
def site_env() -> dict[str, str]:
    return {"HURRY": "8"}  # other players' moves are awaited in each lesson


@pytest.fixture
def make_pupil(browser: Browser, site: SiteProcess) -> Iterator:
    contexts = []
    wrong: list[str] = []

    def make(*, is_phone: bool = False, on_its_side: bool = False) -> Page:
        size = {"width": 390, "height": 844} if is_phone else {"width": 1280, "height": 800}
        if on_its_side:
            size = {"width": 640, "height": 400}
        context = browser.new_context(base_url=site.url, viewport=size, has_touch=is_phone)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: "Content Security Policy" in message.text and wrong.append(message.text))
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []


def begin(page: Page, lesson: Lesson, *, by_keyboard: bool = False, by_touch: bool = False) -> Player:
    page.goto("/learn/")
    button = page.locator(f'form[action="/learn/{lesson.key}/"] button')
    if by_keyboard:
        button.focus()
        page.keyboard.press("Enter")
    elif by_touch:
        button.tap()
    else:
        button.click()
    return Player(page, by_keyboard=by_keyboard, by_touch=by_touch)


def go_through(
    page: Page, lesson: Lesson, *, by_keyboard: bool = False, by_touch: bool = False, looks: bool = False
) -> None:
    player = begin(page, lesson, by_keyboard=by_keyboard, by_touch=by_touch)
    for version, step in zip(lesson.versions, lesson.steps, strict=True):
        player.await_version(version)
        expect(page.locator("#status")).to_have_text(step.say)
        expect(page.locator("#lesson-said")).to_have_text(step.say)
        expect(page.locator("#table")).to_have_class(re.compile("is-my-turn"))
        wait_until(lambda: page.evaluate(IS_AT_THE_FOOT), "the bar of the lesson stands above the moves")
        wait_until(lambda: page.evaluate(IS_APART), "a button covers the sentence")
        wait_until(lambda: page.evaluate(IS_AIMED_AT), "a place stays marked though its button has gone")
        for card in step.lit.split():
            expect(page.locator(f".playing-card.is-lit[data-card='{card}']").first).to_be_visible()
        if looks and version in (lesson.versions[0], lesson.versions[-1]):
            assert barriers(page) == []
        if step.move == "slap":
            page.wait_for_timeout(500)  # a press faster than any person is ignored
            if by_keyboard:
                page.keyboard.press("Space")
            elif by_touch:
                page.locator("#slap").tap()
            else:
                page.locator("#slap").click()
        else:
            player.make(step.move)
        expect(page.locator("#lesson-said")).not_to_have_text(step.say)
    expect(page.locator("#lesson-end")).to_be_visible(timeout=20_000)
    expect(page.locator("#lesson-end-text")).to_have_text(lesson.end)
    expect(page.locator("#lesson-end")).to_be_focused()
    if looks:
        assert barriers(page) == []


@pytest.mark.parametrize("lesson", sampled(LESSONS, *map(rules.lesson, EACH_KIND), ids=KEY))
def test_a_lesson_is_solved_by_keyboard_alone_and_each_step_is_read_out(make_pupil, lesson):
    go_through(make_pupil(), lesson, by_keyboard=True, looks=True)


@pytest.mark.parametrize("lesson", sampled(LESSONS, rules.lesson("armani/slap"), ids=KEY))
def test_a_lesson_is_solved_by_touch_on_a_phone(make_pupil, lesson):
    go_through(make_pupil(is_phone=True), lesson, by_touch=True)


def test_a_lesson_is_solved_by_touch_on_a_phone_on_its_side_and_back_is_in_reach(make_pupil):
    page = make_pupil(is_phone=True, on_its_side=True)
    go_through(page, rules.lesson("armani/slap"), by_touch=True)
    page.get_by_role("button", name="One step back").tap()
    page.get_by_role("button", name="Back", exact=True).tap()
    expect(page.locator("#lesson-count")).to_have_text("4 / 5")


def test_a_wrong_move_is_answered_and_reload_back_and_skip_keep_the_place(make_pupil):
    lesson = rules.lesson("basic-rummy/turn")
    page = make_pupil()
    player = begin(page, lesson)
    player.make("draw:discard")
    expect(page.locator("#said")).to_contain_text("You could take that card")
    assert player.version() == 0
    player.make("draw:stock")
    expect(page.locator("#status")).to_have_text(lesson.steps[1].say)
    page.reload()
    expect(page.locator("#status")).to_have_text(lesson.steps[1].say)
    page.get_by_role("button", name="Skip").click()
    expect(page.locator("#lesson-count")).to_have_text("3 / 6")
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator("#lesson-count")).to_have_text("2 / 6")
    page.goto("/learn/")
    expect(page.locator('form[action="/learn/basic-rummy/turn/"]')).to_contain_text("go on")


#: Whether the lesson's ring is around this alone among the buttons.
IS_RINGED = """(what) => [...document.querySelectorAll("#controls *")]
    .filter((each) => getComputedStyle(each).outlineStyle === "solid")
    .map((each) => each.dataset.focus).join() === what"""


def test_the_ring_is_around_what_leads_to_the_number_and_then_around_the_button_that_takes(make_pupil):
    lesson = rules.lesson("rummy-500/dig")
    page = make_pupil()
    player = begin(page, lesson)
    at = [step.move for step in lesson.steps].index("take:3")
    for version, step in zip(lesson.versions[:at], lesson.steps[:at], strict=True):
        player.await_version(version)
        player.make(step.move)
    expect(page.locator("#status")).to_have_text(lesson.steps[at].say)
    page.wait_for_function(IS_RINGED, arg="more")
    page.locator("#felt .playing-card[data-card='3D']").click(position={"x": 8, "y": 8})
    expect(page.locator("#stepper")).to_have_value("3")
    page.wait_for_function(IS_RINGED, arg="number")
    page.get_by_role("button", name="Take the top 3 cards").click()
    expect(page.locator("#status")).to_have_text(lesson.steps[at + 1].say)


@pytest.mark.long
def test_a_lost_connection_a_sleeping_phone_and_a_second_tab_keep_the_place(make_pupil):
    lesson = rules.lesson("basic-rummy/turn")
    page = make_pupil(is_phone=True)
    player = begin(page, lesson, by_touch=True)
    player.make("draw:stock")
    expect(page.locator("#status")).to_have_text(lesson.steps[1].say)
    page.context.set_offline(True)
    expect(page.locator("#connection")).to_be_visible(timeout=60_000)
    page.context.set_offline(False)
    expect(page.locator("body")).to_have_attribute("data-connection", "open", timeout=60_000)
    expect(page.locator("#status")).to_have_text(lesson.steps[1].say)
    # Like a phone falling asleep: scripts stop, and timers fire late when it wakes.
    session = page.context.new_cdp_session(page)
    for state in ("frozen", "active"):
        session.send("Page.setWebLifecycleState", {"state": state})
    expect(page.locator("#status")).to_have_text(lesson.steps[1].say)
    other = page.context.new_page()
    other.goto(page.url)
    Player(other, by_touch=True).make(lesson.steps[1].move)
    for tab in (other, page):
        expect(tab.locator("#status")).to_have_text(lesson.steps[2].say)
        expect(tab.locator("#lesson-count")).to_have_text("3 / 6")


def test_a_lesson_leads_to_a_real_match_against_an_easy_ai_player(make_pupil):
    page = make_pupil()
    lesson = rules.lesson("armed/ending")
    go_through(page, lesson)
    page.get_by_role("button", name="Play a real match").click()
    expect(page.locator("#table[data-complete]")).to_be_visible()
    assert page.locator("#lesson").count() == 0
