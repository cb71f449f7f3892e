"""In-memory limits per visitor, per address and in total, counted in this process."""

import time
from collections import Counter
from collections.abc import Callable, Hashable
from functools import lru_cache
from heapq import nsmallest
from ipaddress import IPv6Address, ip_address

#: How many buckets are kept before full ones, and then the fullest, are dropped.
MANY = 10_000


@lru_cache(MANY)
def network_of(address: str) -> str:
    """The part of an address that is counted as one visitor: a whole /64 for IPv6.

    Each connection asks for it several times.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)


class Places:
    """Places to take and give back: ``total`` of them, at most ``each`` per holder."""

    def __init__(self, total: float, each: float) -> None:
        self.total, self.each = total, each
        self.taken = 0
        self.by_holder: Counter[Hashable] = Counter()

    def are_left(self, holder: Hashable, count: int = 1) -> bool:
        """Whether ``holder`` may take ``count`` places now."""
        return self.taken + count <= self.total and self.by_holder.get(holder, 0) + count <= self.each

    def take(self, holder: Hashable, count: int = 1) -> bool:
        """Take ``count`` places if that many are left; returns whether it did."""
        if not self.are_left(holder, count):
            return False
        self.taken += count
        self.by_holder[holder] += count
        return True

    def give_back(self, holder: Hashable, count: int = 1) -> None:
        """Give places back."""
        self.taken -= count
        self.by_holder[holder] -= count
        if not self.by_holder[holder]:
            del self.by_holder[holder]


class Buckets:
    """Token buckets: each holder may use ``burst`` at once, and ``rate`` per second after that."""

    def __init__(self, burst: float, rate: float, now: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.rate = burst, rate
        self._now = now
        self._left: dict[Hashable, tuple[float, float]] = {}

    def __len__(self) -> int:
        """The number of buckets in memory."""
        return len(self._left)

    def left(self, holder: Hashable) -> float:
        """How much ``holder`` may use now; negative after overuse."""
        left, at = self._left.get(holder, (self.burst, 0.0))
        return min(self.burst, left + (self._now() - at) * self.rate)

    def use(self, holder: Hashable, amount: float) -> None:
        """Take ``amount`` off the holder's bucket."""
        if len(self._left) >= MANY:
            # Keep the holders who used most, but only half of the limit, so that this cleanup is rare.
            used = [name for name in self._left if self.left(name) < self.burst]
            self._left = {name: self._left[name] for name in nsmallest(MANY // 2, used, key=self.left)}
        self._left[holder] = (self.left(holder) - amount, self._now())

    def seconds_until(self, holder: Hashable) -> float:
        """Seconds until ``holder`` may use something again."""
        return max(0.0, -self.left(holder)) / self.rate
