"""Take the pictures of this folder: ``.venv/bin/python docs/screenshots/make.py``.

It starts the real site on a data folder of its own, seats people at tables, and opens the main pages with Chromium in
the size of a desktop and of a phone; tables also in the size of a tablet and of a small phone. It needs the packages of
``requirements/test.txt``; set ``CHROMIUM`` if your browser isn't ``/usr/bin/chromium``. ``make.py mail table-armani``
only takes the pictures whose names begin like this; ``--to FOLDER`` writes them elsewhere. Dark pages, full tables,
ends and the further sizes are JPEG, since they would be large as PNG.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.browser.mails import mails_of  # noqa: E402 - found through the line above
from tests.factories.site_process import SiteProcess  # noqa: E402 - the same

SIZES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True},
    "small-phone": {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True},
}

#: Runs inside the site's own shell; the last line printed is JSON: a session and the addresses of Ada's matches.
SEED = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from accounts.models import User
from games import rules
from games.ai.players import choose
from games.matches import service

people = [User.objects.create_user(f"{number}@example.org", name=name)
          for number, name in enumerate(["Ada", "Ben", "Chidi", "Grace", "Ines", "Noor", "Otto", "Pia"])]
ada = people[0]

def running(slug, seats, moves, wanted=None, clock="none", **options):
    # A match of Ada's, played on by AI players' choices until it is her turn in the way that is wanted. In the end AI
    # players take every second seat; before, they would play by themselves.
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
    for seat, name in zip(range(2, seats, 2), ["Farid", "Lena", "Hugo"]):
        match.seats.filter(number=seat).update(player=None, player_name="", ai_level="easy", ai_name=name)
    return match

melded = lambda view: view.phase == "play" and any(move.startswith(("lay:", "meld:")) for move in view.moves)
tables = {f"table-{slug}{name}": running(slug, seats, *how, clock="table" if slug == "armani" else "none")
          for slug, usual, *how in [
    ("armani", 4, 40),
    ("armed", 2, 8),
    ("avalanche", 4, 3, lambda view: bool(view.facts["last"])),
    ("basic-rummy", 3, 20, melded),
    ("rummy-500", 4, 24, lambda view: view.phase == "draw" and view.zone("discard").count > 3),
    ("amagande", 3, 8, lambda view: len(view.seats) > 3 or any("/" in move for move in view.moves)),
    ("normal-cards", 4, 9),
    ("ten-skip", 4, 8, lambda view: view.phase == "keep"),
] for seats, name in {max(rules.get(slug).seats): f"-{max(rules.get(slug).seats)}", usual: ""}.items()}
ends = {f"end-{slug}": running(slug, seats, 3000) for slug, seats in [("amagande", 3), ("normal-cards", 4)]}
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
matches = {"waiting-room": service.open_table(ada, "armani", 5, {}, ai={3: "easy"}), **tables, **ends}
service.join(matches["waiting-room"], people[3])

session = SessionStore()
session[SESSION_KEY] = str(ada.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = ada.get_session_auth_hash()
session.save()
print(json.dumps({"session": session.session_key,
                  "matches": {name: match.get_absolute_url() for name, match in matches.items()}}))
"""


class Shot(NamedTuple):
    """A page in its state, of which a picture is taken; Ada's or a stranger's."""

    name: str
    address: str
    is_adas: bool = True
    is_dark: bool = False
    kind: str = "png"
    sizes: tuple[str, ...] = ("desktop", "phone")


PAGES = (
    Shot("home", "/", is_adas=False),
    Shot("rules", "/rules/armani/", is_adas=False),
    Shot("sign-up", "/accounts/signup/", is_adas=False),
    Shot("lobby", "/lobby/"),
    Shot("my-matches", "/my/"),
    Shot("open-table", "/lobby/new/?game=armani"),
)


def shots(matches: dict[str, str]) -> Iterator[Shot]:
    """All of them; dark too where there is most to see, and tables in every size."""
    for shot in (*(Shot(name, address) for name, address in matches.items()), *PAGES):
        if re.search(r"^end-|-\d$", shot.name):
            yield shot._replace(kind="jpeg")
            continue
        yield shot
        if shot.name.startswith(("home", "lobby", "rules", "table-")):
            yield shot._replace(is_dark=True, kind="jpeg")
        if shot.name.startswith("table-"):
            yield shot._replace(sizes=("tablet", "small-phone"), kind="jpeg")


def take(page: Page, path: Path, **how: Any) -> None:
    """One picture."""
    page.screenshot(path=path, **how)
    sys.stdout.write(f"{path.name}  {path.stat().st_size // 1024} KB\n")


def take_mails(site: SiteProcess, browser: Browser, to: Path, wanted: tuple[str, ...]) -> None:
    """Pictures of whole emails, as wide as mail programs show them, light and dark."""
    mails = {name: html for name, html in mails_of(site).items() if name.startswith(wanted)}
    for size, width in (("desktop", 800), ("phone", 390)):
        for scheme, dark in (("light", ""), ("dark", "-dark")):
            page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
            for name, html in mails.items():
                page.set_content(html)
                take(page, to / f"{name}-{size}{dark}.png", full_page=True)
            page.close()


def main() -> None:
    """Take them all, or those that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of the names of pictures; without them, all are taken")
    parser.add_argument("--to", type=Path, default=HERE, help="the folder of the pictures")
    arguments = parser.parse_args()
    wanted = tuple(arguments.names) or ("",)
    arguments.to.mkdir(parents=True, exist_ok=True)
    with SiteProcess() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
        seeded = json.loads(site.manage("shell", "-v", "0", "-c", SEED).strip().splitlines()[-1])
        take_mails(site, browser, arguments.to, wanted)
        for size, how in SIZES.items():
            for name, address, is_adas, is_dark, kind, sizes in shots(seeded["matches"]):
                if size not in sizes or not name.startswith(wanted):
                    continue
                page = browser.new_page(
                    base_url=site.url,
                    **how,
                    reduced_motion="reduce",
                    color_scheme="dark" if is_dark else "light",
                )
                if is_adas:
                    page.context.add_cookies([{"name": "sessionid", "value": seeded["session"], "url": site.url}])
                page.goto(address)
                page.wait_for_timeout(1500)  # cards are dealt, fonts are there
                path = arguments.to / f"{name}-{size}{'-dark' if is_dark else ''}.{kind.replace('jpeg', 'jpg')}"
                take(page, path, type=kind, **({"quality": 88} if kind == "jpeg" else {}))
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
