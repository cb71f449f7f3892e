"""Offers to end a match without a result or to play it live for a while: forms, and the fragment."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.compiled import compiled
from accounts.models import User
from games.matches import service
from games.matches.end_offers import EndOffer
from games.matches.models import Match
from games.realtime import marks


def context_of(match: Match, user: User | None, offers: Iterable[EndOffer] | None = None) -> dict[str, Any]:
    """What the fragment shows ``user``: whether an offer can be made, current offers, and for players their mark.

    Offers that were read with the match are passed with it.
    """
    seats = list(match.seats.all())
    people = {seat.player_id: seat.name for seat in seats if seat.player_id is not None and not seat.ai_level}
    mine = user.pk if user is not None and user.pk in people else None
    can_offer = mine is not None and match.status == Match.Status.RUNNING and len(people) > 1
    if can_offer and offers is None:
        offers = _offers_at(match.pk)
    offered = [offer.player_id for offer in offers or () if offer.player_id in people] if can_offer else []
    shown = {
        "can_offer": can_offer,
        "has_offered": mine in offered,
        "offered": [people[pk] for pk in offered if pk != mine],
        "waits_for": [name for pk, name in people.items() if pk not in offered and pk != mine],
        **_live_context(match, mine),
    }
    return {"match": match, "mark": "" if mine is None else marks.of(shown), **shown}


@compiled
def _offers_at(match_id: int) -> QuerySet[EndOffer]:
    return EndOffer.objects.filter(match=match_id)


def _live_context(match: Match, mine: int | None) -> dict[str, Any]:
    """Whether the match is or could be played live, and which players want that."""
    people = [seat for seat in match.seats.all() if seat.player_id is not None and not seat.ai_level]
    own = next((seat for seat in people if seat.player_id == mine), None)
    may_offer = service.may_offer_live(match, own)
    others = [seat for seat in people if seat != own]
    return {
        "is_live": may_offer and match.is_played_live,
        "may_offer_live": may_offer,
        "has_offered_live": own is not None and service.has_offered_live(own),
        "live_offered": [seat.name for seat in others if service.has_offered_live(seat)],
        "live_waits_for": [seat.name for seat in others if not service.has_offered_live(seat)],
    }


@require_POST
def play_live(request: HttpRequest, key: str) -> HttpResponse:
    """``answer`` yes offers or accepts live play; no declines it or returns to turn-based play."""
    match = get_object_or_404(Match.objects.defer("snapshot"), key=key)
    try:
        if not request.user.is_authenticated:
            raise service.Refused("not_seated", _("You have no seat here."))
        if request.POST.get("answer") == "yes":
            service.offer_live(match, request.user.pk)
        else:
            service.end_live(match, request.user.pk)
    except service.Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(match)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ending(request: HttpRequest, key: str) -> HttpResponse:
    """GET: the fragment. POST: ``answer`` yes offers or accepts an end; no clears all offers."""
    match = get_object_or_404(Match.objects.defer("snapshot").prefetch_related("seats"), key=key)
    user = request.user if request.user.is_authenticated else None
    if request.method == "POST":
        try:
            if user is None:
                raise service.Refused("not_seated", _("You have no seat here."))
            if request.POST.get("answer") == "yes":
                service.offer_end(match, user)
            else:
                service.refuse_end(match, user)
        except service.Refused as refusal:
            messages.error(request, str(refusal))
        return redirect(match)
    return render(request, "lobby/ending.html", context_of(match, user))
