"""Fixtures for tests of the running site."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from games.devtools.bench import migrated


@pytest.fixture
def services(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a site with its own database on the services under test."""
    url, _, _ = os.environ.get("DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres").rpartition("/")
    name = sql.Identifier(f"armani_ops_{os.getpid()}")
    with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
        template = sql.Identifier(migrated.template())
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, template))
        try:
            yield {
                "DATABASE_URL": f"{url}/armani_ops_{os.getpid()}",
                "REDIS_URL": os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/12"),
                "SECRET_KEY": "only-for-this-test-" * 3,
                "EMAIL_URL": "filemail://",
            }
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
