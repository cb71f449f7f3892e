"""A match in memory: its state, who sits where, and what of it must be remembered between moves."""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from games import engine, rules
from games.models import Match, Move, Seat

log = logging.getLogger(__name__)

#: A snapshot is stored whenever a match passes a multiple of so many moves.
SNAPSHOT_EVERY = 50
#: Request ids that a table remembers; an older one is found in the database when it comes again.
REMEMBERED_REQUESTS = 200
#: The move that is forced on its seat: the next card of a face-down stack.
FLIP = "flip"
#: The move of the table that hands over a hand that is won.
CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Sitter:
    """Whoever holds a seat of a running match."""

    seat: int
    name: str
    player_id: int | None
    ai_level: str
    has_resigned: bool = False

    @property
    def is_ai(self) -> bool:
        """Whether an AI player moves for this seat."""
        return bool(self.ai_level)


@dataclass(slots=True)
class Table:
    """One process's copy of a running or finished match after ``version`` moves."""

    match_id: int
    key: str
    slug: str
    rules: engine.Rules
    state: engine.State
    version: int
    status: str
    roster: int
    seed: str
    sitters: tuple[Sitter, ...]
    turn_seconds: int
    pace: str
    turn_since: datetime | None
    snapshot_version: int
    #: The newest version that a player must have seen to decide well: later ones were sealed choices.
    open_version: int = 0
    #: Version at which the card on top of the face-up stack was shown; None while there is none to slap.
    card: int | None = None
    #: Request ids of the last moves, and their versions.
    requests: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names by seat, for sentences."""
        return [sitter.name for sitter in self.sitters]

    def seat_of(self, player_id: int | None) -> int | None:
        """The seat of a person, None for a spectator."""
        if player_id is not None:
            for sitter in self.sitters:
                if sitter.player_id == player_id:
                    return sitter.seat
        return None

    def enter(
        self,
        seat: int,
        move: str,
        request_id: str,
        tell: Callable[[engine.Event], None] | None = None,
    ) -> None:
        """Make a move and count it. Raises ``IllegalMove`` and changes nothing if it is illegal."""
        state = self.state
        awaited = state.to_move()
        state.apply(seat, move, tell)
        self.version += 1
        self.requests[request_id] = self.version
        if len(self.requests) > REMEMBERED_REQUESTS:
            del self.requests[next(iter(self.requests))]
        # A sealed choice that leaves others to choose tells them nothing: they may decide on what they saw.
        still_awaited = state.to_move()
        if not (set(still_awaited) < set(awaited) and still_awaited):
            self.open_version = self.version
        # Any move but a flip ends the window of the card on top: its slaps are judged together.
        self.card = self.version if move == FLIP else None

    def forced_step(self) -> tuple[int, str] | None:
        """The seat and move that the table makes by itself after a window, None if it waits for somebody's choice."""
        awaited = self.state.to_move()
        if len(awaited) != 1:
            return None
        seat = awaited[0]
        moves = self.state.legal_moves(seat)
        move = CLOSE if seat == engine.TABLE else FLIP
        return (seat, move) if move in moves else None

    def to_snapshot(self) -> dict[str, Any]:
        """What :func:`load` goes on from."""
        return {"state": engine.freeze(self.state), "open_version": self.open_version, "card": self.card}


def load(match_ids: Collection[int]) -> dict[int, Table]:
    """The tables of running and finished matches, from their snapshots and the moves since, in three queries."""
    matches = {match.pk: match for match in Match.objects.filter(pk__in=match_ids, started_at__isnull=False)}
    seats: dict[int, list[Seat]] = {pk: [] for pk in matches}
    for place in Seat.objects.filter(match_id__in=matches).order_by("match_id", "number"):
        seats[place.match_id].append(place)
    entries: dict[int, list[tuple[int, int, str, str]]] = {pk: [] for pk in matches}
    if matches:
        # By the snapshots just read: somebody may store newer ones between two queries.
        since = reduce(or_, (Q(match=pk, number__gt=match.snapshot_version) for pk, match in matches.items()))
        rows = Move.objects.filter(since).order_by("match_id", "number")
        for match_id, number, seat, move, name in rows.values_list("match_id", "number", "seat", "move", "request_id"):
            entries[match_id].append((number, seat, move, name))
    return {pk: _from_snapshot(match, seats[pk], entries[pk]) for pk, match in matches.items()}


def replay(match: Match, tell: Callable[[int, engine.Event], None]) -> Table:
    """The table of ``match`` with all its moves made again, telling each event with its version."""
    table = deal(match)
    for number, seat, move, request_id in match.moves.values_list("number", "seat", "move", "request_id"):
        table.enter(seat, move, request_id, lambda event, number=number: tell(number, event))  # type: ignore[misc]  # a default binds the number
    return table


def deal(match: Match) -> Table:
    """The table of a match whose status is about to be running, before any move."""
    return _table(match, match.seats.all())


def _sitters(seats: Iterable[Seat]) -> tuple[Sitter, ...]:
    return tuple(
        Sitter(seat.number, seat.name, None if seat.ai_level else seat.player_id, seat.ai_level, seat.has_resigned)
        for seat in sorted(seats, key=lambda seat: seat.number)
    )


def _table(match: Match, seats: Iterable[Seat], snapshot: dict[str, Any] | None = None) -> Table:
    """The table of ``match`` after the deal, or at its stored snapshot."""
    game = rules.get(match.slug, match.rules_version)
    version = match.snapshot_version if snapshot else 0
    state = (
        engine.thaw(game.state_type, snapshot["state"])
        if snapshot
        else game.deal(match.seat_count, match.options, match.seed)
    )
    return Table(
        match_id=match.pk,
        key=match.key,
        slug=match.slug,
        rules=game,
        state=state,
        version=version,
        status=match.status,
        roster=match.roster,
        seed=match.seed,
        sitters=_sitters(seats),
        turn_seconds=match.turn_seconds,
        pace=match.pace,
        turn_since=match.turn_since,
        snapshot_version=match.snapshot_version,
        open_version=snapshot["open_version"] if snapshot else 0,
        card=snapshot["card"] if snapshot else None,
    )


def _from_snapshot(match: Match, seats: Sequence[Seat], entries: Sequence[tuple[int, int, str, str]]) -> Table:
    """The table of ``match`` from its snapshot and later moves; from the deal if the snapshot can't be read."""
    try:
        table = _table(match, seats, match.snapshot)
    except (KeyError, TypeError, ValueError):
        log.exception("match %s: unreadable snapshot of version %s", match.key, match.snapshot_version)
        table = _table(match, seats)
        entries = list(match.moves.values_list("number", "seat", "move", "request_id"))
    for _number, seat, move, request_id in entries:
        table.enter(seat, move, request_id)
    return table
