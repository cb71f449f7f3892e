"""The rules pages: an index, and a page for each game.

A game's text is the template ``guide/rules/<slug>.html``; its options come from the game's declaration.
"""

from typing import NamedTuple

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

import games.rules
from accounts.compiled import compiled, first
from games.engine import Rules
from games.matches.models import Match
from games.table.option_text import in_words, players
from games.table.pitch import pitch


class GameText(NamedTuple):
    """A game in the index."""

    rules: Rules
    players: str
    summary: str


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """All games that have a page, with summaries."""
    return render(request, "guide/rules/index.html", {"games": _texts(request, "guide/rules/summary.html")})


@require_safe
def autoplay(request: HttpRequest) -> HttpResponse:
    """The autoplay moves of each game."""
    return render(request, "guide/autoplay.html", {"games": _texts(request, "guide/rules/autoplay_only.html")})


def _texts(request: HttpRequest, layout: str) -> list[GameText]:
    """Each game that has a page, with the part of it that ``layout`` shows."""
    listed = []
    for rules in games.rules.all():
        try:
            summary = get_template(page_of(rules)).render({"layout": layout}, request)
        except TemplateDoesNotExist:
            continue  # a game without a text
        listed.append(GameText(rules, players(rules.seats), summary))
    return listed


@require_safe
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of one game; 404 if the game or its page doesn't exist."""
    try:
        rules = games.rules.get(slug)
        page = get_template(page_of(rules))
    except (KeyError, TemplateDoesNotExist):
        raise Http404(_("There's no such game.")) from None
    context = {
        "rules": rules,
        "goal": pitch(slug),
        "players": players(rules.seats),
        "match": _running(request, slug),
        "has_lessons": bool(games.rules.lessons(slug)),
        "options": [in_words(slug, option) for option in rules.options],
    }
    return HttpResponse(page.render(context, request))


def _running(request: HttpRequest, slug: str) -> Match | None:
    """The running match of this game from which its player came to look at the rules."""
    if not request.user.is_authenticated:
        return None
    return first(_latest_of(request.user.pk, slug))


@compiled
def _latest_of(user_id: int, slug: str) -> QuerySet[Match]:
    mine = Match.objects.filter(seats__player=user_id, slug=slug, status=Match.Status.RUNNING)
    return mine.only("key").order_by("-turn_since")[:1]


def page_of(rules: Rules) -> str:
    """The template of a game's rules."""
    return f"guide/rules/{rules.slug}.html"


urlpatterns = [
    path("", rules_index, name="rules_index"),
    path("slaps/", TemplateView.as_view(template_name="guide/slaps.html"), name="slap_rules"),
    path("autoplay/", autoplay, name="autoplay_rules"),
    path("<slug:slug>/", rules_page, name="rules_page"),
]
