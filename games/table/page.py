"""The table: one match as its players and spectators see it."""

import logging
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.models import User
from games import rules
from games.matches import service
from games.matches.live_match import LiveMatch
from games.matches.models import Match, Seat
from games.matches.slap_points.models import Attendance
from games.matches.turn_clock import SeatClock
from games.table import coach, messages, projection
from games.table.labels import TEXTS, move_label, script_words, zone_title
from games.table.prompts import prompt_of

log = logging.getLogger(__name__)

#: Moves that a page without scripts offers as buttons; the rest follow after making some of these first.
MOST_MOVES = 200
#: Shorter absences are not summarized for a returning player.
ABSENCE = timedelta(seconds=60)
#: Scripts needed for the first move, largest first: the page names all of them, so that none is discovered only through
#: another.
FIRST_SCRIPTS = (
    "table/table",
    "table/mount",
    "table/in_parts",
    "table/render",
    "table/picker",
    "table/cards",
    "connect",
    "table/animation",
    "table/fit",
    "table/seats",
    "table/last_move",
    "table/queue",
    "table/steps",
    "table/reveal",
    "table/seen",
    "table/clock",
    "table/settings",
    "table/status",
    "table/store",
    "table/hold",
    "table/press",
    "table/stepper",
    "table/moves",
    "table/words",
    "table/el",
    "table/keys",
    "table/move_list",
)
#: Scripts loaded once the table is drawn.
LATER_SCRIPTS = (
    "table/extras",
    "table/log",
    "table/catch_up",
    "table/scores",
    "table/drag",
    "table/reports",
    "table/attention",
    "table/sounds",
)
#: Scripts for the end of a match; loaded after the others, or at once if it is over.
END_SCRIPTS = ("table/result", "table/rematch", "table/chart", "share")


@dataclass(frozen=True, slots=True)
class PlainZone:
    """A zone on a page without scripts: its title, and its cards as the ``cards`` tag takes them."""

    title: str
    cards: str
    count: int
    owner: int | None
    is_hand: bool


class PlainMove(NamedTuple):
    """A legal move with the text of its button."""

    move: str
    label: str


class PlainResult(NamedTuple):
    """A seat's final place and the reason for it."""

    name: str
    points: str
    why: str


def match_page(request: HttpRequest, match: Match) -> HttpResponse:
    """The page of a match that has begun: this seat's whole view, drawn by scripts or as a plain form.

    The page starts with the same message that its socket would send, so both show the same.
    """
    user_id = request.user.pk if request.user.is_authenticated else None
    wake(match, user_id)
    projected = projection.read(match.pk)
    seat = projected.table.seat_of(user_id)
    snapshot = projection.snapshot_message(projected, seat)
    context = page_context(projected, seat, snapshot)
    context["looked"] = next((_seen_before(place) for place in match.seats.all() if place.number == seat), None)
    context["others"] = others_at(match, user_id)
    context["is_coached"] = seat is not None and coach.is_coached(match, user_id)
    context["coach"] = coach.sentences(match.slug) if context["is_coached"] else []
    context["offered_seats"] = _offered_to(request, match)
    if seat is not None and request.user.is_authenticated:
        try:
            service.looked(match.pk, request.user, snapshot["v"])
        except DatabaseError as error:  # a full disk: the page still works, and the next visit summarizes a little more
            log.warning("could not store what a player has seen: %s", type(error).__name__)
    return render(request, "games/table.html", context)


def wake(match: Match, user_id: int | None) -> None:
    """Make a slap match wait again for a returning player; the match's seats are prefetched."""
    has_slaps = match.status == Match.Status.RUNNING and rules.presentation(match.slug).has_slaps
    if user_id is not None and has_slaps:
        mine = [place.number for place in match.seats.all() if place.player_id == user_id and not place.ai_level]
        if mine and mine[0] in Attendance.asleep(match.pk):
            service.wake(match.pk, mine[0])


def _seen_before(place: Seat) -> int | None:
    """The last version a returning player has seen; None for a player who was here just now."""
    if place.looked_at is None or timezone.now() - place.looked_at < ABSENCE:
        return None
    return place.looked_version


def others_at(match: Match, user_id: int | None) -> list[User]:
    """The other people in a match with prefetched seats and players, without closed accounts."""
    people = [place.player for place in match.seats.all() if place.player_id != user_id]
    return [person for person in people if person is not None and person.is_active]


