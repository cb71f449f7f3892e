"""Cards drawn in HTML text, for worked examples."""

from typing import Any, NamedTuple

from django import template
from django.utils.translation import gettext as _

from games.engine.cards import CARDS
from games.rules.wording import JOKER_SIGNS, card_name
from games.table.labels import script_words

register = template.Library()

_SUITS = {"C": ("clubs", "♣"), "D": ("diamonds", "♦"), "H": ("hearts", "♥"), "S": ("spades", "♠")}


class DrawnCard(NamedTuple):
    """A card as its markup needs it."""

    code: str
    kind: str
    rank: str
    suit: str
    name: str


@register.inclusion_tag("guide/rules/cards.html")
def cards(codes: str, label: str = "") -> dict[str, Any]:
    """Some cards, drawn in the order given: ``{% cards "TC QS RJ" %}``; ``??`` is a card face down.

    ``label``, if given, is shown above them and names the list for screen readers. Raises ``TemplateSyntaxError`` for a
    code that does not exist.

    Class names for the style sheets: ``div.cards-group`` > ``ul.cards`` > ``li.card[data-card="QS"]``, each with one of
    ``card--clubs``, ``card--diamonds``, ``card--hearts``, ``card--spades``, ``card--red-joker``,
    ``card--black-joker`` or ``card--back`` (no ``data-card``), holding ``span.card__rank``, ``span.card__suit``
    and the full name in ``span.visually-hidden``; before the list ``p.cards-label``. Around them on rules pages:
    ``figure.example`` with its ``figcaption``.
    """
    return {"cards": [_drawn(code) for code in codes.split()], "label": label}


def _drawn(code: str) -> DrawnCard:
    if code == "??":
        return DrawnCard("", "back", "", "", _("a card face down"))
    if code not in CARDS:
        raise template.TemplateSyntaxError(f"there is no card {code}")
    if code in JOKER_SIGNS:
        kind = "red-joker" if code == "RJ" else "black-joker"
        return DrawnCard(code, kind, _("Joker"), JOKER_SIGNS[code], card_name(code))
    rank, suit = code[0], code[1]
    kind, symbol = _SUITS[suit]
    return DrawnCard(code, kind, "10" if rank == "T" else rank, symbol, card_name(code))


@register.inclusion_tag("games/card_sign.html")
def card_sign(code: str) -> dict[str, Any]:
    """A card within text, as the table's scripts write it: rank and suit, with its name for screen readers."""
    return {"card": _drawn(code)}


@register.simple_tag
def card_words() -> dict[str, Any]:
    """The texts that scripts draw cards with, for pages other than tables."""
    return script_words()
