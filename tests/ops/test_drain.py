"""A server that is asked to stop answers its visitors, and asks them to reconnect one after the other."""

import asyncio
import contextlib
import json
import signal
import threading
import time

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from games.realtime import process
from games.realtime.consumer import TRY_AGAIN
from tests.factories.site_process import SiteProcess

SOCKETS = 40


class Farewell:
    """A socket that records when it was dismissed."""

    def __init__(self, times: list[float], now: list[float]) -> None:
        self._times, self._now = times, now

    async def say_restart(self) -> None:
        self._times.append(self._now[0])


@pytest.mark.parametrize(("count", "longest"), [(1, 0.0), (10, 0.1), (300, 3.0), (5000, 3.0)])
async def test_sockets_are_dismissed_one_after_the_other_within_three_seconds(monkeypatch, count, longest) -> None:
    times: list[float] = []
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] = seconds

    monkeypatch.setattr(process, "sockets", {Farewell(times, now) for _ in range(count)})
    await process.drain(sleep)
    assert len(times) == count
    assert max(times) <= longest
    assert len(set(times)) == count, "each at a moment of its own"


async def test_a_browser_that_reads_nothing_does_not_delay_the_shutdown(monkeypatch) -> None:
    class Silent:
        async def say_restart(self) -> None:
            await asyncio.Event().wait()

    class Broken:
        async def say_restart(self) -> None:
            raise ConnectionError

    times: list[float] = []
    there = [Silent(), Broken(), *(Farewell(times, [0.0]) for _ in range(8))]
    monkeypatch.setattr(process, "sockets", there)
    monkeypatch.setattr(process, "SPREAD", 0.05)
    monkeypatch.setattr(process, "GOODBYE", 0.05)
    await asyncio.wait_for(process.drain(), 20)
    assert len(times) == 8


@pytest.mark.process
@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_a_stopping_server_answers_running_requests_and_makes_sockets_reconnect(server: str) -> None:
    async def watch(number: int) -> tuple[list[str], int, float]:
        heard: list[str] = []
        address = f"ws://localhost:{site.port}/ws/practice/slaps/"
        async with connect(address, origin=f"http://localhost:{site.port}") as socket:  # type: ignore[arg-type]  # a plain string
            there.append(number)
            if len(there) == SOCKETS:
                all_there.set()
            with contextlib.suppress(ConnectionClosed):  # by the server, with the code returned below
                while True:
                    heard.append(json.loads(await socket.recv())["t"])
            return heard, socket.close_code or 0, time.monotonic()

    async def ask() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(b"GET /lobby/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer

    async def all_of_it() -> None:
        watching = [asyncio.ensure_future(watch(number)) for number in range(SOCKETS)]
        await all_there.wait()
        asking = [asyncio.ensure_future(ask()) for _ in range(30)]
        await asyncio.sleep(0.1)  # they are being answered
        begun = time.monotonic()
        stopping = threading.Thread(target=lambda: status.append(site.stop(signal.SIGTERM)))
        stopping.start()
        answers = await asyncio.gather(*asking)
        told = await asyncio.gather(*watching)
        with pytest.raises(ConnectionRefusedError):  # another process takes new visitors
            await asyncio.open_connection("127.0.0.1", site.port)
        await asyncio.to_thread(stopping.join)
        assert all(answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"</html>\n") for answer in answers)
        assert {(heard[-1], code) for heard, code, _at in told} == {("restart", TRY_AGAIN)}
        spread = max(at for *_, at in told) - min(at for *_, at in told)
        assert 0.2 < spread < 3.5
        assert time.monotonic() - begun < 9
        assert status == [0]

    there: list[int] = []
    all_there = asyncio.Event()
    status: list[int] = []
    with SiteProcess({"SERVER": server, "SOCKETS_PER_SESSION": "100"}) as site:
        asyncio.run(all_of_it())
