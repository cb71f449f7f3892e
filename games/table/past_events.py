"""The events of matches, cached by this process, so that a page needn't replay a match from its deal.

Without the cache each view of a long match, by anyone with its address, would replay thousands of moves.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection

from games.engine import Event
from games.matches import history
from games.matches.live_match import LiveMatch
from games.matches.models import Match
from games.matches.stored import moves_since

#: Matches in the cache, most recently read.
MATCHES = 64

Told = list[tuple[int, Event]]

_remembered: OrderedDict[str, tuple[int, Told]] = OrderedDict()
_lock = threading.Lock()


def read(match: Match, *, last: int, always: Collection[str]) -> tuple[LiveMatch, Told]:
    """The table of ``match`` with its events and their versions: the ``last`` ones, and all of the kinds ``always``."""
    with _lock:
        version, kept = _remembered.get(match.key, (0, []))
    # Events before the snapshot come from the cache; the later ones are collected again.
    goes_on = match.snapshot_version <= version <= match.version and version > 0
    told = list(kept) if goes_on else []
    moves = moves_since(match.pk, match.snapshot_version) if goes_on else None
    for position in history.replay(match, moves=moves, events_from=version + 1 if goes_on else 0):
        if position.made is not None:
            told += [(position.made.number, event) for event in position.events]
    first = len(told) - last
    told = [each for place, each in enumerate(told) if place >= first or each[1].kind in always]
    with _lock:
        _remembered[match.key] = (position.table.version, told)
        _remembered.move_to_end(match.key)
        while len(_remembered) > MATCHES:
            _remembered.popitem(last=False)
    return position.table, told


def forget() -> None:
    """Clear the cache."""
    with _lock:
        _remembered.clear()
