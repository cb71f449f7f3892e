"""The chat form, and the messages as a fragment of the page."""

from allauth.core.ratelimit import consume
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.chat import lines
from games.matches.models import Match


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def talk(request: HttpRequest, key: str) -> HttpResponse:
    """GET: the messages the visitor may read, as a list. POST: send a ``phrase`` or a ``text``."""
    match = get_object_or_404(Match.objects.defer("snapshot").prefetch_related("seats"), key=key)
    user = request.user if request.user.is_authenticated else None
    if request.method != "POST":
        shown = lines.visible(match, user, lines.chat_filter_of(user.pk if user else None))
        return render(request, "chat/lines.html", {"lines": shown, "match": match})
    wants_json = request.accepts("application/json") and not request.accepts("text/html")
    try:
        if user is None:
            raise lines.MessageRefused(lines.refusal_for(match, None))
        if not consume(request, action="talk", key=f"user:{user.pk}"):
            raise lines.MessageRefused(_("Slow down a little. The others want to chat, too."))
        lines.say(match, user, phrase=request.POST.get("phrase", ""), text=request.POST.get("text", ""))
    except lines.MessageRefused as reason:
        if wants_json:
            return JsonResponse({"reason": str(reason)}, status=409)
        messages.error(request, str(reason))
    if wants_json:
        return HttpResponse(status=204)
    return redirect(match.get_absolute_url() + "#table-talk")
