"""Gestures on a card, digits and the space bar make the intended move, or none."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser import tables
from tests.browser.looks import still
from tests.browser.players import wait_until
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

DESK = {"width": 1280, "height": 800}
MADE = """
def bets_made(match):
    while (table := play.load(match.pk)).state.view(0).phase == "bets":
        seat = table.state.to_move()[0]
        play.act(match.pk, seat, table.state.default_move(seat), request_id=f"b{table.version}", player=people[seat])
    return match

made = {
    "amagande": running("amagande", 3, lambda v: "draw" in v.moves and len(v.moves) > 2),
    "armed": running("armed", 2, lambda v: v.facts["battle"] == 2),
    "avalanche": running("avalanche", 3, lambda v: "snow" in v.moves and len(v.moves) > 2),
    "basic-rummy": running("basic-rummy", 3, lambda v: v.phase == "play"),
    "normal-cards": running("normal-cards", 3, lambda v: True),
    "rummy-500": running("rummy-500", 2, lambda v: list(v.moves) == ["draw:stock"]),
    "deep": running("rummy-500", 4, lambda v: v.phase == "draw" and v.zone("discard").count > 4),
    "ten-skip": running("ten-skip", 3, lambda v: v.phase == "turn"),
    "bets": running("armani", 2, lambda v: v.phase == "bets" and "fold" in v.moves),
    "slaps": bets_made(running("armani", 2, lambda v: v.phase == "bets", clock="table")),
}
"""
GAMES = ("amagande", "armed", "avalanche", "basic-rummy", "normal-cards", "rummy-500", "deep", "ten-skip")
_CODES = re.compile(r"[RB]J|[A2-9TJQK][CDHS]")


@pytest.fixture(scope="module")
def site_env() -> dict[str, str]:
    return {"HURRY": "1"}


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """A session of Ada, and the URLs of her matches."""
    return tables.make(site, MADE)


class Line:
    """A page's socket: its moves are collected here and refused, so that the table stays the same."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.moves: list[str] = []
        self.slaps = 0
        page.route_web_socket("**/ws/match/**", self._opened)

    def _opened(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def sent(text: str | bytes) -> None:
            message = json.loads(text)
            if message["t"] == "move":
                self.moves.append(message["move"])
                refused = {"t": "rejected", "id": message["id"], "code": "illegal", "reason": "Not now."}
                route.send(json.dumps(refused))
            elif message["t"] == "slap":
                self.slaps += 1
            else:
                server.send(text)

        route.on_message(sent)

    def has_made_a_move(self) -> bool:
        """Whether there is an unread move."""
        self._listen()
        return bool(self.moves)

    def taken(self) -> list[str]:
        """The moves since the last call."""
        self._listen()
        taken, self.moves = self.moves, []
        return taken

    def _listen(self) -> None:
        # Wait for everything the page sent before this answer; otherwise a move would count for the next gesture.
        self.page.evaluate("null")


@pytest.fixture
def open_page(make_page, site: SiteProcess, made: dict[str, str]) -> Callable[[str], tuple[Page, Line]]:
    """Open a match as Ada, whose moves are intercepted."""

    def open_it(name: str) -> tuple[Page, Line]:
        page = make_page(viewport=DESK)
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
        line = Line(page)
        page.goto(made[name])
        page.locator("#table[data-complete]").wait_for()
        still(page)
        return page, line

    return open_it


def uses(move: str, card: str) -> bool:
    """Whether a move plays that card from the hand; a lay of Avalanche names only the rank."""
    verb, _colon, rest = move.partition(":")
    if verb == "lay" and "@" not in rest:
        return rest[0] == ("X" if card[1] == "J" else card[0])
    return card in _CODES.findall(rest.partition("@")[0])


def drag(page: Page, card: int, x: float, y: float) -> None:
    """Drag a card of the hand by its corner and drop it there."""
    page.keyboard.press("Escape")
    box = page.locator("#hand button.playing-card").nth(card).bounding_box()
    assert box
    page.mouse.move(box["x"] + 10, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(x, y, steps=3)
    page.mouse.up()


@pytest.mark.parametrize("name", sampled(GAMES, "amagande", "deep", "normal-cards"))
def test_no_card_dragged_anywhere_makes_a_move_without_that_card(open_page, name):
    page, line = open_page(name)
    felt = page.locator("#felt").bounding_box()
    hand = page.locator("#hand").bounding_box()
    assert felt
    assert hand
    bottom = min(felt["y"] + felt["height"], hand["y"])
    spots = [
        (felt["x"] + felt["width"] * across, felt["y"] + (bottom - felt["y"]) * down)
        for across in (0.15, 0.5, 0.85)
        for down in (0.2, 0.5, 0.8)
    ]
    codes = page.locator("#hand .playing-card").evaluate_all("cards => cards.map(card => card.dataset.card)")
    wrong = []
    for at, code in enumerate(codes):
        # Three points per card, so that neighbours share all nine.
        for x, y in spots[at % 3 :: 3]:
            drag(page, at, x, y)
            wrong += [(code, move) for move in line.taken() if not uses(move, code)]
    assert wrong == []


def test_a_card_that_cannot_be_played_stays_in_the_hand_and_says_why(open_page):
    page, line = open_page("amagande")
    useless = page.locator("#hand .is-useless").first
    code = useless.get_attribute("data-card")
    at = page.locator("#hand .playing-card").evaluate_all(f"cards => cards.findIndex(c => c.dataset.card === '{code}')")
    felt = page.locator("#felt").bounding_box()
    drag(page, at, felt["x"] + felt["width"] / 2, felt["y"] + 60)
    expect(page.locator("#said")).to_have_text(re.compile(r"(doesn't fit|The next card must be)"))
    assert line.taken() == []
    expect(page.locator(f'#hand [data-card="{code}"]')).to_have_count(1)


def test_digits_typed_while_a_bet_is_asked_for_are_the_bet(open_page):
    page, line = open_page("bets")
    bet = str(max(12, int(page.locator("#stepper").get_attribute("min"))))
    page.keyboard.type(bet)
    expect(page.locator("#stepper")).to_have_value(bet)
    assert line.taken() == []
    page.keyboard.press("Enter")
    wait_until(lambda: line.has_made_a_move(), "the bet was not made")
    assert line.taken() == [f"bet:{bet}"]
    # No digit folds, whether the number is visible or not.
    page.evaluate("document.activeElement.blur()")
    for digit in "1234567890":
        page.keyboard.press(digit)
    assert line.taken() == []


def test_a_bet_being_typed_stays_when_the_table_is_drawn_between_two_digits(open_page):
    page, line = open_page("bets")
    page.keyboard.type("1")
    expect(page.locator("#stepper")).to_have_value("1")
    page.locator("#stepper").evaluate("input => input.dataset.earlier = ''")
    page.set_viewport_size({"width": DESK["height"], "height": DESK["width"]})
    expect(page.locator("#stepper:not([data-earlier])")).to_be_focused()
    page.keyboard.type("2")
    expect(page.locator("#stepper")).to_have_value("12")
    page.keyboard.press("Enter")
    wait_until(lambda: line.has_made_a_move(), "the bet was not made")
    assert line.taken() == ["bet:12"]


@pytest.mark.parametrize("name", ["avalanche", "ten-skip", "amagande"])
def test_a_digit_makes_the_move_of_the_button_with_that_digit(open_page, name):
    page, line = open_page(name)
    for digit in "1234567890":
        shown = page.locator(f'#controls [data-number="{digit}"]')
        expected = [shown.get_attribute("data-move")] if shown.count() else []
        page.keyboard.press(digit)
        if expected:
            wait_until(lambda: line.has_made_a_move(), f"{digit} does nothing")
        assert line.taken() == expected
        expect(page.locator("#controls")).not_to_have_class(re.compile("is-sending"))


def test_the_space_bar_slaps_whatever_was_pressed_before(open_page):
    page, line = open_page("slaps")
    expect(page.locator("#slap")).to_be_visible()
    note = page.locator("#slap-note")
    phrase = page.locator(".talk-phrases button").first
    said = page.locator(".talk-lines li")
    phrase.click()
    expect(said).to_have_count(1)

    def space_slaps() -> None:
        page.evaluate("document.querySelector('#slap-note').textContent = ''")
        page.keyboard.press("Space")
        wait_until(lambda: note.inner_text() != "" or line.slaps > 0, "the space bar did not slap")

    space_slaps()
    # Wherever the focus was.
    for selector in (".talk-phrases button", "#log-filter input", ".table-menu > summary", ".table-title a"):
        page.locator(selector).first.focus()
        space_slaps()
    expect(said).to_have_count(1)
    expect(page.locator(".table-menu")).not_to_have_attribute("open", "")
    # What is typed keeps its spaces.
    page.locator("#talk-text").press_sequentially("a b")
    expect(page.locator("#talk-text")).to_have_value("a b")


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_finger_that_moves_up_or_down_on_a_phone_drags_its_card_and_nothing_else(
    make_page, site: SiteProcess, made: dict[str, str], way: str
) -> None:
    """Neither the page nor the hand scrolls under it, and only a card that is let go on the felt is played."""
    page = make_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
    line = Line(page)
    page.goto(made["normal-cards"])
    page.locator("#table[data-complete]").wait_for()
    still(page)
    card = page.locator("#hand button.playing-card:not(.is-useless)").first
    code = card.get_attribute("data-card")
    box, felt = card.bounding_box(), page.locator("#felt").bounding_box()
    assert box
    assert felt
    x, y = box["x"] + 10, box["y"] + 30
    far = felt["y"] + felt["height"] / 2 - y if way == "up" else 844 - 8 - y
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, *places: float) -> None:
        points = [{"x": x, "y": place} for place in places]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", y)
    for step in range(1, 9):
        touch("touchMove", y + far * step / 8)
    expect(page.locator("#hand .is-dragged")).to_have_attribute("data-card", code)
    assert page.evaluate("[scrollX, scrollY, document.querySelector('#hand').scrollTop]") == [0, 0, 0]
    touch("touchEnd")
    expect(page.locator(".is-dragged")).to_have_count(0)
    if way == "up":
        wait_until(lambda: line.has_made_a_move(), "the card was not played")
    assert line.taken() == ([f"play:{code}"] if way == "up" else [])
