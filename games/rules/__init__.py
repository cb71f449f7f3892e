"""The games: one module each. A module that defines ``RULES`` is a game."""

import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module

from games.engine import Rules


@cache
def _by_slug() -> dict[str, dict[int, Rules]]:
    """The rules of each game by version: a module's ``RULES`` and, if it keeps them, its ``EARLIER_RULES``."""
    found: dict[str, dict[int, Rules]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        current: Rules | None = getattr(module, "RULES", None)
        if current is not None:
            earlier: Sequence[Rules] = getattr(module, "EARLIER_RULES", ())
            found[current.slug] = {rules.version: rules for rules in (*earlier, current)}
    return found


def get(slug: str, version: int | None = None) -> Rules:
    """The rules of a game, the newest unless ``version`` says which. Raises ``KeyError`` if there are none."""
    versions = _by_slug()[slug]
    return versions[max(versions) if version is None else version]


def all() -> Sequence[Rules]:
    """The newest rules of every game, by name."""
    return sorted((versions[max(versions)] for versions in _by_slug().values()), key=lambda rules: rules.name)
