"""Home, lobby, waiting room and the forms of a table. Every change goes through ``games.matches.service``."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from allauth.core.ratelimit import consume
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import links
from accounts.compiled import compiled, first
from accounts.guests import ensure_player
from accounts.models import User
from accounts.people.models import Preferences
from accounts.playing_times import calendars
from games import rules
from games.engine import Rules
from games.engine.numbers import number_in
from games.lobby import finding, invitations
from games.lobby.catalogue import offers
from games.lobby.forms import TableForm
from games.matches import service
from games.matches.models import AiLevel, Match, Seat
from games.matches.presets import is_by_hours
from games.table import clock_text, match_cards, projection
from games.table.opening import limit_tables, single_submit
from games.table.page import match_page
from games.table.pitch import pitch

FINISHED_A_PAGE = 20
MATCHES_AT_HOME = 5
YEAR = 365 * 24 * 3600


def _player(request: HttpRequest) -> User | None:
    return request.user if request.user.is_authenticated else None


def _game_or_404(slug: str) -> Rules:
    try:
        return rules.get(slug)
    except KeyError:
        raise Http404(_("There's no such game.")) from None


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The home page: the match waiting for you, the games to choose from, and people who are playing."""
    user = _player(request)
    listed = match_cards.unfinished(user) if user else []
    listed.sort(key=lambda item: (not item.is_my_turn, item.match.status != Match.Status.RUNNING))
    context = {
        "games": offers(finding.last_game(user)),
        "playing": Match.objects.filter(status=Match.Status.RUNNING, lesson__isnull=True).count(),
        "tables": match_cards.listed(finding.open_tables(user, {}, MATCHES_AT_HOME), user),
        "first": listed[0] if listed else None,
        "mine": listed[1 : 1 + MATCHES_AT_HOME],
    }
    return render(request, "lobby/home.html", context)


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """The choice on the home page: a game, and opponents."""
    slug = _game_or_404(request.POST.get("game", "")).slug
    if request.POST.get("with") == "friends":
        return redirect(f"{reverse('open_table')}?{urlencode({'game': slug, 'for': 'friends'})}")
    return quick_match(request, slug)


