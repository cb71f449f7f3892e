"""Measure what moves cost a page: ``.venv/bin/python -m tests.browser.measure_moves [--window WxH] [game …]``.

Twenty moves of a match in a row, or ``--moves``, come over the line of a table on a processor four times slower,
``--runs`` times. After each is drawn, the next waits for 150 ms, or ``--pause``. That is less than a glide takes, so
the page draws while cards are on their way, and less than a person or an AI player takes. Printed for each game, as
medians of the runs: how often the browser laid out the page and worked out its styles for a move, its time for a move
in all and for script, styles and layout, and how far things shifted (all shifts of these moves added up, and not only
those of the worst five seconds). And the tasks above 50 ms: how many each run had, the longest, and how many moves have
one in most of the runs, which is what the page is to blame for, and not the machine. ``--shifts`` lists what it was
that shifted in the last run.
"""

import argparse
import collections
import statistics
import sys
from typing import Any, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from tests.browser import states, tables
from tests.browser.states import Moment
from tests.factories.site_process import SiteProcess

MOVES = 20
#: Where the twenty moves begin: well into a match of a few players.
BEGIN = (
    Moment("amagande", 4, 3, 20, "begin"),
    Moment("armani", 4, 3, 20, "begin"),
    Moment("armed", 2, 107, 40, "begin"),
    Moment("avalanche", 4, 3, 20, "begin"),
    Moment("basic-rummy", 4, 3, 60, "begin"),
    Moment("normal-cards", 4, 3, 10, "begin"),
    Moment("rummy-500", 2, 5, 60, "begin"),
    Moment("ten-skip", 4, 3, 20, "begin"),
)
#: In milliseconds.
PAUSE = 150
OBSERVE = """
window.shifts = [];
window.long = [];
window.move = 0;
const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
new PerformanceObserver((list) => {
  for (const { value, sources, hadRecentInput } of list.getEntries()) {
    const what = sources.map(({ node, previousRect, currentRect }) =>
      `${node?.id || node?.className || node?.nodeName}: ${box(previousRect)} > ${box(currentRect)}`);
    if (!hadRecentInput) window.shifts.push({ value, what });
  }
}).observe({ type: "layout-shift" });
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.long.push([window.move, Math.round(duration)]);
}).observe({ type: "longtask" });
"""

#: The page's socket, so that moves come to it as tasks of their own: what the browser's driver does isn't measured.
CATCH_LINE = """
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (kind, ...rest) {
  if (kind === "message" && "bufferedAmount" in this) window.line = this;
  return listen.call(this, kind, ...rest);
};
"""
PLAY = """
async ({ messages, pause }) => {
  const table = document.querySelector("#table");
  const rest = () => new Promise((over) => setTimeout(over, pause));
  const shown = (version) => new Promise((over) => {
    const look = () => table.dataset.version === version && (over(), seen.disconnect());
    const seen = new MutationObserver(look);
    seen.observe(table, { attributeFilter: ["data-version"] });
    look();
  });
  await rest();
  window.shifts.length = window.long.length = 0;
  for (const [version, data] of messages) {
    window.move = version;
    setTimeout(() => window.line.dispatchEvent(new MessageEvent("message", { data })));
    await shown(version);
    await rest();
  }
}
"""


class Run(NamedTuple):
    """What twenty moves of a match cost: the counters of the browser for a move, and what it observed."""

    counters: dict[str, float]
    shifts: list[dict[str, Any]]
    #: The version of the move, and the milliseconds.
    long: list[tuple[str, int]]


def measure(browser: Browser, url: str, made: dict[str, str], moment: Moment, how: argparse.Namespace) -> Run:
    """One run of one game."""
    width, height = map(int, how.window.split("x"))
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": height}, service_workers="block", bypass_csp=True
    )
    context.add_cookies([{"name": "sessionid", "value": made["session"], "url": url}])
    page = context.new_page()
    page.add_init_script(CATCH_LINE)
    states.show(page, made[moment.slug], moment)
    page.wait_for_timeout(400)
    page.evaluate(OBSERVE)
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})

    def counters() -> dict[str, float]:
        return {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}

    moves = states.following(moment, how.moves)
    messages = [[str(at), text] for at, text in enumerate(states.moved(moment, moves), moment.step + 1)]
    before = counters()
    page.evaluate(PLAY, {"messages": messages, "pause": how.pause})
    each = {name: (value - before[name]) / len(moves) for name, value in counters().items() if name in before}
    run = Run(each, page.evaluate("shifts"), page.evaluate("long"))
    context.close()
    return run


def told(slug: str, runs: list[Run]) -> str:
    """One game's line."""
    each = {name: statistics.median(run.counters[name] for run in runs) for name in runs[0].counters}
    moves = collections.Counter(move for run in runs for move in {move for move, _ in run.long})
    again = sum(n > len(runs) / 2 for n in moves.values())
    longest = max((duration for run in runs for _, duration in run.long), default=0)
    shift = statistics.median(sum(shift["value"] for shift in run.shifts) for run in runs)
    return (
        f"{slug:12}  layouts {each['LayoutCount']:5.1f}  styles {each['RecalcStyleCount']:5.1f}"
        f"  ms {1000 * each['TaskDuration']:6.1f} (script {1000 * each['ScriptDuration']:5.1f}"
        f" style {1000 * each['RecalcStyleDuration']:5.1f} layout {1000 * each['LayoutDuration']:5.1f})"
        f"  long tasks {'+'.join(str(len(run.long)) for run in runs)}, longest {longest:2}, in most runs {again}"
        f"  shift {shift:.3f}"
    )


def main() -> None:
    """Measure the games asked for, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--window", default="390x844", metavar="WxH")
    parser.add_argument("--moves", type=int, default=MOVES)
    parser.add_argument("--pause", type=int, default=PAUSE, metavar="MS")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--shifts", action="store_true", help="list each shift")
    arguments = parser.parse_args()
    with SiteProcess() as site, sync_playwright() as playwright:
        made = tables.make(site, tables.ONE_OF_EACH)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for moment in BEGIN:
            if not arguments.games or moment.slug in arguments.games:
                runs = [measure(browser, site.url, made, moment, arguments) for _ in range(arguments.runs)]
                lines = [told(moment.slug, runs)]
                if arguments.shifts:
                    lines += [f"    {shift['value']:.4f} {'; '.join(shift['what'])}" for shift in runs[-1].shifts]
                sys.stdout.write("\n".join((*lines, "")))
                sys.stdout.flush()
        browser.close()


if __name__ == "__main__":
    main()
