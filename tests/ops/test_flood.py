"""The real server under more requests than it can answer at once: it survives, and frees everything it used."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from armani_site.asgi import KEPT_CONNECTIONS
from tests.factories.site_process import SiteProcess

pytestmark = pytest.mark.process

REQUESTS = 500
#: Connections a process needs besides those for requests: the writer, the readers of tables, the heartbeat.
OTHERS = 4
#: Requests answered at the same time.
PARALLEL = 20
#: The database, its log of writes and the index of that.
FILES_OF_SQLITE = 3


async def _status(port: int, path: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
    try:
        answer = await asyncio.wait_for(reader.read(), 120)
    finally:
        writer.close()
    return int(answer.split(b" ", 2)[1])


def burst(site: SiteProcess, path: str = "/") -> Counter[int]:
    """The responses to ``REQUESTS`` simultaneous requests."""

    async def ask() -> list[int]:
        return await asyncio.gather(*(_status(site.port, path) for _ in range(REQUESTS)))

    return Counter(asyncio.run(ask()))


def eventually(holds: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


def descriptors(site: SiteProcess) -> tuple[int, int]:
    """How many files and sockets the site has open besides SQLite's, and how many of those."""
    files = Counter(".sqlite3" in _target(link) for link in Path(f"/proc/{site.pid}/fd").iterdir())
    return files[False], files[True]


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:  # closed meanwhile
        return ""


def test_a_burst_leaves_no_file_open_and_more_may_be_open_than_the_shell_allowed() -> None:
    with SiteProcess({"PARALLEL_REQUESTS": "10", "WAITING_REQUESTS": "610"}, files=256) as site:
        burst(site)
        before, _ = descriptors(site)
        answers = burst(site)
        assert set(answers) == {200, 503}
        assert answers[200] >= 310
        assert eventually(lambda: descriptors(site)[0] <= before), (before, descriptors(site))
        assert descriptors(site)[1] <= FILES_OF_SQLITE * (KEPT_CONNECTIONS + OTHERS)
        assert "Too many open files" not in site.log


def connections_to(url: str, site: SiteProcess) -> int:
    """How many connections the site has to the service at ``url``."""
    mine = {_target(link) for link in Path(f"/proc/{site.pid}/fd").iterdir()}
    sockets = (line.split() for line in Path(f"/proc/{site.pid}/net/tcp").read_text().splitlines()[1:])
    port = urlsplit(url).port
    return sum(
        int(there.split(":")[1], 16) == port and f"socket:[{node}]" in mine
        for _, _, there, _, _, _, _, _, _, node, *_ in sockets
    )


@pytest.mark.services
def test_a_burst_leaves_no_connection_to_postgresql_open_beside_the_few_that_stay(
    services: dict[str, str], tmp_path: Path
) -> None:
    def database() -> int:
        return connections_to(services["DATABASE_URL"], site)

    def redis() -> int:
        return connections_to(services["REDIS_URL"], site)

    def others() -> int:
        return descriptors(site)[0] - database() - redis()

    with SiteProcess({**services, "PARALLEL_REQUESTS": str(PARALLEL)}, tmp_path) as site:
        burst(site)
        assert eventually(lambda: database() <= KEPT_CONNECTIONS + OTHERS), database()
        before = others()
        assert burst(site) == {200: REQUESTS}
        assert eventually(lambda: database() <= KEPT_CONNECTIONS + OTHERS), database()
        # Connections to Redis wait in a pool for the next request: at most one per thread.
        assert redis() <= PARALLEL + OTHERS
        assert eventually(lambda: others() <= before), (before, descriptors(site), database(), redis())
