"""The browsers in which a user is logged in: list them, end them, and email the user when a new one logs in.

allauth keeps a row for each session with IP address and browser. A cookie that outlives the session tells whether a
browser is new: a signed list of the accounts that have logged in there. The site stores none of it.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, cast

from allauth.account.adapter import get_adapter
from allauth.account.signals import user_logged_in
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.decorators import login_required
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts import confirmation
from accounts.models import User
from accounts.playing_times.calendars import own_zone
from accounts.session_store import SessionStore
from accounts.signals import session_ended

COOKIE = f"{settings.COOKIE_PREFIX}accounts_here"
COOKIE_AGE = 2 * 365 * 24 * 3600
#: How many accounts of one browser are remembered; the latest ones.
REMEMBERED = 8
_SALT = "accounts.browsers"
_BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/"),
    ("Opera", r"OPR/"),
    ("Samsung Internet", r"SamsungBrowser/"),
    ("Firefox", r"(?:Firefox|FxiOS)/"),
    ("Chrome", r"(?:Chrome|CriOS)/"),
    ("Safari", r"Version/[\d.]+.*Safari/"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("ChromeOS", "CrOS"),
    ("Windows", "Windows"),
    ("macOS", "Mac OS X|Macintosh"),
    ("Linux", "Linux|X11"),
)


def describe(user_agent: str) -> str:
    """Browser and system in familiar words, as far as the browser tells."""
    browser = next((name for name, pattern in _BROWSERS if re.search(pattern, user_agent)), "")
    system = next((name for name, pattern in _SYSTEMS if re.search(pattern, user_agent)), "")
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("Unknown browser")


@receiver(user_logged_in, dispatch_uid="accounts.sessions")
def note_log_in(*, request: HttpRequest, user: User, response: HttpResponse | None = None, **_kwargs: Any) -> None:
    """Email the user about a login from a new browser, and remember that browser."""
    known = known_to(request)
    awaited = confirmation.awaited_address(request)
    has_just_signed_up = awaited is not None and awaited[0] == user.pk
    if user.pk not in known and not has_just_signed_up:
        browser = describe(request.META.get("HTTP_USER_AGENT", ""))
        get_adapter().send_notification_mail("account/email/new_browser", user, {"browser": browser})
    if response is not None:
        known = [*(pk for pk in known if pk != user.pk), user.pk][-REMEMBERED:]
        response.set_cookie(
            COOKIE,
            signing.dumps(known, salt=_SALT),
            max_age=COOKIE_AGE,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def known_to(request: HttpRequest) -> list[int]:
    """The accounts that have logged in with this browser."""
    try:
        return list(signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=COOKIE_AGE))
    except signing.BadSignature:
        return []


def current_sessions() -> QuerySet[UserSession]:
    """The sessions that still exist."""
    return UserSession.objects.filter(session_key__in=Session.objects.values("session_key"))


def delete_expired() -> None:
    """Delete addresses and browsers of sessions that have ended."""
    UserSession.objects.exclude(pk__in=current_sessions().values("pk")).delete()


def end(sessions: QuerySet[UserSession]) -> int:
    """End sessions and close their open tables; returns how many."""
    ended = list(sessions)
    with transaction.atomic():
        Session.objects.filter(session_key__in=[session.session_key for session in ended]).delete()
        UserSession.objects.filter(pk__in=[session.pk for session in ended]).delete()
    for session in ended:
        session_ended.send(None, user_id=session.user_id, session_key=session.session_key)
    return len(ended)


@never_cache
@login_required
@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    """The page of the user's sessions."""
    me = cast(User, request.user)
    mine = current_sessions().filter(user=me).order_by("-created_at")
    here = request.session.session_key
    rows = [(each, describe(each.user_agent), each.session_key == here) for each in mine]
    rows.sort(key=lambda row: not row[2])
    with timezone.override(own_zone(me)):
        return render(request, "account/sessions.html", {"sessions": rows})


@login_required
@require_POST
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    """Log out one other browser."""
    mine = UserSession.objects.filter(user=cast(User, request.user)).exclude(session_key=request.session.session_key)
    session = get_object_or_404(mine, pk=pk)
    end(mine.filter(pk=session.pk))
    messages.success(request, _("That browser is logged out."))
    return redirect("account_sessions")


@login_required
@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    """Log out every other browser."""
    mine = UserSession.objects.filter(user=cast(User, request.user)).exclude(session_key=request.session.session_key)
    end(mine)
    messages.success(request, _("You're now logged in here only."))
    return redirect("account_sessions")


def signed_in(session_keys: Collection[str]) -> dict[str, User]:
    """Who is logged in with each of these sessions, in two statements.

    Sessions that don't exist, or were ended by a new password or a closed account, have no one.
    """
    stored = Session.objects.filter(session_key__in=session_keys, expire_date__gt=timezone.now())
    decode = SessionStore().decode
    sessions = {key: decode(data) for key, data in stored.values_list("session_key", "session_data")}
    ids = {key: int(data[SESSION_KEY]) for key, data in sessions.items() if SESSION_KEY in data}
    users = {user.pk: user for user in User.objects.filter(pk__in=set(ids.values()), is_active=True)}
    people = ((key, data, users.get(ids.get(key, 0))) for key, data in sessions.items())
    return {key: user for key, data, user in people if user is not None and _is_of(data, user)}


def _is_of(session: Mapping[str, Any], user: User) -> bool:
    if session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return False
    kept = session.get(HASH_SESSION_KEY, "")
    # Accept a former key as well; the browser's next page replaces the hash.
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(kept, each) for each in hashes)


def is_signed_in(session: SessionBase | None, user_id: int | None) -> bool:
    """Whether the session still exists and wasn't ended by a new password or a closed account."""
    if session is None or user_id is None:
        return True
    key = session.session_key or ""
    user = signed_in([key]).get(key)
    return user is not None and user.pk == user_id
