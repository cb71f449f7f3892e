"""Tables that a page or a room has just read, for the writer: the first move then needn't read the match again.

After a restart, players come back to a thousand tables at once and then move at all of them, and reading a match is the
most expensive part of such a move. Whether a copy is still current takes one cheap query.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from games.matches.live_match import LiveMatch
from games.matches.models import Match

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


def take_current(match_ids: Iterable[int]) -> dict[int, LiveMatch]:
    """As ``take``, but only the copies that nothing has changed since: no move, no seat or clock, no end."""
    copies = take(match_ids)
    if not copies:
        return {}
    rows = Match.objects.filter(pk__in=copies).values_list("pk", "version", "seating_epoch", "status")
    now = {pk: state for pk, *state in rows}
    return {pk: copy for pk, copy in copies.items() if now.get(pk) == [copy.version, copy.seating_epoch, copy.status]}


def forget_all() -> None:
    """Drop all copies, for tests that reset the database."""
    with _lock:
        _tables.clear()
