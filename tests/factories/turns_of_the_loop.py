"""Turns of the event loop, for tests in which nothing waits for a clock or a thread."""

import asyncio


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)
