"""Turn-based slaps in a browser: one player watches on a desktop, the other at night on a phone; both are judged."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, sideways
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser
DESK = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "has_touch": True}

#: A turn-based match of three after the bets; one of them is asleep, and some cards precede the first slap.
MATCH = """
import json
from accounts.models import User
from games.matches import service as play
from games.devtools.bench.site import log_in
from games.matches.models import Match, hash_of
from games.matches.slap_points import segments
from games.matches.slap_points.models import Attendance
people = [User.objects.create_user(f"{name.lower()}@example.org", name=name) for name in ("Ada", "Ben", "Cem")]
match = play.open_table(people[0], "armani", 3, {}, clock="daily", is_public=False, pace="relaxed")
for person in people[1:]:
    play.join(match, person)
# Dealt so that the fourth card is the first that may be slapped.
seed = f"{8:032x}"
Match.objects.filter(pk=match.pk).update(seed=seed, seed_hash=hash_of(seed))
play.start(match, people[0])
Attendance.objects.create(match=match, seat=2, missed=2)
while not (table := play.load(match.pk)).at_slap_point:
    seat = table.state.to_move()[0]
    move = table.state.default_move(seat)
    play.act(match.pk, seat, move, request_id=f"b{table.version}", player=people[seat])
segment = segments.ahead(table.state)
assert segment.is_slappable and len(segment.moves) == 5
cookies = [log_in(person).partition("=") for person in people]
print(json.dumps({
    "path": match.get_absolute_url(), "first": table.version, "last": table.version + len(segment.moves),
    "cookies": [[name, value] for name, _is, value in cookies],
}))
"""


@pytest.fixture(scope="module")
def made(site: SiteProcess) -> dict:
    return json.loads(site.manage("shell", "-v", "0", "-c", MATCH).strip().splitlines()[-1])


def looked_over(page: Page) -> None:
    """Accessible, and not wider than the screen."""
    assert barriers(page) == []
    assert sideways(page) == 0


def shows(page: Page, version: int) -> None:
    """Wait until the page shows the card of that version."""
    page.locator(f"#table[data-version='{version}']").wait_for()


@pytest.mark.long
def test_a_slap_point_is_watched_slapped_and_settled(make_page: Callable[..., Page], site: SiteProcess, made: dict):
    ada, ben = make_page(**DESK), make_page(**PHONE)
    for page, (name, value) in zip((ada, ben), made["cookies"], strict=False):
        page.context.add_cookies([{"name": name, "value": value, "url": site.url}])
        page.goto(made["path"])
        expect(page.locator("#point")).to_contain_text("Watch the next cards")
        expect(page.locator("#point")).to_contain_text("Away, so we don't wait for them: Cem")
        expect(page.locator(".seat[data-seat='2']")).to_contain_text("asleep")
        expect(page.locator(".seat[data-seat='0']")).not_to_contain_text("asleep")
        looked_over(page)

    # Ada, with only a keyboard, slaps the first card, which can't make a pattern.
    ada.get_by_role("link", name="Watch the next cards").press("Enter")
    go = ada.get_by_role("button", name="Show me the cards")
    expect(go).to_be_focused()
    looked_over(ada)
    ada.keyboard.press("Enter")
    shows(ada, made["first"] + 1)
    ada.wait_for_timeout(200)
    ada.keyboard.press("Space")
    expect(ada.locator("#slap")).to_contain_text("Slapped!")
    expect(ada.locator(".verdict")).to_contain_text("No pattern: it costs you a card")
    looked_over(ada)
    expect(ada.locator("#point")).to_contain_text("We decide the slap when Ben has watched, too.")
    looked_over(ada)
    # A second visit shows no card again.
    ada.reload()
    expect(ada.locator("#point")).to_contain_text("That was the last card")
    shows(ada, made["last"])

    # Ben, with a thumb, slaps the last one.
    ben.get_by_role("link", name="Watch the next cards").tap()
    ben.get_by_role("button", name="Show me the cards").tap()
    shows(ben, made["first"] + 1)
    box = ben.locator("#slap").bounding_box()
    assert box
    assert box["height"] >= 88
    assert box["y"] + box["height"] <= PHONE["viewport"]["height"]
    looked_over(ben)
    shows(ben, made["last"])
    ben.wait_for_timeout(200)
    ben.locator("#slap").tap()
    # The point is settled; the player who completes it sees the verdict and continues at once, like the one who waited.
    for page, later in ((ben, True), (ada, False)):
        taken = "You take the pile" if page is ben else "Ben takes the pile"
        expect(page.locator("#point")).to_contain_text(taken)
        # How the slaps were measured is folded away.
        numbers = page.get_by_text("for your connection (ping").first
        expect(numbers).to_be_hidden()
        page.get_by_text("How we measured").click()
        expect(numbers).to_be_visible()
        if later:
            page.get_by_role("button", name="Later").tap()
        # No slap was mistaken for a move.
        expect(page.locator(".held")).to_have_count(0)
        expect(page.locator("#slap")).to_be_enabled()
        looked_over(page)
        expect(page.get_by_role("button", name="Show me the cards")).to_be_visible()
