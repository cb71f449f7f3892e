"""What the table shows and does around a move: before it, instead of it, and after an absence."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser import tables
from tests.browser.choices import hand, moves, touch, version
from tests.browser.looks import sideways, still
from tests.browser.players import wait_until
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

SMALL = {"width": 360, "height": 640}
PHONE = {"width": 390, "height": 844}
#: What Ada sees.
MADE = """
def has_joker(view):
    return view.phase == "play" and len([m for m in view.moves if m.startswith("meld:") and "=" in m]) > 1

# In the first matches of a game its coach keeps plans out of sight.
for number in (2, 3, 4):
    running("armed", 2, lambda v: True, number=number)
made = {
    "rummy": running("rummy-500", 2, has_joker),
    "lay": running("basic-rummy", 3, lambda v: v.phase == "play" and any(m.startswith("lay:") for m in v.moves)),
    "draw": running("basic-rummy", 2, lambda v: v.phase == "draw"),
    "deep": running("rummy-500", 4, lambda v: v.phase == "draw" and len([m for m in v.moves if "take" in m]) > 0
                    and v.zone("discard").count > 4),
    "avalanche": running("avalanche", 3, lambda v: bool(v.facts["last"])),
    "ace": running("amagande", 3, lambda v: any(m.count("/") for m in v.moves)),
    "thirteen": running("rummy-500", 2, lambda v: v.phase == "draw"),
    "eight": running("rummy-500", 8, lambda v: len(v.zones) > 12 and v.phase == "draw"),
    "armed": running("armed", 2, lambda v: v.facts["battle"] == 2, clock="table"),
    "planned": running("armed", 2, lambda v: v.facts["battle"] == 2, clock="table", number=7),
    "drawing": running("basic-rummy", 2, lambda v: v.phase == "draw", number=5),
    "marked": running("basic-rummy", 2, lambda v: v.phase == "draw" and v.zone("discard").count > 2, number=6),
    "slow3": running("normal-cards", 2, lambda v: True, clock="daily", number=3),
    "slow": running("normal-cards", 2, lambda v: True, clock="daily"),
    "slow2": running("normal-cards", 2, lambda v: True, clock="daily", number=2),
    "away": running("normal-cards", 2, lambda v: v.zone("trick").count == 0),
    "back": running("normal-cards", 2, lambda v: v.zone("trick").count == 0, number=5),
}
"""
#: The opponent in a match for two plays until it is Ada's turn again.
GO_ON = """
from accounts.models import User
from games.matches import service as play
from games.matches.models import Match
match = Match.objects.get(key="%s")
while (table := play.load(match.pk)).state.to_move() == (1,) or 1 in table.state.to_move():
    move = table.state.legal_moves(1)[0]
    play.act(match.pk, 1, move, request_id=f"b{table.version}", player=User.objects.get(name="Ben"))
