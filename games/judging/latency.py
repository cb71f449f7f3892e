"""How long messages take to a browser and back, and what of a press was travelling and not thinking."""

import math
from collections import deque
from dataclasses import dataclass

from games.judging import verdicts

#: Pings remembered of one line.
REMEMBERED = 16
#: Assumed of a line that has not answered yet, in ms.
UNKNOWN_PING = 100.0


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


class Line:
    """The measured delay of one socket, in ms, and the measuring of presses that came over it."""

    __slots__ = ("_claims", "_pings", "_sent", "is_rated")

    def __init__(self, *, is_rated: bool = False) -> None:
        self.is_rated = is_rated
        self._pings: deque[float] = deque(maxlen=REMEMBERED)
        self._sent: dict[int, float] = {}
        self._claims: deque[float] = deque(maxlen=REMEMBERED)

    def ping_sent(self, number: int, now: float) -> None:
        """Ping ``number`` left at ``now`` seconds."""
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
        """The 75th percentile of the last pings."""
        if not self._pings:
            return UNKNOWN_PING
        ordered = sorted(self._pings)
        return ordered[math.ceil(len(ordered) * 3 / 4) - 1]

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
