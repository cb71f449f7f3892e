"""Nothing overlaps in the fullest states of every game; ``layout`` checks all states in all windows."""

import json
import re

import pytest
from django.utils import translation
from playwright.sync_api import Browser

from games import rules
from games.engine.cards import CODES
from games.table import coach
from tests.browser import states, tables
from tests.browser.layout import WINDOWS, faults, is_full, moments, pages
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

#: The windows in which each sampled state is checked: the smallest, a landscape phone, and a desktop. The others follow
#: before a release.
FEW = ((360, 640), (640, 400), (1280, 800))


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """A session of Ada, and the URL of a match of each game."""
    return tables.make(site, tables.ONE_OF_EACH)


@pytest.fixture(scope="module")
def sample() -> list[states.Moment]:
    """The fullest turns, with cards and with buttons, those with the most players under a clock; slaps, and ends."""
    kinds = {False: ("worst", "buttons", "slaps"), True: ("worst timed", "buttons", "slaps", "over")}
    return [each for each in moments() if each.kind in kinds[is_full(each)]]


def test_every_game_has_states_with_its_fewest_and_its_most_players() -> None:
    expected = {(game.slug, seats) for game in rules.all() for seats in (min(game.seats), max(game.seats))}
    assert {(each.slug, each.seats) for each in moments()} == expected


@pytest.mark.parametrize("window", sampled(WINDOWS, *FEW, ids=str))
def test_nothing_is_covered_cut_or_out_of_sight(browser: Browser, site: SiteProcess, made, sample, window) -> None:
    wrong = []
    for page, width, height in pages(browser, site.url, made["session"], (window,)):
        for moment in sample:
            states.show(page, made[moment.slug], moment)
            wrong += [f"{moment.slug} {moment.seats} {moment.kind}: {each}" for each in faults(page, width, height)]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("window", FEW, ids=str)
def test_of_27_cards_in_a_hand_none_hides_the_index_of_another(
    browser: Browser, site: SiteProcess, made, window
) -> None:
    wrong = []
    for page, width, height in pages(browser, site.url, made["session"], (window,)):
        for moment in (each for each in moments() if each[:2] == ("amagande", 2) and each.kind == "worst"):
            told = json.loads(states.message(moment))
            zones = {zone["id"]: zone for zone in told["view"]["zones"]}
            hand, pile = zones["hand:0"], zones["discard"]
            # All but the top of the pile has come to this hand.
            hand["cards"] += [code for code in CODES if code not in (*hand["cards"], pile["cards"][-1])][
                : 27 - hand["count"]
            ]
            hand["count"], pile["cards"], pile["count"] = 27, pile["cards"][-1:], 1
            states.show(page, made["amagande"], moment, told=json.dumps(told))
            assert page.locator("#hand .playing-card").count() == 27
            wrong += faults(page, width, height)
    assert wrong == [], "\n".join(wrong)


#: Whether the cards that a seat is known to hold are beside their number, and inside the seat.
IS_ONE_LINE = """() => [...document.querySelectorAll("#felt .chip:has(.chip-known)")].every((chip) => {
  const signs = [...chip.querySelectorAll(".chip-known > .card-sign")].map((each) => each.getBoundingClientRect());
  const [number, seat] = [chip.firstElementChild, chip.closest(".seat")].map((each) => each.getBoundingClientRect());
  return signs.every(({ top, right }) => top < number.bottom && right <= seat.right);
})"""


