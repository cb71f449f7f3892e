"""The rules of the games, told to players: an index, and a page for each game.

The text of a game's page is the template ``games/rules/<slug>.html``; its options come from their declaration.
"""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

import games.rules
from games.engine import Rules
from games.table.option_text import in_words, players


class GameText(NamedTuple):
    """A game in the index."""

    rules: Rules
    players: str
    summary: str


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """All games that have a page, with their summaries."""
    listed = []
    for rules in games.rules.all():
        try:
            # The page itself, inside a layout that shows nothing but its summary.
            summary = get_template(_page(rules)).render({"layout": "games/rules/summary.html"}, request)
        except TemplateDoesNotExist:
            continue  # a game of which nothing is written yet
        listed.append(GameText(rules, players(rules.seats), summary))
    return render(request, "games/rules/index.html", {"games": listed})


@require_safe
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of one game; 404 if there is no such game, or nobody has written its page."""
    try:
        rules = games.rules.get(slug)
        page = get_template(_page(rules))
    except (KeyError, TemplateDoesNotExist):
        raise Http404(_("There is no such game.")) from None
    context = {
        "rules": rules,
        "players": players(rules.seats),
        "options": [in_words(option) for option in rules.options],
    }
    return HttpResponse(page.render(context, request))


def _page(rules: Rules) -> str:
    return f"games/rules/{rules.slug}.html"


urlpatterns = [
    path("", rules_index, name="rules_index"),
    path("<slug:slug>/", rules_page, name="rules_page"),
]
