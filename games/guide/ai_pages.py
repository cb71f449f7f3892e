"""The page about the AI players: who they are, and what the levels mean."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import rules
from games.ai.people import CHARACTERS


class Level(NamedTuple):
    """One level, in words."""

    name: str
    title: str
    text: str


def _levels() -> list[Level]:
    return [
        Level(
            "easy",
            _("Easy"),
            _(
                "Knows the rules and plays sensible cards, but forgets its own good advice now and then and does not "
                "look ahead. Beats somebody who plays at random, and is good company while you learn a game."
            ),
        ),
        Level(
            "medium",
            _("Medium"),
            _(
                "Plays by rules of thumb and hardly forgets them; in some games it looks a little ahead. "
                "In a long evening it wins more often against easy players than it loses."
            ),
        ),
        Level(
            "hard",
            _("Hard"),
            _(
                "Tries its moves in imagined deals that fit what it has seen, or weighs what was taken and left: "
                "each game asks for another way. Bluffs as often as pays, and counts out the end where it can."
            ),
        ),
    ]


def _said(text: str) -> str:
    """How far apart the levels are in a game, in words: what docs/ai.md has in figures."""
    return _(text) if text else ""


@require_safe
def ai_players(request: HttpRequest) -> HttpResponse:
    """Names, faces, levels, and how strong these are."""
    context: dict[str, Any] = {
        "characters": CHARACTERS,
        "levels": _levels(),
        "games": [(game, _said(rules.presentation(game.slug).ai_levels)) for game in rules.all()],
    }
    return render(request, "guide/ai_players.html", context)


urlpatterns = [path("ai-players/", ai_players, name="ai_players")]
