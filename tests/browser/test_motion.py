"""Animations at a table are shown one after the other, with pauses where people have to see something."""

import json
import re
from collections.abc import Callable
from math import dist
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser import states, tables
from tests.browser.layout import WINDOWS
from tests.browser.measure_moves import BEGIN, MOVES, OBSERVE
from tests.browser.states import Moment
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

#: Records what is visible on the felt whenever it changes, frame by frame, and by how much frames came late till then.
RECORD = """() => {
  window.timeline = [];
  let before = performance.now();
  let late = 0;
  const count = (what) => document.querySelectorAll(what).length;
  const look = () => {
    const seen = {
      trick: count("#felt .trick:not(.is-taken) .playing-card"),
      pile: count("#felt .pile .playing-card"),
      lit: [...document.querySelectorAll("#felt .pile .is-lit")].map((card) => card.dataset.card).join(" "),
      reveal: count("#reveal"),
      hand: count("#hand .playing-card"),
      log: count("#log li"),
      lines: count("#log li:not(.visually-hidden)"),
      over: document.querySelector("#table").classList.contains("is-over"),
      version: document.querySelector("#table").dataset.version,
    };
    const at = performance.now();
    // A frame that the page holds up for longer counts.
    late += Math.min(100, Math.max(0, at - before - 17));
    before = at;
    const last = timeline.at(-1);
    if (!last || JSON.stringify(last.seen) !== JSON.stringify(seen)) timeline.push({ at, late, seen });
    requestAnimationFrame(look);
  };
  look();
}"""
#: Records, frame by frame, the positions of the middle, the strip and the faces, and the number of facts.
WHERE = """() => {
  window.places = new Set();
  window.facts = new Set();
  const look = () => {
    const parts = document.querySelectorAll("#felt .centre, #strip, .seats--top .avatar");
    const rects = [...parts].map((part) => part.getBoundingClientRect());
    places.add(JSON.stringify(rects.flatMap(({ x, y, width, height }) => [x, y, width, height])));
    facts.add(document.querySelectorAll("#felt .mark").length);
    requestAnimationFrame(look);
  };
  look();
}"""
#: Records, frame by frame, the place of the pile of Game: Armani, and the numbers of penalty cards underneath.
PILE = """() => {
  window.places = new Set();
  window.notes = new Set();
  const look = () => {
    const { top, height } = document.querySelector("#felt .pile").getBoundingClientRect();
    places.add(`${top.toFixed(1)} ${height.toFixed(1)}`);
    notes.add(document.querySelector("#felt .pile-note").textContent);
    requestAnimationFrame(look);
  };
  look();
}"""
#: Whether nothing is on its way any more.
AT_REST = "!document.getAnimations().some((each) => each.playState === 'running')"
#: Presses the felt, and returns the version that the next frame shows.
PRESS = """() => {
  document.querySelector("#felt").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  return new Promise((done) => requestAnimationFrame(() => done(document.querySelector("#table").dataset.version)));
}"""


#: A match of two deals, before the last card of the first one, which is Ada's.
LAST_CARD = """
def is_last(view):
    return view.zone("hand:0").count == 1 and view.zone("trick").count == 1 and not view.zone("stock").count

made["last card"] = running("normal-cards", 2, is_last, clock="table", deals=2)
"""


class Seen(NamedTuple):
    """What was visible, from when to when in ms, and how late frames had come till then; the last entry never ends."""

    begins: float
    ends: float
    seen: dict[str, Any]
    late: float

    def until(self, other: "Seen") -> float:
        """Milliseconds till ``other`` on a machine that draws each frame in time, as a busy one doesn't."""
        return other.begins - self.begins - (other.late - self.late)


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    return tables.make(site, tables.ONE_OF_EACH + LAST_CARD)


