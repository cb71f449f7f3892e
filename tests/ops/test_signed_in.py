"""Whom a socket belongs to: the person logged in with its browser's session, as for pages."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User
from armani_site.asgi_middleware import SignedIn
from tests.factories.clients import QuickClient

pytestmark = pytest.mark.django_db(transaction=True)


def cookie_of(user: User) -> str:
    client = QuickClient()
    client.force_login(user)
    return str(client.session.session_key)


def close(user: User, _key: str) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: User, _key: str) -> None:
    user.set_password("another long password")
    user.save()


def expire(_user: User, key: str) -> None:
    Session.objects.filter(pk=key).update(expire_date=timezone.now() - timedelta(seconds=1))


def end(_user: User, key: str) -> None:
    Session.objects.filter(pk=key).delete()


def log_in_otherwise(_user: User, key: str) -> None:
    session = Session.objects.get(pk=key)
    data = session.get_decoded() | {BACKEND_SESSION_KEY: "a.former.Backend"}
    Session.objects.filter(pk=key).update(session_data=Session.objects.encode(data))


def scopes_for(keys: list[str]) -> list[dict[str, Any]]:
    """The scopes of sockets that browsers with these sessions open at the same time."""
    found: dict[str, dict[str, Any]] = {}

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        found[scope["asked"]] = scope

    async def go() -> None:
        signed_in = SignedIn(application)
        name = settings.SESSION_COOKIE_NAME
        headers = {
            key: [(b"cookie", f"theme=dark; {settings.LANGUAGE_COOKIE_NAME}=de; {name}={key}".encode())] if key else []
            for key in keys
        }
        scopes = [{"type": "websocket", "headers": headers[key], "asked": key} for key in keys]
        await asyncio.gather(*(signed_in(scope, None, None) for scope in scopes))

    async_to_sync(go)()
    return [found[key] for key in keys]


def test_each_socket_gets_the_person_of_its_own_session(ada: User, ben: User) -> None:
    keys = [cookie_of(ada), cookie_of(ben), cookie_of(ada)]
    scopes = scopes_for(keys)
    assert [scope["user"] for scope in scopes] == [ada, ben, ada]
    assert [scope["session"].session_key for scope in scopes] == keys
    assert all(scope["cookies"] == {settings.LANGUAGE_COOKIE_NAME: "de"} for scope in scopes)


@pytest.mark.parametrize("trouble", [close, change_password, expire, end, log_in_otherwise])
def test_a_session_that_pages_would_not_accept_is_no_one_on_a_socket(
    ada: User, ben: User, trouble: Callable[[User, str], None]
) -> None:
    key, other = cookie_of(ada), cookie_of(ben)
    trouble(ada, key)
    scopes = scopes_for([key, other])
    assert [scope["user"].is_authenticated for scope in scopes] == [False, True]
    assert scopes[0]["session"] is None


def test_without_a_session_or_with_a_made_up_one_a_socket_is_a_visitors(ada: User) -> None:
    key = cookie_of(ada)
    made_up = scopes_for(["", "made-up", "0" * 32, "0" * 5000, "a\0b", key])
    assert [scope["user"].is_authenticated for scope in made_up] == [False] * 5 + [True]
