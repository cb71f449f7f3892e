"""The waiting list on the admin site's first page, and lists that work on a phone."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

from accounts.models import User
from games.moderation.answers import rule_word
from games.operations import desk

register = template.Library()
register.filter(rule_word)

_OPENS = re.compile(r"^(<t[dh]\b)")


@register.simple_tag
def waiting_for(person: User) -> desk.Waiting:
    """Everything waiting for moderators with this person's roles."""
    return desk.waiting_for(person)


@register.simple_tag
def labelled(result: Iterable[str], headers: Sequence[dict[str, Any]]) -> SafeString:
    """A list row's cells with their column headings, which precede them where columns are stacked."""
    heads = [conditional_escape(capfirst(str(head["text"]))) if "text" in head else "" for head in headers]
    # The first cell is the selection box, and its heading is a box, too.
    cells = [
        str(cell) if "action-checkbox" in str(cell) else _OPENS.sub(rf'\1 data-label="{head}"', str(cell), count=1)
        for cell, head in zip(result, heads, strict=True)
    ]
    return mark_safe("".join(cells))  # noqa: S308 - cells come escaped from the admin site, heads are escaped here
