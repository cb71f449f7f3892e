"""Pages of a finished match: its replay, and playing on from one of its positions."""

from itertools import islice
from typing import Any

from django.contrib import messages
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from accounts.guests import ensure_player
from games.engine.numbers import number_in
from games.matches import service
from games.matches.models import AiLevel, Match
from games.replays.check import moves_with_chances
from games.replays.positions import CHUNK, Moment, Viewpoint, moments, story
from games.replays.social_card import picture
from games.table.labels import script_words
from games.table.opening import limit_tables, single_submit
from games.table.page import layout_of, plain_zones

#: Seconds for which a match's picture is cached, while it runs and when it is over.
PICTURE_KEPT, PICTURE_KEPT_OVER = 300, 24 * 3600

#: A finished match never changes, except for renamed players.
_KEPT = cache_control(private=True, max_age=600)


def find_finished(key: str) -> Match:
    """The finished match with this key. Raises ``Http404`` if there is none: a running match has no replay."""
    matches = Match.objects.defer("snapshot").prefetch_related("seats__player")
    return get_object_or_404(matches, key=key, status=Match.Status.OVER)


def number_of(request: HttpRequest, name: str, default: int, most: int) -> int:
    """A number from the URL between 0 and ``most``; ``default`` if it is missing."""
    number = number_in(request.GET.get(name))
    return default if number is None else min(number, most)


def _viewpoint_of(request: HttpRequest, match: Match) -> Viewpoint:
    """The requested viewpoint: by default the user's own seat, or all hands for others."""
    mine = next((seat.number for seat in match.seats.all() if _is_mine(request, seat.player_id)), None)
    asked = request.GET.get("seat") or ("all" if mine is None else str(mine))
    try:
        return Viewpoint.of(asked, match.seat_count)
    except ValueError:
        raise Http404(_("There's no such seat.")) from None


def _is_mine(request: HttpRequest, player_id: int | None) -> bool:
    return request.user.is_authenticated and request.user.pk == player_id


@require_safe
def replay(request: HttpRequest, key: str) -> HttpResponse:
    """One position of a finished match, with links to the others; JavaScript animates it."""
    running = Match.objects.filter(key=key).exclude(status=Match.Status.OVER).first()
    if running is not None:
        messages.info(request, _("You can replay a match once it's over."))
        return redirect(running)
    match = find_finished(key)
    eyes = _viewpoint_of(request, match)
    version = number_of(request, "v", 0, match.version)
    moment = next(moments(match, version))
    snapshot = _snapshot(match, moment, eyes)
    context = {
        "match": match,
        "seats": match.seats.all(),
        "eyes": eyes,
        "moment": moment,
        "sentences": moment.sentences(eyes),
        "snapshot": snapshot,
        "words": script_words(match.slug),
        **layout_of(match.slug),
        "plain_zones": plain_zones(snapshot["view"], moment.table.names),
        "before": max(0, version - 1),
        "after": min(match.version, version + 1),
        "levels": AiLevel.choices,
    }
    return render(request, "replays/replay.html", context)


def _snapshot(match: Match, moment: Moment, eyes: Viewpoint) -> dict[str, Any]:
    """The initial data of the page's scripts: the position, and the players."""
    return {
        **moment.to_json(eyes),
        "t": "snapshot",
        "you": eyes.seat,
        "status": match.status,
        "last": match.version,
        "outcome": match.outcome,
        "players": [
            {
                "seat": sitter.seat,
                "name": sitter.name,
                "kind": "ai" if sitter.is_ai else "person",
                "level": sitter.ai_level or None,
                "resigned": sitter.has_resigned,
                "online": True,
            }
            for sitter in moment.table.sitters
        ],
    }


@_KEPT
@gzip_page
@require_safe
def moments_data(request: HttpRequest, key: str) -> HttpResponseBase:
    """Positions of a finished match from version ``from`` on, from the requested viewpoint."""
    match = find_finished(key)
    eyes = _viewpoint_of(request, match)
    first = number_of(request, "from", 0, match.version)
    return JsonResponse({"moments": [moment.to_json(eyes) for moment in islice(moments(match, first), CHUNK)]})


@_KEPT
@gzip_page
@require_safe
def story_data(request: HttpRequest, key: str) -> HttpResponseBase:
    """All sentences of a finished match, from the requested viewpoint."""
    match = find_finished(key)
    return JsonResponse({"lines": story(match, _viewpoint_of(request, match))})


@require_safe
def check(request: HttpRequest, key: str) -> HttpResponse:
    """The seed and hash of a finished match, and a program that replays the deal in the reader's browser."""
    match = find_finished(key)
    data = {
        "slug": match.slug,
        "seats": match.seat_count,
        "options": match.options,
        "seed": match.seed,
        "hash": match.seed_hash,
        "last": match.version,
    }
    return render(request, "replays/check.html", {"match": match, "data": data})


@require_safe
def match_picture(request: HttpRequest, key: str) -> HttpResponse:
    """The preview picture of the match's link: public cards, redrawn at most every few minutes."""
    matches = Match.objects.defer("snapshot").prefetch_related("seats")
    match = get_object_or_404(matches, key=key, started_at__isnull=False)
    is_over = match.status == Match.Status.OVER
    name = f"picture:{match.pk}:{match.status}:{match.seating_epoch}:{get_language()}"
    png = cache.get(name)
    if png is None:
        png = picture(match, service.load(match.pk))
        cache.set(name, png, PICTURE_KEPT_OVER if is_over else PICTURE_KEPT)
    response = HttpResponse(png, content_type="image/png")
    patch_cache_control(response, public=True, max_age=PICTURE_KEPT)
    return response


@_KEPT
@gzip_page
@require_safe
def check_moves(request: HttpRequest, key: str) -> HttpResponseBase:
    """All moves of a finished match, with the number of chances each used."""
    return JsonResponse({"moves": list(moves_with_chances(find_finished(key)))})


@require_POST
@single_submit
def play_on(request: HttpRequest, key: str) -> HttpResponse:
    """Start a match against AI players at a position of a finished one."""
    match = find_finished(key)
    limit_tables(request)
    try:
        begun = service.play_on(
            match,
            ensure_player(request),
            version=_posted(request, "v"),
            seat=_posted(request, "seat"),
            level=request.POST.get("level", ""),
        )
    except service.Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("replay", key=key)
    return redirect(begun)


def _posted(request: HttpRequest, name: str) -> int:
    """A number from a form; -1, which is never valid, if it is missing."""
    number = number_in(request.POST.get(name))
    return -1 if number is None else number
