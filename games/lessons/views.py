"""The list of lessons, and a lesson's actions besides moves: start, step back, skip, restart."""

from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.guests import ensure_player
from games import engine, rules
from games.lessons import progress
from games.matches import service
from games.matches.models import Match
from games.table.opening import limit_tables, single_submit


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@single_submit
def learn(request: HttpRequest) -> HttpResponse:
    """List all games and lessons with progress; the form starts the next lesson of a ``game``."""
    if request.method == "POST":
        return _begin_next(request, request.POST.get("game", ""))
    user = request.user if request.user.is_authenticated else None
    return render(request, "lessons/learn.html", {"games": progress.overview(user)})


@require_POST
@single_submit
def learn_game(request: HttpRequest, slug: str) -> HttpResponse:
    """Start the first lesson of a game that is not done."""
    return _begin_next(request, slug)


def _begin_next(request: HttpRequest, slug: str) -> HttpResponse:
    user = request.user if request.user.is_authenticated else None
    found = next((game.next for game in progress.overview(user) if game.rules.slug == slug), None)
    if found is None:
        raise Http404(_("This lesson doesn't exist."))
    return _begin(request, found)


@require_POST
@single_submit
def begin(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Start a lesson or continue it; ``again`` restarts it."""
    try:
        lesson = rules.lessons(slug)[name]
    except KeyError:
        raise Http404(_("This lesson doesn't exist.")) from None
    return _begin(request, lesson, again="again" in request.POST)


def _begin(request: HttpRequest, lesson: engine.Lesson, *, again: bool = False) -> HttpResponse:
    """Start a lesson's match, or continue it as ``parent`` after some moves."""
    limit_tables(request)
    player = ensure_player(request)
    try:
        match = None if again else progress.begun_match(player, lesson)
        return redirect(match or service.begin_lesson(player, lesson))
    except service.Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("learn")


@require_POST
@single_submit
def step(request: HttpRequest, key: str) -> HttpResponse:
    """Go one step back, or make the move that the current step asks for."""
    if not request.user.is_authenticated:
        raise Http404(_("This match doesn't exist."))
    match = get_object_or_404(Match.objects.defer("snapshot"), key=key, lesson__isnull=False, host=request.user)
    try:
        lesson = rules.lesson(match.lesson_key)
    except KeyError:
        return redirect("learn")
    entry = lesson.at(match.version)
    try:
        if request.POST.get("do") == "back":
            done = [version for version in lesson.versions if version < match.version]
            match = service.begin_lesson(request.user, lesson, match, done[-1] if done else 0)
        elif isinstance(entry, engine.Step):
            service.act(match.pk, 0, entry.move, request_id=uuid4().hex, player=request.user)
    except service.Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(match)
