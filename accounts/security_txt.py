"""How to report a vulnerability, at the address of RFC 9116."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.links import absolute

#: How long the file is valid.
HOLDS = timedelta(days=180)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """The file, or 404 on a site without a security contact."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    lines = (
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {timezone.now() + HOLDS:%Y-%m-%dT00:00:00Z}",
        "Preferred-Languages: en, de",
        f"Canonical: {absolute(request.path)}",
    )
    return HttpResponse("\n".join((*lines, "")), content_type="text/plain; charset=utf-8")
