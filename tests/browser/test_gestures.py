"""Gestures on a card, digits and the space bar make the intended move, or none."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.browser import choices, states, tables
from tests.browser.layout import moments
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
    "basic-rummy": running("basic-rummy", 3, lambda v: any(m[:4] == "lay:" and m[6] == "@" for m in v.moves)),
    "normal-cards": running("normal-cards", 3, lambda v: True),
    "rummy-500": running("rummy-500", 2, lambda v: True),
    "ten-skip": running("ten-skip", 3, lambda v: v.phase == "turn"),
    "bets": running("armani", 2, lambda v: v.phase == "bets" and "fold" in v.moves),
    "slaps": bets_made(running("armani", 2, lambda v: v.phase == "bets", clock="table")),
}
"""
#: The recorded states with gestures: at the end of a match, cards and buttons for moves are gone.
MOMENTS = [each for each in moments() if each.kind != "over"]
#: Melds, moves to seats, and bets.
SAMPLE = [("basic-rummy", 6, "typical"), ("ten-skip", 6, "smallest"), ("armani", 2, "smallest")]
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

    def listen(self) -> None:
        """Follow the page's socket to the site."""
        self.page.route_web_socket("**/ws/match/**", lambda route: self.opened(route, route.connect_to_server()))

    def opened(self, route: WebSocketRoute, server: WebSocketRoute | None = None) -> None:
        """The page has opened its socket; ``server`` gets everything but moves."""

        def sent(text: str | bytes) -> None:
            message = json.loads(text)
            if message["t"] == "move":
                self.moves.append(message["move"])
                refused = {"t": "rejected", "id": message["id"], "code": "illegal", "reason": "Not now."}
                route.send(json.dumps(refused))
            elif message["t"] == "slap":
                self.slaps += 1
            elif server:
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
        if taken:
            expect(self.page.locator("#controls")).not_to_have_class(re.compile("is-sending"))
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
        line.listen()
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


def goes(move: str, place: str | None) -> bool:
    """Whether a move may be meant by dropping its card there: at its own place, or anywhere on the free cloth."""
    verb, _colon, rest = move.partition(":")
    to = rest.partition("@")[2]
    if place in ("centre", None):
        return place == "centre"
    match verb:
        case "play":
            return not place.startswith(("stock", "seat", "meld"))
        case "discard":
            return place == "discard"
        case "lay" if to:
            return place in (f"meld:{to}", "melds")
        case "lay":
            return place == "avalanche"
        case "swap":
            return place == f"seat:{to}"
        case _:
            return False


