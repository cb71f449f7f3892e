"""A ninth game: the toy of docs/adding-a-game.md, as if its package were in games/rules."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import games.rules

HERE = Path(__file__).parent / "ninth_game_package"


@contextmanager
def ninth_game() -> Iterator[ModuleType]:
    """Make the game one of the site's while this lasts; returns its rules module."""
    games.rules.__path__.append(str(HERE))
    games.rules.by_slug.cache_clear()
    try:
        yield importlib.import_module("games.rules.high_card.rules")
    finally:
        games.rules.__path__.remove(str(HERE))
        games.rules.by_slug.cache_clear()
        games.rules.lessons.cache_clear()
        for name in [name for name in sys.modules if name.startswith("games.rules.high_card")]:
            del sys.modules[name]
