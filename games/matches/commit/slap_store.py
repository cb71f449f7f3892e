"""Hand-written SQL that reads and stores slaps for a whole batch of commands, in one statement each.

Every step of every live table needs them, and making the statements again each time took longer than running them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from games.matches import sql
from games.matches.models import SlapAttempt

#: The columns of a slap as it is stored and read, apart from its key.
_COLUMNS = (
    "match_id",
    "seat",
    "version",
    "elapsed",
    "claimed",
    "ping",
    "cap",
    "handicap",
    "reaction",
    "verdict_after",
    "by_lot",
    "result",
    "at",
)
_TYPES = (
    *("bigint", "int", "int", "float8", "float8", "float8", "float8", "float8", "float8", "float8"),
    *("bool", "text", "timestamptz"),
)
_READ = f"""
SELECT games_match.id, games_match.due_at, slap.id, {", ".join(f"slap.{name}" for name in _COLUMNS)}
FROM games_match LEFT JOIN games_slapattempt AS slap ON slap.match_id = games_match.id AND slap.result = 'pending'
WHERE games_match.id IN ({{rows}})
"""  # noqa: S608 - our own names
_LOCK = "SELECT id FROM games_match WHERE id IN ({rows}) ORDER BY id FOR UPDATE"
_PENDING = "SELECT match_id, version, id FROM games_slapattempt WHERE result = 'pending' AND match_id IN ({rows})"
_INSERT = f"INSERT INTO games_slapattempt ({', '.join(_COLUMNS)}) VALUES {{rows}}"  # noqa: S608 - our own names
_JUDGE = """
UPDATE games_slapattempt SET result = new.column2, by_lot = new.column3
FROM (VALUES {rows}) AS new WHERE games_slapattempt.id = new.column1
"""


@dataclass(slots=True)
class Window:
    """The stored state of one match's window: when the table goes on, and which slaps wait for their verdict."""

    due_at: datetime | None = None
    pending: list[SlapAttempt] = field(default_factory=list)


class Windows:
    """The windows of all matches in a batch, read at once when the first command asks."""

    def __init__(self, match_ids: Collection[int]) -> None:
        self._match_ids = match_ids
        self._windows: dict[int, Window] | None = None

    def of(self, match_id: int) -> Window:
        """The window of one of the matches."""
        if self._windows is None:
            self._windows = _read(self._match_ids)
        return self._windows[match_id]


def _read(match_ids: Collection[int]) -> dict[int, Window]:
    windows = {match_id: Window() for match_id in match_ids}
    for match_id, due_at, pk, *values in fetched(_READ, match_ids):
        window = windows[match_id]
        window.due_at = _aware(due_at)
        if pk is not None:
            values[-1] = _aware(values[-1])
            window.pending.append(SlapAttempt.from_db(connection.alias, ("id", *_COLUMNS), (pk, *values)))
    return windows


def _aware(value: datetime | None) -> datetime | None:
    """Add the time zone that SQLite leaves out."""
    return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)


def lock(match_ids: Collection[int]) -> None:
    """Lock the rows of these matches until the transaction ends.

    All in one order, or two batches might wait for each other.
    """
    if connection.features.has_select_for_update:
        fetched(_LOCK, match_ids)


def pending(match_ids: Collection[int]) -> Sequence[tuple[int, int, int]]:
    """Match, version and key of every slap that waits for its verdict."""
    return fetched(_PENDING, match_ids)


def store(attempts: Sequence[SlapAttempt]) -> None:
    """Store new slaps."""
    if not attempts:
        return
    adapt = sql.moments()
    values = []
    for attempt in attempts:
        values += [getattr(attempt, name) for name in _COLUMNS]
        values[-1] = adapt(attempt.at)
    sql.execute(_INSERT, _TYPES, values)


def store_verdicts(attempts: Iterable[SlapAttempt]) -> None:
    """Store the verdicts on waiting slaps; a new slap, which has no key yet, is stored together with its verdict."""
    values: list[Any] = []
    for attempt in attempts:
        if attempt.pk is not None:
            values += (attempt.pk, str(attempt.result), attempt.by_lot)
    if values:
        sql.execute(_JUDGE, ("bigint", "text", "bool"), values)


def fetched(statement: str, match_ids: Collection[int]) -> Sequence[Any]:
    """The result rows of a statement about several matches."""
    return sql.fetch(statement, ("bigint",), list(match_ids))
