"""How long messages take to a browser and back, and what of a press was travelling and not thinking."""

import math
from collections import deque

from games.pace import CAP_MARGIN, CAP_MAX

#: Pings remembered of one line.
REMEMBERED = 16
#: Assumed of a line that has not answered yet, in ms.
UNKNOWN_PING = 100.0
#: A browser clock that ticks in steps of this many ms or more does not measure reactions.
COARSE = 20


class Line:
    """The measured delay of one socket, in ms, and the judging of presses that came over it."""

    __slots__ = ("_claims", "_pings", "_sent")

    def __init__(self) -> None:
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
        return min(CAP_MAX, self.ping + CAP_MARGIN)

    def reaction(self, elapsed: float, claimed: float | None) -> float:
        """The reaction that counts for a press received ``elapsed`` ms after its card was sent.

        ``claimed`` is what the browser measured from paint to press. What it says was not thinking is
        believed up to ``cap``; a browser that can't measure is credited with its usual delay.
        """
        if claimed is None or not math.isfinite(claimed) or claimed < 0 or self._is_coarse(claimed):
            return elapsed - min(self.ping, self.cap)
        return elapsed - min(max(0.0, elapsed - claimed), self.cap)

    def _is_coarse(self, claimed: float) -> bool:
        """Whether this browser's clock only ever shows multiples of ``COARSE``."""
        self._claims.append(claimed)
        return len(self._claims) >= 3 and all(claim % COARSE == 0 for claim in self._claims)