@pytest.fixture
def play(make_page: Callable[..., Page], site: SiteProcess, made) -> Callable[..., Page]:
    """Show a position and send the moves after it over the socket."""

    def begin(
        moment: Moment,
        moves: list[tuple[int, str]],
        first: str = RECORD,
        *,
        one_by_one: bool = False,
        **options: object,
    ) -> Page:
        window = {"viewport": {"width": 1280, "height": 800}, **options}
        page = make_page(service_workers="block", bypass_csp=True, **window)
        page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
        lines: list[WebSocketRoute] = []
        states.show(page, made[moment.slug], moment, lambda line: lines.append(line))
        page.wait_for_function(AT_REST)
        page.evaluate(first)
        for version, message in enumerate(states.moved(moment, moves), moment.step + 1):
            lines[0].send(message)
            if one_by_one:
                page.wait_for_function(f"document.querySelector('#table').dataset.version === '{version}'")
                page.wait_for_function(AT_REST)
        return page

    return begin


def timeline(page: Page, version: int) -> list[Seen]:
    """Everything visible until the move with that number was shown completely."""
    page.wait_for_function(f"timeline.at(-1).seen.version === '{version}'")
    rows = page.evaluate("timeline")
    ends = [row["at"] for row in rows[1:]] + [float("inf")]
    return [Seen(row["at"], end, row["seen"], row["late"]) for row, end in zip(rows, ends, strict=True)]


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_full_trick_stays_before_it_is_taken_while_the_log_is_read_out_at_once(play, motion) -> None:
    moment, move = states.before("normal-cards", 4, "trick", ["draw"])
    page = play(moment, [move], reduced_motion=motion)
    seen = timeline(page, moment.step + 1)
    full = [each for each in seen if each.seen["trick"] == 4]
    assert full[-1].ends - full[0].begins >= 800
    assert full[0].seen["log"] == seen[-1].seen["log"] > seen[0].seen["log"]
    # Its lines are seen with what they tell.
    assert seen[0].seen["lines"] < full[0].seen["lines"] < seen[-1].seen["lines"] == seen[-1].seen["log"]
    assert full[0].until(seen[-1]) <= 2500
    # First the trick leaves, and only then cards are drawn.
    swept = next(at for at, each in enumerate(seen) if at > seen.index(full[-1]) and not each.seen["trick"])
    drawn = max(each.seen["hand"] for each in seen)
    assert swept <= next(at for at, each in enumerate(seen) if at > seen.index(full[0]) and each.seen["hand"] == drawn)


def test_a_press_shows_all_steps_within_a_frame(play) -> None:
    moment, move = states.before("normal-cards", 4, "trick", ["draw"])
    page = play(moment, [move])
    page.wait_for_function("timeline.some(({ seen }) => seen.trick === 4)")
    assert page.evaluate(PRESS) == str(moment.step + 1)
    seen = timeline(page, moment.step + 1)
    assert seen[-1].seen["trick"] == 0


def test_a_rightly_slapped_pile_stays_with_its_pattern_highlighted_before_it_is_collected(play) -> None:
    moment, cards = slappable()
    page = play(moment, [(1, "slap")])
    seen = timeline(page, moment.step + 1)
    lit = [each for each in seen if each.seen["lit"]]
    assert {each.seen["lit"] for each in lit} == {" ".join(cards)}
    assert lit[-1].ends - lit[0].begins >= 900
    assert lit[0].seen["pile"] == lit[-1].seen["pile"] > 0
    assert seen[-1].seen["pile"] == 0


def test_the_next_card_to_be_slapped_waits_for_nothing(play) -> None:
    moment, _cards = slappable()
    state = states.state_at(moment).copy()
    state.apply(1, "slap")
    (seat,) = state.to_move()
    page = play(moment, [(1, "slap"), (seat, "flip")])
    seen = timeline(page, moment.step + 2)
    assert seen[0].until(seen[-1]) < 800
    assert seen[-1].seen["pile"] == 1


def test_the_end_of_a_round_stays_until_a_press(play) -> None:
    moment, move = states.before("ten-skip", 3, "round_over", ["show", "lose", "deal"])
    page = play(moment, [move])
    page.locator("#reveal").wait_for()
    hands = page.locator("#reveal .card-sign")
    assert hands.count() >= 5
    assert "You" in page.locator("#reveal li strong").all_inner_texts()
    page.wait_for_timeout(1000)
    assert page.locator("#reveal").count() == 1
    assert page.evaluate(PRESS) == str(moment.step + 1)
    assert page.locator("#reveal").count() == 0


