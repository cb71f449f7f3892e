"""The real server under more requests than it answers at once: it stays, and gives back all that it took."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.site_process import SiteProcess

pytestmark = pytest.mark.process

REQUESTS = 500


async def _status(port: int, path: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
    try:
        answer = await asyncio.wait_for(reader.read(), 120)
    finally:
        writer.close()
    return int(answer.split(b" ", 2)[1])


def burst(site: SiteProcess, path: str = "/") -> Counter[int]:
    """How ``REQUESTS`` requests at once were answered."""

    async def ask() -> list[int]:
        return await asyncio.gather(*(_status(site.port, path) for _ in range(REQUESTS)))

    return Counter(asyncio.run(ask()))


def eventually(holds: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


def descriptors(site: SiteProcess) -> int:
    return len(list(Path(f"/proc/{site.pid}/fd").iterdir()))


def test_a_burst_leaves_no_file_open_and_more_may_be_open_than_the_shell_allowed() -> None:
    with SiteProcess({"PARALLEL_REQUESTS": "10", "WAITING_REQUESTS": "300"}, files=256) as site:
        burst(site, "/rules/")
        before = descriptors(site)
        answers = burst(site)
        assert set(answers) == {200, 503}
        assert answers[200] >= 310
        assert eventually(lambda: descriptors(site) <= before), (before, descriptors(site))
        assert "Too many open files" not in site.log


@pytest.fixture
def connections(services: dict[str, str]) -> Iterator[Callable[[], int]]:
    """How many connections the site's database has, beside the one that asks."""
    with psycopg.connect(services["DATABASE_URL"], autocommit=True) as connection:

        def count() -> int:
            asked = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
            (found,) = connection.execute(asked).fetchone() or (0,)
            return int(found)

        yield count


@pytest.mark.services
def test_bursts_hold_no_more_connections_to_postgresql_than_are_answered_at_once(
    services: dict[str, str], connections: Callable[[], int], tmp_path: Path
) -> None:
    # Most are closed with their answer; now and then some wait for the collector of garbage, and must not pile up.
    with SiteProcess(services, tmp_path) as site:
        burst(site, "/rules/")
        before_files = descriptors(site)
        assert burst(site) == {200: REQUESTS}
        assert eventually(lambda: connections() <= 2 * 20), connections()
        assert eventually(lambda: descriptors(site) <= before_files + 2 * 20), (before_files, descriptors(site))
