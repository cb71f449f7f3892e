"""Replay a match from its deal: the one loop over stored moves that pages, checks and statistics share."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from games.engine import Event
from games.matches.live_match import LiveMatch, beginning
from games.matches.models import Match, Seat
from games.matches.stored import Made


class Position(NamedTuple):
    """The table after one move: ``made`` is that move (None after the deal), ``events`` is what it caused."""

    table: LiveMatch
    made: Made | None
    events: Sequence[Event]


def replay(
    match: Match,
    *,
    moves: Sequence[Made] | None = None,
    seats: Iterable[Seat] | None = None,
    upto: int | None = None,
    events_from: int = 0,
) -> Iterator[Position]:
    """Yield every position of ``match`` up to version ``upto``, starting before the first of ``moves``.

    Without ``moves``, it replays all stored moves from the deal; given the moves since the snapshot, it begins there.
    All positions share one table, so each is only valid until the next one is requested. Events are collected from
    version ``events_from`` on. Raises ``IllegalMove`` at a stored move that can't be made.
    """
    table, later = beginning(match, seats or match.seats.all(), moves)
    yield Position(table, None, ())
    for made in later:
        if upto is not None and made.number > upto:
            return
        events: list[Event] = []
        table.enter(made.seat, made.move, made.request_id, events.append if made.number >= events_from else None)
        yield Position(table, made, events)


def last(match: Match, emit: Callable[[int, Event], None] | None = None, *, upto: int | None = None) -> LiveMatch:
    """The table after all moves, or after those up to version ``upto``, and its events with their versions."""
    for position in replay(match, upto=upto):
        if emit is not None and position.made is not None:
            for event in position.events:
                emit(position.made.number, event)
    return position.table
