"""The moves of a turn as mails, decision page and replies number them."""

from collections.abc import Sequence
from typing import NamedTuple

from games.engine import Move, View
from games.table.labels import move_label

#: Moves that nobody makes by mail: a slap is pressed while the card is seen.
_LIVE_ONLY = frozenset({"slap"})


class Numbered(NamedTuple):
    """A legal move under its number, and what it says in words."""

    number: int
    move: Move
    label: str


def numbered(view: View, names: Sequence[str]) -> list[Numbered]:
    """The moves that the seat of ``view`` may make in its turn, from 1; ``names`` are those of the seats.

    Only what the view shows decides the order, so the same view gives the same numbers in the mail, on the page and
    when a reply is read. Empty for a seat that is not asked.
    """
    if view.seat not in view.to_move:
        return []
    moves = [move for move in view.moves if move not in _LIVE_ONLY]
    return [Numbered(number, move, move_label(move, names)) for number, move in enumerate(moves, 1)]
