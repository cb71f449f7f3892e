"""Template variables besides the user."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from accounts.people.preferences import of_request


def mailbox(request: HttpRequest) -> dict[str, str | None]:
    """``mailbox_url``: where emails are read on a site for trying out, else nothing."""
    return {"mailbox_url": reverse("mailbox") if settings.MAILBOX else None}


def preferences(request: HttpRequest) -> dict[str, Any]:
    """``preferences``: how the visitor likes the site; read when a template first asks."""
    return {"preferences": SimpleLazyObject(lambda: of_request(request))}
