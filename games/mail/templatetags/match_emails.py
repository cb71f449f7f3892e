"""Emails match by match, on the page of one's matches."""

from typing import Any

from django import template
from django.utils.translation import gettext as _

from accounts.models import User
from games.mail.match_emails import rows_of
from games.mail.models import Preferences, Timing

register = template.Library()


@register.inclusion_tag("games/mail/match_emails.html", takes_context=True)
def match_emails(context: template.Context, user: User) -> dict[str, Any]:
    """The turn-based matches of ``user`` that are running, with when each of them sends emails."""
    rows = [] if user.is_guest else rows_of(user)
    return {
        "csrf_token": context.get("csrf_token"),
        "rows": rows,
        "timings": [("", _("as for my other matches")), *Timing.choices],
        "is_off": bool(rows) and Preferences.of(user).timing == Timing.NEVER,
    }
