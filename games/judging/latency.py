"""How long messages travel to a browser and back, and how much of a press was travel and not reaction."""

import math
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from games.judging import verdicts

#: Pings remembered of one line.
REMEMBERED = 16
#: Assumed of a line that has not answered yet, in ms.
UNKNOWN_PING = 100.0
#: What a page may take, beside the wire, to answer a ping.
PAGE_TIME = 5.0
#: Probes after which a browser that has answered none is believed nothing.
UNANSWERED = 4


@dataclass(frozen=True, slots=True)
class Measured:
    """One press as it was measured, in ms: all that its judging needs."""

    elapsed: float
    #: From paint to press as the browser says; None if it can't measure.
    claimed: float | None
    ping: float
    cap: float

    @property
    def reaction(self) -> float:
        """What of it was thinking."""
        return verdicts.compensated(self.elapsed, self.claimed, self.ping, self.cap)


class Wire(Protocol):
    """The line below the page: a browser answers the pings of its protocol itself, whatever the page does."""

    def probe(self) -> None:
        """Send such a ping."""

    @property
    def delay(self) -> float | None:
        """What the line takes there and back, in ms; None as long as nothing is known."""


class Probes:
    """The delay of a wire by the answers to its probes."""

    def __init__(self) -> None:
        self.count = 0
        self._sent: dict[int, float] = {}
        self._delays: deque[float] = deque(maxlen=REMEMBERED)

    def sent(self, now: float) -> int:
        """The number of a probe that leaves at ``now`` seconds."""
        self.count += 1
        self._sent[self.count] = now
        self._sent.pop(self.count - REMEMBERED, None)
        return self.count

    def answered(self, number: int, now: float) -> None:
        """Its answer came; an answer to nothing is passed over."""
        sent = self._sent.pop(number, None)
        if sent is not None:
            self._delays.append((now - sent) * 1000)

    @property
    def delay(self) -> float | None:
        """The 75th percentile; nothing at all for who answers none; None as long as nothing is known."""
        if self._delays:
            return usual(self._delays)
        return 0.0 if self.count > UNANSWERED else None


def usual(delays: Collection[float]) -> float:
    """The 75th percentile."""
    return sorted(delays)[math.ceil(len(delays) * 3 / 4) - 1]


class LatencyMeter:
    """The measured delay of one socket, in ms, and the measuring of presses that came over it."""

    __slots__ = ("_claims", "_pings", "_sent", "is_rated", "wire")

    def __init__(self, *, is_rated: bool = False, wire: Wire | None = None) -> None:
        self.is_rated = is_rated
        #: What the page can't hold back; None where the server has no such pings.
        self.wire = wire
        self._pings: deque[float] = deque(maxlen=REMEMBERED)
        self._sent: dict[int, float] = {}
        self._claims: deque[float] = deque(maxlen=REMEMBERED)

    def ping_sent(self, number: int, now: float) -> None:
        """Ping ``number`` left at ``now`` seconds, and one of the wire with it."""
        if self.wire is not None:
            self.wire.probe()
        self._sent[number] = now
        while len(self._sent) > REMEMBERED:
            del self._sent[min(self._sent)]

    def pong_received(self, number: int, now: float) -> None:
        """Its answer came; an answer to nothing is passed over."""
        sent = self._sent.pop(number, None)
        if sent is not None:
            self._pings.append((now - sent) * 1000)

    @property
    def ping(self) -> float:
        """The 75th percentile of the last pings, but no more than the wire takes and a page needs."""
        answered = usual(self._pings) if self._pings else UNKNOWN_PING
        delay = None if self.wire is None else self.wire.delay
        return answered if delay is None else min(answered, delay + PAGE_TIME)

    @property
    def cap(self) -> float:
        """The most that a press over this line is credited with."""
        return verdicts.cap_of(self.ping, is_rated=self.is_rated)

    def measure(self, elapsed: float, claimed: float | None) -> Measured:
        """A press received ``elapsed`` ms after its card was sent, ``claimed`` as the browser says (None: it can't)."""
        claimed = verdicts.usable(claimed)
        if claimed is not None and self._is_coarse(claimed):
            claimed = None
        return Measured(elapsed, claimed, self.ping, self.cap)

    def _is_coarse(self, claimed: float) -> bool:
        """Whether this browser's clock only ever shows multiples of ``COARSE``."""
        self._claims.append(claimed)
        return len(self._claims) >= 3 and all(claim % verdicts.COARSE == 0 for claim in self._claims)
