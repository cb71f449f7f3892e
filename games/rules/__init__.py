"""The games, one package each. A package with ``RULES`` is a game; its ``PRESENTATION`` says how to show it.

Its ``LESSONS``, if it has any, teach it.
"""

import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import NamedTuple

from games.engine import BadLesson, Lesson, Presentation, Rules


class Game(NamedTuple):
    """A package's ``RULES``, its ``EARLIER_RULES`` by version if it has any, and its presentation."""

    versions: dict[int, Rules]
    presentation: Presentation
    lessons: Sequence[Lesson]


@cache
def by_slug() -> dict[str, Game]:
    """Every game by its slug."""
    found: dict[str, Game] = {}
    for info in pkgutil.iter_modules(__path__):
        package = import_module(f"{__name__}.{info.name}")
        current: Rules | None = getattr(package, "RULES", None)
        if current is not None:
            earlier: Sequence[Rules] = getattr(package, "EARLIER_RULES", ())
            versions = {rules.version: rules for rules in (*earlier, current)}
            found[current.slug] = Game(
                versions, getattr(package, "PRESENTATION", Presentation()), getattr(package, "LESSONS", ())
            )
    return found


def get(slug: str, version: int | None = None) -> Rules:
    """The rules of a game, by default the newest. Raises ``KeyError`` if there are none."""
    versions = by_slug()[slug].versions
    return versions[max(versions) if version is None else version]


def name_of(slug: str) -> str:
    """A game's display name, or its slug if the game was removed."""
    return get(slug).name if slug in by_slug() else slug


def presentation(slug: str) -> Presentation:
    """A game's presentation. Raises ``KeyError`` if there is no such game."""
    return by_slug()[slug].presentation


def all() -> Sequence[Rules]:
    """The newest rules of every game, by name."""
    return sorted((game.versions[max(game.versions)] for game in by_slug().values()), key=lambda rules: rules.name)


@cache
def lessons(slug: str) -> Mapping[str, Lesson]:
    """The lessons of a game by name, in order, each validated once.

    Raises ``KeyError`` if there is no such game, ``BadLesson`` if one of its lessons is faulty.
    """
    found: dict[str, Lesson] = {}
    for lesson in by_slug()[slug].lessons:
        lesson.validate()
        if lesson.game != slug or lesson.name in found:
            raise BadLesson(f"{lesson.key}: a lesson of {slug} needs a name of its own")
        found[lesson.name] = lesson
    return found


def lesson(key: str) -> Lesson:
    """The lesson with that key. Raises ``KeyError`` if there is none."""
    slug, _slash, name = key.partition("/")
    return lessons(slug)[name]
