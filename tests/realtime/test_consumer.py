"""How a socket takes in broadcasts and frames: at once where it can, and always in order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.exceptions import StopConsumer
from django.utils import translation

from games.realtime.consumer import TRY_AGAIN, OrderedConsumer
from games.realtime.layer import LocalChannelLayer
from tests.factories.turns_of_the_loop import settle


class Listener(OrderedConsumer):
    """Notes the numbers it hears: odd ones at once, even ones as soon as ``gate`` is open."""

    wire: "Wire"

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []
        self.languages: list[str | None] = []
        self.resyncs = 0
        self.sent: list[dict[str, Any]] = []
        self.gate = asyncio.Event()
        #: Texts from the browser, with how they were handled.
        self.texts: list[tuple[str, str]] = []

    def take_at_once(self, message: dict[str, Any]) -> bool:
        if message["type"] == "fails.both":
            raise RuntimeError("at once")
        if message["type"] != "number.heard" or message["n"] % 2 == 0:
            return False
        self.numbers.append(message["n"])
        return True

    def take_text(self, text: str) -> bool:
        if text == "fails":
            raise RuntimeError("at once")
        if not text.startswith("quick"):
            return False
        self.texts.append((text, "at once"))
        self.languages.append(translation.get_language())
        return True

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.gate.wait()
        self.texts.append((text_data or repr(bytes_data), "in turn"))

    async def number_heard(self, message: dict[str, Any]) -> None:
        await self.gate.wait()
        self.numbers.append(message["n"])
        self.languages.append(translation.get_language())

    async def fails_both(self, _message: dict[str, Any]) -> None:
        raise RuntimeError("the usual way")

    async def socket_stop(self, _message: dict[str, Any]) -> None:
        raise StopConsumer

    async def resync(self) -> None:
        self.resyncs += 1

    async def clean_up(self) -> None:
        await asyncio.sleep(0)  # something to wait for, which nothing may interrupt
        self.hear({"type": "number.heard", "n": 1})
        self.hear({"type": "number.heard", "n": 2})
        self.numbers.append(-1)


class Wire:
    """The server's end of a connection."""

    take_frame: Any = None

    def __init__(self, frames: "asyncio.Queue[dict[str, Any]]") -> None:
        self._frames = frames

    def frame(self, content: str | bytes) -> None:
        """A frame from the browser."""
        text = content if isinstance(content, str) else None
        if not self.take_frame(text):
            kind = "bytes" if text is None else "text"
            self._frames.put_nowait({"type": "websocket.receive", kind: content})


@asynccontextmanager
async def serving(monkeypatch: pytest.MonkeyPatch, language: str = "en") -> AsyncIterator[tuple[Any, Listener, Any]]:
    layer = LocalChannelLayer()
    monkeypatch.setattr("games.realtime.consumer.get_channel_layer", lambda _alias: layer)
    listener = Listener()
    frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    listener.wire = Wire(frames)
    headers = [(b"accept-language", language.encode())]
    scope = {"query_string": b"", "headers": headers, "path": "/ws/", "wire": listener.wire}

    async def send(message: dict[str, Any]) -> None:
        listener.sent.append(message)

    task = asyncio.ensure_future(listener(scope, frames.get, send))
    await frames.put({"type": "websocket.connect"})
    await settle()
    await layer.group_add("all", listener.channel_name)
    yield layer, listener, task
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_broadcast_that_needs_no_wait_is_handled_before_the_sender_goes_on(monkeypatch):
    async with serving(monkeypatch) as (layer, listener, _task):
        layer.deliver("all", {"type": "number.heard", "n": 1})
        assert listener.numbers == [1]


async def test_nothing_overtakes_a_broadcast_that_waits(monkeypatch):
    async with serving(monkeypatch) as (layer, listener, _task):
        for number in (1, 2, 3, 4, 5):
            layer.deliver("all", {"type": "number.heard", "n": number})
        await asyncio.sleep(0)
        layer.deliver("all", {"type": "number.heard", "n": 7})
        assert listener.numbers == [1]
        listener.gate.set()
        await settle()
        # What waited behind another goes the usual way, where the gate is open for all.
        assert listener.numbers == [1, 2, 3, 4, 5, 7]
        layer.deliver("all", {"type": "number.heard", "n": 9})
        assert listener.numbers[-1] == 9


