"""Every URL of the site, with values for its parameters."""

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

import pytest
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

from accounts.models import User

#: Addresses written as regular expressions.
SAMPLES = {
    "app_list": "admin/accounts/",
    "account_confirm_email": "accounts/confirm-email/x/",
    "account_reset_password_from_key": "accounts/password/reset/key/1-x/",
    "player_action": "player/x/block/",
}


class Address(NamedTuple):
    """A name and a path that leads to its view."""

    name: str
    path: str


#: Health checks, which answer whatever is sent, and close the database connections.
HEALTH = {"healthz", "readyz"}


def addresses(*, with_admin: bool = False) -> list[Address]:
    """All URLs, the admin site's on request."""
    found = {address.path: address for address in _walk(get_resolver().url_patterns, "", with_admin)}
    return sorted(address for address in found.values() if address.name not in HEALTH)


def refuse_plainly(patch: pytest.MonkeyPatch) -> None:
    """Answer refusals with only a status: most responses are refusals, and few tests need their content."""
    for status in (400, 403, 404):
        patch.setattr(f"django.conf.urls.handler{status}", partial(_refuse, status))
    patch.setattr("armani_site.urls.handler429", partial(_refuse, 429), raising=False)
    patch.setattr(settings, "CSRF_FAILURE_VIEW", partial(_refuse, 403))


def _refuse(status: int, _request: HttpRequest, exception: object = None, reason: str = "") -> HttpResponse:
    return HttpResponse(status=status)


def stay_logged_in(browser: Client, person: User) -> None:
    """Log in again after a URL that logs this person out."""
    if browser.session.get(SESSION_KEY) != str(person.pk):
        browser.force_login(person)


def bare(answer: HttpResponse) -> str:
    """A page without its URL and everything that changes each time."""
    page, path = answer.content.decode(), answer.wsgi_request.path
    for each in (path, quote(path, safe="")):
        page = page.replace(each, "")
    return re.sub(r'nonce="[^"]*"|name="csrfmiddlewaretoken" value="\w+"', "", page)


def _walk(patterns: list[URLPattern | URLResolver], before: str, with_admin: bool) -> Iterator[Address]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if with_admin or pattern.app_name != "admin":
                yield from _walk(pattern.url_patterns, before + _filled(str(pattern.pattern)), with_admin)
        elif isinstance(pattern.pattern, RegexPattern):
            if pattern.name is None:  # the admin site's redirect for unknown rows
                continue
            if pattern.name in SAMPLES:
                yield Address(pattern.name, "/" + SAMPLES[pattern.name])
            else:
                raise AssertionError(f"give a sample for {pattern.name}")
        else:
            yield Address(pattern.name or "", "/" + before + _filled(str(pattern.pattern)))


def _filled(route: str) -> str:
    return re.sub(r"<(?:(\w+):)?\w+>", lambda part: "1" if part[1] == "int" else "x", route)
