"""Parse the moves of the two rummies, with a cache."""

from functools import lru_cache
from typing import NamedTuple

from games.engine import Move
from games.engine.cards import CARDS, CODES

from .melds import NO_MELD, Shape, meld_of
from .pieces import Hand, Piece, needed, pieces_in

DRAW_STOCK: Move = "draw:stock"
DRAW_DISCARD: Move = "draw:discard"
SIT_OUT: Move = "pass"
DISCARDS = tuple(f"discard:{code}" for code in CODES)
#: The longest move is a run of thirteen jokers.
LONGEST = 80


class ParsedMove(NamedTuple):
    """A parsed move.

    ``number`` is the meld of ``lay``, the card of ``discard``, or the number of cards of ``take``; ``need`` are the
    cards that ``meld`` and ``lay`` use from the hand, and ``shape`` is the shape of their pieces alone, or ``NO_MELD``.
    """

    verb: str
    number: int = 0
    pieces: tuple[Piece, ...] = ()
    need: Hand = 0
    shape: Shape = NO_MELD


@lru_cache(1 << 14)
def read_move(text: Move) -> ParsedMove | None:
    """Parse a move; ``None`` if it is invalid."""
    verb, _colon, what = text.partition(":")
    if text in (DRAW_STOCK, DRAW_DISCARD, SIT_OUT):
        return ParsedMove(text)
    if verb == "discard" and what in CARDS:
        return ParsedMove(verb, CARDS[what])
    if verb == "take":
        count = _read_number(what)
        return ParsedMove(verb, count) if count else None
    if verb not in ("meld", "lay"):
        return None
    written, at, at_meld = what.partition("@")
    pieces = pieces_in(written)
    number = _read_number(at_meld)
    if not pieces or bool(at) != (verb == "lay") or bool(number) != (verb == "lay"):
        return None
    return ParsedMove(verb, number, pieces, needed(pieces), meld_of(pieces))


def _read_number(text: str) -> int:
    """A number from 1 to 999, without sign or leading zeros; 0 for any other text."""
    return int(text) if text.isascii() and text.isdigit() and text[0] != "0" and len(text) <= 3 else 0
