"""Form fields as pages show them."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.forms.renderers import BaseRenderer
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


class LongSelect(forms.Select):
    """A choice among hundreds, without groups: Django renders two templates for each, which takes 50 ms."""

    def render(
        self, name: str, value: Any, attrs: Mapping[str, Any] | None = None, renderer: BaseRenderer | None = None
    ) -> SafeString:
        """Render Django's HTML in one go."""
        widget = self.get_context(name, value, dict(attrs or {}))["widget"]
        options = format_html_join(
            "\n",
            '  <option value="{}"{}>{}</option>',
            (
                (option["value"], flatatt(option["attrs"]) if option["attrs"] else "", option["label"])
                for _group, choices, _index in widget["optgroups"]
                for option in choices
            ),
        )
        return format_html('<select name="{}"{}>\n{}\n</select>', widget["name"], flatatt(widget["attrs"]), options)
