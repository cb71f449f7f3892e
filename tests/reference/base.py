"""Shared parts of the slow implementations: chance as in the contract, and the compared values."""

import hashlib
import hmac
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import count
from typing import Any

RANKS = "A23456789TJQK"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]
JOKERS = ("RJ", "BJ")


class Chances:
    """The numbered chances of a seed."""

    def __init__(self, seed: str) -> None:
        self.key = bytes.fromhex(seed)
        self.number = 0

    def _next(self) -> Iterator[int]:
        self.number += 1
        return self._words(self.number - 1)

    def _words(self, number: int) -> Iterator[int]:
        for block in count():
            data = hmac.new(self.key, f"{number}/{block}".encode(), hashlib.sha256).digest()
            yield from (int.from_bytes(data[at : at + 4], "big") for at in range(0, 32, 4))

    @staticmethod
    def _take(words: Iterator[int], k: int) -> int:
        return next(word for word in words if word < 2**32 - 2**32 % k) % k

    def below(self, k: int) -> int:
        """One draw."""
        return self._take(self._next(), k)

    def shuffled(self, cards: list[str]) -> list[str]:
        """One shuffle; item 0 of the result is dealt first."""
        words, result = self._next(), list(cards)
        for i in range(len(result) - 1, 0, -1):
            j = self._take(words, i + 1)
            result[i], result[j] = result[j], result[i]
        return result


class Reference(ABC):
    """A match by the book. Subclasses set ``phase``, ``over`` (the reason) and ``ranking``.

    ``facts`` and ``zones`` are what any spectator's view must contain: a list of codes, or a count.
    """

    phase = ""
    over: str | None = None
    ranking: list[list[int]]

    def __init__(self, seats: int, options: dict[str, Any], seed: str) -> None:
        self.seats = seats
        self.options = options
        self.chances = Chances(seed)
        self.dealer = self.chances.below(seats)
        self.left = (self.dealer + 1) % seats
        self.hands: list[list[str]] = [[] for _seat in range(seats)]

    def from_left_of(self, seat: int) -> list[int]:
        """All seats in order, ending with ``seat``."""
        return [(seat + step) % self.seats for step in range(1, self.seats + 1)]

    @abstractmethod
    def waits_for(self) -> list[int]:
        """The awaited seats."""

    @abstractmethod
    def legal(self, seat: int) -> list[str]:
        """The legal moves of a seat, or of the table (−1)."""

    @abstractmethod
    def apply(self, seat: int, move: str) -> None:
        """Make a legal move."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Public facts."""

    @abstractmethod
    def zones(self) -> dict[str, list[str] | int]:
        """Zones that are public, or their counts."""

    @abstractmethod
    def points(self) -> list[float]:
        """The points at the end."""
