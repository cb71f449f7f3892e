"""A load balancer in front of several web processes, like nginx; it skips a process that is restarting."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlsplit

CHUNK = 65536


@contextlib.asynccontextmanager
async def balancing(urls: Sequence[str]) -> AsyncIterator[str]:
    """Distribute connections over ``urls`` in turn; yields the balancer's own URL."""
    turn = itertools.count()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):  # one of the two sides has disconnected
            first = next(turn)
            await _pass_on(reader, writer, [urls[(first + more) % len(urls)] for more in range(len(urls))])
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, urls: Sequence[str]) -> None:
    """Send a request without a body to the first of ``urls`` that answers, then forward data in both directions."""
    head = await reader.readuntil(b"\r\n\r\n")
    for url in urls:
        try:
            from_server, to_server = await asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port)
            to_server.write(head)
            answer = await from_server.read(CHUNK)
        except OSError:
            continue
        if answer:
            break
        to_server.close()
    else:
        return
    writer.write(answer)
    ways = [asyncio.ensure_future(_copy(reader, to_server)), asyncio.ensure_future(_copy(from_server, writer))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        to_server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
