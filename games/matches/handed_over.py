"""Tables that a page or a room has just read, for the writer: the first move then needn't read the match again.

After a restart, players come back to a thousand tables at once and then move at all of them, and reading a match is the
most expensive part of such a move. A copy may be outdated when it is taken, like any table in the writer's cache: what
is stored names the version and the seating that it was decided on.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from games.matches.live_match import LiveMatch

#: Tables kept, the most recently read ones.
TABLES = 2000

_tables: OrderedDict[int, LiveMatch] = OrderedDict()
_lock = threading.Lock()


def leave(table: LiveMatch) -> None:
    """Leave a copy of ``table``."""
    copy = table.copy()
    with _lock:
        _tables[table.match_id] = copy
        _tables.move_to_end(table.match_id)
        while len(_tables) > TABLES:
            _tables.popitem(last=False)


def take(match_ids: Iterable[int]) -> dict[int, LiveMatch]:
    """The copies of these matches, which are the caller's from now on."""
    with _lock:
        return {pk: _tables.pop(pk) for pk in match_ids if pk in _tables}


def forget_all() -> None:
    """Drop all copies, for tests that reset the database."""
    with _lock:
        _tables.clear()