#: Ends at which hands are shown: game, event, and another event of the same move; and what is read there.
ENDS = [
    ("basic-rummy", "deal_over", "deal", "The winner gets the points of all cards left in hands."),
    ("rummy-500", "deal_over", "deal", "Cards on the table count for you, cards in hand against you."),
    ("amagande", "showdown", "over", "Showdown!"),
    ("amagande", "out", "over", "the last card."),
]


@pytest.mark.parametrize("end", sampled(ENDS, ENDS[1], ENDS[2], ids=lambda end: f"{end[0]}-{end[1]}"))
def test_shown_hands_stay_for_four_seconds_and_then_it_goes_on(play, end) -> None:
    slug, kind, also, text = end
    moment, move = states.before(slug, 3, kind, [also])
    page = play(moment, [move])
    expect(page.locator("#reveal")).to_contain_text(text)
    assert page.locator("#reveal li:has(.card-sign):has(.reveal-points)").count() >= 2
    stays(timeline(page, moment.step + 1))


def stays(seen: list[Seen]) -> None:
    """The result stayed for four seconds; its first frame may be visible a few frames after it is drawn."""
    held = [each for each in seen if each.seen["reveal"]]
    assert held[-1].ends - held[0].begins >= 3900
    assert held[0].until(seen[seen.index(held[-1]) + 1]) <= 5000
    assert not seen[-1].seen["reveal"]


#: How far what is shown over the felt reaches up over the opponents, in pixels.
OVER_SEATS = """() => {
  const seats = [...document.querySelectorAll(".seats--top .seat")].map((seat) => seat.getBoundingClientRect().bottom);
  const shown = [...document.querySelectorAll("#reveal, .moment")].map((box) => box.getBoundingClientRect().top);
  return Math.max(...seats) - Math.min(...shown);
}"""


@pytest.mark.parametrize(
    ("slug", "seats", "kind", "also"),
    [("ten-skip", 3, "round_over", ["show", "lose"]), ("rummy-500", 8, "deal_over", ["deal"])],
)
def test_what_a_small_phone_shows_over_the_felt_leaves_the_opponents_in_sight(play, slug, seats, kind, also) -> None:
    moment, move = states.before(slug, seats, kind, also)
    page = play(moment, [move], viewport={"width": 360, "height": 640}, reduced_motion="reduce")
    page.locator("#reveal").wait_for()
    assert page.locator(".moment").count() == (slug == "ten-skip")
    page.wait_for_function(AT_REST)
    assert page.evaluate(OVER_SEATS) <= 0


def test_the_points_of_a_deal_without_hands_stay_too(make_page, site: SiteProcess, made) -> None:
    page = make_page(service_workers="block", bypass_csp=True, viewport={"width": 1280, "height": 800})
    page.context.add_cookies([{"name": "sessionid", "value": made["session"], "url": site.url}])
    page.goto(made["last card"])
    page.locator("#table[data-complete]").wait_for()
    version = int(page.locator("#table").get_attribute("data-version"))
    page.evaluate(RECORD)
    page.locator("#hand .playing-card").click()
    page.locator("#controls .button.primary").click()
    expect(page.locator("#reveal .reveal-title")).to_have_text("Deal 1")
    expect(page.locator("#reveal .reveal-points")).to_have_count(2)
    stays(timeline(page, version + 1))


#: Number of sounds fetched.
FETCHED = "() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/sounds/')).length"


def test_sounds_come_with_the_first_press_and_not_before(play) -> None:
    moment, _cards = slappable()
    page = play(moment, [])
    assert page.evaluate(FETCHED) == 0
    page.keyboard.press("Shift")
    page.wait_for_function(f"({FETCHED})() === 6")


def test_pointing_at_a_card_shows_its_log_line_and_pointing_at_a_line_its_cards(play) -> None:
    moment, _move = states.before("normal-cards", 4, "trick", ["draw"])
    page = play(moment, [])
    card = page.locator("#felt .trick .playing-card").first
    code = card.get_attribute("data-card")
    card.hover()
    line = page.locator("#log li.is-pointed-at")
    assert code in line.get_attribute("data-cards").split()
    page.locator(".table-title").hover()
    assert line.count() == 0
    page.locator(f'#log li[data-cards~="{code}"]').last.hover()
    assert page.locator("#felt .playing-card.is-spotted").first.get_attribute("data-card") == code


