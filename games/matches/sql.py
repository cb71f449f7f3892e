"""Hand-written SQL for both databases: one statement about many rows, and moments as its parameters."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.db import connection

from accounts.compiled import preparing_cursor

#: Most values of statements that are sent as one, usually those of one or two matches: with more it took PostgreSQL
#: longer than several statements.
_JOINED_VALUES = 80


class _Gathering(threading.local):
    """The statements that this thread gathers, if it does."""

    statements: list[tuple[str, Sequence[Any]]] | None = None


_gathering = _Gathering()


def execute(statement: str, types: tuple[str, ...], values: Sequence[Any]) -> None:
    """Run a statement that says ``{rows}`` where rows of these types stand; ``values`` are those of all rows.

    Most statements of a match are alike but for their values, so PostgreSQL prepares them.
    """
    filled = _filled(statement, types, len(values) // len(types), connection.vendor)
    if _gathering.statements is not None:
        _gathering.statements.append((filled, values))
    else:
        _run(filled, values)


@contextmanager
def together() -> Iterator[None]:
    """Send what :func:`execute` is asked for in this block to PostgreSQL at its end, as one statement if it is short.

    So none of the statements may need what another one writes, and anything else in the block is done before them.
    PostgreSQL is another process, often on another machine: each way there and back is a large part of the time that a
    move takes.
    """
    if connection.vendor != "postgresql":
        yield
        return
    gathered: list[tuple[str, Sequence[Any]]] = []
    _gathering.statements = gathered
    try:
        yield
    finally:
        _gathering.statements = None
    all_values = [value for _, values in gathered for value in values]
    if len(all_values) > _JOINED_VALUES:
        for statement, values in gathered:
            _run(statement, values)
    elif gathered:
        *others, last = (statement for statement, _ in gathered)
        parts = ", ".join(f"part{at} AS ({statement})" for at, statement in enumerate(others))
        _run(f"WITH {parts} {last}" if parts else last, all_values)


def _run(statement: str, values: Sequence[Any]) -> None:
    with preparing_cursor(connection) as cursor:
        cursor.execute(statement, values)


def fetch(statement: str, types: tuple[str, ...], values: Sequence[Any]) -> Sequence[Any]:
    """Run a statement as :func:`execute` does; returns its result rows."""
    with preparing_cursor(connection) as cursor:
        cursor.execute(_filled(statement, types, len(values) // len(types), connection.vendor), values)
        return cursor.fetchall()


@lru_cache(maxsize=512)
def _filled(statement: str, types: tuple[str, ...], count: int, vendor: str) -> str:
    """The statement with placeholders. PostgreSQL must be told the types of bare values; SQLite needs none."""
    row = ", ".join([f"%s::{name}" if vendor == "postgresql" else "%s" for name in types])
    return statement.format(rows=", ".join([f"({row})"] * count))


def moments() -> Callable[[datetime | None], Any]:
    """The function that makes a parameter of an aware moment, to be asked for once per statement.

    It gives what Django's own adapter gives, which asks the settings and the connection about each value: at a busy
    table that took a sixth of a batch's time.
    """
    return _as_it_is if connection.vendor == "postgresql" else _as_text


#: The end of a moment in UTC, ``+00:00``.
_WITHOUT_ZONE = -6


def _as_it_is(moment: datetime | None) -> datetime | None:
    return moment


@lru_cache(maxsize=256)  # a batch names the moment in which it was decided for each of its moves
def _as_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(" ")[:_WITHOUT_ZONE]
