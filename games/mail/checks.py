"""Check the settings of playing by email."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

#: Maximum characters of a token; see ``tokens``.
_LONGEST_TOKEN = 58


@checks.register()
def check_reply_address(**_kwargs: Any) -> list[checks.CheckMessage]:
    """Check that the reply address is valid and has room for a token."""
    pattern = settings.REPLY_ADDRESS
    if not pattern:
        return []
    try:
        if pattern.partition("@")[0].count("{}") != 1:
            raise ValueError
        address = pattern.format("a" * _LONGEST_TOKEN)
        validate_email(address)
        if len(address.partition("@")[0]) > 64:
            raise ValueError
    except (ValueError, LookupError, ValidationError):
        message = "REPLY_ADDRESS must be an address with {} before the @, and at most six more characters there."
        return [checks.Error(message, hint="For example: turn+{}@play.example.org", id="mail.E001")]
    return []
