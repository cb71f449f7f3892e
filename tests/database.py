"""The test database: migrated once for all runs, and restored after each test that commits."""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import django.test
import psycopg
import pytest
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from tests.factories.site_process import SiteProcess

ROOT = Path(__file__).resolve().parent.parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Migrate while parallel processes collect the tests; they wait for it when they need a database."""
    if session.config.pluginmanager.has_plugin("dsession"):
        migration = threading.Thread(target=_migrate, args=(session.config,))
        migration.start()
        session.config.add_cleanup(migration.join)


def _migrate(config: pytest.Config) -> None:
    if connection.vendor == "sqlite":
        _migrated_on_sqlite(config)
    else:
        _migrated_on_postgresql()


@pytest.fixture(scope="session")
def _copied(request: pytest.FixtureRequest, django_db_modify_db_settings_parallel_suffix: None) -> bool:
    """Whether the database is a copy of the migrated file; only on SQLite."""
    if connection.vendor != "sqlite":
        return False
    connection.settings_dict["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"
    template, file = _migrated_on_sqlite(request.config), Path(connection.settings_dict["TEST"]["NAME"])
    # A killed run leaves them; Django removes only the main file, and SQLite would read them into the new one.
    for leftover in ("-wal", "-shm"):
        Path(f"{file}{leftover}").unlink(missing_ok=True)
    if template is None:
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(template, file)
    return True


@pytest.fixture(scope="session")
def django_db_modify_db_settings(_copied: bool) -> None:
    """Make the settings before the database. As on SQLite, no commit waits for the disk."""
    if connection.vendor == "postgresql":
        connection.settings_dict["TEST"]["TEMPLATE"] = _migrated_on_postgresql()
        options = connection.settings_dict["OPTIONS"]
        options["options"] = f"{options.get('options', '')} -c synchronous_commit=off"


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool, _copied: bool) -> bool:
    """Don't migrate a copied database again."""
    return django_db_keepdb or _copied


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Restore the rows of the migrated database after each test that commits."""
    with django_db_blocker.unblock():
        _CommittingTest.migrated = _Rows(connection)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(django.test, "TransactionTestCase", _CommittingTest)
        yield
    if connection.vendor == "postgresql":
        # Threads that outlive their tests have connections, and PostgreSQL deletes no database with a session.
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid != pg_backend_pid()"
            )


class _CommittingTest(django.test.TransactionTestCase):
    """A test that commits, restores the rows and keeps its connection.

    Django would empty all tables, recreate content types and permissions, which takes 0.1 s per test, and close the
    connection. Each new one reads the whole schema and prepares every statement again: a twentieth of the time of all
    tests.
    """

    migrated: ClassVar["_Rows"]

    def _fixture_teardown(self) -> None:
        self.migrated.restore(connection)

    def _should_reload_connections(self) -> bool:
        return False


@pytest.fixture(scope="session")
def migrated_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Offer a migrated database to the sites that tests start, because migrating takes most of a site's start."""
    folder = tmp_path_factory.mktemp("migrated")
    with pytest.MonkeyPatch.context() as patch:
        file = folder / "armani.sqlite3"
        if template := _migrated_on_sqlite(request.config):
            shutil.copyfile(template, file)
        else:
            SiteProcess(data_dir=folder).migrate()
        patch.setenv("MIGRATED_SQLITE", str(file))
        if connection.vendor == "sqlite":
            yield
            return
        patch.setenv("MIGRATED_POSTGRESQL", _migrated_on_postgresql())
        yield


def _migrated_on_sqlite(config: pytest.Config) -> Path | None:
    """A migrated file, which all test processes copy and later runs find again; None if pytest keeps no files."""
    template = _kept_file(config, "database")
    if template is None:
        return None
    with (template.parent / "lock").open("w") as lock:
        # Others wait here until the first process has made it; the lock is freed with its file.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            _delete_older(template)
            with tempfile.TemporaryDirectory(dir=template.parent) as folder:
                site = SiteProcess(data_dir=Path(folder))
                site.manage("migrate", "--verbosity=0")
                (site.data_dir / "armani.sqlite3").replace(template)
    return template


