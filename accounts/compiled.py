"""Queries that most pages make, compiled to SQL once per process, and prepared by PostgreSQL.

Django compiles a query every time it runs, which takes several times as long as finding a row by its key: half a
millisecond for a match, 14 times for one table page.
"""

import copy
import functools
import inspect
import json
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, ParamSpec, TypeVar, cast, get_args, get_origin

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Expression, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
Row = TypeVar("Row")


#: The databases' types of what lists contain.
_SQL_TYPES = {int: "bigint", str: "text"}


class _Placeholder(Expression):
    """Stands for the argument with this index until its value is known.

    A list, of elements of the type ``listed``, is one parameter, so that the SQL doesn't depend on its length.
    """

    def __init__(self, index: int, listed: type | None = None) -> None:
        super().__init__()
        self.index = index
        self._listed = listed

    def as_sql(self, _compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """A parameter, to be replaced by the value."""
        if self._listed is None:
            return "%s", (self,)
        if connection.vendor == "sqlite":
            return "(SELECT value FROM json_each(%s))", (self,)
        return f"(SELECT unnest(%s::{_SQL_TYPES[self._listed]}[]))", (self,)

    def stored(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """The value as the database takes it."""
        if self._listed is not None:
            return json.dumps(list(value)) if connection.vendor == "sqlite" else list(value)
        # Of all values, only datetimes differ, and only on SQLite.
        return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


def _placeholders(build: Callable[..., Any]) -> list[_Placeholder]:
    found = []
    for index, parameter in enumerate(inspect.signature(build).parameters.values()):
        is_list = get_origin(parameter.annotation) is Collection
        found.append(_Placeholder(index, get_args(parameter.annotation)[0] if is_list else None))
    return found


def compiled(build: Callable[P, QuerySet[M, Row]]) -> Callable[P, list[Row]]:
    """Turn a function that builds a query into one that runs it and returns its rows, compiling it only once.

    ``build`` gets placeholders instead of values, and may pass them to lookups such as ``pk=`` or ``number__gt=``. A
    parameter for ``__in`` must be annotated as ``Collection[int]`` or ``Collection[str]``. ``select_related`` works,
    ``prefetch_related`` doesn't. Pass numbers, strings, datetimes, or collections of them, by position; None matches
    no row, as in SQL. Anything else in the query keeps the value of the first call, also when a test patches it.
    """
    # Placeholders don't have the types of the values.
    build_any: Callable[..., QuerySet[M, Row]] = build

    @functools.cache
    def compile_once() -> tuple[Any, SQLCompiler, str, tuple[Any, ...]]:
        queryset = build_any(*_placeholders(build))
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, parameters = compiler.as_sql()
        # Otherwise this thread's connection would stay open after the thread has ended.
        del compiler.connection
        return queryset, compiler, sql, parameters

    @functools.wraps(build)
    def run(*values: P.args, **_named: P.kwargs) -> list[Row]:
        queryset, compiler, sql, parameters = compile_once()
        connection = connections[queryset.db]
        prepared: dict[Any, _Prepared] = vars(connection).setdefault("compiled_queries", {})
        query = prepared.get(build)
        if query is None:
            query = prepared[build] = _Prepared(queryset, compiler, connection)
        filled = (
            each.stored(values[each.index], connection) if isinstance(each, _Placeholder) else each
            for each in parameters
        )
        query.sql = sql, tuple(filled)
        return list(query.rows)

    return run


class _Prepared:
    """A compiled query for one connection.

    Django can't be handed finished SQL for a query set, so copies of the compiler and the query return it. The
    converters of the columns are the same each time, too.
    """

    def __init__(self, queryset: Any, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> None:
        self.sql: tuple[str, tuple[Any, ...]] = "", ()
        own, query = cast(Any, copy.copy(compiler)), copy.copy(queryset.query)
        own.connection = connection if connection.vendor == "sqlite" else _Preparing(connection)
        own.as_sql = lambda *_args, **_options: self.sql
        converters = own.get_converters([column for column, *_alias in own.select[: own.col_count]])
        own.get_converters = lambda _columns: converters
        query.get_compiler = lambda *_args, **_options: own
        fresh = queryset.__class__(queryset.model, query, queryset.db)
        fresh._fields = queryset._fields
        self.rows = queryset._iterable_class(fresh)


class _Preparing:
    """A connection to PostgreSQL with cursors that send values apart."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def cursor(self) -> CursorWrapper:
        """See :func:`preparing_cursor`."""
        return preparing_cursor(self._connection)


def preparing_cursor(connection: BaseDatabaseWrapper) -> CursorWrapper:
    """Django's cursor; on PostgreSQL one that sends values apart. Django's writes them into each statement.

    PostgreSQL prepares statements that a connection has run several times: parsing and planning takes it longer than
    running them.
    """
    if connection.vendor != "postgresql":
        return connection.cursor()
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    # The driver isn't imported, because a site on SQLite needn't load it; every backend has it, but not Django's stubs.
    cursor = cast(Any, connection).Database.Cursor(connection.connection)
    return connection.make_debug_cursor(cursor) if connection.queries_logged else connection.make_cursor(cursor)


def first(rows: Sequence[Row]) -> Row | None:
    """The first row; None if there is none."""
    return rows[0] if rows else None
