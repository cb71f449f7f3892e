"""The email settings per match, on the page of your matches."""

from typing import Any

from django import template

from accounts.models import User
from games.mail.match_emails import rows_of
from games.mail.models import Preferences, Timing
from games.mail.preferences import timings

register = template.Library()


@register.inclusion_tag("games/mail/match_emails.html", takes_context=True)
def match_emails(context: template.Context, user: User) -> dict[str, Any]:
    """The running turn-based matches of ``user``, with their email timing."""
    rows = [] if user.is_guest else rows_of(user)
    if not rows:
        return {"rows": rows}
    preferences = Preferences.of(user)
    return {
        "csrf_token": context.get("csrf_token"),
        "rows": rows,
        "timings": timings(preferences),
        "is_off": preferences.timing == Timing.NEVER,
    }
