"""The user in templates is the request's user at the time when the page is rendered."""

import pytest
from django.contrib.auth import login, logout
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.template import engines
from django.test import RequestFactory

from accounts.context_processors import user
from accounts.models import User
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db

BACKEND = "django.contrib.auth.backends.ModelBackend"


def requested(rf: RequestFactory, session: str | None = None) -> HttpRequest:
    """A request of that session, by which no view has looked at the user yet."""
    request = rf.get("/")
    request.session = SessionStore(session)
    AuthenticationMiddleware(lambda _request: None)(request)
    return request


@pytest.fixture
def of_ada(rf: RequestFactory, client: QuickClient, ada: User) -> HttpRequest:
    client.force_login(ada)
    return requested(rf, client.cookies["sessionid"].value)


def shown(request: HttpRequest) -> str:
    """The name on a page; templates ask for it first."""
    page = engines["django"].from_string("{% if user.is_authenticated %}{{ user.name }}{% else %}a visitor{% endif %}")
    return page.render({}, request)


def test_a_view_that_has_looked_at_the_user_hands_over_the_user_itself(of_ada: HttpRequest, ada: User) -> None:
    assert user(of_ada) == {}, "no view has looked yet, and the variable costs no query"
    assert shown(of_ada) == "Ada"
    assert of_ada.user.pk == ada.pk
    assert type(user(of_ada)["user"]) is User
    assert shown(of_ada) == "Ada"


def test_after_a_log_out_the_page_is_a_visitors(of_ada: HttpRequest) -> None:
    assert shown(of_ada) == "Ada"
    logout(of_ada)
    assert shown(of_ada) == "a visitor"


def test_after_a_log_in_the_page_is_that_persons(rf: RequestFactory, ben: User) -> None:
    request = requested(rf)
    assert shown(request) == "a visitor"
    login(request, ben, backend=BACKEND)
    assert shown(request) == "Ben"


def test_a_page_without_a_user_has_none() -> None:
    assert user(HttpRequest()) == {}
