"""What has just happened is seen: faces stay, the last card is marked, a pile lies lit when it was slapped."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser import states, tables
from tests.browser.players import wait_until
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

MADE = """
made = {"amagande": running("amagande", 2, lambda v: True, clock="table"),
        "armani": running("armani", 2, lambda v: True, clock="table")}
"""


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """A session of Ada's, and the addresses of her matches."""
    return tables.make(site, MADE)


class Table:
    """The page of a moment, and its line, over which the test says what happens."""

    def __init__(self, page: Page, path: str, moment: states.Moment) -> None:
        self.page = page
        self.message: dict[str, Any] = json.loads(states.message(moment))
        self.lines: list[WebSocketRoute] = []
        states.show(page, path, moment, self._opened)
        wait_until(lambda: bool(self.lines), "the page opened no line")

    def _opened(self, line: WebSocketRoute) -> None:
        self.lines.append(line)

    def happens(self, *events: dict[str, Any], view: dict[str, Any] | None = None) -> None:
        """Tell the page of one move."""
        self.message["v"] += 1
        told = {key: self.message[key] for key in ("v", "clocks", "now", "status")}
        view = view or self.message["view"]
        message = {**told, "t": "moved", "card": None, "view": view, "events": events, "entry": {}}
        self.lines[-1].send(json.dumps(message))

    def shows(self) -> None:
        """Wait until what happened is shown."""
        expect(self.page.locator("#table")).to_have_attribute("data-version", str(self.message["v"]))


@pytest.fixture
def sit(make_page, site: SiteProcess, made: dict[str, str]):
    """Opens the page of a moment as Ada."""

    def open_it(slug: str, seats: int, kind: str) -> Table:
        page = make_page(viewport={"width": 1280, "height": 800}, service_workers="block")
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
        (moment,) = [each for each in states.find(slug, seats, 4) if each.kind == kind]
        return Table(page, made[slug], moment)

    return open_it


def test_faces_stay_the_same_nodes_whatever_happens(sit):
    table = sit("amagande", 6, "typical")
    table.page.evaluate("window.faces = [...document.querySelectorAll('.avatar')]")
    for _move in range(50):
        table.happens()
    table.shows()
    assert table.page.evaluate("window.faces.length") == 6
    assert table.page.evaluate(
        "[...document.querySelectorAll('.avatar')].every((face, at) => face === window.faces[at])"
    )


def test_the_last_card_is_marked_and_a_draw_is_told_at_its_seat(sit):
    table = sit("amagande", 6, "typical")
    pile = next(zone for zone in table.message["view"]["zones"] if zone["id"] == "discard")
    top = pile["cards"][-1]
    played = {"card": top, "source": "hand:2", "target": "discard"}
    table.happens({"kind": "play", "seat": 2, "text": "", "data": played})
    expect(table.page.locator("#felt .playing-card.is-last")).to_have_attribute("data-card", top)
    drawn = {"cards": 3, "source": "stock", "target": "hand:4"}
    table.happens({"kind": "draw", "seat": 4, "text": "", "data": drawn})
    expect(table.page.locator('.seat[data-seat="4"] .seat-gain')).to_have_text("+3")
    expect(table.page.locator("#felt .playing-card.is-last")).to_have_attribute("data-card", top)
    expect(table.page.locator(".seat-gain")).to_have_count(0)


def slapped(table: Table) -> None:
    """Boris slaps rightly and takes the stack."""
    view = json.loads(json.dumps(table.message["view"]))
    pile = next(zone for zone in view["zones"] if zone["id"] == "pile")
    cards, pile["cards"], pile["count"] = pile["cards"], [], 0
    slap = {"kind": "slap", "seat": 1, "text": "", "data": {"right": True}}
    taken = {"cards": cards, "source": "pile", "target": "stack:1"}
    table.page.evaluate("window.told = performance.now()")
    table.happens(slap, {"kind": "collect", "seat": 1, "text": "", "data": taken}, view=view)


#: Notes when the pile is gone.
GONE = """new MutationObserver(() => {
  if (!document.querySelector("#felt .pile .playing-card")) window.gone ??= performance.now();
}).observe(document.getElementById("felt"), { childList: true, subtree: true })"""


def test_a_pile_that_was_slapped_rightly_lies_with_its_pattern_lit(sit):
    table = sit("armani", 2, "slaps")
    table.page.evaluate(GONE)
    slapped(table)
    expect(table.page.locator("#felt .pile .is-lit")).not_to_have_count(0)
    table.shows()
    rest = table.page.evaluate("window.gone - window.told")
    assert rest >= 900


def test_any_press_goes_on_at_once(sit):
    table = sit("armani", 2, "slaps")
    table.page.evaluate(GONE)
    slapped(table)
    expect(table.page.locator("#felt .pile .is-lit")).not_to_have_count(0)
    table.page.evaluate("window.pressed = performance.now(); dispatchEvent(new Event('keydown'))")
    table.shows()
    assert table.page.evaluate("window.gone - window.pressed") < 200