def test_the_result_comes_when_the_last_trick_has_been_seen(play) -> None:
    moment, move = states.before("normal-cards", 4, "over", ["trick"])
    page = play(moment, [move])
    seen = timeline(page, moment.step + 1)
    full = [each for each in seen if each.seen["trick"] == 4]
    assert full[-1].ends - full[0].begins >= 800
    assert [each.seen["over"] for each in seen if not each.seen["over"]] == [False] * (len(seen) - 1)
    assert seen[-1].seen["over"]
    best = page.locator("#result-chart a")
    expect(best).to_have_text(re.compile(r"^(Your|\w+'s) best moment: .+"))
    (message,) = states.moved(moment, [move])
    expect(best).to_have_attribute("href", re.compile(rf"\?v={json.loads(message)['feat']['v']}$"))


def slappable() -> tuple[Moment, list[str]]:
    """A position with a pair on top, and its two cards."""
    for seed in range(60):
        for step, (state, _told) in enumerate(states.moves_of("armani", 2, seed)):
            view = state.view(0)
            if view.phase != "stage1" or "slap" not in view.moves:
                continue
            played = view.zone("pile").cards[view.facts["burned"] :]
            if len(played) >= 2 and played[-1][0] == played[-2][0]:
                return Moment("armani", 2, seed, step, "pair"), played[-2:]
    raise AssertionError("no pair")


def turn_after_a_draw() -> tuple[Moment, tuple[int, str]]:
    """A trick after which the first seat draws and plays: the position before, and the move."""
    for seed in range(60):
        for step, (state, _told) in enumerate(states.moves_of("normal-cards", 3, seed)):
            for seat in state.to_move():
                for move in state.legal_moves(seat):
                    after, told = state.copy(), []
                    after.apply(seat, move, told.append)
                    if seat != 0 and 0 in after.to_move() and {"trick", "draw"} <= {event.kind for event in told}:
                        return Moment("normal-cards", 3, seed, step, "draw"), (seat, move)
    raise AssertionError("no such turn")


def with_a_meld(at_least: int) -> tuple[Moment, tuple[int, str]]:
    """A position of Rummy 500 with that many melds in which the first seat can meld: and that move."""
    for seed in range(60):
        for step, (state, _told) in enumerate(states.moves_of("rummy-500", 2, seed)):
            view = state.view(0)
            meld = next((move for move in view.moves if move.startswith("meld:")), None)
            if meld and sum(zone.id.startswith("meld:") for zone in view.zones) >= at_least:
                return Moment("rummy-500", 2, seed, step, "meld"), (0, meld)
    raise AssertionError("no such turn")


#: Pauses long animations at their start, so that they can be examined.
HALT = """() => {
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    const motion = animate.call(this, frames, options);
    if (options.duration > 500) motion.pause();
    return motion;
  };
}"""
#: How far above its place the drawn card is after this many ms, in card heights; null if it is in its place.
RISEN = """at => {
  const card = document.querySelector("#hand .is-new");
  const motion = card.getAnimations().find((each) => each.effect.getTiming().duration > 500);
  if (!motion) return null;
  const topAt = (time) => {
    motion.currentTime = time;
    return card.getBoundingClientRect().top;
  };
  return (topAt(motion.effect.getTiming().duration - 0.1) - topAt(at)) / card.offsetHeight;
}"""


#: How far the drawn card, in its place, may rise: half its height, but not over the strip. In card heights.
ROOM_TO_RISE = """() => {
  const card = document.querySelector("#hand .is-new");
  const motion = card.getAnimations().find((each) => each.effect.getTiming().duration > 500);
  motion.currentTime = motion.effect.getTiming().duration - 0.1;
  const [place, strip] = [card, document.querySelector("#strip")].map((each) => each.getBoundingClientRect());
  const isBelow = strip.bottom <= place.top && strip.left < place.right && strip.right > place.left;
  return Math.min(0.5 * place.height, isBelow ? place.top - strip.bottom : Infinity) / card.offsetHeight;
}"""


