"""What browsers get from a deployed site: scripts and sheets without comments, and a first load of few bytes."""

import pytest
from playwright.sync_api import Browser, Page

from armani_site.static_storage import as_sent
from tests.browser.measure_table import Answer, answers_to, load, new_table
from tests.factories.samples import sampled
from tests.factories.site_process import ROOT, SiteProcess

pytestmark = pytest.mark.browser

SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
#: The rules of style sheets, as the browser writes them after reading them. What contains a custom property, it leaves
#: as it is; spaces beside commas and inside brackets say nothing there.
READ = """(texts) => texts.map((text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  const plain = (text) => text.replace(/\\s+/g, " ").replace(/ ?([,(]) | (,|[)])/g, "$1$2");
  return Array.from(sheet.cssRules, (rule) => plain(rule.cssText));
})"""


@pytest.fixture(scope="module")
def site_env() -> dict[str, str]:
    return {"DEV_TOOLS": "0"}


def first_load(browser: Browser, site: SiteProcess, slug: str) -> tuple[str, list[Answer]]:
    """The address of a new table, and the answers to its page."""
    for _table in range(20):
        page, address = new_table(browser, site, slug)
        answers, moves = answers_to(page), moves_to(page)
        load(page, address)
        # An AI player who begins may move meanwhile, and the first move loads the scripts of a result.
        if not moves:
            return address, answers
    raise AssertionError("an AI player always moved")


def moves_to(page: Page) -> list[str]:
    """The messages about moves that the page gets from now on."""
    moves: list[str] = []

    def note(frame: str | bytes) -> None:
        if isinstance(frame, str) and '"t":"moved"' in frame:
            moves.append(frame)

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    return moves


@pytest.mark.parametrize("slug", sampled(["armani", "rummy-500"], "armani"))
def test_the_first_load_of_a_table_is_small(browser: Browser, site: SiteProcess, slug: str) -> None:
    address, answers = first_load(browser, site, slug)
    addresses = [each.address for each in answers]
    assert len(set(addresses)) == len(addresses), "something was loaded twice"
    # Chat, offers and news are not read again if nothing happened.
    assert [each for each in addresses if "/static/" not in each] == [address]
    assert 40 < len(answers) < 60
    assert 100_000 < sum(each.size for each in answers) < 200_000


def test_every_sheet_means_what_its_source_means(browser: Browser) -> None:
    page = browser.new_page()
    for sheet in SHEETS:
        source, sent = sheet.read_text(), as_sent(f"css/{sheet.name}", sheet.read_bytes()).decode()
        assert len(sent) < len(source), sheet.name
        before, after = page.evaluate(READ, [source, sent])
        assert before == after, sheet.name
    assert len(SHEETS) > 20
    rules = [".a :hover { top: 1px } .a { left: calc(var(--b) + 1px) }"]
    rules.append(rules[0].replace(".a :", ".a:").replace(" + ", "+"))
    assert all(one != other for one, other in zip(*page.evaluate(READ, rules), strict=True))
