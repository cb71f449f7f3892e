"""Take stills of tables: ``.venv/bin/python -m tests.browser.stills FOLDER [game …]``.

They are for people who don't know the table: they say whose turn it is and what happened last. Each still shows a
random position right after a move, without the log; half of them on a phone. The answers are in ``answers.json``.
"""

import argparse
import json
from pathlib import Path
from random import Random

from playwright.sync_api import Page, WebSocketRoute, expect, sync_playwright

from games import rules
from tests.browser import states, tables
from tests.browser.layout import pages
from tests.browser.looks import still
from tests.browser.states import NAMES, Moment
from tests.factories.site_process import SiteProcess

STILLS = 20
WINDOWS = ((1280, 800), (390, 844))


def moments(slug: str) -> list[Moment]:
    """Positions of numbered matches, with any number of players, in which a move is possible."""
    rng = Random(slug)
    found: list[Moment] = []
    while len(found) < STILLS:
        seats, seed = rng.choice(rules.get(slug).seats), rng.randrange(1000)
        length = sum(bool(state.to_move()) for state, _told in states.moves_of(slug, seats, seed))
        found.append(Moment(slug, seats, seed, rng.randrange(1, length), "still"))
    return found


def take(page: Page, path: str, moment: Moment, file: Path) -> dict[str, object]:
    """Show the position, play a move, and take the picture when everything has come to rest; the right answers."""
    lines: list[WebSocketRoute] = []
    states.show(page, path, moment, lambda line: lines.append(line))
    page.evaluate("document.body.classList.add('no-side')")
    ((seat, move),) = moves = states.following(moment, 1)
    (message,) = states.moved(moment, moves)
    lines[0].send(message)
    expect(page.locator("#table")).to_have_attribute("data-version", str(moment.step + 1), timeout=60_000)
    still(page)
    page.screenshot(path=file)
    state = states.state_at(moment).copy()
    state.apply(seat, move)
    # The seat after the players' is the table's, which turns cards by itself.
    turn = [NAMES[seat] if seat else "You" for seat in state.to_move() if seat < moment.seats]
    return {"turn": turn, "last": [event["text"] for event in json.loads(message)["events"]], "moment": moment}


def main() -> None:
    """Write the pictures, and their answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("games", nargs="*", help="all eight if none is named")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    answers = {}
    with SiteProcess() as site, sync_playwright() as playwright:
        made = tables.make(site, tables.ONE_OF_EACH)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        shown = {slug: list(enumerate(moments(slug))) for slug in arguments.games or rules.by_slug()}
        for at, (page, _width, _height) in enumerate(pages(browser, site.url, made["session"], WINDOWS)):
            for slug, found in shown.items():
                for number, moment in found[at :: len(WINDOWS)]:
                    name = f"{slug}-{number:02}"
                    answers[name] = take(page, made[slug], moment, arguments.folder / f"{name}.png")
        browser.close()
    (arguments.folder / "answers.json").write_text(json.dumps(answers, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
