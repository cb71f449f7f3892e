"""Tables for browser tests: matches between people, played until Ada's turn is as required."""

import json

from playwright.sync_api import Page

from tests.factories.site_process import SiteProcess

#: Live clocks of these matches last a day, so no turn times out before its test.
PATIENT = """
from dataclasses import replace
from datetime import timedelta
from games.matches.presets import PRESETS
PRESETS["table"] = replace(PRESETS["table"], start=timedelta(days=1), cap=timedelta(days=1))
"""
_BEGIN = """
import json
import time
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from accounts.session_store import SessionStore
from accounts.models import User
from accounts.people.models import Preferences
from games.matches import service as play
from games.ai.players import choose

names = ["Ada", "Ben", "Chidi", "Grace", "Ines", "Noor", "Otto", "Pia"]
people = [User.objects.create_user(f"{name.lower()}@example.org", name=name) for name in names]
ada = people[0]

# Ada has played this game so often that nobody coaches her.
def played_before(slug):
    for _match in range(3):
        play.resign(running(slug, 2, lambda view: True), ada)

def running(slug, seats, wanted, clock="none", number=1, **options):
    match = play.open_table(ada, slug, seats, options, clock=clock, is_public=False)
    for person in people[1:seats]:
        play.join(match, person)
    match.seed, match.seed_hash = f"{number:032x}", ""
    match.save()
    match.refresh_from_db()
    play.start(match, ada)
    for step in range(600):
        table = play.load(match.pk)
        view = table.state.view(0)
        if 0 in table.state.to_move() and wanted(view):
            return match
        seat = table.state.to_move()[0]
        move = choose(table.state.view(seat), "easy", f"{step:032x}")
        play.act(match.pk, seat, move, request_id=str(step), player=people[seat])
    raise SystemExit(f"{slug} never came to what is wanted")
"""
_END = """
def session_of(person):
    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    # Logged in just now: nothing asks for the password again.
    session["account_authentication_methods"] = [{"method": "password", "at": time.time()}]
    session.save()
    return session.session_key

sessions = {"session": session_of(ada), "session of Ben": session_of(people[1])}
print(json.dumps({**sessions, **{name: match.get_absolute_url() for name, match in made.items()}}))
"""


#: Makes a match of each game.
ONE_OF_EACH = """
from games import rules as games
made = {rules.slug: running(rules.slug, min(rules.seats), lambda v: True, clock="table") for rules in games.all()}
"""


def make(site: SiteProcess, code: str) -> dict[str, str]:
    """Run ``code``, which puts matches into ``made``; returns sessions of Ada and Ben, and URLs."""
    return json.loads(site.manage("shell", "-v", "0", "-c", PATIENT + _BEGIN + code + _END).strip().splitlines()[-1])


def play_an_ai_player(page: Page, slug: str) -> None:
    """Start a match of that game from the open home page."""
    page.locator(f".picker .tile.cloth-{slug}").click()
    page.get_by_role("button", name="Play an AI player").click()