@pytest.mark.parametrize("window", [(390, 844), (360, 640)], ids=str)
@pytest.mark.parametrize(("seats", "step"), [(3, 60), (4, 70)])
def test_known_cards_of_a_hand_are_on_one_line_and_all_are_read_out(
    browser: Browser, site: SiteProcess, made, window, seats, step
) -> None:
    moment = states.Moment("rummy-500", seats, 5, step, "known")
    told = json.loads(states.message(moment))
    known = ["5C", "3D", "TH", "KS", "TC", "TD"]
    names = ["5 of clubs", "3 of diamonds", "10 of hearts", "king of spades", "10 of clubs", "10 of diamonds"]
    hands = [zone for zone in told["view"]["zones"] if zone["id"].startswith("hand:") and zone["owner"]]
    for zone in hands:
        zone.update(cards=[*[None] * 8, *known], count=8 + len(known))
    for page, _width, _height in pages(browser, site.url, made["session"], (window,)):
        states.show(page, made["rummy-500"], moment, told=json.dumps(told))
        texts = page.locator(".chip-known").all_text_contents()
        assert [re.findall(r"the (\w+ of [a-z]+)", text) for text in texts] == [names] * len(hands)
        assert page.evaluate(IS_ONE_LINE)


#: Four and eight players of Game: Armani bet, and play for a pile that one of them must answer.
SLAPPERS = [
    states.Moment("armani", seats, 1, step, kind)
    for seats, step, kind in [(4, 0, "bets"), (4, 9, "stage1"), (8, 4, "bets"), (8, 15, "stage1")]
]


@pytest.mark.parametrize("window", sampled([(360, 640), (390, 844), (1280, 800)], (360, 640), ids=str))
def test_longer_words_have_room_too(browser: Browser, site: SiteProcess, made, window) -> None:
    fullest = [each for each in moments() if each.kind == "worst" and is_full(each)]
    wrong = []
    with translation.override("de"):
        for page, width, height in pages(browser, site.url, made["session"], (window,), "de"):
            for moment in [*fullest, *SLAPPERS]:
                states.show(page, made[moment.slug], moment)
                wrong += [f"{moment.slug} {moment.seats} {moment.kind}: {each}" for each in faults(page, width, height)]
    assert wrong == [], "\n".join(wrong)


#: Points as high as a match can reach, in games whose own seat has them beside the buttons.
HIGH_POINTS = {"basic-rummy": 145, "normal-cards": 108, "rummy-500": -345, "ten-skip": 985}


@pytest.mark.parametrize("language", sampled(["en", "de"], "de"))
def test_high_points_have_room_beside_the_buttons(browser: Browser, site: SiteProcess, made, language) -> None:
    wrong = []
    chosen = [each for each in moments() if each.slug in HIGH_POINTS and each.kind in ("buttons", "smallest")]
    assert {each.slug for each in chosen} == HIGH_POINTS.keys()
    with translation.override(language):
        for page, width, height in pages(browser, site.url, made["session"], ((360, 640),), language):
            for moment in chosen:
                told = json.loads(states.message(moment))
                told["view"]["seats"][0]["points"] = HIGH_POINTS[moment.slug]
                if "on_table" in told["view"]["facts"]:
                    told["view"]["facts"]["on_table"][0] = 115
                states.show(page, made[moment.slug], moment, told=json.dumps(told))
                wrong += [f"{moment.slug} {moment.seats} {moment.kind}: {each}" for each in faults(page, width, height)]
    assert wrong == [], "\n".join(wrong)


#: The sentences that take more than two lines in the strip.
LONG_SENTENCES = """(sentences) => {
  const status = document.querySelector("#status");
  const line = parseFloat(getComputedStyle(status).lineHeight);
  return sentences.filter((sentence) => {
    status.textContent = sentence;
    return status.getBoundingClientRect().height > 2.5 * line;
  });
}"""


@pytest.mark.parametrize("window", [(360, 640), (640, 400)], ids=str)
def test_no_sentence_of_the_coach_takes_more_than_two_lines(browser: Browser, site: SiteProcess, made, window) -> None:
    sentences = []
    for language in ("en", "de"):
        with translation.override(language):
            sentences += [sentence for game in rules.all() for _verbs, sentence in coach.sentences(game.slug)]
    assert len(sentences) > 2 * len(list(rules.all()))
    for page, _width, _height in pages(browser, site.url, made["session"], (window,)):
        states.show(page, made["rummy-500"], next(each for each in moments() if each.slug == "rummy-500"))
        page.evaluate("document.fonts.ready.then(() => true)")
        assert page.evaluate(LONG_SENTENCES, sentences) == []
