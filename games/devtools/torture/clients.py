"""The players of a tortured site: pages at tables, and people who answer emails. Everything they see is recorded."""

import asyncio
import contextlib
import json
import logging
import random
import re
import smtplib
import time
from collections.abc import Callable, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import partial
from typing import Any

from aiosmtpd.controller import Controller
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from games.devtools.bench import people
from games.devtools.bench.slaps import is_slappable
from games.devtools.torture.history import Record, digest

#: As on the page (``static/js/connect.js``): seconds before reconnecting in the first minute, seconds of silence after
#: which a connection is dead, and the pause before a move that couldn't be stored is sent again.
FIRST_WAIT, LONGEST_WAIT = 0.3, 3.0
LONGEST_SILENCE = 15.0
RETRY_AFTER = 1.5
#: How often messages are sent twice, and wrong cards slapped.
TWICE, IN_VAIN = 0.1, 0.02


class Page:
    """One player at one table, who stays connected and plays any legal move."""

    def __init__(self, key: str, seat: int, cookie: str, urls: Sequence[str], record: Record) -> None:
        self.key = key
        self.version = -1
        self.is_over = False
        #: When this page first received something after its last absence, on this process's clock.
        self.came = 0.0
        self.is_there = False
        self._seat, self._cookie, self._urls, self._record = seat, cookie, urls, record
        self._rng = random.Random(f"{key}/{seat}")  # noqa: S311 - a load is no secret
        self._socket: ClientConnection | None = None
        self._tries = 0
        self._asked = 0
        #: The latest message with a view, and unanswered moves by id.
        self._shown: dict[str, Any] = {}
        self._waiting: dict[str, dict[str, Any]] = {}
        self._work: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Stay connected until cancelled."""
        try:
            while True:
                # The site is being killed: broken visits are what this tests, and the page reconnects.
                with contextlib.suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                    await self._visit()
                self._socket, self.is_there = None, False
                wait = min(LONGEST_WAIT, FIRST_WAIT * 2**self._tries)
                self._tries += 1
                await asyncio.sleep(wait * self._rng.uniform(0.5, 1.5))
        finally:
            for task in self._work:
                task.cancel()

    async def _visit(self) -> None:
        url = self._rng.choice(self._urls)
        since = f"?since={self.version}" if self.version >= 0 else ""
        async with connect(
            f"{url.replace('http', 'ws', 1)}/ws/match/{self.key}/{since}",
            additional_headers={"Cookie": self._cookie},
            origin=url,  # type: ignore[arg-type]  # a plain string is what goes over the wire
            compression=None,
            ping_interval=None,
            close_timeout=1,
        ) as socket:
            self._socket, self._tries = socket, 0
            for message in list(self._waiting.values()):
                await self._say(message)
            while True:
                async with asyncio.timeout(LONGEST_SILENCE):
                    text = await socket.recv()
                await self._handle(json.loads(text))

    async def _handle(self, message: dict[str, Any]) -> None:
        if not self.is_there:
            self.is_there, self.came = True, time.monotonic()
        match message["t"]:
            case "ping":
                await self._say({"t": "pong", "n": message["n"]})
            case "ok":
                if message["id"] in self._waiting:
                    self._note("ok", message["v"], id=message["id"])
                self._waiting.pop(message["id"], None)
                self._decide_soon()  # its result may have been shown before, in a complete view
            case "rejected" if message["code"] == "unavailable":
                self._note("unavailable", message["v"])
                self._later(RETRY_AFTER * self._rng.uniform(0.5, 1.5), partial(self._say_again, message["id"]))
            case "rejected":
                self._waiting.pop(message["id"], None)
                self._decide_soon()
            case "verdict":
                self._note("verdict", message["v"], slaps=message["slaps"])
            case "moved":
                entry = message["entry"]
                self._waiting.pop(entry["id"], None)
                self._note_view("saw", message, move=[entry["seat"], entry["move"]], id=entry["id"])
                await self._take_in(message)
            case "snapshot":
                self._note_view("whole", message)
                for waiting in list(self._waiting.values()):
                    await self._say(waiting)
                await self._take_in(message)

    def _note(self, kind: str, version: int, **what: Any) -> None:
        self._record.note(kind, m=self.key, s=self._seat, v=version, **what)

    def _note_view(self, kind: str, message: dict[str, Any], **what: Any) -> None:
        clocks = [[clock["seat"], clock["bank"], clock["due"]] for clock in message["clocks"]]
        self._note(kind, message["v"], view=digest(message["view"]), clocks=clocks, now=message["now"], **what)

    async def _take_in(self, message: dict[str, Any]) -> None:
        self.version, self._shown = message["v"], message
        self.is_over = message["status"] != "running"
        if self.version % 20 == 0:
            await self._say({"t": "ack", "v": self.version})
        view = message["view"]
        if self._seat in view["to_move"] and view["moves"] and "flip" not in view["moves"]:
            self._decide_soon()
        elif message["t"] == "moved" and message["card"] is not None and self._wants_to_slap(view):
            reaction = people.reaction("typical", self._rng)
            self._later(reaction / 1000, partial(self._slap, message["card"], reaction))

    def _wants_to_slap(self, view: dict[str, Any]) -> bool:
        return "slap" in view["moves"] and (is_slappable(view) or self._rng.random() < IN_VAIN)

    def _decide_soon(self) -> None:
        self._later(self._rng.uniform(0.1, 0.5), partial(self._decide, self.version))

    async def _decide(self, version: int) -> None:
        view = self._shown["view"]
        if version != self.version or self._waiting or self._seat not in view["to_move"] or "flip" in view["moves"]:
            return
        self._asked += 1
        name = f"{self._seat}-{self._asked}"
        move = self._rng.choice(view["moves"])
        self._waiting[name] = {"t": "move", "id": name, "v": version, "move": move}
        await self._say_again(name)

    async def _slap(self, card: int, reaction: float) -> None:
        message = {"t": "slap", "id": f"s{self._seat}-{card}", "v": card, "r": reaction}
        for _time in range(1 + (self._rng.random() < TWICE)):
            await self._say(message)

    async def _say_again(self, name: str) -> None:
        for _time in range(1 + (self._rng.random() < TWICE)):
            if name in self._waiting:
                await self._say(self._waiting[name])

    def _later(self, seconds: float, work: Callable[[], Any]) -> None:
        async def wait() -> None:
            await asyncio.sleep(seconds)
            await work()

        task = asyncio.ensure_future(wait())
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _say(self, message: dict[str, Any]) -> None:
        if self._socket is not None:
            # A message that couldn't be sent is sent again when the page is back.
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(json.dumps(message))


class PostOffice:
    """The mail server of all players: receives the site's emails, and answers each turn."""

    def __init__(self, port: int, lmtp_port: int, record: Record) -> None:
        logging.getLogger("mail.log").setLevel(logging.WARNING)  # it logs every line of every email
        self._server = Controller(self, hostname="127.0.0.1", port=port)
        self._lmtp_port = lmtp_port
        self._record = record
        self._came: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._answered: set[str] = set()
        self._answers: set[asyncio.Task[None]] = set()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd calls it so
        """Receive an email."""
        self._loop.call_soon_threadsafe(self._came.put_nowait, envelope.content)
        return "250 OK"

    async def run(self) -> None:
        """Receive and answer emails until cancelled."""
        self._server.start()
        try:
            while True:
                mail = message_from_bytes(await self._came.get(), policy=default)
                self._record.note("email", id=mail["Message-ID"], to=mail["To"])
                address = re.search(r"turn\+[a-z2-7]+@", str(mail["Reply-To"]))
                if address and address[0] not in self._answered:
                    self._answered.add(address[0])
                    task = asyncio.ensure_future(self._answer(f"{address[0]}play.example.org", mail["To"]))
                    self._answers.add(task)
                    task.add_done_callback(self._answers.discard)
        finally:
            for task in self._answers:
                task.cancel()
            await asyncio.to_thread(self._server.stop)

    async def _answer(self, address: str, sender: str) -> None:
        """Deliver the answer repeatedly until it is accepted, like a mail server."""
        answer = EmailMessage()
        answer["From"], answer["To"], answer["Subject"] = sender, address, "Re: your turn"
        answer["Message-ID"] = f"<{address.partition('@')[0]}@players.example>"
        answer.set_content("1\n")
        while True:
            await asyncio.sleep(0.5)
            code = await asyncio.to_thread(self._deliver, answer, sender, address)
            if code == 250:
                self._record.note("answered", to=address)
                return
            if code >= 500:
                self._record.note("refused", to=address, code=code)
                return

    def _deliver(self, answer: EmailMessage, sender: str, address: str) -> int:
        try:
            with smtplib.LMTP("127.0.0.1", self._lmtp_port, timeout=20) as line:
                line.send_message(answer, sender, [address])
                return 250
        except smtplib.SMTPRecipientsRefused as refused:
            return int(refused.recipients[address][0])
        except smtplib.SMTPResponseException as refused:
            return int(refused.smtp_code)
        except OSError:  # includes all other SMTP errors
            return 0
