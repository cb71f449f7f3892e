"""The page on which a player watches the cards of a slap point: the table, with a socket of its own."""

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.matches import service
from games.matches.models import Match
from games.table import slap_view
from games.table.page import others_at, page_context, wake


@never_cache
@require_safe
def watch(request: HttpRequest, key: str) -> HttpResponse:
    """Show what this player has seen of the slap point, and start with the next card."""
    match = get_object_or_404(Match.objects.prefetch_related("seats__player"), key=key)
    if not request.user.is_authenticated:
        # Emails link here; without a login the visitor can't be the player, and is sent to the table as a spectator.
        return redirect_to_login(request.get_full_path())
    user_id = request.user.pk
    wake(match, user_id)
    try:
        scene = slap_view.load(match.pk, user_id)
    except KeyError:
        raise Http404 from None
    if not scene.projected.table.by_mail or match.status != Match.Status.RUNNING:
        return redirect(match)
    if scene.seat is not None:
        service.looked(match.pk, request.user, scene.begin_version)
    context = page_context(scene.projected, scene.seat, scene.snapshot())
    context["others"] = others_at(match, user_id)
    context |= {
        "socket": f"/ws/match/{match.key}/watch/",
        "is_watching": True,
        "is_my_turn": False,
        "looked": None,
        "plain_moves": [],
    }
    return render(request, "games/table.html", context)


urlpatterns = [path("watch/", watch, name="watch")]
