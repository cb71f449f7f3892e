"""Each game is played to its end on the page: with a mouse, on a phone, and by keyboard alone."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import barriers, sideways
from tests.browser.players import Player
from tests.factories.samples import sampled
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.browser

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
#: Short but varied matches: seats, options for that, and the number used as seed.
GAMES = {
    "amagande": (2, {}, 9),
    "armani": (2, {"stage2_flips": 1}, 1),
    "armed": (2, {"battles": 3}, 1),
    "avalanche": (3, {"packs": 1, "hand": 12}, 5),
    "basic-rummy": (2, {"deals": 1}, 12),
    "normal-cards": (4, {}, 1),
    "rummy-500": (3, {"target": 100}, 17),
    "ten-skip": (3, {"limit": 100}, 1),
}
#: Sentences the live region announces in every match of the game.
SENTENCES = {
    "amagande": r"You (play|draw) ",
    "armani": r"Stage 2 begins\.",
    "armed": r"You have chosen the .+\.",
    "avalanche": r"You start an avalanche ",
    "basic-rummy": r"You discard the ",
    "normal-cards": r"You play the ",
    "rummy-500": r"You draw (from the stock|the )",
    "ten-skip": r"You discard the ",
}


@pytest.fixture(scope="module")
def site_env():
    return {"HURRY": "15"}


#: Creates a player and a match of every game for each way of playing; prints them as JSON.
SEED = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from accounts.models import User
from games.matches import service as play

made = []
for way in %(ways)r:
    for slug, (seats, options, seed) in %(games)r.items():
        ada = User.objects.create_user(email=None, name=f"Ada {len(made)}")
        ai = dict.fromkeys(range(1, seats), "easy")
        match = play.open_table(ada, slug, seats, options, ai=ai, is_public=False, pace="fast", clock="none")
        match.seed, match.seed_hash = f"{seed:032x}", ""
        match.save()
        play.start(match, ada)
        session = SessionStore()
        session[SESSION_KEY] = str(ada.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = ada.get_session_auth_hash()
        session.save()
        made.append([way, slug, session.session_key, match.get_absolute_url(), ada.name])
print(json.dumps(made))
"""
WAYS = ("desktop", "phone", "keyboard")


@pytest.fixture(scope="module")
def matches(site: SiteProcess) -> dict[tuple[str, str], tuple[str, str, str]]:
    """By way of playing and game: a player's session, the match's URL, the player's name."""
    script = SEED % {"ways": WAYS, "games": GAMES}
    made = json.loads(site.manage("shell", "-v", "0", "-c", script).strip().splitlines()[-1])
    return {(way, slug): (session, path, name) for way, slug, session, path, name in made}


def sit_down(page: Page, site: SiteProcess, match: tuple[str, str, str]) -> str:
    """Open a match as its player; returns the player's name."""
    session, path, name = match
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    page.goto(path)
    return name


def no_barriers(page: Page) -> None:
    assert barriers(page) == []


def it_is_over_and_said(player: Player, slug: str, name: str) -> None:
    """The result has the focus, the log has told everyone the story, and nothing is wider than the screen."""
    page = player.page
    seats, _options, _seed = GAMES[slug]
    expect(page.locator("#result-title")).not_to_be_empty()
    expect(page.locator("#result-places li")).to_have_count(seats)
    expect(page.locator("#result")).to_be_focused()
    expect(page.locator(".seat.is-out")).to_have_count(0)
    log = page.get_by_role("log", name="Moves")
    assert log.get_attribute("aria-live") == "polite"
    sentences = player.announced.union(player.log())
    assert any(re.search(SENTENCES[slug], each) for each in sentences), sentences
    # Only a list of all players names the reader, too: "Ada (you)".
    by_name = {each for each in sentences if each.startswith(f"{name} ")}
    assert {each for each in by_name if not each.startswith(f"{name} (you)")} == set()
    assert sideways(page) == 0


@pytest.mark.parametrize(
    "way",
    sampled(
        [(size, slug) for size in ("desktop", "phone") for slug in GAMES],
        ("phone", "armani"),
        ids="-".join,
    ),
)
def test_a_whole_match_through_the_page(make_page, site: SiteProcess, matches, way: tuple[str, str]) -> None:
    size, slug = way
    page = (
        make_page(viewport=DESKTOP) if size == "desktop" else make_page(viewport=PHONE, has_touch=True, is_mobile=True)
    )
    name = sit_down(page, site, matches[size, slug])
    player = Player(page)
    player.play(at_turn=lambda number: no_barriers(page) if number == 1 else None)
    it_is_over_and_said(player, slug, name)
    no_barriers(page)


@pytest.mark.parametrize("slug", sampled(GAMES, "basic-rummy"))
def test_a_whole_match_by_keyboard_alone(make_page, site: SiteProcess, matches, slug: str) -> None:
    page = make_page(viewport=DESKTOP)
    name = sit_down(page, site, matches["keyboard", slug])
    page.evaluate("window.addEventListener('pointerdown', () => { document.body.dataset.pointed = ''; })")
    player = Player(page, by_keyboard=True)
    player.play()
    it_is_over_and_said(player, slug, name)
    assert page.evaluate("document.body.dataset.pointed") is None
