"""Take the pictures of this folder: ``.venv/bin/python docs/screenshots/make.py``.

It starts the real site on a data folder of its own, seats people at tables, and opens the main pages with Chromium in
the size of a desktop and of a phone. It needs the packages of ``requirements/test.txt``; set ``CHROMIUM`` if your
browser isn't ``/usr/bin/chromium``. ``make.py emails`` only takes the pictures of emails.
"""

import json
import os
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.browser.mails import mails_of  # noqa: E402 - found through the line above
from tests.factories.site_process import SiteProcess  # noqa: E402 - the same

SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}

#: Runs inside the site's own shell; the last line printed is JSON: a session and the addresses of the tables.
SEED = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from accounts.models import User
from games.matches import service
from games.ai.players import choose

people = [User.objects.create_user(f"{number}@example.org", name=name)
          for number, name in enumerate(["Ada", "Ben", "Chidi", "Grace", "Ines", "Noor"])]
ada = people[0]

def running(slug, seats, moves, wanted=None, clock="none", **options):
    # A match of Ada's, played on by AI players' choices until it is her turn in the way that is wanted.
    match = service.open_table(ada, slug, seats, options, clock=clock, is_public=False)
    for person in people[1:seats]:
        service.join(match, person)
    match.seed, match.seed_hash = f"{seats:032x}", ""
    match.save()
    match.refresh_from_db()
    service.start(match, ada)
    for number in range(moves + 400):
        table = service.load(match.pk)
        if table.status != "running":
            break
        if table.forced_step():
            if number >= moves:
                break
            service.step(match.pk, table.version)
            continue
        # Until it is Ada's turn, so that the page shows what she can do.
        if number >= moves and 0 in table.state.to_move() and (wanted is None or wanted(table.state.view(0))):
            break
        seat = table.state.to_move()[0]
        move = choose(table.state.view(seat), "easy", f"{number:032x}")
        service.act(match.pk, seat, move, request_id=str(number), player=people[seat])
    return match

melded = lambda view: view.phase == "play" and any(move.startswith(("lay:", "meld:")) for move in view.moves)
tables = {slug: running(slug, *how, clock="table" if slug == "armani" else "none") for slug, how in {
    "armani": (4, 40),
    "armed": (2, 8),
    "avalanche": (4, 3, lambda view: bool(view.facts["last"])),
    "basic-rummy": (3, 20, melded),
    "rummy-500": (4, 24, lambda view: view.phase == "draw" and view.zone("discard").count > 3),
    "amagande": (3, 8, lambda view: any("/" in move for move in view.moves)),
    "normal-cards": (4, 9),
    "ten-skip": (4, 8, lambda view: view.phase == "keep"),
}.items()}
for slug, host, seats, options, clock, guests in [
    ("ten-skip", 1, 4, {"limit": 300}, "table", 1), ("avalanche", 2, 5, {}, "table", 2),
    ("armed", 3, 2, {"battles": 26}, "daily", 0), ("basic-rummy", 4, 3, {}, "none", 1),
    ("armani", 5, 6, {"slaps": ["pair", "sandwich", "marriage"]}, "table", 3),
]:
    ai = {seats - 1: "easy"} if seats > 2 else {}
    match = service.open_table(people[host], slug, seats, options, ai=ai, clock=clock, is_public=clock != "none")
    for person in people[1:1 + guests]:
        if person != people[host]:
            service.join(match, person)
for loser in (0, 1, 1):
    service.resign(running("amagande", 2, 4), people[loser])
waiting = service.open_table(ada, "armani", 5, {}, ai={3: "easy"})
service.join(waiting, people[3])

session = SessionStore()
session[SESSION_KEY] = str(ada.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = ada.get_session_auth_hash()
session.save()
print(json.dumps({"session": session.session_key, "waiting": waiting.get_absolute_url(),
                  "tables": {slug: match.get_absolute_url() for slug, match in tables.items()}}))
"""


def take_mails(site: SiteProcess, browser: Browser) -> None:
    """Pictures of whole emails, as wide as mail programs show them, light and dark."""
    mails = mails_of(site)
    for size, width in (("desktop", 800), ("phone", 390)):
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
            page = context.new_page()
            for name, html in mails.items():
                page.set_content(html)
                path = HERE / f"{name}-{size}{'-dark' if scheme == 'dark' else ''}.png"
                page.screenshot(path=path, full_page=True)
                print(f"{path.name}  {path.stat().st_size // 1024} KB")  # noqa: T201 - it is a script
            context.close()


def take(page: Page, name: str, address: str) -> None:
    """One picture, of what is seen without scrolling."""
    page.goto(address)
    page.wait_for_timeout(1500)  # cards are dealt, fonts are there
    page.screenshot(path=HERE / f"{name}.png")
    print(f"{name}.png  {(HERE / f'{name}.png').stat().st_size // 1024} KB")  # noqa: T201 - it is a script


def main() -> None:
    """Take them all."""
    with SiteProcess() as site, sync_playwright() as playwright:
        seeded = json.loads(site.manage("shell", "-v", "0", "-c", SEED).strip().splitlines()[-1])
        ours = {
            "lobby": "/lobby/",
            "my-matches": "/my/",
            "open-table": "/lobby/new/?game=armani",
            "waiting-room": seeded["waiting"],
            **{f"table-{slug}": address for slug, address in seeded["tables"].items()},
        }
        strangers = {"home": "/", "rules": "/rules/armani/", "sign-up": "/accounts/signup/"}
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
        take_mails(site, browser)
        for size, viewport in SIZES.items() if "mails" not in sys.argv else ():
            stranger = browser.new_context(base_url=site.url, viewport=viewport, reduced_motion="reduce")
            ada = browser.new_context(base_url=site.url, viewport=viewport, reduced_motion="reduce")
            ada.add_cookies([{"name": "sessionid", "value": seeded["session"], "url": site.url}])
            for context, pages in ((stranger, strangers), (ada, ours)):
                page = context.new_page()
                for name, address in pages.items():
                    take(page, f"{name}-{size}", address)
        browser.close()


if __name__ == "__main__":
    main()
