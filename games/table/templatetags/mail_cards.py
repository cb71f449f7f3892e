"""Cards in emails: no pictures, no scripts, readable in any email program and by screen readers."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.rules.wording import JOKER_SIGNS, card_name, rank_label

register = template.Library()

_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


@register.filter
def cards_as_text(codes: Sequence[str]) -> str:
    """Cards for the text part: ``10H QS RJ``; a joker that stands for a card names it, ``RJ=KC``."""
    return " ".join(_text(code) for code in codes)


@register.filter
def cards_as_cells(codes: Sequence[str]) -> SafeString:
    """Cards for the HTML part: one cell each, with rank, suit and the suit's letter; the title is the full name."""
    cell = '<span class="card{}" title="{}">{}<span class="suit">{}</span><small>{}</small></span> '
    return format_html_join("", cell, map(_cell, codes))


def _text(code: str) -> str:
    joker, equals, card = code.partition("=")
    if equals:
        return f"{joker}={_text(card)}"
    return code if code in JOKER_SIGNS else f"{rank_label(code[0])}{code[1]}"


def _cell(code: str) -> tuple[str, str, str, str, str]:
    code = code.partition("=")[0]
    if code in JOKER_SIGNS:
        return (" red" if code == "RJ" else "", card_name(code), JOKER_SIGNS[code], "", _("joker"))
    red = " red" if code[1] in "DH" else ""
    return (red, card_name(code), rank_label(code[0]), _SIGNS[code[1]], code[1])
