"""Measure latency to a browser, and how much of a press was latency rather than reaction."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from games.judging import verdicts

#: Number of recent pings remembered per connection.
REMEMBERED = 16
#: Latency assumed for a connection that has not answered yet, in ms.
UNKNOWN_PING = 100.0
#: Time a page may need, besides the network, to answer a ping.
PAGE_TIME = 5.0
#: Number of unanswered probes after which a browser gets no credit.
UNANSWERED = 4


@dataclass(frozen=True, slots=True)
class Measured:
    """One press as measured, in ms: everything needed to judge it."""

    elapsed: float
    #: From paint to press as reported by the browser; None if it can't measure.
    claimed: float | None
    ping: float
    cap: float

    @property
    def reaction(self) -> float:
        """The part of the press that was reaction."""
        return verdicts.compensated(self.elapsed, self.claimed, self.ping, self.cap)


class Wire(Protocol):
    """The connection below the page: browsers answer protocol pings themselves, whatever the page does."""

    def probe(self) -> None:
        """Send a protocol ping."""

    @property
    def delay(self) -> float | None:
        """Round trip of the connection in ms; None as long as it is unknown."""


class Probes:
    """Measure the delay of a wire from the answers to its probes."""

    __slots__ = ("_delays", "_sent", "count")

    def __init__(self) -> None:
        self.count = 0
        self._sent: dict[int, float] = {}
        self._delays: list[float] = []

    def sent(self, now: float) -> int:
        """Record a probe that leaves at ``now`` seconds; returns its number."""
        self.count += 1
        self._sent[self.count] = now
        self._sent.pop(self.count - REMEMBERED, None)
        return self.count

    def answered(self, number: int, now: float) -> None:
        """Record an answer; an unexpected one is ignored."""
        sent = self._sent.pop(number, None)
        if sent is not None:
            _remember(self._delays, (now - sent) * 1000)

    @property
    def delay(self) -> float | None:
        """The 75th percentile; 0 if no probe is answered; None as long as it is unknown."""
        if self._delays:
            return usual(self._delays)
        return 0.0 if self.count > UNANSWERED else None


def _remember(measured: list[float], value: float) -> None:
    measured.append(value)
    del measured[:-REMEMBERED]


def usual(delays: Collection[float]) -> float:
    """The 75th percentile."""
    return sorted(delays)[math.ceil(len(delays) * 3 / 4) - 1]


class LatencyMeter:
    """The measured latency of one socket in ms; measures presses received over it."""

    __slots__ = ("_claims", "_pings", "_sent", "is_rated", "wire")

    def __init__(self, *, is_rated: bool = False, wire: Wire | None = None) -> None:
        self.is_rated = is_rated
        #: The part that the page can't delay; None if the server has no protocol pings.
        self.wire = wire
        self._pings: list[float] = []
        self._sent: dict[int, float] = {}
        self._claims: list[float] = []

    def ping_sent(self, number: int, now: float) -> None:
        """Record that ping ``number`` left at ``now`` seconds, and send a protocol ping with it."""
        if self.wire is not None:
            self.wire.probe()
        self._sent[number] = now
        while len(self._sent) > REMEMBERED:
            del self._sent[min(self._sent)]

    def pong_received(self, number: int, now: float) -> None:
        """Record an answer; an unexpected one is ignored."""
        sent = self._sent.pop(number, None)
        if sent is not None:
            _remember(self._pings, (now - sent) * 1000)

    @property
    def ping(self) -> float:
        """The 75th percentile of recent pings, limited to the wire's delay plus a page's time to answer."""
        answered = usual(self._pings) if self._pings else UNKNOWN_PING
        delay = None if self.wire is None else self.wire.delay
        return answered if delay is None else min(answered, delay + PAGE_TIME)

    @property
    def cap(self) -> float:
        """The maximum credit of a press over this connection."""
        return verdicts.cap_of(self.ping, is_rated=self.is_rated)

    def measure(self, elapsed: float, claimed: float | None) -> Measured:
        """A press received ``elapsed`` ms after its card was sent, ``claimed`` as the browser says (None: it can't)."""
        claimed = verdicts.usable(claimed)
        if claimed is not None and self._is_coarse(claimed):
            claimed = None
        return Measured(elapsed, claimed, self.ping, self.cap)

    def _is_coarse(self, claimed: float) -> bool:
        """Whether this browser's clock only shows multiples of ``COARSE``."""
        _remember(self._claims, claimed)
        return len(self._claims) >= 3 and all(claim % verdicts.COARSE == 0 for claim in self._claims)