#: Whether the sentence is readable after this many ms of the drawn card's way.
IS_READABLE = """at => {
  const card = document.querySelector("#hand .is-new");
  card.getAnimations().find((each) => each.effect.getTiming().duration > 500).currentTime = at;
  const strip = document.querySelector("#strip");
  const { left, right, top, bottom } = strip.getBoundingClientRect();
  return [left + 20, (left + right) / 2, right - 20].every((x) =>
    [top + 12, (top + bottom) / 2, bottom - 3].every((y) => strip.contains(document.elementFromPoint(x, y))));
}"""


@pytest.mark.parametrize("size", [{"width": 390, "height": 844}, {"width": 1280, "height": 800}], ids=str)
def test_your_drawn_card_does_not_cover_the_sentence(play, size) -> None:
    moment, move = turn_after_a_draw()
    page = play(moment, [move], first=HALT, viewport=size)
    page.locator("#hand .is-new").wait_for()
    assert page.evaluate(IS_READABLE, 300)
    assert page.evaluate(IS_READABLE, 760)


def test_your_drawn_card_rests_above_the_hand_until_it_has_been_seen_or_you_press(play) -> None:
    moment, move = turn_after_a_draw()
    page = play(moment, [move], first=HALT)
    page.locator("#hand .is-new").wait_for()
    risen = pytest.approx(page.evaluate(ROOM_TO_RISE), abs=0.02)
    assert page.evaluate(RISEN, 300) == risen
    assert page.evaluate(RISEN, 760) == risen
    page.evaluate(PRESS)
    assert page.evaluate(RISEN, 300) is None


#: Pauses long animations, and counts how many times each card of the hand is moved.
COUNT = """() => {
  (HALT)();
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    this.dataset.motions = Number(this.dataset.motions ?? 0) + 1;
    return animate.apply(this, how);
  };
}""".replace("HALT", HALT)


def test_a_table_that_is_rendered_again_keeps_a_drawn_card_that_still_rests(play) -> None:
    moment, move = turn_after_a_draw()
    after = states.state_at(moment).copy()
    held = set(after.view(0).zone("hand:0").cards)
    after.apply(*move)
    # The player plays an old card on another page: all cards in the hand move together.
    other = next(each for each in after.legal_moves(0) if each.removeprefix("play:") in held)
    page = play(moment, [move, (0, other)], first=COUNT)
    page.locator(f"#table[data-version='{moment.step + 2}']").wait_for()
    resting = page.locator("#hand .is-new")
    assert page.locator("#hand [data-motions]:not(.is-new)").count()
    assert resting.get_attribute("data-motions") == "1"
    assert page.evaluate(RISEN, 300) == pytest.approx(page.evaluate(ROOM_TO_RISE), abs=0.02)


def test_with_reduced_motion_a_drawn_card_is_in_its_place_at_once(play) -> None:
    moment, move = turn_after_a_draw()
    page = play(moment, [move], first=HALT, reduced_motion="reduce")
    page.locator("#hand .is-new").wait_for()
    assert page.evaluate(RISEN, 300) is None


@pytest.mark.parametrize("by_finger", [False, True], ids=["mouse", "finger"])
def test_the_card_that_a_press_begins_on_is_chosen_though_a_drawn_card_comes_between(play, by_finger) -> None:
    moment, move = turn_after_a_draw()
    page = play(moment, [move], has_touch=by_finger)
    page.wait_for_function("timeline.some(({ seen }) => seen.trick === 3)")
    held = page.locator("#hand .playing-card").count()
    # The last card: a drawn card is placed before it, or moves it.
    card = page.locator("#hand .playing-card").last
    code = card.get_attribute("data-card")
    box = card.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if by_finger:
        page.touchscreen.tap(x, y)
    else:
        page.mouse.move(x, y)
        page.mouse.down()
        page.wait_for_function(f"document.querySelector('#table').dataset.version === '{moment.step + 1}'")
        page.mouse.up()
    expect(page.locator("#hand .is-chosen")).to_have_attribute("data-card", code)
    assert page.locator("#hand .playing-card").count() == held + 1


