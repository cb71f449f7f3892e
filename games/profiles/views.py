"""A person's page, and the list of friends."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_countries import countries

from accounts import names, presence, social
from accounts.models import User
from accounts.moderation.restrictions import restrictions_of
from accounts.people.models import Block, Friendship, Profile
from accounts.people.views import person_or_404
from games.profiles import figures
from games.table import match_cards

FINISHED_A_PAGE = 20


@never_cache
@require_safe
def player(request: HttpRequest, name_key: str) -> HttpResponse:
    """A player's page: their results, and their relation to the visitor."""
    person = person_or_404(name_key)
    if person.name_key != name_key:
        return redirect("player", person.name_key, permanent=False)
    viewer = request.user if request.user.is_authenticated else None
    profile = None if restrictions_of(person).is_hidden else Profile.objects.filter(user=person).first()
    page = Paginator(figures.finished(person, viewer), FINISHED_A_PAGE).get_page(request.GET.get("page"))
    is_me = viewer == person
    friendship = social.friendship(viewer, person) if viewer and not is_me else None
    is_friend = friendship is not None and friendship.accepted_at is not None
    context = {
        "person": person,
        "is_me": is_me,
        "profile": profile,
        "country": countries.name(profile.country) if profile else "",
        "results": figures.results(person),
        "running": match_cards.listed(figures.running(person, viewer)[: figures.RUNNING_SHOWN], viewer),
        "page": page,
        "finished": match_cards.listed(page, person),
        "friendship": friendship,
        "is_friend": is_friend,
        "asked_me": friendship is not None and not is_friend and friendship.other_id == (viewer and viewer.pk),
        "is_here": (is_friend or is_me) and bool(presence.here([person.pk])),
        "barrier": social.block_of(viewer, person) if viewer and not is_me else None,
        "against_me": figures.head_to_head(viewer, person) if viewer and not is_me else None,
    }
    return render(request, "people/player.html", context)


@never_cache
@login_required
@require_safe
def friends(request: HttpRequest) -> HttpResponse:
    """Friends, requests, blocked and muted people; ``?name=`` finds a player's page."""
    me = cast(User, request.user)
    sought = request.GET.get("name", "").strip()
    if sought and (found := User.objects.filter(name_key=names.key(sought), is_active=True).first()):
        return redirect("player", found.name_key)
    asked = Friendship.objects.filter(asker=me, accepted_at=None).select_related("other").order_by("-created_at")
    blocks = list(Block.objects.filter(owner=me).select_related("other").order_by("other__name_key"))
    context = {
        "sought": sought,
        "friends": figures.friends_of(me),
        "requests": social.requests_to(me),
        "asked": [each.other for each in asked],
        "blocked": [each.other for each in blocks if each.kind == Block.Kind.BLOCK],
        "muted": [each.other for each in blocks if each.kind == Block.Kind.MUTE],
    }
    return render(request, "people/friends.html", context)
