"""How tests check a page: whether it is at rest, and whether it is accessible."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

#: Endless animations, such as a waiting sign, are ignored. Others may begin when one ends or is cut short.
_STILL = """async () => {
  const running = () => document.getAnimations()
    .filter((each) => each.playState === "running" && each.effect?.getComputedTiming().endTime !== Infinity);
  for (let left = running(); left.length; left = running()) await Promise.allSettled(left.map((each) => each.finished));
}"""


def still(page: Page) -> None:
    """Wait until all animations have ended: before, positions and colours are still changing."""
    page.evaluate(_STILL)


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window, once its style sheets are loaded; should be 0."""
    page.wait_for_load_state()
    pixels: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return max(pixels, 0)


def axe(page: Page, **options: Any) -> list[dict[str, Any]]:
    """The violations that axe finds in the page's current state."""
    still(page)
    if page.evaluate("typeof window.axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    # Passed rules aren't needed, so they aren't reported.
    found: list[dict[str, Any]] = page.evaluate(
        "async (options) => (await axe.run(options)).violations", {"resultTypes": ["violations"], **options}
    )
    return found


def barriers(page: Page, **options: Any) -> list[str]:
    """Serious and critical violations found by axe: each rule, the first element, and the reason."""
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}: {each['nodes'][0].get('failureSummary')}"
        for each in axe(page, **options)
        if each["impact"] in ("serious", "critical")
    ]
