"""How tests look at a page: when it has come to rest, and whether it shuts anyone out."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

#: What moves without an end, such as a sign of waiting, is not waited for.
_STILL = """() => Promise.all(document.getAnimations()
  .filter((each) => each.playState === "running" && each.effect?.getComputedTiming().endTime !== Infinity)
  .map((each) => each.finished.catch(() => null)))"""


def still(page: Page) -> None:
    """Wait until nothing travels or fades any more: what moves is not where it was just seen, nor in its colours."""
    page.evaluate(_STILL)


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window, once its style sheets are there: 0 is as it should be."""
    page.wait_for_load_state()
    pixels: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return max(pixels, 0)


def axe(page: Page, **options: Any) -> list[dict[str, Any]]:
    """What axe finds wrong with the page as it stands: its violations."""
    still(page)
    if page.evaluate("typeof window.axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    # Of what is in order no one reads, so it is not told of.
    found: list[dict[str, Any]] = page.evaluate(
        "async (options) => (await axe.run(options)).violations", {"resultTypes": ["violations"], **options}
    )
    return found


def barriers(page: Page, **options: Any) -> list[str]:
    """Serious and critical violations that axe finds: each rule, the first element that breaks it, and why."""
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}: {each['nodes'][0].get('failureSummary')}"
        for each in axe(page, **options)
        if each["impact"] in ("serious", "critical")
    ]
