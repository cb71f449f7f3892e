"""The page to watch the cards of a slap point: the table, with a socket of its own."""

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
    """What this player has been shown of the cards, and the way to the next one."""
    match = get_object_or_404(Match.objects.prefetch_related("seats__player"), key=key)
    if not request.user.is_authenticated:
        # An email's link leads here, and only who logs in can be the player; others look on at the table.
        return redirect_to_login(request.get_full_path())
    user_id = request.user.pk
    wake(match, user_id)
    try:
        scene = slap_view.load(match.pk, user_id)
    except KeyError:
        raise Http404 from None
    if not scene.reading.table.by_mail or match.status != Match.Status.RUNNING:
        return redirect(match)
    if scene.seat is not None:
        service.looked(match.pk, request.user, scene.begin_version)
    context = page_context(scene.reading, scene.seat, scene.snapshot())
    context["others"] = others_at(match, user_id)
    context |= {"socket": f"/ws/match/{match.key}/watch/", "is_watching": True, "looked": None, "plain_moves": []}
    return render(request, "games/table.html", context)


urlpatterns = [path("watch/", watch, name="watch")]
