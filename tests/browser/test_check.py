"""The deal check of a finished match in a browser: it confirms the real deal, and detects a false one."""

import json
import re
import subprocess
import sys

import pytest
from playwright.sync_api import Browser, Page, Route, expect

import games.rules
from tests.browser.looks import barriers, sideways
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

#: Create a finished match of each game with the fewest and most seats, played greedily.
PLAY = """
import hashlib
import random
import games.rules
from accounts.models import User
from django.utils import timezone
from games.matches import service as play
from games.ai.policy import policy_for
from games.matches.models import Match, Move, hash_of
options = {"armani": {"stage2_flips": 52}, "basic-rummy": {"target": 50}, "rummy-500": {"target": 100}}
ada = User.objects.create_user("ada@example.org", name="Ada")
for rules in games.rules.all():
    for seats in sorted({min(rules.seats), max(rules.seats)}):
        levels = dict.fromkeys(range(1, seats), "easy")
        chosen = options.get(rules.slug, {})
        match = play.open_table(ada, rules.slug, seats, chosen, ai=levels, is_public=False, clock="none")
        # The same cards each time: whether a forged card can be found out depends on them.
        seed = hashlib.sha256(f"{rules.slug} {seats}".encode()).hexdigest()[:32]
        Match.objects.filter(pk=match.pk).update(seed=seed, seed_hash=hash_of(seed))
        match.refresh_from_db()
        play.start(match, ada)
        match.refresh_from_db()
        rng = random.Random(seed)
        state = rules.deal(seats, match.options, match.seed)
        moves = []
        while state.to_move():
            seat = state.to_move()[0]
            legal = state.legal_moves(seat)
            if seat == -1 or len(legal) == 1:
                move = legal[0]
            elif "slap" in legal and rng.random() < 0.1:
                move = "slap"
            else:
                move = policy_for(rules.slug).choose(state.view(seat), "easy", rng)
            state.apply(seat, move)
            moves.append((seat, move))
        outcome, now = state.outcome(), timezone.now()
        Move.objects.filter(match=match).delete()
        Move.objects.bulk_create(
            Move(match=match, number=n, seat=seat, move=move, at=now, source="player", request_id=f"m{n}")
            for n, (seat, move) in enumerate(moves, 1)
        )
        ranking = [list(group) for group in outcome.ranking]
        Match.objects.filter(pk=match.pk).update(
            version=len(moves), status="over", finished_at=now, due_at=None, awaited="",
            snapshot=None, snapshot_version=0,
            outcome={"reason": outcome.reason, "ranking": ranking, "points": list(outcome.points)},
        )
        print("match", rules.slug, seats, match.key)
"""


@pytest.fixture(scope="module")
def finished(site: SiteProcess) -> dict[tuple[str, int], str]:
    """Keys of finished matches by game and number of seats."""
    printed = site.manage("shell", "-c", PLAY)
    found = re.findall(r"^match (\S+) (\d+) (\S+)$", printed, re.MULTILINE)
    return {(slug, int(seats)): key for slug, seats, key in found}


def result_of(page: Page, site: SiteProcess, key: str) -> str:
    page.goto(f"{site.url}/match/{key}/check/")
    page.wait_for_selector("#check[data-result]", timeout=120_000)
    return page.locator("#check").get_attribute("data-result") or ""


@pytest.mark.parametrize("slug", sampled(games.rules.by_slug(), "armani", "ten-skip"))
def test_every_card_of_a_match_is_where_its_seed_puts_it(
    site: SiteProcess, browser: Browser, finished: dict[tuple[str, int], str], slug: str
) -> None:
    page = browser.new_page()
    for (game, seats), key in finished.items():
        if game == slug:
            assert result_of(page, site, key) == "good", f"{seats} seats: {page.locator('.check-list').inner_text()}"
            assert int(re.search(r"(\d+) cards", page.locator("#check-cards").inner_text())[1]) > 10
    page.close()


def test_the_program_on_the_page_deals_the_same_cards(
    site: SiteProcess, browser: Browser, finished: dict[tuple[str, int], str]
) -> None:
    page = browser.new_page()
    key = finished["rummy-500", 2]
    assert result_of(page, site, key) == "good"
    program = page.locator("pre code").inner_text()
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    sealed, dealer, pack = printed.splitlines()
    assert sealed == "True"
    view = page.request.get(f"{site.url}/match/{key}/replay/moments/?seat=all&from=0").json()["moments"][0]["view"]
    assert dealer == f"dealer: seat {view['facts']['dealer']}"
    left = 1 - view["facts"]["dealer"]
    hand = next(zone["cards"] for zone in view["zones"] if zone["id"] == f"hand:{left}")
    assert sorted(hand) == sorted(pack.split()[: 2 * len(hand) : 2])
    page.close()


def test_another_seed_is_detected_by_its_hash(
    site: SiteProcess, browser: Browser, finished: dict[tuple[str, int], str]
) -> None:
    page = browser.new_page()

    def forge(route: Route) -> None:
        answer = route.fetch()
        text = answer.text()
        seed = re.search(r'"seed": "([0-9a-f]+)"', text)[1]
        other = ("0" if seed[0] != "0" else "1") + seed[1:]
        route.fulfill(response=answer, body=text.replace(seed, other))

    page.route("**/check/", forge)
    assert result_of(page, site, finished["amagande", 2]) == "bad"
    assert page.locator("#check-hash").get_attribute("data-state") == "bad"
    page.close()


@pytest.mark.parametrize("slug", sampled(games.rules.by_slug(), "amagande", "rummy-500"))
def test_a_card_that_the_seed_did_not_give_is_detected(
    site: SiteProcess, browser: Browser, finished: dict[tuple[str, int], str], slug: str
) -> None:
    """Two cards of one rank are swapped everywhere from some position on."""
    page = browser.new_page()
    key = finished[slug, min(games.rules.get(slug).seats)]

    def forge(route: Route) -> None:
        answer = route.fetch()
        data = answer.json()
        swap = {rank + suit: rank + other for rank in "A23456789TJQK" for suit, other in ("HS", "SH", "CD", "DC")}
        for moment in data["moments"]:
            if moment["v"] >= 3:
                for zone in moment["view"]["zones"]:
                    zone["cards"] = zone["cards"] and [swap.get(code, code) for code in zone["cards"]]
        route.fulfill(response=answer, body=json.dumps(data))

    page.route("**/replay/moments/**", forge)
    assert result_of(page, site, key) == "bad"
    page.close()


def test_the_page_has_no_barriers_and_says_when_it_could_not_look(
    site: SiteProcess, browser: Browser, finished: dict[tuple[str, int], str]
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    key = finished["ten-skip", 3] if ("ten-skip", 3) in finished else next(iter(finished.values()))
    page.route("**/replay/moments/**", lambda route: route.abort())
    assert result_of(page, site, key) == "lost"
    page.unroute("**/replay/moments/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#check")).to_have_attribute("data-result", "good", timeout=120_000)
    assert sideways(page) == 0
    assert barriers(page) == []
    page.close()
