"""The page to report a move of an AI player; the table's log links to it, too."""

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume, respond_429
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from games.ai_reports import reports
from games.matches import service
from games.matches.models import Match


def _find(key: str) -> Match:
    return get_object_or_404(Match.objects.defer("snapshot").prefetch_related("seats"), key=key)


def _seated(request: HttpRequest) -> User:
    if not request.user.is_authenticated:
        raise service.Refused("not_seated", _("Log in, or play as a guest."))
    return request.user


@never_cache
@require_safe
def moves(request: HttpRequest, key: str) -> HttpResponse:
    """List the latest moves of AI players at the user's table, each with a button to report it."""
    match = _find(key)
    if match.status not in (Match.Status.RUNNING, Match.Status.OVER):
        return redirect(match)
    try:
        offered = reports.reportable(match, _seated(request))
    except service.Refused as refusal:
        messages.error(request, str(refusal))
        return redirect(match)
    return render(request, "ai_reports/moves.html", {"match": match, "moves": offered})


@require_POST
def report(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Store one move as a case. A script gets JSON; a form redirects to the list."""
    match = _find(key)
    wants_json = request.accepts("application/json") and not request.accepts("text/html")
    try:
        player = _seated(request)
        if not consume(request, action="report_ai_move", user=player):
            raise ImmediateHttpResponse(respond_429(request))
        reports.report(match, number, player, request.POST.get("note", ""))
    except service.Refused as refusal:
        if wants_json:
            return JsonResponse({"t": "rejected", "code": refusal.code, "reason": str(refusal)}, status=409)
        messages.error(request, str(refusal))
    else:
        thanks = _("Thank you! We keep the move and its position, so AI players can learn from it.")
        if wants_json:
            return JsonResponse({"t": "ok", "text": thanks})
        messages.success(request, thanks)
    return redirect("ai_moves", key=key)
