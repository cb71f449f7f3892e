"""Other players' moves don't disturb a selection: it stays as long as its cards are there."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser import tables
from tests.browser.players import wait_until
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
MADE = """
def meld(view):
    return view.phase == "play" and any(move.startswith("meld:") for move in view.moves)

def cards(view):
    return any(move[:5] in ("play:", "give:", "keep:") or move[:4] == "lay:" for move in view.moves)

played_before("armed")
made = {
    "amagande": running("amagande", 3, cards),
    "armed": running("armed", 2, cards),
    "avalanche": running("avalanche", 3, cards),
    "basic-rummy": running("basic-rummy", 3, meld),
    "normal-cards": running("normal-cards", 3, cards),
    "rummy-500": running("rummy-500", 3, meld),
    "ten-skip": running("ten-skip", 3, lambda view: any("@" in move or ":" in move for move in view.moves)),
    "bets": running("armani", 2, lambda view: view.phase == "bets"),
    "sealed": running("armed", 2, lambda view: view.facts["battle"] == 2 and not view.facts["war"], clock="table"),
    "planned": running("armed", 2, lambda view: view.facts["battle"] == 2 and not view.facts["war"], clock="table",
                       number=7),
}
"""
GAMES = ("amagande", "armed", "avalanche", "basic-rummy", "normal-cards", "rummy-500", "ten-skip")


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """Sessions of Ada and Ben, and the URLs of their matches."""
    return tables.make(site, MADE)


@pytest.fixture
def open_page(make_page, site: SiteProcess, made: dict[str, str]):
    """Open a match as Ada or Ben in a separate browser; ``prepare`` gets the page first."""

    def open_it(name: str, *, as_ben: bool = False, prepare: Callable[[Page], object] | None = None) -> Page:
        page = make_page(viewport=PHONE, has_touch=True)
        session = made["session of Ben" if as_ben else "session"]
        page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
        if prepare:
            prepare(page)
        page.goto(made[name])
        page.locator("#table[data-complete]").wait_for()
        return page

    return open_it


class Line:
    """A page's socket to the server, over which the test sends events."""

    def __init__(self) -> None:
        self.route: WebSocketRoute | None = None

    def prepare(self, page: Page) -> None:
        """Stand between the page and the server, and forward all messages."""

        def opened(route: WebSocketRoute) -> None:
            route.connect_to_server()
            self.route = route

        page.route_web_socket("**/ws/match/**", opened)

    def moved(self, page: Page, *, without: str = "") -> None:
        """Send the page a move that changes nothing, except for the missing card ``without``."""
        snapshot = json.loads(page.locator("#snapshot").text_content() or "")
        view = snapshot["view"]
        if without:
            hand = next(zone for zone in view["zones"] if zone["id"] == f"hand:{snapshot['you']}")
            hand["cards"].remove(without)
            hand["count"] -= 1
        message = {key: snapshot[key] for key in ("card", "clocks", "now", "status")}
        version = int(page.locator("#table").get_attribute("data-version") or "") + 1
        assert self.route
        self.route.send(json.dumps({**message, "t": "moved", "v": version, "view": view, "events": [], "entry": {}}))
        expect(page.locator("#table")).to_have_attribute("data-version", str(version))

    def reconnected(self, page: Page) -> None:
        """Send the page what it shows, as after a reconnection; only the seats have changed."""
        snapshot = json.loads(page.locator("#snapshot").text_content() or "")
        epoch = int(page.locator("#table").get_attribute("data-shows") or "") + 1
        assert self.route
        self.route.send(json.dumps({**snapshot, "t": "snapshot", "seating_epoch": epoch}))
        expect(page.locator("#table")).to_have_attribute("data-shows", str(epoch))


def tap(page: Page, card: str) -> None:
    page.locator(f'#hand [data-card="{card}"]:not([aria-disabled=true])').first.tap(position={"x": 12, "y": 12})


def hand(page: Page) -> list[str]:
    return page.locator("#hand .playing-card").evaluate_all("cards => cards.map((card) => card.dataset.card)")


@pytest.mark.parametrize("name", sampled(GAMES, "armed", "rummy-500"))
def test_a_choice_is_kept_while_others_move_as_long_as_its_cards_are_there(open_page, name):
    line = Line()
    page = open_page(name, prepare=line.prepare)
    card = page.locator("#hand .is-usable").first.get_attribute("data-card")
    tap(page, card)
    chosen = page.locator("#hand .is-chosen")
    expect(chosen).to_have_attribute("data-card", card)
    says, offers = page.locator("#said").inner_text(), page.locator("#controls").inner_text()
    button = page.locator("#controls button").first.element_handle()
    line.moved(page)
    expect(chosen).to_have_attribute("data-card", card)
    assert page.locator("#said").inner_text() == says
    assert page.locator("#controls").inner_text() == offers
    # The buttons stay the same elements, so a press in progress still counts.
    assert button.evaluate("button => button.isConnected")
    line.moved(page, without=card)
    expect(chosen).to_have_count(0)


