"""The lesson's part of the table page."""

from typing import Any

from django import template
from django.template.context import Context
from django.utils.translation import gettext

from games.lessons import progress

register = template.Library()


@register.inclusion_tag("lessons/end.html", takes_context=True)
def lesson_end(context: Context) -> dict[str, Any]:
    """The panel shown after a lesson."""
    following = progress.after(context["lesson"])
    return {
        **{name: context[name] for name in ("match", "snapshot", "csrf_token")},
        "next_lesson": following,
        "next_title": gettext(following.title) if following else "",
    }
