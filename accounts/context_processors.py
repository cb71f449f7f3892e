"""Template variables beside the user."""

from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from accounts.people.preferences import of_request


def mailbox(request: HttpRequest) -> dict[str, str | None]:
    """``mailbox_url``: where a trial site shows its emails; otherwise nothing."""
    return {"mailbox_url": reverse("mailbox") if settings.MAILBOX else None}


def user(request: HttpRequest) -> dict[str, Any]:
    """``user``: itself instead of Django's stand-in, if the view has looked at it; each use of that takes six calls."""
    known = getattr(request, "_cached_user", None)
    # A view that logs in or out puts someone else in its place.
    return {"user": known} if known is not None and request.user == known else {}


def preferences(request: HttpRequest) -> dict[str, Any]:
    """``preferences``: the visitor's preferences, read when a template first calls for them."""
    return {"preferences": cache(lambda: of_request(request))}