def test_why_a_card_cannot_be_played_is_still_there_after_a_reconnection(open_page):
    line = Line()
    page = open_page("amagande", prepare=line.prepare)
    page.locator("#hand .is-useless").first.click(button="right", position={"x": 12, "y": 12}, force=True)
    said = page.locator("#said")
    expect(said).to_have_text(re.compile(r"(doesn't fit|The next card must be)"))
    says = said.inner_text()
    line.reconnected(page)
    expect(said).to_have_text(says)


def test_a_number_is_kept_while_others_move(open_page):
    line = Line()
    page = open_page("bets", prepare=line.prepare)
    page.locator("#stepper").fill("4")
    line.moved(page)
    expect(page.locator("#stepper")).to_have_value("4")
    expect(page.locator("[data-act=number]")).to_have_text("Bet 4")
    # What is selected stays selected, so the next digit replaces it.
    page.locator("#stepper").select_text()
    line.moved(page)
    page.keyboard.type("7")
    expect(page.locator("#stepper")).to_have_value("7")


def test_the_other_players_sealed_choice_leaves_mine_unchanged(open_page):
    ada, ben = open_page("sealed"), open_page("sealed", as_ben=True)
    mine, his = hand(ada)[1], hand(ben)[0]
    tap(ada, mine)
    before = int(ada.locator("#table").get_attribute("data-version"))
    tap(ben, his)
    ben.locator("#controls .primary").tap()
    wait_until(lambda: int(ada.locator("#table").get_attribute("data-version")) > before, "Ben's choice never arrived")
    expect(ada.locator("#hand .is-chosen")).to_have_attribute("data-card", mine)
    ada.locator("#controls .primary").tap()
    expect(ada.locator("#felt .fought .playing-card")).to_have_count(2)
    assert mine not in hand(ada)


def test_a_press_that_has_begun_is_not_lost_when_the_other_player_chooses(open_page):
    line = Line()
    page = open_page("armed", prepare=line.prepare)
    # Wait until it lies still: it may just have been dealt.
    page.locator("#hand .is-usable").first.hover(position={"x": 12, "y": 12})
    page.mouse.down()
    line.moved(page)
    page.mouse.up()
    expect(page.locator("#hand .is-chosen")).to_have_count(1)


def test_planned_cards_can_be_changed_while_they_are_played(open_page):
    ada, ben = open_page("planned"), open_page("planned", as_ben=True)
    first, second, third, fourth = hand(ada)[:4]

    def place(card: str):
        return ada.locator(f'#hand [data-card="{card}"]')

    ada.get_by_role("button", name="Plan the next battles").click()
    for card in (first, second, third):
        tap(ada, card)
    expect(place(third)).to_have_attribute("data-plan", "3")
    ada.get_by_role("button", name="Play the plan").click()
    expect(place(first)).to_have_count(0)
    # One card leaves and one arrives while Ben is thinking.
    tap(ada, second)
    tap(ada, fourth)
    expect(place(third)).to_have_attribute("data-plan", "1")
    expect(place(fourth)).to_have_attribute("data-plan", "2")
    tap(ben, hand(ben)[0])
    ben.locator("#controls .primary").tap()
    expect(place(third)).to_have_count(0)
    assert second in hand(ada)
    assert fourth in hand(ada)
    # It survives a reload, and nothing remains after it is cancelled.
    ada.reload()
    ada.locator("#table[data-complete]").wait_for()
    expect(place(fourth)).to_have_attribute("data-plan", "1")
    ada.get_by_role("button", name="Stop the plan").click()
    expect(ada.locator("#hand .is-planned")).to_have_count(0)
    expect(ada.get_by_role("button", name="Plan the next battles")).to_be_visible()


def test_a_move_that_could_not_be_saved_is_sent_again_and_no_second_one_meanwhile(open_page):
    lines, sent = [], []

    def opened(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        lines.append(route)

        def forward(text: str) -> None:
            if json.loads(text)["t"] == "move":
                sent.append(json.loads(text)["id"])
            else:
                server.send(text)

        route.on_message(forward)

    def refuse() -> None:
        rejected = {"t": "rejected", "id": sent[0], "code": "unavailable", "reason": "We'll try again.", "v": 0}
        lines[-1].send(json.dumps(rejected))

    page = open_page("armed", prepare=lambda page: page.route_web_socket("**/ws/match/**", opened))
    tap(page, hand(page)[0])
    page.locator("#controls .primary").tap()
    wait_until(lambda: len(sent) == 1, "the move was not sent")
    said, controls = page.locator("#said"), page.locator("#controls")
    refuse()
    expect(said).to_have_text("We'll try again.")
    expect(controls).to_have_class(re.compile("is-sending"))
    for _ in range(5):
        refuse()
    # It isn't sent any more: only now is it the player's turn again.
    expect(said).to_contain_text("so try again")
    expect(controls).not_to_have_class(re.compile("is-sending"))
    assert set(sent) == {sent[0]}
