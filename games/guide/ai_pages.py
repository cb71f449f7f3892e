"""The page about the AI players: their names and levels."""

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
            _("Plays sensible cards, but slips up now and then. Best while you're learning."),
        ),
        Level(
            "medium",
            _("Medium"),
            _("Plays by rules of thumb and hardly ever forgets them. In some games it looks a little ahead."),
        ),
        Level(
            "hard",
            _("Hard"),
            _(
                "Works out what the hidden cards may be, and tries its moves on them. "
                "Bluffs at the right rate, and counts the last cards."
            ),
        ),
    ]


def _said(text: str) -> str:
    """The strength difference of the levels in a game, in words; docs/ai.md has the figures."""
    return _(text) if text else ""


@require_safe
def ai_players(request: HttpRequest) -> HttpResponse:
    """Names, faces and levels, and how strong these are."""
    context: dict[str, Any] = {
        "characters": CHARACTERS,
        "levels": _levels(),
        "games": [(game, _said(rules.presentation(game.slug).ai_levels)) for game in rules.all()],
    }
    return render(request, "guide/ai_players.html", context)


urlpatterns = [path("ai-players/", ai_players, name="ai_players")]
