"""Facts of a table besides its cards (trumps, bets, scores) in words, for emails and plain pages.

The table's scripts show the same facts with symbols (``static/js/table/games``).
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from games import rules
from games.engine import Fact, View


def facts(view: View, names: Sequence[str]) -> list[Fact]:
    """The facts that a player wants to know, most important first; ``names`` are the seats'.

    Only what the view shows is used.
    """
    return [*rules.presentation(view.game).facts(view, names), *_points(view, names)]


def _points(view: View, names: Sequence[str]) -> list[Fact]:
    """The scores, unless they are hidden until the end."""
    shown = rules.presentation(view.game)
    if not shown.lists_points or not shown.knows_points(view):
        return []
    standing = ", ".join(f"{names[seat.seat]} {seat.points:g}" for seat in view.seats)
    return [Fact(_("Points"), standing.replace(" -", " −"))]
