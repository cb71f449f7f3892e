"""The decision page: play one turn of one match from an email's link, without logging in or scripts.

The link allows playing this one turn and nothing else, so:

- viewing the page (GET, HEAD) changes nothing, not even that the player has looked: mail servers follow links;
- a move takes two steps, and the second asks for the chosen number again: some mail servers press buttons;
- the page neither reads nor creates a session, sets no cookie, and tells no other site its address;
- when the turn is over, the page shows only what any spectator sees.
"""

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from allauth.core.ratelimit import consume
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import get_template
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from games.engine.numbers import number_in
from games.mail import tokens
from games.mail.decision_page import turns
from games.mail.decision_page.turns import Turn
from games.mail.moves import Numbered
from games.mail.outgoing.turn_email import turns_of
from games.mail.times import moment, zone_of
from games.matches import service
from games.table.facts import facts
from games.table.page import plain_zones

#: Log sentences shown on the page.
MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Chosen:
    """A chosen move to be confirmed; ``problem`` says what was wrong with the number typed."""

    numbered: Numbered
    version: int
    problem: str = ""


# The link alone gives access, and browsers add nothing to it, so no request can be forged.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def turn(request: HttpRequest, token: str) -> HttpResponse:
    """Show the turn, ask for the chosen number again, or play."""
    if not consume(request, action="turn", key=token[:64]):
        return _answer(request, "games/turn/too_often.html", {}, HTTPStatus.TOO_MANY_REQUESTS)
    try:
        found = turns.find(tokens.read_page(token))
    except tokens.BadToken:
        return _answer(request, "games/turn/unknown.html", {}, HTTPStatus.NOT_FOUND)
    if request.method != "POST":
        return _page(request, found, chosen=_preselected(request, found))
    return _decide(request, found)


def _preselected(request: HttpRequest, found: Turn) -> Chosen | None:
    """The move preselected by a link in an email, to be confirmed; None if its list has changed."""
    number, version = number_in(request.GET.get("choice")), number_in(request.GET.get("v"))
    chosen = next((each for each in found.moves if each.number == number), None)
    if chosen is None or version is None or not found.table.open_version <= version <= found.table.version:
        return None
    return Chosen(chosen, version)


def _decide(request: HttpRequest, found: Turn) -> HttpResponse:
    """The first step shows the move chosen; the second, with its number typed in, plays it."""
    number, version = number_in(request.POST.get("choice")), number_in(request.POST.get("v"))
    if not found.is_open:
        return _page(request, found)
    if version is None or not found.table.open_version <= version <= found.table.version:
        return _page(request, found, problem=_("The table has changed. Look again, then choose."))
    chosen = next((each for each in found.moves if each.number == number), None)
    if chosen is None:
        return _page(request, found, problem=_("There's no move with that number."))
    if "again" not in request.POST:
        return _page(request, found, chosen=Chosen(chosen, version))
    if number_in(request.POST["again"].strip().rstrip(".")) != chosen.number:
        problem = _("That's not the number of this move. Type {number} to play it.").format(number=chosen.number)
        return _page(request, found, chosen=Chosen(chosen, version, problem))
    try:
        turns.act(found, chosen.move, version)
    except service.Refused as refusal:
        return _page(request, turns.again(found), problem=str(refusal))
    return HttpResponseRedirect(f"{request.path}?done", status=HTTPStatus.SEE_OTHER)


def _page(request: HttpRequest, found: Turn, chosen: Chosen | None = None, problem: str = "") -> HttpResponse:
    """Show the turn's state: its moves with one to be confirmed, or how it ended."""
    view, names, seat = found.view, found.table.names, found.seat
    zones = plain_zones(view.to_json(), names)
    own = [zone for zone in zones if found.is_open and zone.owner == seat.number]
    # Cards on the table come before other hands, of which only known cards are drawn.
    others = sorted((zone for zone in zones if zone not in own), key=lambda zone: zone.is_hand)
    context = {
        "turn": found,
        "name": seat.name,
        "match": found.match,
        "version": found.table.version,
        "moves": found.moves,
        "chosen": chosen,
        "problem": problem,
        "own_zones": own,
        "zones": [replace(zone, cards=zone.cards.replace("??", "")) if zone.is_hand else zone for zone in others],
        "facts": facts(view, names),
        "happened": found.happened(MOST_LINES),
        "waiting_for": [names[seat] for seat in view.to_move if seat >= 0],
        "ended": None if found.is_open else found.how_it_ended(),
        "until": moment(seat.due_at, zone_of(seat.player)) if seat.player and seat.due_at else "",
        "is_done": "done" in request.GET,
        # Only whether there is another turn: this link is valid for this turn alone.
        "has_next": "done" in request.GET and not found.is_open and _has_next(found),
    }
    if found.is_open:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if problem or (chosen and chosen.problem) else HTTPStatus.OK
    else:
        status = HTTPStatus.GONE
    return _answer(request, "games/turn/turn.html", context, status)


def _has_next(found: Turn) -> bool:
    player = found.seat.player
    return player is not None and any(seat.match_id != found.match.pk for seat in turns_of(player))


def _answer(request: HttpRequest, template: str, context: dict[str, Any], status: HTTPStatus) -> HttpResponse:
    """Render a page without a session; the request is only used for the theme."""
    response = HttpResponse(get_template(template).render({**context, "request": request}), status=status)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


urlpatterns = [path("<slug:token>/", turn, name="turn")]
