"""The chat panel, for the pages of a table."""

from typing import Any

from django import template

from accounts import social
from games.chat import lines
from games.chat.models import TEXT_LENGTH
from games.chat.phrases import PHRASES
from games.matches.models import Match

register = template.Library()


@register.inclusion_tag("chat/panel.html", takes_context=True)
def talk_panel(context: dict[str, Any], match: Match) -> dict[str, Any]:
    """The section with the messages and the form: ``{% talk_panel match %}``."""
    request = context["request"]
    user = request.user if request.user.is_authenticated else None
    is_on = user is None or context["preferences"]().talk
    chat_filter = lines.ChatFilter(
        is_on, frozenset(social.muted_or_blocked_ids(user)) if user and is_on else frozenset()
    )
    shown = lines.visible(match, user, chat_filter)
    return {
        "match": match,
        "user": request.user,
        "lines": shown,
        "mark": lines.mark_of(shown),
        "phrases": PHRASES,
        "silence": lines.refusal_for(match, user),
        "own_words": user is not None and lines.has_own_words(user),
        "is_on": is_on,
        "is_watching": lines.seat_of(match, user) is None and match.status != Match.Status.OVER,
        "most": TEXT_LENGTH,
        "csrf_token": context.get("csrf_token"),
        "here": request.path,
    }
