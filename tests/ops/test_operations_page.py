"""The commands in docs/operations.md for backups and changing the database work as written."""

import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.factories.site_process import ROOT, SiteProcess

pytestmark = pytest.mark.process
PAGE = (ROOT / "docs" / "operations.md").read_text()
COMMANDS = dict(re.findall(r"^```sh name=([\w-]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))

#: People, a running match and a finished one; the last line printed is the key of the finished one.
_SEED = """
from accounts.models import User
from games.matches import service
ada, ben = (User.objects.create_user(f"{name}@example.org", name=name) for name in ("Ada", "Ben"))
for number in range(2):
    match = service.open_table(ada, "normal-cards", 2, {}, clock="daily")
    service.join(match, ben)
    service.start(match, ada)
    table = service.load(match.pk)
    seat = table.deciders()[0]
    move = table.state.legal_moves(seat)[0]
    service.act(match.pk, seat, move, request_id="1", player=(ada, ben)[seat])
service.resign(match, ada)
print(match.key)
"""
#: Rows created after the backup, which restoring it loses.
_LATER = "from accounts.models import User; User.objects.create_user('late@example.org', name='Late')"
_COUNT = """
from accounts.models import User
from games.matches.models import Move
print(User.objects.count(), Move.objects.count())
"""
#: The response of a match's replay.
_LOOK = """
from django.test import Client
print(Client().get("/match/{}/replay/", headers={{"host": "localhost"}}).status_code)
"""


def run(name: str, site: SiteProcess, folder: Path) -> None:
    """Run a block of the page: each command must end with status 0 and without error output."""
    python = Path(sys.executable).parent
    env = {**site.env, "PATH": f"{python}:{os.environ['PATH']}"}
    # The commands assume the folder of the site's code; their files go elsewhere.
    script = re.sub(r"\b(armani\.dump|backup\.sqlite3|all\.json)\b", rf"{folder}/\1", COMMANDS[name])
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower()


def opens(site: SiteProcess, key: str) -> None:
    """Check that the site is ready, and the finished match has its replay."""
    with site:
        for path in ("/readyz", f"/match/{key}/", f"/match/{key}/replay/"):
            with urllib.request.urlopen(site.url + path, timeout=30) as answer:  # noqa: S310 - our own server
                assert answer.status == 200


def told(site: SiteProcess, code: str) -> str:
    return site.manage("shell", "-v", "0", "-c", code).strip().splitlines()[-1]


def test_a_backup_of_sqlite_is_restored(tmp_path: Path) -> None:
    site = SiteProcess(data_dir=tmp_path / "data")
    site.migrate()
    key = told(site, _SEED)
    run("backup-sqlite", site, tmp_path)
    site.manage("shell", "-v", "0", "-c", _LATER)
    run("restore-sqlite", site, tmp_path)
    assert told(site, _COUNT) == "2 2"
    opens(site, key)


@pytest.fixture
def database() -> Iterator[str]:
    """The URL of a new empty database, deleted afterwards."""
    base, name = os.environ["DATABASE_URL"].rpartition("/")[0], f"armani_operations_{os.getpid()}"
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{base}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def restored() -> Iterator[str]:
    """The address of the database that the page restores into."""
    base = os.environ["DATABASE_URL"].rpartition("/")[0]
    drop = "DROP DATABASE IF EXISTS armani_restored WITH (FORCE)"
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(drop)
        yield f"{base}/armani_restored"
        connection.execute(drop)


@pytest.mark.services
def test_a_backup_of_postgresql_is_restored_here_and_elsewhere(
    services: dict[str, str], restored: str, tmp_path: Path
) -> None:
    site = SiteProcess(services, tmp_path / "data")
    site.migrate()
    key = told(site, _SEED)
    run("backup-postgresql", site, tmp_path)
    site.manage("shell", "-v", "0", "-c", _LATER)
    run("restore-postgresql", site, tmp_path)
    assert told(site, _COUNT) == "2 2"
    run("restore-postgresql-elsewhere", site, tmp_path)
    elsewhere = SiteProcess({**services, "DATABASE_URL": restored}, tmp_path / "2")
    assert told(elsewhere, _COUNT) == "2 2"
    assert told(elsewhere, _LOOK.format(key)) == "200"


@pytest.mark.services
def test_a_site_goes_from_sqlite_to_postgresql(database: str, tmp_path: Path) -> None:
    before = SiteProcess(data_dir=tmp_path / "data")
    before.migrate()
    key = told(before, _SEED)
    run("dump-sqlite", before, tmp_path)
    after = SiteProcess({"DATABASE_URL": database, "REDIS_URL": os.environ["REDIS_URL"]}, tmp_path / "data")
    run("load-postgresql", after, tmp_path)
    assert told(after, _COUNT) == "2 2"
    assert told(after, _LOOK.format(key)) == "200"
    # Numbers of new rows continue after the old ones.
    after.manage("shell", "-v", "0", "-c", _LATER)
    assert told(after, _COUNT) == "3 2"


def test_every_block_is_run() -> None:
    assert set(COMMANDS) == set(re.findall(r'run\("([\w-]+)"', Path(__file__).read_text()))
