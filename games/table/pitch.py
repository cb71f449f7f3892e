"""One sentence about each game, for the home page, the lobby and the list of lessons."""

import html
from functools import cache

from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.html import strip_tags
from django.utils.translation import get_language


def pitch(slug: str) -> str:
    """The first sentence of a game's rules page in the reader's language; empty if there is none."""
    return _pitch(slug, get_language())


@cache
def _pitch(slug: str, _language: str | None) -> str:
    try:
        page = get_template(f"guide/rules/{slug}.html")
    except TemplateDoesNotExist:
        return ""
    summary = html.unescape(strip_tags(page.render({"layout": "guide/rules/summary.html"}))).strip()
    first, dot, _rest = summary.partition(". ")
    return first + "." if dot else first
