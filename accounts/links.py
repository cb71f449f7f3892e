"""URLs of pages: absolute ones for everything read outside the site, and the page that a form leads to."""

import re
from typing import Any

from django.conf import settings
from django.core import checks
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

#: A path must not follow: the site is at the root of its host.
_ORIGIN = re.compile(r"https?://[\w.-]+(:\d+)?|https?://\[[\da-f:]+\](:\d+)?", re.ASCII | re.IGNORECASE)


def absolute(path: str) -> str:
    """The absolute URL of a page: ``SITE_URL`` and its path, whichever host the visitor used.

    Raises ``ValueError`` for a path that isn't below the site's root, which could name another host.
    """
    if not path.startswith("/"):
        raise ValueError(f"not a path of this site: {path!r}")
    return f"{settings.SITE_URL}{path}"


def is_page(address: str) -> bool:
    """Whether a visitor may be redirected to ``address``: a path of this site, from its root.

    ``redirect`` takes anything else for the name of a view, and fails if there is none.
    """
    return address.startswith("/") and url_has_allowed_host_and_scheme(address, None)


def next_page(request: HttpRequest, default: str) -> str:
    """The page that a form leads to: its ``next`` if that is a page of the site, otherwise ``default``."""
    target = request.POST.get("next", "")
    return target if is_page(target) else default


@checks.register()
def check_site_url(**_kwargs: Any) -> list[checks.CheckMessage]:
    """Check that a published site has its own URL: emails are written without a request to take it from.

    ``serve`` logs what this finds, and ``manage.py check`` prints it.
    """
    hint = "For example: SITE_URL=https://play.example.org"
    found: list[checks.CheckMessage] = []
    if settings.SITE_URL_IS_GIVEN:
        if not _ORIGIN.fullmatch(settings.SITE_URL):
            message = f"SITE_URL must be a scheme and a host, with a port if need be: {settings.SITE_URL!r} is not."
            found.append(checks.Error(message, hint=hint, id="accounts.E001"))
    elif settings.PUBLISHED:
        message = f"SITE_URL is not set: links in mails begin with {settings.SITE_URL}, which is a guess."
        found.append(checks.Warning(message, hint=hint, id="accounts.W001"))
    return found
