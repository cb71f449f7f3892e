"""The list of settings sections, for the pages of the settings."""

from collections.abc import Sequence
from typing import Any

from django import template

from accounts.settings_sections import Section, sections_for

register = template.Library()


@register.simple_tag(takes_context=True)
def settings_sections(context: dict[str, Any]) -> Sequence[Section]:
    """The sections of the settings of a logged-in user."""
    return sections_for(context["request"].user)
