"""The numbered moves of a turn, for emails, decision page and replies."""

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from games import rules
from games.engine import Move, View
from games.table.labels import move_label

#: Moves that can't be made by email: slaps are made while a card is visible.
_LIVE_ONLY = frozenset({"slap"})
#: From how many consecutive amounts on a list combines them into one line.
LONG_RUN = 6


class Numbered(NamedTuple):
    """A legal move with its number and its words."""

    number: int
    move: Move
    label: str


class Row(NamedTuple):
    """A line of a list of moves: one move, or the first and last of many amounts."""

    number: str
    label: str
    #: The move; None for a range.
    move: Numbered | None


def numbered(view: View, names: Sequence[str]) -> list[Numbered]:
    """Number the moves of the seat of ``view``; ``names`` are the players' names.

    Numbers start at 1. A move that is an amount uses the amount as its number, so that "13" bets 13; the game defines
    number 0, and other moves get numbers above the highest amount. Only the view decides, so the same view gives the
    same numbers in the email, on the page and when a reply is read. Empty for a seat that is not asked.
    """
    if view.seat not in view.to_move:
        return []
    moves = [move for move in view.moves if move not in _LIVE_ONLY]
    amounts = [amount_of(view.game, move) for move in moves]
    others = count(max((amount for amount in amounts if amount is not None), default=0) + 1)
    return sorted(
        Numbered(next(others) if amount is None else amount, move, move_label(view.game, move, names))
        for amount, move in zip(amounts, moves, strict=True)
    )


def amount_of(game: str, move: Move) -> int | None:
    """The amount in a move's words, 0 for the move for none; None if it has no amount."""
    if move == rules.presentation(game).zero_move:
        return 0
    verb, _colon, rest = move.partition(":")
    words = rules.presentation(game).moves
    text = words.get(f"{verb}#") or words.get(verb, "")
    return int(rest) if rest.isdigit() and "{n}" in text else None


def rows(game: str, moves: Sequence[Numbered]) -> list[Row]:
    """The list of ``moves`` as shown: long runs of amounts of one kind become one line."""
    found: list[Row] = []
    start = 0
    while start < len(moves):
        end = start + 1
        while end < len(moves) and _follows(game, moves[end - 1], moves[end]):
            end += 1
        first, last = moves[start], moves[end - 1]
        if end - start >= LONG_RUN:
            found.append(Row(f"{first.number}–{last.number}", f"{first.label} … {last.label}", None))
        else:
            found += [Row(f"{each.number}", each.label, each) for each in moves[start:end]]
        start = end
    return found


def _follows(game: str, one: Numbered, other: Numbered) -> bool:
    amounts = (amount_of(game, one.move), amount_of(game, other.move))
    return (
        None not in amounts
        and other.number == one.number + 1
        and one.move.partition(":")[0] == other.move.partition(":")[0]
    )
