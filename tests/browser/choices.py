"""What a player can touch at a table, and the choices offered."""

from playwright.sync_api import Page

from tests.browser.looks import still


def touch(page: Page, *cards: str) -> None:
    for card in cards:
        still(page)
        page.locator(f'#hand [data-card="{card}"]:not(.is-chosen)').first.click(
            position={"x": 12, "y": 12},
            force=True,  # greyed-out cards respond, too
        )


def moves(page: Page) -> list[str]:
    state = page.context.request.get(page.locator("#table").get_attribute("data-state")).json()
    return state["view"]["moves"]


def hand(page: Page) -> list[str]:
    return page.locator("#hand .playing-card").evaluate_all("cards => cards.map(card => card.dataset.card)")


def version(page: Page) -> int:
    return int(page.locator("#table").get_attribute("data-version"))