def _migrated_on_postgresql() -> str:
    """Name of a migrated database, which all test processes share and later runs find again."""
    server, _, name = os.environ["DATABASE_URL"].rpartition("/")
    migrated, unfinished = f"{name}_migrated_{_state_of_the_code()}", f"{name}_migrated_unfinished"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        # Others wait here until the first process has made it; PostgreSQL frees the lock with the connection.
        admin.execute("SELECT pg_advisory_lock(hashtext(%s))", [name])
        rows = admin.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [f"{name}_migrated_"])
        existing = {datname for (datname,) in rows}
        if migrated not in existing:
            for older in existing:
                admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(older)))
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(unfinished)))
            with tempfile.TemporaryDirectory() as folder:
                env = {"DATABASE_URL": f"{server}/{unfinished}", "REDIS_URL": os.environ["REDIS_URL"]}
                SiteProcess(env, Path(folder)).migrate()
            admin.execute(
                sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(unfinished), sql.Identifier(migrated))
            )
    return migrated


def kept(config: pytest.Config, folder: str) -> Path | None:
    """Path in that folder of the migrated file for this state of the code, if files are kept; only on SQLite."""
    return _kept_file(config, folder) if connection.vendor == "sqlite" else None


def _kept_file(config: pytest.Config, folder: str) -> Path | None:
    if not hasattr(config, "cache") or config.cache is None:
        return None
    return config.cache.mkdir(folder) / f"{_state_of_the_code()}.sqlite3"


def _state_of_the_code() -> str:
    """A digest of everything that migrated databases, content types and permissions depend on."""
    files = [ROOT / "requirements" / "test.txt", *(ROOT / "tests" / "upgrade").glob("*.gz")]
    for app in ("accounts", "armani_site", "games"):
        files += (ROOT / app).rglob("migrations/*.py")
        files += (ROOT / app).rglob("models.py")
        files += (ROOT / app).rglob("models/*.py")
    digest = hashlib.sha256(sys.version.encode())
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:24]


def keep(template: Path) -> None:
    """Copy the database to ``template`` in one step, and delete older ones."""
    connection.ensure_connection()
    _delete_older(template)
    # Parallel processes arrive here together, and two writing one file would corrupt it.
    copy = template.with_suffix(f".{os.getpid()}")
    target = sqlite3.connect(copy)
    connection.connection.backup(target)
    target.close()
    copy.replace(template)


def _delete_older(template: Path) -> None:
    for older in template.parent.glob("*.sqlite3"):
        if older != template:
            older.unlink(missing_ok=True)


class _Rows:
    """The rows created by migrations: content types, permissions, groups and the like; other tables are empty."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        with connection.cursor() as cursor:
            self._migrated = {table: self._rows(cursor, table) for table in self._filled(cursor)}

    def restore(self, connection: BaseDatabaseWrapper) -> None:
        """Delete new rows, and restore changed or deleted ones."""
        with transaction.atomic(), connection.cursor() as cursor:
            filled = self._filled(cursor)
            changed = [table for table, rows in self._migrated.items() if self._rows(cursor, table) != rows]
            self._empty(cursor, [*(table for table in filled if table not in self._migrated), *changed])
            for table in changed:
                places = ", ".join(["%s"] * len(self._migrated[table][0]))
                cursor.executemany(f"INSERT INTO {table} VALUES ({places})", self._migrated[table])  # noqa: S608 - ours

    def _filled(self, cursor: Any) -> list[str]:
        """The tables that contain rows."""
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in self._tables)  # noqa: S608 - ours
        )
        return [table for (table,) in cursor.fetchall()]

    def _rows(self, cursor: Any, table: str) -> Sequence[tuple[Any, ...]]:
        cursor.execute(f"SELECT * FROM {table} ORDER BY id")  # noqa: S608 - the name is that of a table of ours
        return cursor.fetchall()

    def _empty(self, cursor: Any, tables: Sequence[str]) -> None:
        """Delete all rows of ``tables``, including those whose triggers forbid it, such as the moderation log."""
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
            seals = [(name, sql) for name, table, sql in cursor.fetchall() if table in tables]
            for name, _sql in seals:
                cursor.execute(f"DROP TRIGGER {name}")
            for table in tables:
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - the name is that of a table of ours
            for _name, sql in seals:
                cursor.execute(sql)
        elif tables:
            cursor.execute("SET LOCAL session_replication_role = replica")
            for table in tables:
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - the name is that of a table of ours
