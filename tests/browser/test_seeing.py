"""Recent events are visible: faces stay, the last card is marked, and a slapped pile is highlighted."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from games.rules.wording import card_name
from tests.browser import states, tables
from tests.browser.layout import faults
from tests.browser.players import wait_until
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

MADE = """
made = {"amagande": running("amagande", 2, lambda v: True, clock="table"),
        "armani": running("armani", 2, lambda v: True, clock="table"),
        "normal-cards": running("normal-cards", 2, lambda v: True, clock="table"),
        "watched": running("amagande", 2, lambda v: v.zone("discard").count > 3, clock="table", number=2),
        "bets": running("armani", 2, lambda v: v.facts["bettor"] is not None, clock="table", number=2)}
"""


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """A session of Ada, and the URLs of her matches."""
    return tables.make(site, MADE)


class Table:
    """The page of a position, and its socket, over which the test sends events."""

    def __init__(self, page: Page, path: str, moment: states.Moment) -> None:
        self.page = page
        self.moment = moment
        self.message: dict[str, Any] = json.loads(states.message(moment))
        self.lines: list[WebSocketRoute] = []
        states.show(page, path, moment, self._opened)
        wait_until(lambda: bool(self.lines), "the page opened no line")

    def _opened(self, line: WebSocketRoute) -> None:
        self.lines.append(line)

    def happens(self, *events: dict[str, Any], view: dict[str, Any] | None = None) -> None:
        """Send the page one move."""
        self.message["v"] += 1
        told = {key: self.message[key] for key in ("v", "clocks", "now", "status")}
        view = view or self.message["view"]
        message = {**told, "t": "moved", "card": None, "view": view, "events": events, "entry": {}}
        self.lines[-1].send(json.dumps(message))

    def plays(self, *moves: tuple[int, str]) -> None:
        """Send the page the next moves of the match."""
        for message in states.moved(self.moment, moves):
            self.lines[-1].send(message)
            self.message["v"] += 1

    def is_seen_by(self, *seats: int) -> None:
        """Tell the page who is at the table."""
        self.lines[-1].send(json.dumps({"t": "presence", "online": seats}))

    def shows(self) -> None:
        """Wait until the events are shown."""
        expect(self.page.locator("#table")).to_have_attribute("data-version", str(self.message["v"]))


@pytest.fixture
def sit_at(make_page, site: SiteProcess, made: dict[str, str]):
    """Open the page of a position as Ada."""

    def open_it(moment: states.Moment) -> Table:
        page = make_page(viewport={"width": 1280, "height": 800}, service_workers="block")
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
        return Table(page, made[moment.slug], moment)

    return open_it


@pytest.fixture
def sit(sit_at):
    """Open the page of a position of that kind."""

    def open_it(slug: str, seats: int, kind: str) -> Table:
        (moment,) = [each for each in states.find(slug, seats, 4) if each.kind == kind]
        return sit_at(moment)

    return open_it


def test_faces_stay_the_same_nodes_in_fifty_moves(sit_at):
    table = sit_at(states.Moment("amagande", 6, 8, 0, "begin"))
    table.page.evaluate("window.faces = [...document.querySelectorAll('.avatar')]")
    moves = states.following(table.moment, 50)
    assert len(moves) == 50
    table.plays(*moves)
    table.shows()
    assert table.page.evaluate("window.faces.length") == 6
    assert table.page.evaluate(
        "[...document.querySelectorAll('.avatar')].every((face, at) => face === window.faces[at])"
    )


#: Notes everything that changes in the hand and in the middle.
CHANGED = """() => {
  window.changed = [];
  const seen = new MutationObserver((changes) => window.changed.push(...changes.map(({ target }) => target.className)));
  const how = { subtree: true, childList: true, attributes: true, characterData: true };
  for (const place of document.querySelectorAll("#hand, .centre")) seen.observe(place, how);
}"""


def test_who_comes_and_goes_concerns_only_the_seats(sit):
    table = sit("amagande", 6, "typical")
    here = table.page.locator("#own-seat .dot.is-online")
    table.is_seen_by(0)
    expect(here).to_have_count(1)
    table.page.evaluate(CHANGED)
    table.is_seen_by()
    expect(here).to_have_count(0)
    assert table.page.evaluate("changed") == []


def test_the_last_card_is_marked_and_a_draw_is_shown_at_its_seat(sit):
    table = sit("amagande", 6, "typical")
    pile = next(zone for zone in table.message["view"]["zones"] if zone["id"] == "discard")
    top = pile["cards"][-1]
    played = {"card": top, "source": "hand:2", "target": "discard"}
    table.happens({"kind": "play", "seat": 2, "text": "", "data": played})
    last = table.page.locator("#felt .playing-card.is-last")
    expect(last).to_have_attribute("data-card", top)
    # A deep pile has a shadow of its own, which hid the mark while that was a shadow, too.
    expect(last).to_have_css("outline-style", "solid")
    expect(last).to_have_css("outline-width", "3px")
    drawn = {"cards": 3, "source": "stock", "target": "hand:4"}
    table.happens({"kind": "draw", "seat": 4, "text": "", "data": drawn})
    expect(table.page.locator('.seat[data-seat="4"] .seat-gain')).to_have_text("+3 cards")
    # It would look as if it had come last.
    expect(table.page.locator("#felt .playing-card.is-last")).to_have_count(0)
    expect(table.page.locator(".seat-gain")).to_have_count(0)


def test_the_suit_that_an_ace_has_named_lies_on_the_pile(sit):
    table = sit("amagande", 6, "typical")
    view = table.message["view"]
    for suit, sign in (("H", "♥"), (None, None)):
        table.happens(view={**view, "facts": {**view["facts"], "suit": suit, "free": False, "colour": None}})
        table.shows()
        named = table.page.locator("#felt .named-suit")
        expect(named).to_have_count(1 if sign else 0)
        if sign:
            expect(named).to_contain_text(sign)


def test_the_last_move_is_said_below_whose_turn_it_is_before_and_after_a_reload(sit):
    table = sit("amagande", 6, "typical")
    said = table.page.locator("#last")
    line = table.message["log"][-1]
    (card,) = line["data"]["cards"]
    sign = card[0].replace("T", "10") + "♣♦♥♠"["CDHS".index(card[1])]
    assert said.inner_text() == line["text"].replace(card_name(card), sign)
    expect(said).to_be_visible()
    hand = {"cards": 2, "source": "stock", "target": "hand:4"}
    table.happens(
        {"kind": "play", "seat": 2, "text": "Chiara plays.", "data": {"target": "discard"}},
        {"kind": "counter", "seat": 2, "text": "Edda must draw.", "data": {}},
        {"kind": "draw", "seat": 4, "text": "Edda draws 2 cards.", "data": hand},
    )
    expect(said).to_have_text("Chiara plays. Edda must draw.")
    table.happens({"kind": "draw", "seat": 4, "text": "Edda draws 2 cards.", "data": hand})
    expect(said).to_have_text("Edda draws 2 cards.")


def test_a_card_on_its_way_does_not_make_the_others_small(sit):
    """The layout must not treat it as a card outside the table."""
    table = sit("amagande", 2, "typical")
    session = table.page.context.new_cdp_session(table.page)
    session.send("Animation.enable")
    session.send("Animation.setPlaybackRate", {"playbackRate": 0.001})
    card = table.page.locator("#felt .playing-card.is-last")
    before = table.page.locator("#felt .stack > .playing-card:last-child").last.evaluate("(card) => card.offsetWidth")
    moves = states.following(table.moment, 30)
    events = [json.loads(message)["events"] for message in states.moved(table.moment, moves)]
    # A card from the hand comes from below the middle.
    mine = {"source": "hand:0", "target": "discard"}
    played = next(n for n, told in enumerate(events) if any(mine.items() <= each["data"].items() for each in told))
    table.plays(*moves[: played + 1])
    table.shows()
    expect(card).to_have_class(re.compile("is-moving"))
    table.page.set_viewport_size({"width": 1280, "height": 790})
    # Sizes are observed after a frame has been laid out.
    table.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
    assert card.evaluate("(card) => card.offsetWidth") >= before - 2


def slapped(table: Table) -> None:
    """Boris slaps correctly and takes the pile."""
    view = json.loads(json.dumps(table.message["view"]))
    pile = next(zone for zone in view["zones"] if zone["id"] == "pile")
    cards, pile["cards"], pile["count"] = pile["cards"], [], 0
    slap = {"kind": "slap", "seat": 1, "text": "Boris slaps.", "data": {"right": True}}
    taken = {"cards": cards, "source": "pile", "target": "stack:1"}
    table.page.evaluate("window.told = performance.now()")
    table.happens(slap, {"kind": "collect", "seat": 1, "text": "", "data": taken}, view=view)


#: The codes of these cards.
CODES = "(cards) => cards.map((card) => card.dataset.card)"
#: Records when the pile is gone.
GONE = """new MutationObserver(() => {
  if (!document.querySelector("#felt .pile .playing-card")) window.gone ??= performance.now();
}).observe(document.getElementById("felt"), { childList: true, subtree: true })"""


def test_a_rightly_slapped_pile_stays_with_its_pattern_highlighted(sit):
    table = sit("armani", 2, "slaps")
    table.page.evaluate(GONE)
    slapped(table)
    expect(table.page.locator("#felt .pile .is-lit")).not_to_have_count(0)
    table.shows()
    rest = table.page.evaluate("window.gone - window.told")
    assert rest >= 900


def test_the_pattern_stays_highlighted_when_somebody_comes_or_goes_meanwhile(sit):
    table = sit("armani", 2, "slaps")
    slapped(table)
    lit = table.page.locator("#felt .pile.is-judged .is-lit")
    expect(lit).not_to_have_count(0)
    before = lit.evaluate_all(CODES)
    expect(table.page.locator("#status")).to_have_text("Boris slaps.")
    table.is_seen_by()
    # The seats and the strip have been drawn again.
    expect(table.page.locator("#own-seat .dot.is-online")).to_have_count(0)
    assert lit.evaluate_all(CODES) == before
    assert table.page.locator("#status").inner_text() == "Boris slaps."


def test_the_winning_card_stays_marked_when_somebody_comes_or_goes_meanwhile(sit_at):
    moment, move = states.before("normal-cards", 4, "trick", ["draw"])
    table = sit_at(moment)
    table.plays(move)
    winner = table.page.locator("#felt .trick-card.is-winner .playing-card")
    expect(winner).to_have_count(1)
    before = winner.evaluate_all(CODES)
    table.is_seen_by()
    expect(table.page.locator("#own-seat .dot.is-online")).to_have_count(0)
    assert winner.evaluate_all(CODES) == before


#: Time doesn't pass: no rest ends by itself.
ENDLESS = """() => {
  const timer = window.setTimeout;
  window.setTimeout = (work, ms = 0, ...values) => (ms < 500 ? timer(work, ms, ...values) : 0);
}"""


def test_any_press_continues_at_once(sit):
    table = sit("armani", 2, "slaps")
    table.page.evaluate(ENDLESS)
    slapped(table)
    expect(table.page.locator("#felt .pile .is-lit")).not_to_have_count(0)
    table.page.evaluate("dispatchEvent(new Event('keydown'))")
    table.shows()
    expect(table.page.locator("#felt .pile .playing-card")).to_have_count(0)


def test_the_last_card_says_whose_it_is_until_the_reader_draws(sit):
    table = sit("amagande", 6, "typical")
    top = next(zone for zone in table.message["view"]["zones"] if zone["id"] == "discard")["cards"][-1]
    data = {"card": top, "source": "hand:2", "target": "discard"}
    table.happens({"kind": "play", "seat": 2, "text": "", "data": data})
    table.shows()
    last = table.page.locator("#felt .playing-card.is-last")
    says = "(card) => getComputedStyle(card, '::after').content"
    expect(last).to_have_attribute("data-by", "Chiara")
    assert last.evaluate(says) != "none"
    # A phone that is turned redraws everything.
    for size in ({"width": 390, "height": 844}, {"width": 844, "height": 390}):
        table.page.set_viewport_size(size)
        expect(last).to_have_attribute("data-by", "Chiara")
    table.happens({"kind": "draw", "seat": 0, "text": "", "data": {"cards": 1, "source": "stock", "target": "hand:0"}})
    table.shows()
    expect(last).to_have_count(0)


def test_the_strip_and_the_log_address_the_reader_in_the_same_way(sit):
    table = sit("amagande", 2, "typical")
    table.happens({"kind": "pass", "seat": 0, "text": "You pass.", "data": {}})
    expect(table.page.locator("#last")).to_have_text("You pass.")


#: Writes a text into a place.
WRITE = "([place, text]) => { document.querySelector(place).textContent = text; }"


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (360, 640)])
def test_no_text_in_the_strip_moves_a_pile_that_may_be_slapped(sit, size):
    table = sit("armani", 2, "slaps")
    table.page.set_viewport_size({"width": size[0], "height": size[1]})
    # All styles are loaded.
    expect(table.page.locator("#strip")).to_have_css("height", {1280: "74px", 390: "73px", 360: "48px"}[size[0]])
    where = "document.querySelector('.pile').getBoundingClientRect().toJSON()"
    found = [table.page.evaluate(where)]
    texts = {
        "#status": ("Slap, if it is a pattern", "", "Your next card comes by itself, and may be slapped. " * 3),
        "#last": ("Ada turns a card.", "", "Boris turns the queen of spades, and has two chances. " * 3),
        ".duel": ("Ada needs a face card: one chance", "", "Maximilian-Alexander needs a face card: 4 chances ◆◆◆◆"),
    }
    for place, each in texts.items():
        for text in each:
            table.page.evaluate(WRITE, [place, text])
            found.append(table.page.evaluate(where))
    assert found == found[:1] * 10


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (640, 400)])
@pytest.mark.parametrize("name", ["watched", "bets"])
def test_a_spectator_sees_whose_turn_it_is_and_the_last_move(make_page, made, name, size):
    page = make_page(viewport={"width": size[0], "height": size[1]}, service_workers="block")
    page.goto(made[name])
    page.locator("#table[data-complete]").wait_for()
    expect(page.locator("#status")).to_have_text("You're watching. It's Ada's turn")
    expect(page.locator("#status")).to_be_visible()
    expect(page.locator("#last")).to_be_visible()
    for place in ("#own-seat", "#hand", "#controls", "#sort", "#slap", "#plan"):
        expect(page.locator(place).and_(page.locator(":visible"))).to_have_count(0)
    expect(page.locator(".seat")).to_have_count(2)
    assert faults(page, *size) == []


def test_a_player_who_is_out_reads_it_beside_whose_turn_it_is(sit_at):
    table = sit_at(states.Moment("normal-cards", 2, 3, 4, "begin"))
    view = table.message["view"] | {"to_move": [1], "moves": []}
    view["seats"][0]["out"] = True
    table.happens(view=view)
    expect(table.page.locator("#status")).to_have_text("You're out. It's Boris's turn")
