"""Show a lesson's match to its player alone, on every page."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.compiled import compiled
from games.matches.models import Match


@compiled
def _pupil(key: str) -> QuerySet[Match, int | None]:
    return Match.objects.filter(key=key, lesson__isnull=False).values_list("host_id", flat=True)


class LessonMiddleware:
    """Answer 404 for other people's lessons, at every URL below ``match/<key>/``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on: the check is made once the view is known."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, kwargs: dict[str, Any]) -> None:
        """Raise ``Http404`` for another player's lesson."""
        route = request.resolver_match.route if request.resolver_match else ""
        if not route.startswith("match/<slug:key>/"):
            return
        if any(host not in (None, request.user.pk) for host in _pupil(kwargs["key"])):
            raise Http404(_("This match doesn't exist."))