def page_context(
    projected: projection.MatchProjection, seat: int | None, snapshot: messages.Snapshot
) -> dict[str, Any]:
    """The template context of a table for the viewer on ``seat``, who is shown ``snapshot``."""
    match = projected.match
    names = projected.table.names
    view = snapshot["view"]
    shown = rules.presentation(match.slug)
    return {
        "match": match,
        "seat": seat,
        "snapshot": snapshot,
        "words": script_words(match.slug),
        "plain_zones": plain_zones(view, names),
        "plain_moves": [PlainMove(move, move_label(match.slug, move, names)) for move in view["moves"][:MOST_MOVES]],
        "plain_results": _plain_results(snapshot, names),
        "request_id": uuid.uuid4().hex,
        "turn_asks_number": any(move.startswith("bet:") for move in view["moves"]),
        "is_my_turn": _is_my_turn(projected.table, view),
        "turn_text": _turn_text(view, names, over=match.status == Match.Status.OVER),
        "prompt": prompt_of(match.slug, view["moves"]),
        "own_hand": next(
            (shown.in_order(zone["cards"]) for zone in view["zones"] if zone["id"] == f"hand:{seat}"), None
        ),
        "missed": _missed_text(projected.table.clocks[seat]) if seat is not None else "",
        "scripts": (
            *(f"table/{name}" for name in shown.scripts),
            *(["table/point"] if projected.table.by_mail else []),
            *FIRST_SCRIPTS,
        ),
        "later_scripts": (*LATER_SCRIPTS, *(END_SCRIPTS if match.status == Match.Status.OVER else ())),
        "has_ai": any(sitter.is_ai for sitter in projected.table.sitters),
        "socket": f"/ws/match/{match.key}/",
        "lesson": projected.table.lesson,
        "has_slaps": shown.has_slaps,
        **layout_of(match.slug),
    }


def layout_of(slug: str) -> dict[str, Any]:
    """What pages that draw tables of this game need: its script, its style sheets, and the initial order of hands."""
    shown = rules.presentation(slug)
    return {
        "layout": f"js/table/{shown.scripts[0]}.js",
        "styles": [f"css/{name}.css" for name in shown.styles],
        "hand_order": "rank" if shown.sorts_by_rank else "suit",
        "ranks": shown.ranks,
    }


def _plain_results(snapshot: messages.Snapshot, names: list[str]) -> list[PlainResult]:
    """The seats of a finished match, best first; none while it runs."""
    outcome, reasons = snapshot["outcome"], snapshot["reasons"]
    if outcome is None or reasons is None:
        return []
    best_first = [seat for group in outcome["ranking"] for seat in group]
    return [PlainResult(names[seat], f"{outcome['points'][seat]:g}", reasons[seat]) for seat in best_first]


def _is_my_turn(table: LiveMatch, view: dict[str, Any]) -> bool:
    """Whether the page's icon says that it is the viewer's turn, as its scripts do; not while cards are turned."""
    is_running = table.status == Match.Status.RUNNING and table.forced_step() is None
    return is_running and view["seat"] in view["to_move"]


def _turn_text(view: dict[str, Any], names: list[str], *, over: bool) -> str:
    """The turn line, as the page's scripts write it."""
    waited = [number for number in view["to_move"] if number >= 0]
    if over:
        return str(TEXTS["over"])
    if view["seat"] is not None and view["seat"] in waited:
        return str(TEXTS["your_turn"])
    text = str(TEXTS["table_turn"])
    if len(waited) == 1:
        text = str(TEXTS["turn_of"]).format(name=names[waited[0]])
    elif waited:
        text = str(TEXTS["choosing"]).format(names=", ".join(names[number] for number in waited))
    if view["seat"] is None:
        return str(TEXTS["watching"]).format(text=text)
    return str(TEXTS["you_are_out"]).format(text=text) if view["seats"][view["seat"]]["out"] else text


def _missed_text(clock: SeatClock) -> str:
    """What a player is told if autoplay has moved for them; otherwise empty."""
    if not clock.missed:
        return ""
    return str(TEXTS["missed_autopilot" if clock.autopilot_at is not None else "missed_one"])


def _offered_to(request: HttpRequest, match: Match) -> list[Seat]:
    """The seats of a running match that this visitor may take over."""
    if not request.user.is_authenticated or match.status != Match.Status.RUNNING:
        return []
    return service.takeable([seat for seat in match.seats.all() if seat.offered_at is not None], request.user)


def plain_zones(view: dict[str, Any], names: list[str]) -> list[PlainZone]:
    """The zones that hold cards, the viewer's own first."""
    own = view["seat"]
    zones = sorted(view["zones"], key=lambda zone: zone["owner"] != own)
    return [
        PlainZone(
            zone_title(view["game"], zone, names),
            "" if zone["cards"] is None else " ".join(_drawable(code) for code in zone["cards"]),
            zone["count"],
            zone["owner"],
            zone["id"].startswith("hand:"),
        )
        for zone in zones
        if zone["count"]
    ]


def _drawable(code: str | None) -> str:
    """A zone's card as the ``cards`` tag takes it; a joker that stands for a card is drawn as a joker."""
    return "??" if code is None else code.partition("=")[0]
