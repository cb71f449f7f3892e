"""The games as home and lobby offer them: each with how many can play it and what it is about."""

import html
from functools import cache
from typing import NamedTuple

from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.html import strip_tags
from django.utils.translation import get_language

from games import rules
from games.engine import Rules
from games.table.option_text import players


class Offer(NamedTuple):
    """A game to choose. ``pitch`` is the first sentence of its rules page; empty if nobody has written one."""

    rules: Rules
    players: str
    pitch: str


def offers(last: str | None = None) -> list[Offer]:
    """All games: the one that was played ``last`` first, then the namesake, then by name."""
    games = sorted(
        rules.all(), key=lambda game: (game.slug != last, not rules.presentation(game.slug).is_namesake, game.name)
    )
    return [Offer(game, players(game.seats), pitch(game.slug, get_language())) for game in games]


@cache
def pitch(slug: str, _language: str | None) -> str:
    """The first sentence of a game's rules page in the language of this thread, which is named for the cache."""
    try:
        page = get_template(f"guide/rules/{slug}.html")
    except TemplateDoesNotExist:
        return ""
    summary = html.unescape(strip_tags(page.render({"layout": "guide/rules/summary.html"}))).strip()
    first, dot, _rest = summary.partition(". ")
    return first + "." if dot else first