"""

#: Ada has seen the match up to that version, two minutes ago.
LONG_AGO = """
from datetime import timedelta
from django.utils import timezone
from games.matches.models import Seat
long_ago = timezone.now() - timedelta(minutes=2)
Seat.objects.filter(match__key="%s", number=0).update(looked_at=long_ago, looked_version=%d)
"""


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict[str, str]:
    """A session of Ada, and the URLs of her matches."""
    return tables.make(site, MADE)


@pytest.fixture
def open_page(make_page, site: SiteProcess, made: dict[str, str]) -> Callable[..., Page]:
    """Open a match as Ada in a separate browser, whose clock can be stopped."""

    def open_it(name: str, *, is_stopped: bool = False, session: str = "session", **options) -> Page:
        page = make_page(**options)
        page.context.add_cookies([{"name": "sessionid", "value": made[session], "url": site.url}])
        if is_stopped:
            page.clock.install()
        page.goto(made[name])
        page.locator("#table[data-ready]").wait_for()
        still(page)
        if is_stopped:
            page.clock.pause_at(datetime.fromtimestamp(page.evaluate("Date.now()") / 1000 + 10, UTC))
        return page

    return open_it


def test_the_workbench_says_what_cards_make_and_asks_what_the_joker_is(open_page):
    page = open_page("rummy")
    melds = {}
    for move in moves(page):
        if move.startswith("meld:") and "=" in move:
            cards = tuple(sorted(joker or card for joker, card in re.findall(r"([RB]J)=..|(..)", move[5:])))
            melds.setdefault(cards, []).append(move)
    cards, ways = max(melds.items(), key=lambda item: (len(item[1]), -len(item[0])))
    touch(page, *cards)
    expect(page.locator("#said")).to_have_text(re.compile(r"^These make a (run|set) of \d\."))
    if len(ways) > 1:
        expect(page.locator("#question")).to_have_text("What is the joker?")
    offered = page.locator('#controls .control-buttons [data-move^="meld:"]')
    expect(offered).to_have_count(len(ways))
    expect(offered.first).to_contain_text(re.compile("joker as"))
    before = version(page)
    offered.first.click()
    wait_until(lambda: version(page) > before, "the meld was not laid")
    expect(page.locator(".melds .zone")).not_to_have_count(0)
    # What it will count is shown beside the score.
    expect(page.locator("#own-seat .seat-coming")).to_have_text(re.compile(r"^ \+[1-9]"))


def test_a_card_that_fits_a_meld_lights_it_up(open_page):
    page = open_page("lay")
    lay = next(move for move in moves(page) if move.startswith("lay:") and "=" not in move and move.index("@") == 6)
    touch(page, lay[4:6])
    target = page.locator(f'[data-target="meld:{lay[7:]}"]')
    expect(target).to_have_class(re.compile("is-target"))
    expect(page.locator("#said")).to_have_text(re.compile("fits"))
    before = version(page)
    target.locator(".zone-title").click()
    wait_until(lambda: version(page) > before, "the card was not laid on the meld")


def test_a_greyed_card_or_button_names_the_rule(open_page):
    page = open_page("draw")
    touch(page, hand(page)[0])
    expect(page.locator("#said")).to_have_text("First draw a card from the stock or the discard pile.")
    page = open_page("ace")
    useless = page.locator("#hand .is-useless").first
    useless.click(position={"x": 12, "y": 12}, force=True)
    expect(page.locator("#said")).to_have_text(re.compile(r"(doesn't fit|The next card must be)"))
    page.locator('[data-why="pass"]').click(force=True)
    expect(page.locator("#said")).to_have_text("You can pass only after you draw.")


def test_the_pile_is_taken_from_a_depth_that_lifts_its_cards(open_page):
    page = open_page("deep", viewport=PHONE, has_touch=True)
    depth = max(int(move[5:]) for move in moves(page) if move.startswith("take:"))
    pile = page.locator('#felt [data-zone="discard"] .playing-card')
    pile.nth(pile.count() - depth).click(position={"x": 8, "y": 10})
    expect(page.locator("#felt .is-spotted")).to_have_count(depth)
    expect(page.locator("#said")).to_contain_text("this turn")
    legal = {int(move[5:]) for move in moves(page) if move.startswith("take:")}
    for other in range(1, pile.count() + 1):
        if other not in legal:
            pile.nth(pile.count() - other).click(position={"x": 8, "y": 10})
            expect(page.locator("#said")).to_have_text(re.compile(r"^You couldn't use .* right away"))
            break
    # Every index of the pile can be read.
    lefts = pile.evaluate_all("cards => cards.map(card => [card.getBoundingClientRect().left, card.offsetWidth])")
    for (left, width), (following, _width) in pairwise(lefts):
        assert following - left >= width * 0.33 or following < left


def test_avalanche_shows_what_a_play_would_do(open_page):
    page = open_page("avalanche")
    touch(page, hand(page)[0])
    said = r"(starts an avalanche|it grows to \d+|it stops: \d+ cards leave the game|it falls: \d+ cards to \w+)"
    for note in page.locator("#controls .option-note").all_inner_texts():
        assert re.search(said, note)
    expect(page.locator("#controls .option-note").first).to_be_visible()


def test_an_ace_asks_for_the_suit_and_shows_the_players_own_counts(open_page):
    page = open_page("ace")
    ace = next(move for move in moves(page) if "/" in move)[5:7]
    touch(page, ace)
    expect(page.locator("#question")).to_have_text("Which suit must follow?")
    held = [code for code in hand(page) if code != ace]
    for suit in "CDHS":
        count = sum(code[1] == suit for code in held)
        expect(page.locator(f'#controls .control-buttons [data-move="play:{ace}/{suit}"]')).to_contain_text(
            f"{count} in your hand"
        )


def test_a_slow_move_can_be_taken_back_and_goes_when_its_time_is_over(open_page):
    page = open_page("slow", is_stopped=True)
    card = moves(page)[0][5:]
    before = version(page)
    touch(page, card)
    page.locator(f'[data-move="play:{card}"]').first.click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#said")).to_have_text("Undone. Choose again.")
    assert card in hand(page)
    page.clock.run_for(3300)
    assert version(page) == before
    touch(page, card)
    page.locator(f'[data-move="play:{card}"]').first.click()
    expect(page.locator(".held")).to_be_visible()
    page.clock.run_for(2900)
    expect(page.locator(".held")).to_be_visible()
    page.clock.run_for(200)
    # The trick it may complete is shown first.
    page.clock.resume()
    wait_until(lambda: version(page) > before, "the held move never went")


def test_a_held_move_survives_the_tab(open_page, site, made):
    page = open_page("slow2", is_stopped=True)
    move = moves(page)[0]
    touch(page, move[5:])
    page.locator(f'[data-move="{move}"]').first.click()
    expect(page.locator(".held")).to_be_visible()
    page.close(run_before_unload=True)
    again = open_page("slow2")
    wait_until(lambda: move[5:] not in hand(again), "the move was lost with its tab")


def test_a_returning_player_learns_what_has_happened_meanwhile(open_page, site, made):
    page = open_page("away")
    move = moves(page)[0]
    before = version(page)
    touch(page, move[5:])
    page.locator(f'[data-move="{move}"]').first.click()
    wait_until(lambda: version(page) > before, "the card was not played")
    page.goto("/lobby/")
    key = made["away"].strip("/").split("/")[-1]
    site.manage("shell", "-v", "0", "-c", GO_ON % key)
    # Looking again after a few seconds doesn't count as a return.
    chip = page.locator("#catch-up-chip")
    page.goto(made["away"])
    page.locator("#table[data-complete]").wait_for()
    expect(chip).to_be_hidden()
    page.goto("/lobby/")
    site.manage("shell", "-v", "0", "-c", LONG_AGO % (key, before + 1))
    page.evaluate("localStorage.clear()")
    page.goto(made["away"])
    page.locator("#table[data-ready]").wait_for()
    story = page.locator("#catch-up")
    expect(chip).to_have_text(re.compile(r"Since you left: \d+ moves"))
    expect(story).to_be_hidden()
    chip.click()
    expect(story).to_be_visible()
    expect(story.locator("li", has_text=re.compile("^You play"))).to_have_count(0)
    expect(story.locator("li", has_text="Ben plays")).not_to_have_count(0)
    # Step through it or let it play; each step shows its cards.
    first = story.locator("li").first
    story.get_by_role("button", name="One move forward").click()
    expect(first).to_have_attribute("aria-current", "step")
    expect(story.get_by_role("status")).to_have_text(first.inner_text())
    page.keyboard.press("ArrowDown")
    expect(story.locator("li").nth(1)).to_have_attribute("aria-current", "step")
    story.locator("li", has_text="Ben plays").first.click()
    expect(story.locator(".catch-up-cards .playing-card")).to_have_count(1)
    story.get_by_role("button", name="One move back").click()
    first.click()
    story.get_by_role("button", name="Play").click()
    expect(story.get_by_role("button", name="Pause")).to_be_visible()
    expect(story.locator("li").last).to_have_attribute("aria-current", "step")
    expect(story.get_by_role("button", name="Play")).to_be_visible()
    story.get_by_role("button", name="Go to the table").click()
    expect(story).to_be_hidden()
    expect(chip).to_be_hidden()
    page.reload()
    page.locator("#table[data-complete]").wait_for()
    expect(chip).to_be_hidden()


def test_a_second_tab_going_back_and_resigning_are_no_absence(open_page, site, made):
    page = open_page("back")
    start, key = version(page), made["back"].strip("/").split("/")[-1]
    move = moves(page)[0]
    touch(page, move[5:])
    page.locator(f'[data-move="{move}"]').first.click()
    wait_until(lambda: version(page) > start, "the card was not played")
    site.manage("shell", "-v", "0", "-c", GO_ON % key)
    wait_until(lambda: page.locator("#table.is-my-turn").count() == 1, "Ben has not played")

    def stays_quiet(tab: Page) -> None:
        tab.locator("#table[data-complete]").wait_for()
        expect(tab.locator("#catch-up-chip")).to_be_hidden()
        expect(tab.locator("#catch-up")).to_be_hidden()

    # The server knows of no later look; this browser has just shown everything.
    site.manage("shell", "-v", "0", "-c", LONG_AGO % (key, start))
    second = page.context.new_page()
    second.goto(made["back"])
    stays_quiet(second)
    second.close()
    site.manage("shell", "-v", "0", "-c", LONG_AGO % (key, start))
    page.goto("/lobby/")
    page.go_back()
    stays_quiet(page)
    page.go_forward()
    page.go_back()
    stays_quiet(page)
    site.manage("shell", "-v", "0", "-c", LONG_AGO % (key, start))
    page.locator(".table-menu summary").first.click()
    page.locator("#resign > summary").click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator("#result-sentence")).to_have_text("You resigned.")
    stays_quiet(page)


def test_the_log_is_filtered_and_shows_the_cards_of_a_sentence(open_page):
    page = open_page("lay")
    lines = page.locator("#log li")
    every = lines.count()
    page.get_by_role("radio", name="Mine").check(force=True)
    shown = page.locator("#log li:visible").all_inner_texts()
    assert 0 < len(shown) < every
    assert all(re.search(r"\b(you|your)\b", line, re.IGNORECASE) for line in shown)
    page.get_by_role("radio", name="All").check(force=True)
    line = page.locator("#log li[data-cards]:visible").last
    line.hover()
    expect(page.locator("#log-cards .playing-card")).to_have_count(len(line.get_attribute("data-cards").split()))
    page.mouse.move(5, 5)
    # The same without a mouse.
    page.get_by_role("log", name="Moves").focus()
    page.keyboard.press("ArrowUp")
    for _line in range(10):
        if page.locator("#log-cards .playing-card").count():
            break
        page.keyboard.press("ArrowUp")
    expect(page.locator("#log-cards .playing-card").first).to_be_visible()


def test_both_cards_of_a_battle_are_seen_and_the_next_ones_planned(open_page, site, made):
    page = open_page("armed")
    expect(page.locator("#felt .fought .playing-card")).not_to_have_count(0)
    expect(page.locator(".battle-note")).to_contain_text("won the battle")
    page.get_by_role("button", name="Plan the next battles").click()
    first, second = hand(page)[:2]
    touch(page, second, first)
    expect(page.locator(f'#hand [data-card="{second}"]')).to_have_attribute("data-plan", "1")
    before = version(page)
    page.get_by_role("button", name="Play the plan").click()
    wait_until(lambda: version(page) > before, "the plan did not begin")
    assert second not in hand(page)
    expect(page.locator("#plan")).to_contain_text("Planned")


def test_hints_card_order_and_title_follow_the_settings(open_page):
    page = open_page("thirteen")
    expect(page).to_have_title(re.compile(": your turn$"))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("favicon-turn"))
    by_suit = hand(page)
    page.locator("#sort").click()
    expect(page.locator("#sort")).to_have_text("Sorted by rank")
    ranks = ["A23456789TJQK".find(code[0]) for code in hand(page)]
    assert ranks == sorted(ranks)
    assert sorted(by_suit) == sorted(hand(page))
    first = page.locator("#hand button").first
    card = first.get_attribute("data-card")
    first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#sort")).to_have_text("Sorted my way")
    expect(page.locator("#settings [name=order]")).to_have_value("own")
    assert hand(page)[1] == card


def test_the_last_card_keeps_its_mark_when_the_hand_is_laid_another_way(open_page):
    page = open_page("marked")
    expect(page.locator("#felt .is-last")).to_have_count(1)
    page.locator("#hand button").first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#sort")).to_have_text("Sorted my way")
    expect(page.locator("#felt .is-last")).to_have_count(1)


def test_the_focus_stays_on_the_table_when_its_button_has_gone(open_page):
    page = open_page("drawing")
    page.locator('[data-move="draw:stock"]').focus()
    before = version(page)
    page.keyboard.press("Enter")
    wait_until(lambda: version(page) > before, "nothing was drawn")
    expect(page.locator("#hand button:focus")).to_have_count(1)
    # A move that can be undone: its button, then the one that undoes it, then the hand again.
    page = open_page("slow3", is_stopped=True)
    page.locator("#hand .is-usable").first.click()
    page.locator("#controls .primary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-act=back]")).to_be_focused()
    page.locator("[data-act=now]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".held")).to_have_count(0)
    expect(page.locator("#hand button:focus")).to_have_count(1)


def wait_for_cards(page: Page, selector: str, count: int) -> None:
    """Wait until so many are drawn, on a page whose clock stands still but for the frames that cards are drawn in."""

    def are_drawn() -> bool:
        page.clock.run_for(20)
        return page.locator(selector).count() == count

    wait_until(are_drawn, f"{count} of {selector}")


def test_stopping_a_plan_while_a_battle_is_shown_plays_no_further_card(open_page):
    ada, ben = open_page("planned", is_stopped=True), open_page("planned", session="session of Ben")
    first, second, third = hand(ada)[:3]
    ada.get_by_role("button", name="Plan the next battles").click()
    touch(ada, first, second, third)
    ada.get_by_role("button", name="Play the plan").click()
    wait_for_cards(ada, f'#hand [data-card="{first}"]', 0)
    touch(ben, hand(ben)[0])
    ben.locator("#controls .primary").click()
    # Both cards are turned, and lie there while the clock hardly goes on.
    wait_for_cards(ada, "#felt .ground [data-card]", 2)
    ada.get_by_role("button", name="Stop the plan").click()
    expect(ada.get_by_role("button", name="Plan the next battles")).to_be_visible()
    expect(ada.locator("#table")).not_to_have_class(re.compile("is-my-turn"))
    assert {second, third} <= set(hand(ada))
    ada.clock.resume()
    expect(ada.locator("#table")).to_have_class(re.compile("is-my-turn"))
    assert {second, third} <= set(hand(ada))


@pytest.mark.parametrize(("name", "size"), [("thirteen", SMALL), ("eight", PHONE)])
def test_a_small_screen_shows_hand_and_buttons_and_every_card_can_be_hit(open_page, name, size):
    page = open_page(name, viewport=size, has_touch=True, is_mobile=True)
    assert sideways(page) == 0
    cards = page.locator("#hand button")
    # A strip of each card with its index, 24 by 44 pixels, is uncovered and on the screen.
    reachable = cards.evaluate_all(
        """cards => cards.map(card => {
          const { left, top } = card.getBoundingClientRect();
          const at = (x, y) => document.elementFromPoint(left + x, top + y)?.closest("button");
          // The ends of a fan are turned: its corners lie a little inside.
          return [at(7, 9), at(24, 9), at(7, 41), at(24, 41)].every((found) => found === card);
        })"""
    )
    assert all(reachable), reachable
    if name == "thirteen":
        assert len(reachable) == 13
    button = page.locator("#controls button").first
    expect(button).to_be_in_viewport()
    expect(page.locator("#felt .seat")).to_have_count(1 if name == "thirteen" else 7)
    before = version(page)
    page.get_by_role("button", name="Draw from the stock").first.tap()
    wait_until(lambda: version(page) > before, "nothing was drawn")