async def test_broadcasts_are_handled_in_the_language_of_the_socket(monkeypatch):
    async with serving(monkeypatch, "de") as (layer, listener, _task):
        listener.gate.set()
        with translation.override("en"):
            layer.deliver("all", {"type": "number.heard", "n": 2})
            await settle()
        assert listener.languages == ["de"]


async def test_a_broadcast_that_fails_is_reported_and_the_next_one_is_handled(monkeypatch, caplog):
    async with serving(monkeypatch) as (layer, listener, _task):
        layer.deliver("all", {"type": "fails.both"})
        layer.deliver("all", {"type": "number.heard", "n": 2})
        listener.gate.set()
        await settle()
        assert (listener.numbers, listener.resyncs) == ([2], 1)
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
            "fails.both failed at /ws/"
        ]


async def test_a_broadcast_may_end_the_socket_which_then_cleans_up(monkeypatch):
    async with serving(monkeypatch) as (layer, listener, task):
        layer.deliver("all", {"type": "socket.stop"})
        layer.deliver("all", {"type": "socket.stop"})
        async with asyncio.timeout(5):
            await task
        assert listener.numbers == [-1]
        assert not listener.works
        layer.deliver("all", {"type": "number.heard", "n": 1})
        assert listener.numbers == [-1]


async def test_of_too_many_broadcasts_that_wait_the_oldest_are_dropped(monkeypatch):
    monkeypatch.setattr("games.realtime.consumer.MOST_WAITING", 3)
    async with serving(monkeypatch) as (layer, listener, _task):
        layer.deliver("all", {"type": "number.heard", "n": 2})
        await asyncio.sleep(0)
        for number in range(3, 9):
            layer.deliver("all", {"type": "number.heard", "n": number})
        listener.gate.set()
        await settle()
        assert listener.numbers == [2, 6, 7, 8]


async def test_a_socket_that_cannot_handle_broadcasts_is_closed_for_another_try(monkeypatch, caplog):
    async with serving(monkeypatch) as (layer, listener, task):
        layer.deliver("all", {"type": "no.such"})
        async with asyncio.timeout(5):
            await task
        assert listener.numbers == [-1]
        assert listener.sent[-1] == {"type": "websocket.close", "code": TRY_AGAIN}
        assert "broadcasts can't be handled at /ws/" in caplog.text


async def test_the_end_of_the_server_interrupts_a_socket_as_it_always_did(monkeypatch):
    async with serving(monkeypatch) as (_layer, listener, task):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert listener.numbers == [-1]


async def test_a_frame_that_needs_no_wait_is_handled_before_the_server_reads_on_and_in_the_sockets_language(
    monkeypatch,
):
    async with serving(monkeypatch, "de") as (_layer, listener, _task):
        with translation.override("en"):
            listener.wire.frame("quick 1")
        assert listener.texts == [("quick 1", "at once")]
        assert listener.languages == ["de"]


async def test_no_frame_overtakes_one_that_waits(monkeypatch):
    async with serving(monkeypatch) as (_layer, listener, _task):
        for content in ("quick 1", "slow", "quick 2", b"bytes", "quick 3"):
            listener.wire.frame(content)
        await settle()
        listener.wire.frame("quick 4")
        assert listener.texts == [("quick 1", "at once")]
        listener.gate.set()
        await settle()
        waited = ["slow", "quick 2", "b'bytes'", "quick 3", "quick 4"]
        assert listener.texts[1:] == [(text, "in turn") for text in waited]
        listener.wire.frame("quick 5")
        assert listener.texts[-1] == ("quick 5", "at once")


async def test_a_frame_that_cannot_be_handled_at_once_is_handled_in_turn(monkeypatch):
    async with serving(monkeypatch) as (_layer, listener, _task):
        listener.gate.set()
        listener.wire.frame("fails")
        await settle()
        assert listener.texts == [("fails", "in turn")]


async def test_frames_wait_until_the_socket_is_ready(monkeypatch):
    ready = asyncio.Event()

    async def connect(_listener: Listener) -> None:
        await ready.wait()

    monkeypatch.setattr(Listener, "connect", connect)
    async with serving(monkeypatch) as (_layer, listener, _task):
        listener.gate.set()
        listener.wire.frame("quick 1")
        assert listener.texts == []
        ready.set()
        await settle()
        assert listener.texts == [("quick 1", "in turn")]
