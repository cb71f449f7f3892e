"""A round of torture: play at tables, kill, stop and disconnect processes, and check everything that was seen."""

import asyncio
import json
import random
import time
from collections.abc import Callable

from games.devtools.bench.proxy import Proxy, Quality
from games.devtools.torture.clients import Page, PostOffice
from games.devtools.torture.history import Findings, Record, Stored, check
from games.devtools.torture.sites import Site, free_port, running

#: Kills per round: then new tables are started.
ROUND = 10
#: Seconds of play before each fault, and seconds that a process is stopped or the disk is full; minimum and maximum.
PLAYED, STOPPED = (0.5, 3.0), (1.0, 2.0)
#: How often another fault precedes a kill.
STOPS, CUTS, FULL, JUMPS = 0.3, 0.3, 0.2, 0.3
#: Seconds by which the site's clock is set.
SET = (-20, -3, 3, 20, 120)
#: The connections that pages use.
LINE = Quality(ping=20, jitter=3, loss=0.005)
#: Seconds after which a page that is not back, or a table that doesn't continue, counts as lost.
PATIENCE = 60.0


class Round:
    """One set of tables, and the faults during play."""

    def __init__(self, site: Site, record: Record, rng: random.Random, say: Callable[[str], None]) -> None:
        self._site, self._record, self._rng, self._say = site, record, rng, say
        self._proxies = [Proxy(url, LINE, rng) for url in site.urls]
        self._pages: list[Page] = []
        self._keys: list[str] = []
        self._stuck: list[str] = []

    async def play(self, number: int, kills: int) -> Findings:
        """Play, and return the findings."""
        self._record.next_round()
        prepared = json.loads(await asyncio.to_thread(self._site.manage, "torture", f"--prepare={number}"))
        self._keys = [table["key"] for table in prepared]
        for proxy in self._proxies:
            await proxy.start()
        urls = [proxy.url for proxy in self._proxies]
        self._pages = [
            Page(table["key"], int(seat), cookie, urls, self._record)
            for table in prepared
            for seat, cookie in table["cookies"].items()
        ]
        work = [asyncio.ensure_future(page.run()) for page in self._pages]
        try:
            await self._until(lambda: all(page.is_there for page in self._pages))
            for _kill in range(kills):
                await self._play_and_kill()
            await self._go_on()
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            for proxy in self._proxies:
                await proxy.stop()
        return await self._check()

    async def _play_and_kill(self) -> None:
        await asyncio.sleep(self._rng.uniform(*PLAYED))
        if self._rng.random() < STOPS:
            await self._stop()
        if self._rng.random() < CUTS:
            self._rng.choice(self._proxies).cut()
            self._record.note("fault", fault="cut")
            await asyncio.sleep(self._rng.uniform(*PLAYED))
        if self._rng.random() < FULL:
            await self._fill()
        if self._site.clock.env and self._rng.random() < JUMPS:
            await self._set_the_clock()
        await self._kill()

    async def _fill(self) -> None:
        with self._site.full():
            await asyncio.sleep(self._rng.uniform(*STOPPED))
        self._record.note("fault", fault="full")
        # A server may have given up because of it.
        await asyncio.to_thread(self._site.start)
        await asyncio.sleep(self._rng.uniform(*PLAYED))

    async def _set_the_clock(self) -> None:
        seconds = self._rng.choice(SET)
        self._site.clock.jump(seconds)
        self._record.note("fault", fault="jump", seconds=seconds)
        await asyncio.sleep(self._rng.uniform(*PLAYED))

    async def _stop(self) -> None:
        name = self._rng.choice(self._site.targets)
        with self._site.stopped(name):
            await asyncio.sleep(self._rng.uniform(*STOPPED))
        self._record.note("fault", fault="stop", what=name)
        await asyncio.sleep(self._rng.uniform(*PLAYED))

    async def _kill(self) -> None:
        name = self._rng.choice(self._site.targets)
        killed = time.monotonic()
        await asyncio.to_thread(self._site.kill, name)
        await asyncio.to_thread(self._site.start)
        up = time.monotonic()
        is_back = await self._until(lambda: all(page.is_there for page in self._pages))
        later = max((page.came - up for page in self._pages if page.came > killed), default=None)
        figures = {"what": name, "up": round(up - killed, 2), "back": later and round(max(0.0, later), 2)}
        self._record.note("fault", fault="kill", **figures)
        if not is_back:
            self._stuck.append(f"after {name} was killed, a page did not come back in {PATIENCE:.0f} s")
        self._say(f"  {name} killed; up after {figures['up']} s, pages {figures['back']} s later")

    async def _go_on(self) -> None:
        """Wait until every table has made one more move, or has ended."""
        before = {page.key: page.version for page in self._pages}

        def waiting_tables() -> set[str]:
            return {page.key for page in self._pages if page.version <= before[page.key] and not page.is_over}

        if not await self._until(lambda: not waiting_tables()):
            self._stuck += [f"{key} is stuck at v{before[key]}" for key in sorted(waiting_tables())]

    async def _until(self, is_so: Callable[[], bool]) -> bool:
        end = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.02)
        return True

    async def _check(self) -> Findings:
        question = {
            "keys": self._keys,
            "answered": [line["to"] for line in self._record.lines if line["k"] == "answered"],
        }
        # Requested after everything was seen, but before emails received meanwhile are checked.
        told = await asyncio.to_thread(self._site.manage, "torture", "--stored", given=json.dumps(question))
        found = check(self._record.lines, Stored.read(json.loads(told)))
        found.stuck += self._stuck
        return found


def torture(form: str, kills: int, record: Record, rng: random.Random, say: Callable[[str], None]) -> None:
    """Kill processes of this form of site ``kills`` times, and record the findings of each round."""
    smtp_port = free_port()
    with running(form, smtp_port) as site:
        if not site.clock.env:
            say("There is no C compiler (cc), so the clock is never set.")

        async def play() -> None:
            post = asyncio.ensure_future(PostOffice(smtp_port, site.lmtp_port, record).run())
            told: set[str] = set()
            try:
                for number, before in enumerate(range(0, kills, ROUND), start=1):
                    count = min(ROUND, kills - before)
                    found = await Round(site, record, rng, say).play(number, count)
                    found.leave_out(told)
                    record.note_round(form, count, found)
                    for text in found.texts():
                        say(text)
                        told.add(text)
                    if any(found.texts()):
                        say(site.logs())
                    say(f"{before + count} of {kills} kills checked")
            finally:
                post.cancel()
                await asyncio.gather(post, return_exceptions=True)

        asyncio.run(play())
