"""Codes that confirm an email address by being typed, for people who read the email on another device.

A code is a keyed digest of user, address and time, so nothing is stored and nothing can be guessed from it. It expires
when the address is confirmed. Views limit the attempts.
"""

import time
from datetime import timedelta

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

#: How long a code is valid at least; at most half as long again.
LIFETIME = timedelta(minutes=20)
DIGITS = 8
_WINDOW = LIFETIME.total_seconds() / 2
_SESSION_KEY = "address_to_confirm"


def code_for(user_id: int, email: str) -> str:
    """The digits that prove that their user has just read an email to this address."""
    return _code(user_id, email, int(time.time() // _WINDOW))


def is_code_for(user_id: int, email: str, code: str) -> bool:
    """Whether ``code_for`` gave these digits in the last minutes; takes the same time for every answer."""
    now = int(time.time() // _WINDOW)
    matches = [constant_time_compare(code, _code(user_id, email, window)) for window in (now, now - 1, now - 2)]
    return any(matches)


def spaced(code: str) -> str:
    """The code in two groups of digits, as people read it out."""
    return f"{code[: DIGITS // 2]} {code[DIGITS // 2 :]}"


def await_address(request: HttpRequest, user_id: int, email: str) -> None:
    """Remember in the browser's session which address is to be confirmed, and for which user."""
    request.session[_SESSION_KEY] = [user_id, email]


def awaited_address(request: HttpRequest) -> tuple[int, str] | None:
    """The user and address that this browser is confirming."""
    awaited = request.session.get(_SESSION_KEY)
    return (awaited[0], awaited[1]) if awaited else None


def forget_address(request: HttpRequest) -> None:
    """Forget the address that this browser was confirming."""
    request.session.pop(_SESSION_KEY, None)


def _code(user_id: int, email: str, window: int) -> str:
    digest = salted_hmac("accounts.confirmation", f"{user_id} {email.lower()} {window}", algorithm="sha256").digest()
    return f"{int.from_bytes(digest, 'big') % 10**DIGITS:0{DIGITS}}"