@require_POST
@single_submit
def quick_match(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a match against one AI player at once, also for guests."""
    game = _game_or_404(slug)
    limit_tables(request)
    player = ensure_player(request)
    seat_count = min(game.seats)
    ai = dict.fromkeys(range(1, seat_count), AiLevel.EASY.value)
    try:
        match = service.open_table(player, slug, seat_count, {}, ai=ai, is_public=False, clock="none")
        service.start(match, player)
    except service.Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("home")
    return redirect(match)


@require_http_methods(["GET", "HEAD", "POST"])
@single_submit
def open_table(request: HttpRequest) -> HttpResponse:
    """Choose a game, then everything about its table."""
    slug = request.POST.get("game") or request.GET.get("game", "")
    if not slug:
        return render(request, "lobby/choose_game.html", {"games": offers()})
    game = _game_or_404(slug)
    is_for_friends = request.GET.get("for") == "friends"
    form = TableForm(game, request.POST or None, initial={"is_public": "no"} if is_for_friends else None)
    if request.method == "POST" and form.is_valid():
        limit_tables(request)
        try:
            player = ensure_player(request)
            match = service.open_table(player, slug, **form.arguments())
            if match.starts_when_full and not any(seat.is_free for seat in match.seats.all()):
                service.start(match, player)
        except service.Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect(match)
    status = 422 if form.errors else 200
    context = {"rules": game, "pitch": pitch(slug), "form": form}
    context["clock_contracts"] = clock_text.presets()
    return render(request, "lobby/open_table.html", context, status=status)


@require_safe
def my_matches(request: HttpRequest) -> HttpResponse:
    """Your open and running matches, those that wait for you first, and pages of finished ones."""
    user = _player(request)
    if user is None:
        return render(request, "lobby/my_matches.html", {"running": [], "page": None})
    running = match_cards.unfinished(user)
    finished = match_cards.matches_of(user.pk, Match.Status.OVER).order_by("-finished_at")
    page = Paginator(finished, FINISHED_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "running": sorted(running, key=lambda item: not item.is_my_turn),
        "page": page,
        "finished": match_cards.listed(page, user),
    }
    return render(request, "lobby/my_matches.html", context)


@compiled
def _match(key: str) -> QuerySet[Match]:
    return Match.objects.select_related("host").filter(key=key)


@compiled
def _seats_with_players(match_id: int) -> QuerySet[Seat]:
    return Seat.objects.select_related("player").filter(match=match_id)


def _find(key: str) -> Match:
    match = first(_match(key))
    if match is None:
        raise Http404(_("This match doesn't exist."))
    match.keep_seats(_seats_with_players(match.pk))
    return match


@never_cache
@require_safe
def match(request: HttpRequest, key: str) -> HttpResponse:
    """The waiting room of an open table, or the table of a running or finished match."""
    found = _find(key)
    if request.user.is_authenticated and not request.user.is_guest and request.session.get("land_at") == request.path:
        del request.session["land_at"]  # An invited person has signed up and arrives here.
    if found.status in (Match.Status.RUNNING, Match.Status.OVER):
        return match_page(request, found)
    item = match_cards.seen_by(found, _player(request))
    if item.mine is not None:
        service.attend(found)
    match_cards.say_reliability([item])
    context = {
        "match": found,
        "item": item,
        "levels": AiLevel.choices,
        "is_host": item.mine is not None and found.host_id == item.mine.player_id,
        "wants_ai": bool(request.GET.get("ai")),
        "ai_after": _ai_after(found),
        "link": request.build_absolute_uri(found.get_absolute_url()),
        "leaves": _leaves_at(found, _player(request)),
    }
    status = 410 if found.status == Match.Status.CANCELLED else 200
    return render(request, "lobby/waiting_room.html", context, status=status)


def _ai_after(match: Match) -> int:
    """Seconds until AI players take the free seats of a quick match; 0 when that time is over."""
    age = (timezone.now() - match.created_at).total_seconds()
    return max(0, round(finding.AI_AFTER - age))


def _leaves_at(match: Match, reader: User | None) -> list[dict[str, Any]]:
    """Booked leave of the players at an open table, in the reader's time zone, for anyone who may join."""
    if not is_by_hours(match.clock):
        return []
    people = [seat.player_id for seat in match.seats.all() if seat.player_id is not None]
    zone = calendars.own_zone(reader)
    return [
        {"user": leave.user, "begin": leave.starts_at.astimezone(zone), "end": leave.ends_at.astimezone(zone)}
        for leave in calendars.booked(people)
    ]


@never_cache
@require_safe
def match_state(request: HttpRequest, key: str) -> JsonResponse:
    """The whole table as JSON, like the socket's first message."""
    found = get_object_or_404(Match.objects.only("pk"), key=key)
    try:
        projected = projection.read(found.pk)
    except KeyError:
        raise Http404(_("This match hasn't begun.")) from None
    user = _player(request)
    return JsonResponse(projection.snapshot_message(projected, projected.table.seat_of(user.pk if user else None)))


Action = Callable[[HttpRequest, Match], Match | None]


def action(work: Action) -> Callable[[HttpRequest, str], HttpResponse]:
    """Handle a form of the table and redirect to the table, with the reason if it was refused."""

    @wraps(work)
    @require_POST
    def view(request: HttpRequest, key: str) -> HttpResponse:
        found = _find(key)
        wants_json = request.accepts("application/json") and not request.accepts("text/html")
        target = found
        try:
            target = work(request, found) or found
        except service.Refused as refusal:
            if wants_json:
                answer = {"t": "rejected", "code": refusal.code, "reason": str(refusal), "v": refusal.version}
                return JsonResponse(answer, status=409)
            messages.error(request, str(refusal))
        if wants_json:
            return JsonResponse({"t": "ok", "url": target.get_absolute_url(), "status": target.status})
        return redirect(target)

    return view


@action
def match_join(request: HttpRequest, found: Match) -> None:
    """Take a seat; without a login, as a guest."""
    service.join(found, ensure_player(request), number_in(request.POST.get("seat")))


@action
def match_leave(request: HttpRequest, found: Match) -> None:
    """Leave before the start."""
    service.leave(found, _seated(request))


@action
def match_seat_ai(request: HttpRequest, found: Match) -> None:
    """Give a free seat to an AI player, or free it again."""
    seat = number_in(request.POST.get("seat"))
    service.set_ai(found, _seated(request), -1 if seat is None else seat, request.POST.get("level", ""))


@action
def match_start(request: HttpRequest, found: Match) -> None:
    """Start the match; free seats get AI players of the level that was asked for."""
    level = request.POST.get("level", "")
    try:
        service.start(found, _seated(request), level)
    except service.Refused as refusal:
        # A player has joined in the last second, which is what the host was waiting for.
        if not level or refusal.code != "begun":
            raise


@action
def match_take(request: HttpRequest, found: Match) -> None:
    """Take over the seat of a player who has been away for a long time."""
    number = number_in(request.POST.get("seat"))
    service.take_seat(found, -1 if number is None else number, _seated(request))


@action
def match_resign(request: HttpRequest, found: Match) -> None:
    """Resign."""
    service.resign(found, _seated(request))


@action
def match_rematch(request: HttpRequest, found: Match) -> Match:
    """Ask the same players for a rematch."""
    limit_tables(request)
    player = _seated(request)
    again = service.rematch(found, player)
    # Each forgotten rematch is followed by another table with invitations of its own. Over the limit none are sent.
    if again.status == Match.Status.OPEN and consume(request, action="invite", key=f"user:{player.pk}"):
        invitations.invite(again, player, [seat.player for seat in found.seats.all() if seat.player])
    return again


@action
def match_move(request: HttpRequest, found: Match) -> None:
    """Make one move, for a table without JavaScript."""
    player = _seated(request)
    seat = next((seat.number for seat in found.seats.all() if seat.player_id == player.pk), None)
    if seat is None:
        raise service.Refused("not_seated", _("You have no seat here."))
    service.act(
        found.pk,
        seat,
        request.POST.get("move", ""),
        request_id=request.POST.get("id") or uuid4().hex,
        seen_version=number_in(request.POST.get("v")),
        player=player,
    )


def _seated(request: HttpRequest) -> User:
    """The logged-in user. Raises ``Refused`` if there is none."""
    if not request.user.is_authenticated:
        raise service.Refused("not_seated", _("Log in, or play as a guest."))
    return request.user


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store the theme: in a cookie for this browser, and for the logged-in user."""
    theme = request.POST.get("theme", "")
    response = redirect(links.next_page(request, "home"))
    if request.user.is_authenticated and theme in Preferences.Theme.values:
        Preferences.objects.update_or_create(user=request.user, defaults={"theme": theme})
    if theme in ("light", "dark"):
        response.set_cookie("theme", theme, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response
