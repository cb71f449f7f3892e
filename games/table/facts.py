"""What one has to know of a table beside its cards: trumps, bets, scores. In words, for emails and plain pages.

The scripts of the table show the same facts with signs and marks (``static/js/table/games``).
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from games import rules
from games.engine import Fact, View


def facts(view: View, names: Sequence[str]) -> list[Fact]:
    """The facts of the table that a player wants to know, most important first; ``names`` are the seats'.

    Only what the view shows goes in.
    """
    return [*rules.presentation(view.game).facts(view, names), *_points(view, names)]


def _points(view: View, names: Sequence[str]) -> list[Fact]:
    """How the seats stand, where that is not hidden till the end."""
    shown = rules.presentation(view.game)
    if not shown.lists_points or not shown.knows_points(view):
        return []
    standing = ", ".join(f"{names[seat.seat]} {seat.points:g}" for seat in view.seats)
    return [Fact(_("Points"), standing.replace(" -", " −"))]
