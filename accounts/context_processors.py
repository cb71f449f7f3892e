"""What templates know beside the user."""

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse


def mailbox(request: HttpRequest) -> dict[str, str | None]:
    """``mailbox_url``: where mails are read on a site for trying out, else nothing."""
    return {"mailbox_url": reverse("mailbox") if settings.DEV_TOOLS else None}
