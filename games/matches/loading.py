"""Load the tables of matches from the database."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial, reduce
from operator import or_
from typing import TypeVar

from django.db.models import Q

from accounts.compiled import first
from games.matches.live_match import LiveMatch, beginning
from games.matches.models import Match, Move, Seat
from games.matches.stored import Made, begun, moves_since, seats_of

T = TypeVar("T")


def read_consistently(read: Callable[[], tuple[int, int, T]]) -> T:
    """Call ``read`` until the match doesn't move on meanwhile, so that clocks and moves belong to the same version.

    ``read`` also returns two versions: the row's, which it reads first, and the one after the last move, which it reads
    last. They differ if a move was stored between its queries.
    """
    before = -1
    while True:
        stored, reached, found = read()
        # If the row's version has not changed, no move came in between: the stored data itself is inconsistent.
        if not before < stored < reached:
            return found
        before = stored


def load(match_ids: Collection[int]) -> dict[int, LiveMatch]:
    """Load the tables of running and finished matches from their snapshots and later moves, in three queries.

    A match that moves on meanwhile is read again.
    """
    if len(match_ids) == 1:
        return _load_one(*match_ids)
    tables: dict[int, LiveMatch] = {}
    for pk, (stored, table) in _load(match_ids).items():
        is_whole = table.version <= stored
        tables |= {pk: table} if is_whole else _load_one(pk)
    return tables


def _load_one(match_id: int) -> dict[int, LiveMatch]:
    table = read_consistently(partial(_read_one, match_id))
    return {} if table is None else {match_id: table}


def _read_one(match_id: int) -> tuple[int, int, LiveMatch | None]:
    match = first(begun(match_id))
    if match is None:
        return 0, 0, None
    table = _play_on(match, seats_of(match_id), moves_since(match_id, match.snapshot_version))
    return match.version, table.version, table


def _load(match_ids: Collection[int]) -> dict[int, tuple[int, LiveMatch]]:
    """The tables, each with the version that its row had when it was read."""
    matches = {match.pk: match for match in Match.objects.filter(pk__in=match_ids, started_at__isnull=False)}
    seats: dict[int, list[Seat]] = {pk: [] for pk in matches}
    for place in Seat.objects.filter(match_id__in=matches).order_by():  # each use sorts them by number
        seats[place.match_id].append(place)
    entries: dict[int, list[Made]] = {pk: [] for pk in matches}
    if matches:
        # Go by the snapshots just read: another process may store newer ones between two queries.
        since = reduce(or_, (Q(match=pk, number__gt=match.snapshot_version) for pk, match in matches.items()))
        rows = Move.objects.filter(since).order_by("match_id", "number")
        for match_id, *made in rows.values_list("match_id", *Made._fields):
            entries[match_id].append(Made(*made))
    return {pk: (match.version, _play_on(match, seats[pk], entries[pk])) for pk, match in matches.items()}


def _play_on(match: Match, seats: Iterable[Seat], moves: Sequence[Made]) -> LiveMatch:
    """The table after ``moves``, which are those since the snapshot."""
    table, later = beginning(match, seats, moves)
    for made in later:
        table.enter(made.seat, made.move, made.request_id)
    return table