def test_nothing_moves_when_the_turn_passes_and_facts_come_and_go(play) -> None:
    """The last play is shown during an avalanche, and the seat whose turn it is, is marked."""
    moment = states.Moment("avalanche", 4, 3, 20, "waiting")
    moves = states.following(moment, 8)
    page = play(moment, moves, first=WHERE, one_by_one=True, viewport={"width": 390, "height": 844})
    assert page.evaluate("[...facts].sort()") == [0, 2]
    for coordinate in zip(*(json.loads(each) for each in page.evaluate("[...places]")), strict=True):
        assert max(coordinate) - min(coordinate) < 3, coordinate


def slaps_among_cards(moment: Moment, count: int) -> list[tuple[int, str]]:
    """Possible next events of Game: Armani: after three cards someone slaps, whatever the pile shows."""
    state = states.state_at(moment).copy()
    moves: list[tuple[int, str]] = []
    while len(moves) < count:
        ready = [seat for seat in range(moment.seats) if "slap" in state.legal_moves(seat)]
        if len(moves) % 4 == 3 and ready:
            moves.append((ready[len(moves) // 4 % len(ready)], "slap"))
        else:
            seat = state.to_move()[0]
            moves.append((seat, next(move for move in state.legal_moves(seat) if move != "slap")))
        state.apply(*moves[-1])
    return moves


@pytest.mark.parametrize("size", sampled(WINDOWS, (360, 640), ids=str))
def test_the_pile_that_may_be_slapped_never_moves(play, size) -> None:
    moment = Moment("armani", 4, 2, 4, "stage1")
    window = {"width": size[0], "height": size[1]}
    page = play(moment, slaps_among_cards(moment, 40), first=PILE, one_by_one=True, viewport=window)
    # Wrong slaps have brought penalty cards, and right ones and lost duels have taken them away.
    assert {"", "penalty cards underneath: 3"} <= set(page.evaluate("[...notes]"))
    assert len(page.evaluate("[...places]")) == 1, page.evaluate("[...places]")


#: What CI looks at: the game with most melds.
EVERY_DAY = [moment for moment in BEGIN if moment.slug == "rummy-500"]


@pytest.mark.parametrize("size", sampled([(390, 844), (360, 640)], (360, 640), ids=str))
@pytest.mark.parametrize("moment", sampled(BEGIN, *EVERY_DAY, ids=lambda moment: moment.slug))
def test_hardly_anything_shifts_in_twenty_moves_on_a_phone(play, moment: Moment, size) -> None:
    window = {"width": size[0], "height": size[1]}
    page = play(moment, states.following(moment, MOVES), first=OBSERVE, one_by_one=True, viewport=window)
    shifts = page.evaluate("shifts")
    assert sum(each["value"] for each in shifts) <= 0.01, shifts


#: Notes for each new size of the melds which version was shown before it.
SIZES = """() => {
  const set = CSSStyleDeclaration.prototype.setProperty;
  window.sizes = [];
  CSSStyleDeclaration.prototype.setProperty = function (name, value, ...how) {
    const isNew = name === "--meld-shrink" && this.getPropertyValue(name) !== value;
    if (isNew) window.sizes.push(document.querySelector("#table").dataset.version);
    return set.call(this, name, value, ...how);
  };
}"""


def test_the_size_of_melds_is_found_at_the_first_try(play) -> None:
    """Each try costs a layout of the page; arithmetic says which to try."""
    moment = next(each for each in BEGIN if each.slug == "rummy-500")
    page = play(moment, states.following(moment, MOVES), first=SIZES, one_by_one=True)
    sizes = page.evaluate("sizes")
    assert 0 < len(sizes) == len(set(sizes)), sizes


#: Notes where the cards of melds are when they begin to move, and where they lay in the hand.
GLIDES = """() => {
  const middle = (card) => {
    const { x, y, width, height } = card.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  const cards = [...document.querySelectorAll("#hand .playing-card")];
  window.lay = Object.fromEntries(cards.map((card) => [card.dataset.key, middle(card)]));
  window.began = {};
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    const motion = animate.call(this, ...how);
    if (!this.matches(".melds .playing-card")) return motion;
    began[this.dataset.key] = middle(this);
    const box = this.closest("ul");
    motion.ready.then(() => { window.raised ||= getComputedStyle(box).zIndex; });
    return motion;
  };
}"""


def test_cards_that_are_melded_begin_where_they_lay_though_melds_are_scaled(play) -> None:
    moment, move = with_a_meld(at_least=6)
    page = play(moment, [move], first=GLIDES, one_by_one=True)
    scale = float(page.evaluate("document.querySelector('.melds').style.getPropertyValue('--meld-shrink')"))
    lay, began = page.evaluate("lay"), page.evaluate("began")
    assert scale < 0.7
    assert len(began) >= 3
    far = {key: distance for key, where in began.items() if (distance := dist(where, lay[key])) > 2}
    assert far == {}
    assert page.evaluate("raised") == "5"
    assert page.locator(".is-moving").count() == 0


#: The widths of the melds' cards: as the browser lays them out, and as they are seen.
WIDTHS = """() => {
  const cards = [...document.querySelectorAll(".melds .playing-card")];
  return [cards.map((card) => card.offsetWidth), cards.map((card) => card.getBoundingClientRect().width)];
}"""


def test_a_new_size_of_melds_lays_out_none_of_their_cards(play) -> None:
    """The boxes around them are scaled, because styles and layout of some hundred elements make a move late."""
    moment, _move = with_a_meld(at_least=6)
    page = play(moment, [])
    laid, seen = page.evaluate(WIDTHS)
    page.evaluate("document.querySelector('.melds').style.setProperty('--meld-shrink', '0.3')")
    again, smaller = page.evaluate(WIDTHS)
    assert again == laid
    assert max(smaller) < min(seen)


#: Notes the cards that come into the hand, each time, also those that were in the page already.
COMING = """() => {
  window.coming = [];
  new MutationObserver((changes) => {
    const nodes = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.querySelectorAll);
    for (const node of nodes)
      for (const card of node.querySelectorAll(".playing-card")) window.coming.push(card.dataset.key);
  }).observe(document.querySelector("#hand"), { childList: true, subtree: true });
}"""


def test_only_the_drawn_card_is_put_into_the_hand_and_only_once(play) -> None:
    """The browser would have to draw the others again."""
    moment, move = turn_after_a_draw()
    # The card drawn before is marked as new, too, so that the mark alone doesn't say that the move has come.
    page = play(moment, [move], first=COMING, one_by_one=True)
    expect(page.locator("#hand .is-new")).to_have_count(1)
    assert len(page.evaluate("coming")) == 1


#: Notes how many cards are in the hand when a task has changed what the strip says, the first time.
SAID = """() => {
  window.held = null;
  new MutationObserver(() => {
    window.held ??= document.querySelectorAll("#hand .playing-card").length;
  }).observe(document.querySelector("#status"), { childList: true });
}"""


def test_what_is_said_about_a_move_is_drawn_in_a_task_before_its_cards(play) -> None:
    moment, move = turn_after_a_draw()
    page = play(moment, [move], first=SAID, one_by_one=True)
    assert page.evaluate("held") == page.locator("#hand .playing-card").count() - 1


#: Notes, when a task has changed the hand, how many of its cards have no place yet.
WITHOUT_PLACE = """() => {
  const hand = document.querySelector("#hand");
  window.without = [];
  new MutationObserver(() => {
    const places = [...hand.querySelectorAll("li:has(> .playing-card)")];
    window.without.push(places.filter((place) => !place.style.translate).length);
  }).observe(hand, { childList: true, subtree: true });
}"""


def test_the_cards_of_a_move_are_drawn_in_one_task_and_get_their_places_in_another(play) -> None:
    """In one they would keep a press waiting for twice as long."""
    moment, move = turn_after_a_draw()
    page = play(moment, [move], first=WITHOUT_PLACE, one_by_one=True)
    assert page.evaluate("without[0]") == 1
    assert page.locator("#hand li:has(> .playing-card):not([style*=translate])").count() == 0


@pytest.mark.parametrize("slug", sampled(["avalanche", "basic-rummy", "rummy-500"], "rummy-500"))
def test_nothing_shifts_on_a_desktop(play, slug: str) -> None:
    moment = next(each for each in BEGIN if each.slug == slug)
    page = play(moment, states.following(moment, MOVES), first=OBSERVE, one_by_one=True)
    shifts = page.evaluate("shifts")
    assert sum(each["value"] for each in shifts) <= 0.005, shifts
