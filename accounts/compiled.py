"""Queries that pages make all the time, with their SQL compiled once per process.

Django compiles a query each time it is made, which takes several times as long as the database needs to find a row by
its key: half a millisecond for a match, 14 times in the page of a table.
"""

import copy
import functools
import inspect
from collections.abc import Callable
from datetime import datetime
from typing import Any, ParamSpec, TypeVar, cast

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

P = ParamSpec("P")
M = TypeVar("M", bound=Model)
Row = TypeVar("Row")


class _Place(Expression):
    """The place of a value in a query: that of the function's argument with this number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def as_sql(self, _compiler: SQLCompiler, _connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """A placeholder, with this place as its parameter until a value is known."""
        return "%s", (self,)


def compiled(build: Callable[P, QuerySet[M, Row]]) -> Callable[P, list[Row]]:
    """Turn a function that returns a query into one that makes it and returns its rows.

    ``build`` is called once, with a stand-in for each argument, and may only pass them to lookups such as ``pk=`` or
    ``number__gt=``; what varies otherwise, like the number of values in ``__in``, can't be compiled beforehand. Related
    rows may be joined by ``select_related``, but not prefetched. The arguments are numbers, texts or times; None finds
    nothing, as in SQL.
    """
    count = len(inspect.signature(build).parameters)

    @functools.cache
    def compile_once() -> tuple[QuerySet[M, Row], SQLCompiler, str, tuple[Any, ...]]:
        queryset = build(*map(_Place, range(count)))  # type: ignore[call-arg, arg-type]  # they stand for the values
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, places = compiler.as_sql()
        # Kept, the connection of this thread would stay open when the thread has ended.
        del compiler.connection
        return queryset, compiler, sql, places

    @functools.wraps(build)
    def rows(*values: P.args, **_none: P.kwargs) -> list[Row]:
        queryset, compiler, sql, places = compile_once()
        connection = connections[queryset.db]
        # Each thread has a connection of its own, and a compiler keeps what it has fetched.
        own = copy.copy(compiler)
        own.connection = connection
        parameters = tuple(
            _adapt(values[place.number], connection) if isinstance(place, _Place) else place for place in places
        )
        own.as_sql = lambda *_args, **_options: (sql, parameters)  # type: ignore[method-assign]  # of this copy alone
        query = copy.copy(queryset.query)
        query.get_compiler = lambda *_args, **_options: own  # type: ignore[method-assign]  # of this copy alone
        fresh: Any = queryset.__class__(queryset.model, query, queryset.db)
        fresh._iterable_class, fresh._fields = queryset._iterable_class, cast(Any, queryset)._fields
        return list(fresh)

    return rows


def _adapt(value: Any, connection: BaseDatabaseWrapper) -> Any:
    """A value in the form that the database stores: only times have one of their own in SQLite."""
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value
