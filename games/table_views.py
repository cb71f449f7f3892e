"""The table: one match as its players and spectators see it."""

import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from games.live import rooms
from games.models import Match
from games.table_words import TEXTS, move_label, script_words

#: Moves offered one by one to a browser without scripts; the rest are reached by making some of these first.
MOST_MOVES = 200


@dataclass(frozen=True, slots=True)
class PlainZone:
    """A zone for a page without scripts: its title, and its cards as the ``cards`` tag takes them."""

    title: str
    cards: str
    count: int


class PlainMove(NamedTuple):
    """A legal move, and what its button says."""

    move: str
    label: str


def match_page(request: HttpRequest, match: Match) -> HttpResponse:
    """The table of a match that has begun: the whole view of this seat, drawn by the scripts or as a plain form.

    The page begins with the very message that its socket would send, so both show the same.
    """
    reading = rooms.read(match.pk)
    user_id = request.user.pk if request.user.is_authenticated else None
    seat = reading.table.seat_of(user_id)
    snapshot = rooms.snapshot_message(reading, seat)
    names = reading.table.names
    view = snapshot["view"]
    context = {
        "match": reading.match,
        "seat": seat,
        "snapshot": snapshot,
        "words": script_words(),
        "plain_zones": _plain_zones(view, names),
        "plain_moves": [PlainMove(move, move_label(move, names)) for move in view["moves"][:MOST_MOVES]],
        "request_id": uuid.uuid4().hex,
        "waiting_for": [names[number] for number in view["to_move"] if number >= 0],
        "is_my_turn": seat is not None and seat in view["to_move"],
        "scripts": (
            "socket",
            "store",
            "words",
            "cards",
            "moves",
            "picker",
            "render",
            "animation",
            "log",
            "slap",
            "verdict",
            "result",
            "settings",
            "drag",
        ),
        "has_slaps": reading.match.slug == "armani",
    }
    return render(request, "games/table.html", context)


def _plain_zones(view: dict[str, Any], names: list[str]) -> list[PlainZone]:
    """The zones that hold something, own ones first."""
    own = view["seat"]
    zones = sorted(view["zones"], key=lambda zone: zone["owner"] != own)
    return [
        PlainZone(
            zone_title(zone, names),
            "" if zone["cards"] is None else " ".join(_drawable(code) for code in zone["cards"]),
            zone["count"],
        )
        for zone in zones
        if zone["count"]
    ]


def _drawable(code: str | None) -> str:
    """A card of a zone as the ``cards`` tag knows it; of a joker laid for a card, the joker."""
    return "??" if code is None else code.partition("=")[0]


def zone_title(zone: dict[str, Any], names: list[str]) -> str:
    """What a zone is called: ``Stock``, ``Ada: hand``, ``Meld 2``."""
    kind, _colon, number = zone["id"].partition(":")
    if kind == "fan":
        return str(TEXTS["fan_of"]).format(mark="▲●"[int(number)])
    if kind == "meld":
        return str(TEXTS["meld"]).format(n=number)
    if kind == "battleground":
        return str(TEXTS["battleground"]).format(name=names[int(number)])
    title = str(TEXTS.get({"won": "wins"}.get(kind, kind), kind))
    if zone["owner"] is None:
        return title
    return _("{name}: {zone}").format(name=names[zone["owner"]], zone=title)
