"""Log security events, one line each: logins, failed logins, changes, refused requests.

A line identifies people by the id of their row, never by address or name, and contains nothing that was typed.
"""

import logging
from collections.abc import Callable
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from django.contrib.auth import signals as auth
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from accounts.models import User

log = logging.getLogger("armani.security")

#: Signals that are logged as they are, with the text of the line.
_TOLD = {
    "logged in": auth.user_logged_in,
    "logged out": auth.user_logged_out,
    "password changed": account.password_changed,
    "password chosen": account.password_set,
    "password chosen by email": account.password_reset,
    "address changed": account.email_changed,
    "address confirmed": account.email_confirmed,
    "second factor shown": mfa.authenticator_used,
    "second factor failed": mfa.authentication_failed,
    "second factor added": mfa.authenticator_added,
    "second factor removed": mfa.authenticator_removed,
    "recovery codes renewed": mfa.authenticator_reset,
}


def note(words: str, request: HttpRequest | None, person_id: int | None, **more: Any) -> None:
    """Write a log line."""
    client = request.META.get("REMOTE_ADDR", "") if request is not None else ""
    log.info(words, extra={"person": person_id or "", "client": client, **more})


def _logs(words: str) -> Callable[..., None]:
    def log_event(
        *, request: HttpRequest | None = None, user: User | None = None, email_address: Any = None, **_signal: Any
    ) -> None:
        person = user or (email_address.user if email_address is not None else None)
        note(words, request, person.pk if person is not None else None)

    return log_event


for _words, _signal in _TOLD.items():
    _signal.connect(_logs(_words), weak=False, dispatch_uid=f"accounts.security_log.{_words}")


@receiver(auth.user_login_failed, dispatch_uid="accounts.security_log.failed")
def _failed(*, credentials: dict[str, Any], request: HttpRequest | None = None, **_signal: Any) -> None:
    """Log a wrong password, and the account that it was tried on, if that exists."""
    address = str(credentials.get("email") or credentials.get("username") or "").lower()
    note("log-in failed", request, User.objects.filter(email=address).values_list("pk", flat=True).first())


def middleware(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Log a request that was refused for lack of permission."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        user = getattr(request, "_cached_user", None)
        if response.status_code == 403 and user is not None and user.is_authenticated:
            note("refused", request, user.pk, path=request.path)
        return response

    return respond
