"""The preferences of the visitor who requested a page."""

from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.compiled import compiled, first
from accounts.models import User
from accounts.people.models import Preferences


@compiled
def _stored(user_id: int) -> QuerySet[Preferences]:
    return Preferences.objects.filter(user=user_id)


def of_user(user: User) -> Preferences:
    """The preferences of ``user``: the stored ones, or unsaved defaults."""
    return first(_stored(user.pk)) or Preferences(user=user)


def of_request(request: HttpRequest) -> Preferences:
    """The preferences of the logged-in user, read once per request; the defaults for visitors.

    A brightness chosen in this browser's footer overrides the stored one.
    """
    known: Preferences | None = getattr(request, "_preferences", None)
    if known is None:
        user = getattr(request, "user", None)
        known = of_user(user) if user is not None and user.is_authenticated else Preferences()
        theme = request.COOKIES.get("theme", "")
        if theme in (Preferences.Theme.LIGHT, Preferences.Theme.DARK):
            known.theme = theme
        request._preferences = known  # type: ignore[attr-defined]  # kept for this request
    return known
