"""The table: one match as its players and spectators see it."""

import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from accounts.models import User
from games.matches import service
from games.matches.live_match import SeatClock
from games.matches.models import Match, Seat
from games.table import projection
from games.table.labels import TEXTS, move_label, script_words

#: Moves offered one by one to a browser without scripts; the rest are reached by making some of these first.
MOST_MOVES = 200
#: The scripts that the first move needs, in the order of their weight: all are named in the page, so that none is found
#: only by reading another.
FIRST_SCRIPTS = (
    "table",
    "render",
    "picker",
    "cards",
    "socket",
    "animation",
    "clock",
    "settings",
    "store",
    "hold",
    "stepper",
    "moves",
    "words",
    "keys",
    "layouts",
    "el",
)
#: The scripts of each game's layout.
LAYOUTS = {
    **{slug: (f"games/{slug}",) for slug in ("amagande", "avalanche", "normal-cards", "ten-skip")},
    "armani": ("games/armani", "slap", "verdict", "point"),
    "armed": ("games/armed", "plan"),
    "basic-rummy": ("games/rummy",),
    "rummy-500": ("games/rummy",),
}
#: The scripts that come when the table stands.
LATER_SCRIPTS = (
    "extras",
    "log",
    "catch_up",
    "scores",
    "result",
    "drag",
    "reports",
    "attention",
    "sounds",
    "moments",
)


@dataclass(frozen=True, slots=True)
class PlainZone:
    """A zone for a page without scripts: its title, and its cards as the ``cards`` tag takes them."""

    title: str
    cards: str
    count: int
    owner: int | None
    is_hand: bool


class PlainMove(NamedTuple):
    """A legal move, and what its button says."""

    move: str
    label: str


def match_page(request: HttpRequest, match: Match) -> HttpResponse:
    """The table of a match that has begun: the whole view of this seat, drawn by the scripts or as a plain form.

    The page begins with the very message that its socket would send, so both show the same.
    """
    reading = projection.read(match.pk)
    user_id = request.user.pk if request.user.is_authenticated else None
    seat = reading.table.seat_of(user_id)
    if seat is not None and seat in reading.asleep:
        service.wake(match.pk, seat)
        reading = projection.read(match.pk)
    snapshot = projection.snapshot_message(reading, seat)
    context = page_context(reading, seat, snapshot)
    context["looked"] = next((place.looked_version for place in match.seats.all() if place.number == seat), None)
    context["others"] = others_at(match, user_id)
    context["offered_seats"] = _offered_to(request, match)
    context["offered_names"] = ", ".join(seat.player_name for seat in context["offered_seats"])
    if seat is not None and request.user.is_authenticated:
        service.looked(match.pk, request.user, snapshot["v"])
    return render(request, "games/table.html", context)


def others_at(match: Match, user_id: int | None) -> list[User]:
    """The other people at a match whose seats and players are at hand; not those whose accounts are closed."""
    people = [place.player for place in match.seats.all() if place.player_id != user_id]
    return [person for person in people if person is not None and person.is_active]


def page_context(reading: projection.Reading, seat: int | None, snapshot: dict[str, Any]) -> dict[str, Any]:
    """What the table's template takes for the viewer on ``seat``, to whom ``snapshot`` is shown."""
    match = reading.match
    names = reading.table.names
    view = snapshot["view"]
    return {
        "match": match,
        "seat": seat,
        "snapshot": snapshot,
        "words": script_words(),
        "plain_zones": plain_zones(view, names),
        "plain_moves": [PlainMove(move, move_label(move, names)) for move in view["moves"][:MOST_MOVES]],
        "request_id": uuid.uuid4().hex,
        "turn_asks_number": any(move.startswith("bet:") for move in view["moves"]),
        "turn_text": _turn_text(view, names, over=match.status == Match.Status.OVER),
        "own_hand": next((zone["cards"] for zone in view["zones"] if zone["id"] == f"hand:{seat}"), None),
        "missed": _missed_text(reading.table.clocks[seat]) if seat is not None else "",
        "scripts": (*LAYOUTS.get(match.slug, ()), *FIRST_SCRIPTS),
        "later_scripts": LATER_SCRIPTS,
        "has_ai": any(sitter.is_ai for sitter in reading.table.sitters),
        "socket": f"/ws/match/{match.key}/",
        "has_slaps": match.slug == "armani",
    }


def _turn_text(view: dict[str, Any], names: list[str], *, over: bool) -> str:
    """Whom the match waits for, as the page's scripts say it."""
    waited = [number for number in view["to_move"] if number >= 0]
    if over:
        return str(TEXTS["over"])
    if view["seat"] is not None and view["seat"] in waited:
        return str(TEXTS["your_turn"])
    if not waited:
        return str(TEXTS["table_turn"])
    if len(waited) == 1:
        return str(TEXTS["turn_of"]).format(name=names[waited[0]])
    return str(TEXTS["choosing"]).format(names=", ".join(names[number] for number in waited))


def _missed_text(clock: SeatClock) -> str:
    """What the owner of a seat is told if a stand-in has played for them; empty else."""
    if not clock.missed:
        return ""
    return str(TEXTS["missed_autopilot" if clock.autopilot_at is not None else "missed_one"])


def _offered_to(request: HttpRequest, match: Match) -> list[Seat]:
    """The seats of a running match that whoever looks may take over."""
    if not request.user.is_authenticated or match.status != Match.Status.RUNNING:
        return []
    return service.takeable([seat for seat in match.seats.all() if seat.offered_at is not None], request.user)


def plain_zones(view: dict[str, Any], names: list[str]) -> list[PlainZone]:
    """The zones that hold something, own ones first."""
    own = view["seat"]
    zones = sorted(view["zones"], key=lambda zone: zone["owner"] != own)
    return [
        PlainZone(
            zone_title(zone, names),
            "" if zone["cards"] is None else " ".join(_drawable(code) for code in zone["cards"]),
            zone["count"],
            zone["owner"],
            zone["id"].startswith("hand:"),
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
