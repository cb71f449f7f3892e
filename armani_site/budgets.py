"""Limits for one visitor, one address and all of them together: counted in this process, in memory."""

import time
from collections import Counter
from collections.abc import Callable, Hashable
from heapq import nsmallest
from ipaddress import IPv6Address, ip_address

#: Buckets kept before those that are full again, or the fullest, are forgotten.
MANY = 10_000


def neighbourhood(address: str) -> str:
    """What counts as one address: a whole /64 of IPv6."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)


class Places:
    """Places that are taken and given back: ``total`` of them, at most ``each`` for one holder."""

    def __init__(self, total: float, each: float) -> None:
        self.total, self.each = total, each
        self.taken = 0
        self.by_holder: Counter[Hashable] = Counter()

    def are_left(self, holder: Hashable, count: int = 1) -> bool:
        """Whether ``holder`` may take ``count`` places now."""
        return self.taken + count <= self.total and self.by_holder.get(holder, 0) + count <= self.each

    def take(self, holder: Hashable, count: int = 1) -> bool:
        """Take ``count`` places, if there are so many."""
        if not self.are_left(holder, count):
            return False
        self.taken += count
        self.by_holder[holder] += count
        return True

    def give_back(self, holder: Hashable, count: int = 1) -> None:
        """Give back places that were taken."""
        self.taken -= count
        self.by_holder[holder] -= count
        if not self.by_holder[holder]:
            del self.by_holder[holder]


class Buckets:
    """Budgets: each holder may use ``burst`` at once, and ``rate`` a second after that."""

    def __init__(self, burst: float, rate: float, now: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.rate = burst, rate
        self._now = now
        self._left: dict[Hashable, tuple[float, float]] = {}

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._left)

    def left(self, holder: Hashable) -> float:
        """What ``holder`` may use now; less than nothing after having used more."""
        left, at = self._left.get(holder, (self.burst, 0.0))
        return min(self.burst, left + (self._now() - at) * self.rate)

    def use(self, holder: Hashable, amount: float) -> None:
        """Take off what was used."""
        if len(self._left) >= MANY:
            # Those who have used most are remembered, half of them at the most, so that this is done seldom.
            used = [name for name in self._left if self.left(name) < self.burst]
            self._left = {name: self._left[name] for name in nsmallest(MANY // 2, used, key=self.left)}
        self._left[holder] = (self.left(holder) - amount, self._now())

    def seconds_until(self, holder: Hashable) -> float:
        """How long until there is something left for ``holder`` again."""
        return max(0.0, -self.left(holder)) / self.rate
