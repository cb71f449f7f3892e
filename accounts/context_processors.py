"""Template variables beside the user."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from accounts.people.preferences import of_request


def mailbox(request: HttpRequest) -> dict[str, str | None]:
    """``mailbox_url``: where a trial site shows its emails; otherwise nothing."""
    return {"mailbox_url": reverse("mailbox") if settings.MAILBOX else None}


def preferences(request: HttpRequest) -> dict[str, Any]:
    """``preferences``: the visitor's preferences, read when a template first uses them."""
    return {"preferences": SimpleLazyObject(lambda: of_request(request))}
