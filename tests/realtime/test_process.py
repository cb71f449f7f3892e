"""The event loop of a process, with and without sockets."""

import asyncio

from games.realtime import process


async def _as_sockets_do() -> None:
    process.use_running_loop()


def test_a_process_that_loses_its_sockets_again_and_again_has_one_other_loop():
    asyncio.run(_as_sockets_do())
    without_sockets = process.loop()
    asyncio.run(_as_sockets_do())
    assert process.loop() is without_sockets
    assert without_sockets.is_running()


def test_work_of_other_threads_runs_after_the_sockets_are_gone():
    asyncio.run(_as_sockets_do())
    done = asyncio.run_coroutine_threadsafe(asyncio.sleep(0, "done"), process.loop())
    assert done.result(5) == "done"
