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


def _strengths() -> dict[str, str]:
    """How far apart the levels are in each game, in words: what docs/ai.md has in figures."""
    return {
        "armani": _("The level shows in the hands on the table: a hard player is the faster one at most stacks."),
        "armed": _(
            "Hard draws its cards by lot and notices who never lets go of the best ones; who plays without a plan, "
            "or always by height, loses about four matches of five to it."
        ),
        "avalanche": _(
            "The level matters most of all here: hard loses hardly a match to somebody who plays at random."
        ),
        "basic-rummy": _("The draw decides many deals; over a match the better discards show."),
        "rummy-500": _("Much luck in one deal, less in a match; hard takes from the pile with an eye on what remains."),
        "amagande": _("A short game with much luck: hard wins a little more than half against medium."),
        "normal-cards": _("Hard counts the last cards out exactly; careless trumps are punished."),
        "ten-skip": _("Hard bluffs, and believes few bluffs: the levels lie far apart."),
    }


@require_safe
def ai_players(request: HttpRequest) -> HttpResponse:
    """Names, faces, levels, and how strong these are."""
    strengths = _strengths()
    context: dict[str, Any] = {
        "characters": CHARACTERS,
        "levels": _levels(),
        "games": [(game, strengths.get(game.slug, "")) for game in rules.all()],
    }
    return render(request, "games/ai_players.html", context)


urlpatterns = [path("ai-players/", ai_players, name="ai_players")]
