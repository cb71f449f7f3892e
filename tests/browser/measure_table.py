"""Measure the table page: ``.venv/bin/python -m tests.browser.measure_table [--json] [game …]``.

Starts the real site with hashed and compressed files, opens a new table of each game with an empty cache on a slow
line (Chromium's "Slow 4G", which stands for 1.6 Mbit/s and a round trip of 150 ms, as its tools and Lighthouse put it
into practice: 562.5 ms for each request, 1.44 Mbit/s down) and a processor four times slower, and prints what the
first load takes, with the machine's load (runnable processes) at that moment: above its cores the times say little.
Then a few moves are made, still slow, and the frames are counted from a move's message to the first one that shows it.
"""

import argparse
import json
import os
import sys
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import tables
from tests.browser.players import Player
from tests.factories.site_process import SiteProcess

GAMES = ("amagande", "armani", "armed", "avalanche", "basic-rummy", "normal-cards", "rummy-500", "ten-skip")
PHONE = {"width": 390, "height": 844}
SLOW_4G = {"offline": False, "latency": 562.5, "downloadThroughput": 180_000, "uploadThroughput": 84_375}
MOVES = 3
#: Notes when each move's message came and how many frames passed until the page showed its version.
WATCH = """
window.lcp = 0;
window.fcp = 0;
window.shifts = [];
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.lcp = entry.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") window.fcp = startTime;
}).observe({ type: "paint", buffered: true });
new PerformanceObserver((list) => {
  for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
    const what = sources.map(({ node }) => node?.id || node?.className || node?.nodeName);
    if (!hadRecentInput) window.shifts.push({ value, at: Math.round(startTime), what });
  }
}).observe({ type: "layout-shift", buffered: true });
window.playable = 0;
new MutationObserver((changes, observer) => {
  if (!document.querySelector("#table[data-ready]")) return;
  window.playable = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-ready"] });
window.drawn = [];
const Usual = window.WebSocket;
window.WebSocket = class extends Usual {
  constructor(...args) {
    super(...args);
    this.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.t !== "moved") return;
      const at = performance.now();
      let frames = 0;
      const look = () => {
        frames += 1;
        const shown = Number(document.querySelector("#table").dataset.version);
        if (shown < message.v) requestAnimationFrame(look);
        else window.drawn.push({ frames, ms: performance.now() - at });
      };
      requestAnimationFrame(look);
    });
  }
};
"""


def slow_down(page: Page) -> None:
    """Make a page's line and processor slow."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})


class Answer(NamedTuple):
    """What came over the line for a request."""

    address: str
    #: With its headers, in bytes.
    size: int


def answers_to(page: Page) -> list[Answer]:
    """A list that will hold each answer to a page."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    addresses: dict[str, str] = {}
    answers: list[Answer] = []

    def asked(event: dict[str, Any]) -> None:
        addresses[event["requestId"]] = event["request"]["url"]

    def answered(event: dict[str, Any]) -> None:
        answers.append(Answer(addresses[event["requestId"]], int(event["encodedDataLength"])))

    session.on("Network.requestWillBeSent", asked)
    session.on("Network.loadingFinished", answered)
    return answers


def new_table(browser: Browser, site: SiteProcess, slug: str) -> tuple[Page, str]:
    """A page with an empty cache, signed in, and the address of its player's new table."""
    context = browser.new_context(base_url=site.url, viewport=PHONE, service_workers="block")
    page = context.new_page()
    page.goto("/")
    tables.play_an_ai_player(page, slug)
    page.locator("#table[data-ready]").wait_for()
    address, cookies = page.url, context.storage_state()
    context.close()
    context = browser.new_context(base_url=site.url, viewport=PHONE, storage_state=cookies, service_workers="block")
    return context.new_page(), address


def load(page: Page, address: str) -> None:
    """Open a table, and wait until everything is loaded, also what nothing on the page waits for."""
    page.goto(address)
    page.locator("#table[data-complete]").wait_for(timeout=60_000)
    page.wait_for_timeout(1500)


def measure(browser: Browser, site: SiteProcess, slug: str) -> dict[str, Any]:
    """The figures of one game."""
    page, address = new_table(browser, site, slug)
    page.add_init_script(WATCH)
    answers = answers_to(page)
    slow_down(page)
    load(page, address)
    first = {"requests": len(answers), "kilobytes": round(sum(each.size for each in answers) / 1000, 1)}
    painted = page.evaluate("({ fcp, lcp, playable, shifts })")
    runnable = os.getloadavg()[0]
    player = Player(page)
    # The first stage of Game: Armani has no turns.
    for _move in range(0 if slug == "armani" else MOVES):
        page.locator("#table.is-my-turn, #result:not([hidden])").first.wait_for(timeout=60_000)
        if not player.is_over():
            player.make_a_move()
    drawn = page.evaluate("window.drawn")
    page.context.close()
    return {
        "game": slug,
        **first,
        "first_paint_ms": round(painted["fcp"]),
        "largest_paint_ms": round(painted["lcp"]),
        "layout_shift": round(sum(shift["value"] for shift in painted["shifts"]), 3),
        "load": round(runnable, 1),
        "playable_ms": round(painted["playable"]),
        "most_frames": max((each["frames"] for each in drawn), default=0),
        "slowest_ms": round(max((each["ms"] for each in drawn), default=0), 1),
        "shifts": painted["shifts"],
    }


def main() -> None:
    """Measure the games asked for, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with SiteProcess(env={"DEV_TOOLS": "0"}) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        found = [measure(browser, site, slug) for slug in arguments.games]
        browser.close()
    if arguments.json:
        json.dump(found, sys.stdout, indent=1)
        return
    names = [name for name in found[0] if name != "shifts"]
    rows = [names, *([str(row[name]) for name in names] for row in found)]
    sys.stdout.writelines(" | ".join(cell.rjust(17) for cell in row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
