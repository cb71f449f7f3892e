"""A whole match as data, and its replay."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .options import Options
from .protocol import Move, Rules, Seat, State


class Match(NamedTuple):
    """Everything needed to replay a match: the moves and the seed are the truth.

    ``entries`` lists ``(seat, move)`` in order; ``version`` is that of the rules.
    """

    slug: str
    version: int
    seats: int
    options: Options
    seed: str
    entries: Sequence[tuple[Seat, Move]]
    deck: Sequence[str] | None = None
    dealer: Seat | None = None

    def to_json(self) -> dict[str, Any]:
        """The match as JSON values; ``Match(**data)`` restores it."""
        return {**self._asdict(), "options": dict(self.options), "entries": [list(entry) for entry in self.entries]}


def find_rules(slug: str, version: int | None = None) -> Rules:
    """Find a game's rules. Raises ``KeyError`` if there are none with that name and version.

    Games are plug-ins of the engine, so their package is imported on first use.
    """
    rules: Rules = importlib.import_module("games.rules").get(slug, version)
    return rules


def replay(match: "Match | Sequence[Any] | Mapping[str, Any]") -> Iterator[State]:
    """A copy of every state of ``match``, the deal first.

    ``match`` is a :class:`Match`, a tuple of its fields, or its JSON form. Raises ``KeyError``,
    ``BadOptions`` or ``IllegalMove`` if it is not the record of a match.
    """
    record = Match(**match) if isinstance(match, Mapping) else Match(*match)
    rules = find_rules(record.slug, record.version)
    state = rules.deal(record.seats, record.options, record.seed, deck=record.deck, dealer=record.dealer)
    yield state.copy()
    for seat, move in record.entries:
        state.apply(seat, move)
        yield state.copy()
