"""A player of any game with a page, using a mouse, a finger or only a keyboard."""

import random
import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

#: Moves in order of preference, which makes matches short.
_FIRST = (
    "meld:",
    "lay:",
    "play:",
    "fold",
    "fan:",
    "take:Q",
    "take:",
    "dealer:",
    "keep:",
    "give:",
    "top:",
    "hide",
    "draw:stock",
)
_CARDS = re.compile(r"([RB]J)=..|([RB]J|[A2-9TJQK][CDHS])")


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Wait for a condition of the page; ``what`` is named in the error."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Player:
    """Plays the match of a table page to its end.

    Moves are decided by the page's own state; they are made by touching cards and pressing buttons with the mouse or a
    finger, or by Tab, arrows and Enter alone.
    """

    def __init__(self, page: Page, *, by_keyboard: bool = False, by_touch: bool = False, seed: int = 1) -> None:
        self.page = page
        self.by_keyboard = by_keyboard
        self.by_touch = by_touch
        self.rng = random.Random(seed)
        self.made: list[str] = []
        #: Announcements of the live region, as far as they were seen between moves.
        self.announced: set[str] = set()
        page.locator("#table[data-ready]").wait_for()
        self.state_url = str(page.locator("#table").get_attribute("data-state"))

    def play(self, seconds: float = 600, *, at_turn: Callable[[int], None] | None = None) -> None:
        """Play until the result is shown; ``at_turn`` is called with a number before each of the player's moves."""
        end = time.monotonic() + seconds
        while not self.is_over():
            assert time.monotonic() < end, (self.made[-3:], self.log()[-5:])
            if not self.page.locator("#table.is-my-turn").count():
                time.sleep(0.03)
                continue
            if at_turn:
                at_turn(len(self.made))
            self.make_a_move()

    def is_over(self) -> bool:
        """Whether the page shows the result."""
        return self.page.locator("#result:not([hidden])").count() > 0

    def log(self) -> list[str]:
        """The sentences of the log, as read out."""
        return self.page.locator("#log li").all_inner_texts()

    def version(self) -> int:
        """The version that the page shows."""
        return int(self.page.locator("#table").get_attribute("data-version") or "0")

    def await_version(self, version: int) -> None:
        """Wait until the page shows that version."""
        wait_until(lambda: self.version() == version, f"version {version} never comes")

    def make_a_move(self) -> None:
        """Choose a move and make it; do nothing if the table has moved on meanwhile."""
        state = self.page.context.request.get(self.state_url).json()
        moves = [move for move in state["view"]["moves"] if move not in ("slap", "flip")]
        if not moves or state["v"] != self.version():
            return
        move = self.choose(state["view"], moves)
        try:
            self.make(move)
        except PlaywrightTimeoutError:
            return  # the table was redrawn meanwhile; if the player can never move, play() times out
        self.made.append(move)
        self.announced.update(self.log())
        wait_until(lambda: self.version() > state["v"] or self.is_over(), f"{move} was not made: {self.said()}")

    def said(self) -> str:
        """The line that describes a choice, or why it is refused."""
        return self.page.locator("#said").inner_text()

    def controls(self) -> list[str | None]:
        """The moves that currently have a button."""
        return [button.get_attribute("data-move") for button in self.page.locator("#controls [data-move]").all()]

    def choose(self, view: dict[str, Any], moves: list[str]) -> str:
        """A sensible move, so that matches end."""
        if view["game"] == "avalanche":
            return max(moves, key=lambda move: (move != "snow", int(move[-1]) if "x" in move else 0))
        if view["game"] == "ten-skip" and "challenge" in moves:
            return "challenge"
        if view["game"] == "ten-skip" and "claim" in moves:
            return "claim" if self.rng.random() < 0.5 else "end"
        for verb in _FIRST:
            fitting = [move for move in moves if move.startswith(verb)]
            if fitting:
                return max(fitting, key=len) if verb == "meld:" else self.rng.choice(fitting)
        return self.rng.choice(moves)

    # How a move is made

    def make(self, move: str) -> None:
        """Touch the cards of a move, then press its button."""
        number = re.fullmatch(r"(?:bet|take):(\d+)", move)
        # Of a single number there is a button.
        if number and not self.page.locator(f'#controls [data-move="{move}"]').count():
            self._make_number(number[1])
            return
        for card in self._cards_of(move):
            self._touch(card)
        self._press(f'#controls .control-buttons [data-move="{move}"]')

    def _cards_of(self, move: str) -> list[str]:
        verb, _colon, rest = move.partition(":")
        if verb in ("dealer", "fan", "draw"):
            return []
        if verb == "lay" and "@" not in rest:
            rank, _x, count = rest.partition("x")
            return [f"rank {rank}"] * int(count)
        return [joker or card for joker, card in _CARDS.findall(rest.partition("/")[0].partition("@")[0])]

    def _make_number(self, number: str) -> None:
        stepper = self.page.locator("#stepper")
        if self.by_keyboard:
            self._tab_to("document.activeElement.id === 'stepper'")
            self.page.keyboard.press("Control+A")
            self.page.keyboard.type(number)
            self.page.keyboard.press("Enter")
        else:
            stepper.fill(number)
            self._point_at(self.page.locator("[data-act=number]"))

    def _touch(self, card: str) -> None:
        if card == "rank X":
            is_it = "[data-card$=J]"
        else:
            is_it = f"[data-card^='{card[-1]}']" if card.startswith("rank ") else f"[data-card='{card}']"
        is_it = f"button.playing-card{is_it}:not(.is-chosen)"
        if not self.by_keyboard:
            # Of a card under another one, only the corner shows.
            self._point_at(self.page.locator(is_it).first, position={"x": 12, "y": 12}, timeout=5000)
            return
        self._tab_to("document.activeElement.matches('button.playing-card')")
        self.page.keyboard.press("Home")
        for _step in range(200):
            if self.page.evaluate(f"document.activeElement.matches(`{is_it}`)"):
                break
            self.page.keyboard.press("ArrowRight")
        else:
            raise AssertionError(f"the arrows never lead to {card}; {self.said()}")
        self.page.keyboard.press("Enter")

    def _press(self, selector: str) -> None:
        if self.by_keyboard:
            self._tab_to(f"document.activeElement.matches('{selector}')")
            self.page.keyboard.press("Enter")
        else:
            try:
                self._point_at(self.page.locator(selector), timeout=5000)
            except PlaywrightTimeoutError as error:
                chosen = self.page.locator("button.playing-card.is-chosen")
                cards = [str(card.get_attribute("data-card")) for card in chosen.all()]
                error.add_note(f"chosen: {cards}; said: {self.said()}; controls: {self.controls()}")
                raise

    def _point_at(self, place: Locator, **how: Any) -> None:
        (place.tap if self.by_touch else place.click)(**how)

    def _tab_to(self, is_there: str) -> None:
        for _press in range(60):
            if self.page.evaluate(is_there):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never leads to where {is_there}; {self.said()}")
