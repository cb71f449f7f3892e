"""What a match's moves have told, remembered by this process, so that a page needn't replay from the deal.

Without it each look at a match of thousands of moves, by anyone with its address, would make them all again.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection

from games.engine import Event
from games.matches import history, live_match
from games.matches.live_match import LiveMatch
from games.matches.models import Match

#: Matches that are remembered, those read last.
MATCHES = 64

Told = list[tuple[int, Event]]

_remembered: OrderedDict[str, tuple[int, Told]] = OrderedDict()
_lock = threading.Lock()


def read(match: Match, *, last: int, always: Collection[str]) -> tuple[LiveMatch, Told]:
    """The table of ``match``, and the events that led there with their versions: the ``last`` ones, and all of the
    kinds ``always``.
    """
    with _lock:
        version, kept = _remembered.get(match.key, (0, []))
    # The events before the snapshot must be remembered; those after it are told again.
    goes_on = match.snapshot_version <= version <= match.version and version > 0
    told = list(kept) if goes_on else []
    moves = live_match.moves_since(match, match.snapshot_version) if goes_on else None
    for position in history.replay(match, moves=moves, heard_from=version + 1 if goes_on else 0):
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
    """Forget everything."""
    with _lock:
        _remembered.clear()
