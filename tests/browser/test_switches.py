"""Switches and dragging at the table, and what the games keep visible."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import tables
from tests.browser.choices import hand, moves, touch, version
from tests.browser.looks import still
from tests.browser.players import Player, wait_until
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

MADE = """
Preferences.objects.create(user=ada, four_colours=True, hints=True, hand_order="rank", live_moves="direct")
played_before("amagande")
made = {
    "amagande": running("amagande", 3, lambda v: not any("A" in c or "J" in c[1:] for c in v.zone("hand:0").cards)),
    "cards": running("normal-cards", 2, lambda v: v.zone("trick").count == 1 and v.zone("last_trick").count == 2),
    "live": running("normal-cards", 2, lambda v: True, clock="table"),
    "skip": running("ten-skip", 3, lambda v: v.phase == "turn"),
}
"""
#: Counts tones and notifications instead of playing them, and can report the page as hidden.
LISTEN = """
window.tones = 0;
window.notices = [];
window.isAway = false;
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (...when) { window.tones += 1; return start.apply(this, when); };
window.Notification = class extends EventTarget {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title, { body }) { super(); window.notices.push(`${title}: ${body}`); }
  close() {}
};
Object.defineProperty(document, "hidden", { get: () => window.isAway });
"""
#: Remembers every moment that was shown large over the table, since each disappears after some seconds.
REMEMBER = """
window.moments = [];
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) {
    if (node.matches?.(".moment, .moment-place")) window.moments.push(...node.querySelectorAll(".moment-title"));
  }
}).observe(document, { childList: true, subtree: true });
"""
VALUES = {"2": 20, "3": 30, "T": 10, "J": 13, "Q": 12, "K": 14}


@pytest.fixture(scope="module")
def site_env() -> dict[str, str]:
    return {"HURRY": "5"}


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """A session of Ada, and the URLs of her matches."""
    return tables.make(site, MADE)


@pytest.fixture
def open_page(make_page: Callable[..., Page], site: SiteProcess, made: dict[str, str]) -> Callable[..., Page]:
    """Open a match as Ada in a separate browser."""

    def open_it(name: str, **options: object) -> Page:
        page = make_page(**options)
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
        page.goto(made[name])
        page.locator("#table[data-ready]").wait_for()
        still(page)
        return page

    return open_it


def against_an_ai_player(page: Page, slug: str) -> Player:
    page.goto("/")
    tables.play_an_ai_player(page, slug)
    player = Player(page)
    my_turn(page)
    return player


def my_turn(page: Page) -> None:
    page.locator("#table.is-my-turn").wait_for()


def switch(page: Page, name: str, *, on: bool) -> None:
    page.locator(".table-menu > summary").click()
    page.locator(f"#settings [name={name}]").set_checked(on)
    page.keyboard.press("Escape")


def test_sounds_and_notifications_only_come_when_they_are_switched_on(make_page):
    page = make_page(service_workers="block")
    page.add_init_script(LISTEN)
    player = against_an_ai_player(page, "normal-cards")

    def a_turn_passes_while_away() -> None:
        answered = False
        while not answered:  # the second player of a trick, who wins it, leads at once
            my_turn(page)
            before = version(page)
            # Hide the page before the move, so that even a fast answer finds it hidden.
            page.evaluate("window.isAway = true")
            player.make_a_move()
            page.locator(f"#table.is-my-turn:not([data-version='{before}'])").wait_for()
            answered = version(page) > before + 1
            page.evaluate("window.isAway = false")

    switch(page, "sounds", on=False)
    a_turn_passes_while_away()
    assert page.evaluate("[window.tones, window.notices.length]") == [0, 0]
    switch(page, "sounds", on=True)
    page.wait_for_load_state("networkidle")  # they are fetched at a press
    switch(page, "notices", on=True)
    a_turn_passes_while_away()
    wait_until(lambda: page.evaluate("window.tones") > 0, "no sound was heard")
    assert page.evaluate("window.notices") == ["Normal Cards · Armani: It's your turn."]
    switch(page, "sounds", on=False)
    switch(page, "notices", on=False)
    heard = page.evaluate("window.tones")
    a_turn_passes_while_away()
    assert page.evaluate("[window.tones, window.notices.length]") == [heard, 1]


def test_a_card_is_played_by_dragging_it_to_the_table_and_moved_by_dragging_it_in_the_hand(make_page):
    page = make_page()
    against_an_ai_player(page, "normal-cards")
    order = hand(page)
    still(page)

    def drag(card: str, x: float, y: float) -> None:
        still(page)
        box = page.locator(f'#hand [data-card="{card}"]').bounding_box()
        page.mouse.move(box["x"] + 10, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(x, y, steps=5)
        page.mouse.up()

    last = page.locator(f'#hand [data-card="{order[-1]}"]').bounding_box()
    drag(order[0], last["x"] + last["width"] - 4, last["y"] + 20)
    assert hand(page) == [*order[1:], order[0]]
    expect(page.locator("#sort")).to_have_text("Sorted my way")
    before = version(page)
    felt = page.locator("#felt .trick").bounding_box()
    drag(order[1], felt["x"] + felt["width"] / 2, felt["y"] + felt["height"] / 2)
    wait_until(lambda: version(page) > before, "the card was not played")
    assert order[1] not in hand(page)


def test_the_table_follows_the_account_and_the_account_the_table(open_page):
    page = open_page("live")
    expect(page.locator("body")).to_have_class(re.compile("four-colours"))
    expect(page.locator("#sort")).to_have_text("Sorted by rank")
    for name, value in (("four", True), ("hints", True), ("letters", False), ("sounds", True)):
        assert page.locator(f"#settings [name={name}]").is_checked() is value, name
    assert page.locator("#settings [name=moves_live]").input_value() == "direct"
    card = page.locator("#hand [data-card]").first
    without = card.screenshot(animations="disabled")
    assert card.screenshot(animations="disabled") == without
    with page.expect_response(re.compile("preferences")) as answer:
        switch(page, "letters", on=True)
    assert answer.value.status == 204
    assert card.screenshot(animations="disabled") != without
    # Another browser of the same person has it, too.
    expect(open_page("cards").locator("body")).to_have_class(re.compile("suit-letters"))
    before = version(page)
    touch(page, hand(page)[0])
    wait_until(lambda: version(page) > before, "one touch did not play")


def test_hints_mark_what_can_be_played_and_say_it_under_the_pointer(open_page):
    page = open_page("amagande")
    playable = {move[5:7] for move in moves(page) if move.startswith("play:")}
    hinted = page.locator("#hand .is-hinted").evaluate_all("cards => cards.map(card => card.dataset.card)")
    assert set(hinted) == playable
    if playable:
        page.locator("#hand .is-hinted").first.hover()
        expect(page.locator("#said")).to_contain_text("Play the")
    answers: list[int] = []
    page.on("response", lambda response: "preferences" in response.url and answers.append(response.status))
    switch(page, "hints", on=False)
    expect(page.locator("#hand .is-hinted")).to_have_count(0)
    switch(page, "hints", on=True)
    # Both are stored, in this order, before other tests open a page as Ada. Answers are heard while a page is asked.
    wait_until(lambda: page.evaluate("1") and answers == [204, 204], "the choices were not stored")
    page.reload()
    expect(page.locator("#settings [name=hints]")).to_be_checked()


def test_amagande_counts_what_a_showdown_would_do_now(open_page):
    page = open_page("amagande")
    state = page.context.request.get(page.locator("#table").get_attribute("data-state")).json()
    held = [code for code in hand(page) if code != f"7{state['view']['facts']['reference']}"]
    count = sum(VALUES.get(code[0]) or int(code[0]) for code in held)
    said = page.locator(".mark", has_text="If we counted now")
    expect(said).to_contain_text(f"you have {count} points{': safe' if count <= 30 else ', more than 30: out'}")


def test_trumps_and_the_suit_led_are_visible_and_the_last_trick_is_shown_on_request(open_page):
    page = open_page("cards")
    view = page.context.request.get(page.locator("#table").get_attribute("data-state")).json()["view"]
    zones = {zone["id"]: zone["cards"] for zone in view["zones"]}
    signs = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
    expect(page.locator(".mark", has_text="Trumps")).to_contain_text(signs[view["facts"]["trump"]])
    expect(page.locator(".mark", has_text="Led")).to_contain_text(signs[zones["trick"][0][1]])
    expect(page.locator(f'.trick [data-card="{zones["trick"][0]}"]')).to_be_visible()
    last = page.locator(".last-trick")
    expect(last.locator(".card-sign").first).to_be_hidden()
    last.locator("summary").click()
    expect(last.locator(".card-sign:visible")).to_have_count(len(zones["last_trick"]))


def test_ten_skip_offers_discard_or_victim_and_a_claim_is_a_moment(open_page, make_page):
    page = open_page("skip")
    card = next(move[8:] for move in moves(page) if move.startswith("discard:"))
    touch(page, card)
    expect(page.locator("#question")).to_contain_text("How do you get rid of")
    for name in ("Ben", "Chidi"):
        expect(page.get_by_role("button", name=f"Make {name} take it")).to_be_visible()
    expect(page.get_by_role("button", name="Discard it and draw two")).to_be_visible()

    class Claimer(Player):
        def choose(self, view, moves):
            return "claim" if "claim" in moves else super().choose(view, moves)

    other = make_page()
    other.add_init_script(REMEMBER)
    against_an_ai_player(other, "ten-skip")
    player = Claimer(other)
    for _turn in range(30):
        my_turn(other)
        player.make_a_move()
        if player.made and player.made[-1] == "claim":
            break
    # The claim is the first moment; an AI player may challenge it at once.
    wait_until(lambda: other.evaluate("window.moments.length") > 0, "no moment was shown")
    titles = other.evaluate("window.moments.map((each) => each.textContent)")
    assert re.search("on notice|dead to me|round is over", titles[-1]), titles
    expect(other.locator("#log li", has_text=re.compile("claims? a ten-skip hand"))).not_to_have_count(0)