def lift(page: Page, card: Locator, x: float, y: float) -> str | None:
    """Drag a card of the hand by its left edge to a point; the name of the place there, ``None`` beside the felt."""
    page.keyboard.press("Escape")
    expect(page.locator("#hand .is-chosen")).to_have_count(0)
    still(page)  # a card that was chosen sinks back first
    box = card.bounding_box()
    assert box
    page.mouse.move(box["x"] + 10, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(x, y, steps=2)
    expect(page.locator("#hand .is-dragged")).to_have_count(1)
    place: str | None = page.evaluate(
        """([x, y]) => {
          const under = document.elementsFromPoint(x, y).find((each) => !each.closest(".is-dragged"));
          return under.closest("#felt") ? (under.closest("[data-target]")?.dataset.target ?? "centre") : null;
        }""",
        [x, y],
    )
    return place


def drag(page: Page, card: Locator, x: float, y: float) -> str | None:
    """Drag a card of the hand to a point, and let it go."""
    place = lift(page, card, x, y)
    page.mouse.up()
    return place


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def hand_of(page: Page) -> list[tuple[str, Locator]]:
    """The codes and elements of the cards of the hand."""
    cards = page.locator("#hand button.playing-card")
    return [(str(card.get_attribute("data-card")), card) for card in cards.all()]


def wrong_digits(page: Page, line: Line) -> list[object]:
    page.evaluate("document.activeElement.blur()")
    wrong: list[object] = []
    for digit in "1234567890":
        shown = page.locator(f'#controls [data-number="{digit}"]')
        expected = [shown.get_attribute("data-move")] if shown.count() else []
        page.keyboard.press(digit)
        if expected:
            wait_until(lambda: line.has_made_a_move(), f"{digit} does nothing")
        if (taken := line.taken()) != expected:
            wrong.append((digit, taken))
    page.evaluate("document.activeElement.blur()")
    return wrong


def wrong_drops(page: Page, line: Line) -> list[object]:
    """Each card of the hand is dropped at nine points over the felt."""
    cards = hand_of(page)
    felt, hand = page.locator("#felt").bounding_box(), page.locator("#hand").bounding_box()
    assert felt
    height = min(felt["y"] + felt["height"], hand["y"] if hand else DESK["height"]) - felt["y"]
    wrong: list[object] = []
    for code, card in cards:
        for across in (0.15, 0.5, 0.85):
            for down in (0.2, 0.5, 0.8):
                place = drag(page, card, felt["x"] + felt["width"] * across, felt["y"] + height * down)
                taken = line.taken()
                if len(taken) > 1 or any(not uses(move, code) or not goes(move, place) for move in taken):
                    wrong.append((code, place, taken))
    return wrong


def wrong_spaces(page: Page, line: Line) -> list[object]:
    """Space is pressed on everything that the keyboard reaches at the table."""
    reached = page.locator("#table :is(a[href], button, input, select, textarea, summary, [tabindex])")
    wrong: list[object] = []
    at = 0
    while at < reached.count():
        each = reached.nth(at)
        at += 1
        if not each.is_visible():
            continue
        move, card, number = each.evaluate(
            """(element) => {
              element.focus();
              const { move, card, act } = element.dataset;
              const number = act === "number" ? document.querySelector("#stepper").value : null;
              return [move ?? null, element.matches("button.playing-card") ? card : null, number];
            }"""
        )
        page.keyboard.press("Space")
        taken = line.taken()
        meant = {move} if move else {f"bet:{number}", f"take:{number}"} if number else set()
        if len(taken) > 1 or any(made not in meant and not (card and uses(made, card)) for made in taken):
            wrong.append((each.inner_text(), taken))
        page.keyboard.press("Escape")
    return wrong


@pytest.mark.long
@pytest.mark.parametrize(
    "moment",
    sampled(
        MOMENTS,
        *(each for each in MOMENTS if (each.slug, each.seats, each.kind) in SAMPLE),
        ids=lambda each: f"{each.slug} {each.seats} {each.kind}",
    ),
)
def test_no_gesture_makes_a_move_other_than_the_one_it_points_at(make_page, site: SiteProcess, made, moment):
    page = make_page(viewport=DESK)
    page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
    # Other forms of the page, such as resigning, aren't sent, and the page isn't left for their answers.
    page.route("**/*", lambda route: route.abort() if route.request.method == "POST" else route.fallback())
    page.add_init_script("addEventListener('submit', (event) => event.preventDefault(), true)")
    line = Line(page)
    states.show(page, made["bets" if moment.slug == "armani" else moment.slug], moment, line.opened)
    still(page)
    assert wrong_digits(page, line) == []
    assert wrong_drops(page, line) == []
    assert wrong_spaces(page, line) == []


def test_a_card_dropped_on_a_meld_is_laid_off_there_or_stays_in_the_hand_and_says_why(open_page):
    page, line = open_page("basic-rummy")
    lays = [move for move in choices.moves(page) if move.startswith("lay:") and len(_CODES.findall(move)) == 1]
    melds = page.locator("#felt .melds .zone").all()
    fitting = 0
    for code, card in hand_of(page):
        for meld in melds:
            page.evaluate("document.querySelector('#said').textContent = ''")
            place = drag(page, card, *middle(meld))
            assert str(place).startswith("meld:")
            expected = [move for move in lays if uses(move, code) and goes(move, place)]
            if expected:
                wait_until(lambda: line.has_made_a_move(), f"{code} is not laid off at {place}")
                fitting += 1
            else:
                expect(page.locator("#said")).not_to_have_text("")
            assert line.taken() == expected
    assert fitting


def test_a_card_let_go_beside_the_felt_stays_in_the_hand(open_page):
    page, line = open_page("normal-cards")
    card = page.locator("#hand button.playing-card:not(.is-useless)").first
    code = str(card.get_attribute("data-card"))
    card = page.locator(f'#hand [data-card="{code}"]')
    for beside in ("#side", ".table-bar", "#strip"):
        assert drag(page, card, *middle(page.locator(beside))) is None
        expect(page.locator(".is-dragged, .is-chosen")).to_have_count(0)
        assert line.taken() == [], beside
    assert drag(page, card, *middle(page.locator("#felt"))) == "centre"
    wait_until(lambda: line.has_made_a_move(), "the card was not played")
    assert line.taken() == [f"play:{code}"]


def test_a_card_being_dragged_shows_where_it_may_be_dropped(open_page):
    page, line = open_page("basic-rummy")
    marked = page.locator("#felt .is-target")
    code = next(move for move in choices.moves(page) if move.startswith("discard:")).partition(":")[2]
    expect(marked).to_have_count(0)
    beside = middle(page.locator(".table-bar"))
    lift(page, page.locator(f'#hand [data-card="{code}"]').first, *beside)
    expect(page.locator("#felt .stack.is-target")).to_have_attribute("data-target", "discard")
    expect(page.locator("#hand .is-chosen")).to_have_count(0)
    page.mouse.up()
    expect(marked).to_have_count(0)
    assert line.taken() == []


def test_a_right_click_on_a_card_says_what_it_can_do_and_makes_nothing(open_page):
    page, line = open_page("basic-rummy")
    code = next(move for move in choices.moves(page) if move.startswith("discard:")).partition(":")[2]
    page.locator(f'#hand [data-card="{code}"]').first.click(button="right", position={"x": 12, "y": 12})
    expect(page.locator("#said")).to_contain_text("Discard the")
    expect(page.locator("#hand .is-chosen")).to_have_count(0)
    assert line.taken() == []


def test_a_card_that_cannot_be_played_stays_in_the_hand_and_says_why(open_page):
    page, line = open_page("amagande")
    useless = page.locator("#hand .is-useless").first
    code = useless.get_attribute("data-card")
    felt = page.locator("#felt").bounding_box()
    drag(page, useless, felt["x"] + felt["width"] / 2, felt["y"] + 60)
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
    page.set_viewport_size({"width": DESK["height"], "height": DESK["width"]})
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(page.locator("#stepper")).to_be_focused()
    page.keyboard.type("2")
    expect(page.locator("#stepper")).to_have_value("12")
    page.keyboard.press("Enter")
    wait_until(lambda: line.has_made_a_move(), "the bet was not made")
    assert line.taken() == ["bet:12"]


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
    line.listen()
    page.goto(made["normal-cards"])
    page.locator("#table[data-complete]").wait_for()
    still(page)
    card = page.locator("#hand button.playing-card:not(.is-useless)").first
    code = card.get_attribute("data-card")
    box, felt = card.bounding_box(), page.locator("#felt").bounding_box()
    assert box
    assert felt
    x, y = box["x"] + 10, box["y"] + 30
    far = felt["y"] + felt["height"] * 3 / 4 - y if way == "up" else 844 - 8 - y
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
