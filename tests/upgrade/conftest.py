"""Databases from commit 96109f2, each loaded into a new one and migrated.

The dumps beside this file were made by a checkout of that commit: by its ``migrate`` and ``seed_demo``, and through its
own service for what those leave out. The one for PostgreSQL is the output of ``pg_dump --no-owner --no-privileges
--inserts``, the other of ``sqlite3.Connection.iterdump``. All people in them are invented.
"""

import gzip
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import time_machine
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Max

from games.matches import service
from games.matches.models import Match
from tests.conftest import close_readers
from tests.database import keep, kept

DUMPS = Path(__file__).parent

#: Rows of tables, as columns.
Rows = Mapping[str, Mapping[tuple[str, ...], Sequence[tuple[Any, ...]]]]


@dataclass(frozen=True)
class Upgraded:
    """The name of a migrated database, and the earlier content of each table."""

    name: str
    before: Rows


@pytest.fixture(scope="session")
def upgraded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any
) -> Iterator[Upgraded]:
    """The old database, migrated; tests get a copy. On SQLite the file is kept for other processes and runs."""
    name = _new_name(tmp_path_factory.mktemp("upgrade"))
    template = kept(request.config, "upgraded")
    with django_db_blocker.unblock():
        _load(gzip.decompress((DUMPS / f"96109f2.{connection.vendor}.sql.gz").read_bytes()).decode(), name)
        with _using(name):
            before = rows()
            if template is None or not template.exists():
                call_command("migrate", verbosity=0)
                if template is not None:
                    keep(template)
        if template is not None:
            _copy(str(template), name)
        yield Upgraded(name, before)
        _drop(name)


@pytest.fixture
def untouched(upgraded: Upgraded, django_db_blocker: Any) -> Iterator[Upgraded]:
    """The migrated database, read-only."""
    with django_db_blocker.unblock(), _using(upgraded.name):
        yield upgraded


@pytest.fixture
def site(upgraded: Upgraded, tmp_path: Path, django_db_blocker: Any) -> Iterator[Upgraded]:
    """The site on a copy of the migrated database, at the time the old one stopped: no clock has run out."""
    name = _new_name(tmp_path)
    _copy(upgraded.name, name)
    with django_db_blocker.unblock(), _using(name):
        stopped = Match.objects.aggregate(Max("turn_since"))["turn_since__max"]
        with time_machine.travel(stopped + timedelta(seconds=1)):
            yield upgraded
    _drop(name)


@pytest.fixture
def taken_back(
    upgraded: Upgraded, request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: Any
) -> Iterator[Upgraded]:
    """A copy of the migrated database, migrated back to the old one. On SQLite this file is kept, too."""
    name = _new_name(tmp_path)
    template = kept(request.config, "taken_back")
    is_kept = template is not None and template.exists()
    _copy(str(template) if is_kept else upgraded.name, name)
    with django_db_blocker.unblock(), _using(name):
        if not is_kept:
            _migrate_back_to(migrations_in(upgraded.before))
            if template is not None:
                keep(template)
        yield upgraded
    _drop(name)


def _migrate_back_to(old: set[tuple[str, str]]) -> None:
    last = dict(sorted(old))
    changed = {app for app, _name in MigrationExecutor(connection).loader.applied_migrations.keys() - old}
    # One app at a time (what depends on an app goes with it): for all together, Django builds every model again for
    # each migration.
    for app in sorted(changed, reverse=True):
        MigrationExecutor(connection).migrate([(app, last.get(app))])


def migrations_in(held: Rows) -> set[tuple[str, str]]:
    """The app and name of each migration of these rows."""
    return {(app, name) for _id, app, name, _at in next(iter(held["django_migrations"].values()))}


def rows() -> Rows:
    """The content of each table of the database."""
    return {table: dict([_read(table)]) for table in connection.introspection.table_names()}


def select(table: str, columns: Sequence[str]) -> Sequence[tuple[Any, ...]]:
    """These columns of all rows, ordered by the first."""
    return _read(table, columns)[1]


def _read(table: str, columns: Sequence[str] = ()) -> tuple[tuple[str, ...], Sequence[tuple[Any, ...]]]:
    """Names and rows of these columns of a table, or of all its columns, ordered by the first."""
    named = ", ".join(f'"{column}"' for column in columns) or "*"
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT {named} FROM "{table}" ORDER BY 1')  # noqa: S608 - names out of the database
        return tuple(column[0] for column in cursor.description), cursor.fetchall()


@contextmanager
def _using(name: str) -> Iterator[None]:
    """Make every new connection use the named database, without waiting for disks."""
    connection.close()
    settings, before = connection.settings_dict, dict(connection.settings_dict)
    settings["NAME"] = name
    if connection.vendor == "sqlite":
        command = settings["OPTIONS"]["init_command"] + "PRAGMA synchronous=OFF;"
        settings["OPTIONS"] = settings["OPTIONS"] | {"init_command": command}
    try:
        yield
    finally:
        service.stop_writer()
        close_readers()
        connection.close()
        settings.update(before)


def _new_name(folder: Path) -> str:
    if connection.vendor == "sqlite":
        return str(folder / "armani.sqlite3")
    return f"{connection.settings_dict['NAME']}_{os.getpid()}_{folder.name}"


def _load(dump: str, name: str) -> None:
    if connection.vendor == "sqlite":
        database = sqlite3.connect(name)
        database.executescript(dump)
        database.close()
        return
    _on_server(f'CREATE DATABASE "{name}"')
    with psycopg.connect(os.environ["DATABASE_URL"], dbname=name) as database:
        database.execute(dump)


def _copy(name: str, other: str) -> None:
    if connection.vendor == "sqlite":
        shutil.copyfile(name, other)
    else:
        _on_server(f'CREATE DATABASE "{other}" TEMPLATE "{name}"')
        _on_server(f'ALTER DATABASE "{other}" SET synchronous_commit = off')


def _drop(name: str) -> None:
    if connection.vendor != "sqlite":
        _on_server(f'DROP DATABASE "{name}" WITH (FORCE)')


def _on_server(statement: str) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], dbname="postgres", autocommit=True) as server:
        server.execute(statement)
