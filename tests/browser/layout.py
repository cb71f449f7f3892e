"""Laws of the table's layout, by geometry: nothing is covered, cut off or out of sight in any state.

The states are recorded: of 200 matches of each game, those with the least, a medium and the largest amount to show.
Tests check a sample of them; ``.venv/bin/python -m tests.browser.layout`` checks all of them in all windows, in English
or with ``--language de``, and writes a page of pictures. ``--record`` searches for new ones after a game's rules have
changed.
"""

import argparse
import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from django.utils import translation
from playwright.sync_api import Browser, Page, sync_playwright

from games import rules
from tests.browser import states, tables
from tests.browser.looks import still
from tests.factories.site_process import SiteProcess

WINDOWS = ((1920, 1080), (1440, 900), (1280, 800), (820, 1180), (390, 844), (360, 640), (640, 400))
RECORDED = Path(__file__).parent / "layout_states.json"
#: Matches of each game, with its fewest and most players, searched for states.
MATCHES = 200
MEASURE = (Path(__file__).parent / "measure_layout.js").read_text()

#: Elements outside an open drawer of melds.
OPEN_DRAWER = """() => {
  const drawer = document.querySelector(".melds").getBoundingClientRect();
  const felt = document.querySelector("#felt").getBoundingClientRect();
  const parts = [...document.querySelectorAll(".melds .playing-card")].map((card) => card.getBoundingClientRect());
  const inside = (one, other) =>
    one.left >= other.left - 1 && one.right <= other.right + 1 &&
    one.top >= other.top - 1 && one.bottom <= other.bottom + 1;
  if (!inside(drawer, felt)) return ["the open drawer of melds reaches beyond the felt"];
  return parts.every((part) => inside(part, drawer)) ? [] : ["a meld reaches beyond its open drawer"];
}"""


def moments() -> list[states.Moment]:
    """The recorded states; and the fullest turns and waits with the most players once more, with a live clock."""
    recorded = [states.Moment(*each) for each in json.loads(RECORDED.read_text())]
    timed = [
        each._replace(kind=f"{each.kind} timed")
        for each in recorded
        if each.kind in ("worst", "waiting") and is_full(each)
    ]
    return recorded + timed


def is_full(moment: states.Moment) -> bool:
    """Whether this is a match of the most players that its game has."""
    return moment.seats == max(rules.get(moment.slug).seats)


def record() -> None:
    """Search for the states to look at."""
    found = [
        f"  {json.dumps(moment)}"
        for game in rules.all()
        for seats in dict.fromkeys((min(game.seats), max(game.seats)))
        for moment in states.find(game.slug, seats, MATCHES)
    ]
    RECORDED.write_text("[\n" + ",\n".join(found) + "\n]\n")


#: Waits for two frames: the table arranges itself again in the one after its room has changed.
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def faults(page: Page, width: int, height: int) -> list[str]:
    """Violations of the laws on the page in its current state."""
    still(page)
    page.evaluate(FRAMES)
    found: list[str] = page.evaluate(MEASURE, {"width": width, "height": height})
    drawer = page.locator(".melds-open:visible")
    if drawer.count():
        drawer.click()
        found += page.evaluate(OPEN_DRAWER)
        drawer.click()
    return found


def pages(
    browser: Browser, url: str, session: str, windows: tuple[tuple[int, int], ...], language: str = "en"
) -> Iterator[tuple[Page, int, int]]:
    """A page of Ada's in each window."""
    for width, height in windows:
        context = browser.new_context(
            base_url=url,
            viewport={"width": width, "height": height},
            has_touch=width < 1000,
            locale=language,
            reduced_motion="reduce",
            service_workers="block",
        )
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
        # As on a phone, where the result has one more button.
        context.add_init_script("navigator.canShare = () => true")
        yield context.new_page(), width, height
        context.close()


def main() -> int:
    """Check every state in every window, write the pictures, and report violations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="search for the states first, which takes minutes")
    parser.add_argument("--pictures", type=Path, default=Path("layout.html"))
    games = sorted({each.slug for each in moments()})
    parser.add_argument("--game", action="append", choices=games, help="only this game; may be given several times")
    parser.add_argument("--kind", action="append", help="only states of this kind, as over; may be given several times")
    parser.add_argument("--window", action="append", help="only this window, as 360x640; may be given several times")
    parser.add_argument("--language", choices=("en", "de"), default="en")
    arguments = parser.parse_args()
    translation.activate(arguments.language)
    windows = tuple(size for size in WINDOWS if not arguments.window or f"{size[0]}x{size[1]}" in arguments.window)
    if arguments.record:
        record()
    wanted = [
        each
        for each in moments()
        if (not arguments.game or each.slug in arguments.game) and (not arguments.kind or each.kind in arguments.kind)
    ]
    wrong, pictures = 0, []
    with SiteProcess() as site, sync_playwright() as playwright:
        made = tables.make(site, tables.ONE_OF_EACH)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for page, width, height in pages(browser, site.url, made["session"], windows, arguments.language):
            for moment in wanted:
                states.show(page, made[moment.slug], moment)
                found = faults(page, width, height)
                wrong += len(found)
                name = f"{moment.slug} {moment.seats} {moment.kind} {width}x{height}"
                for each in found:
                    sys.stdout.write(f"{name}: {each}\n")
                picture = base64.b64encode(page.screenshot()).decode()
                image = f'<img width="{width // 3}" src="data:image/png;base64,{picture}">'
                pictures.append(f"<figure>{image}<figcaption>{name}: {len(found)}")
        browser.close()
    style = "<style>body{display:flex;flex-wrap:wrap;gap:8px}figure{margin:0;font:12px sans-serif}</style>"
    arguments.pictures.write_text(f"<!doctype html>{style}{''.join(pictures)}")
    sys.stdout.write(f"{len(pictures)} states, {wrong} faults; pictures in {arguments.pictures}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
