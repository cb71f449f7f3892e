"""Avalanche by the book."""

from collections import Counter
from typing import Any

from tests.reference.base import JOKERS, PACK, Reference

LOW_TO_HIGH = "23456789TJQKAX"
ORDER = [*PACK, *JOKERS]


def _rank(card):
    return "X" if card in JOKERS else card[0]


class Avalanche(Reference):
    """``last`` is the last play of the avalanche: seat, rank and number."""

    phase = "play"

    def __init__(self, seats: int, options: dict[str, Any], seed: str) -> None:
        super().__init__(seats, options, seed)
        self.stock = self.chances.shuffled([*PACK, "RJ", "BJ", "RJ"] * options["packs"])
        for turn in range(seats * options["hand"]):
            self.hands[(self.left + turn) % seats].append(self.stock.pop(0))
        self.lying: list[str] = []
        self.last: tuple[int, str, int] | None = None
        self.stored, self.stopped = [0] * seats, 0
        self.on_move = self.left

    def waits_for(self):
        return [] if self.over else [self.on_move]

    def legal(self, seat):
        if seat not in self.waits_for():
            return []
        ranks = Counter(map(_rank, self.hands[seat]))
        lays = [f"lay:{rank}x{n}" for rank, most in ranks.items() for n in range(1, most + 1)]
        return lays + ["snow"] * bool(self.stock and not self.lying)

    def apply(self, seat, move):
        if move == "snow":
            self.hands[seat].append(self.stock.pop(0))
            self._next(seat)
            return
        rank, n = move[4], int(move[6:])
        cards = sorted((card for card in self.hands[seat] if _rank(card) == rank), key=ORDER.index)[:n]
        for card in cards:
            self.hands[seat].remove(card)
        self.lying += cards
        if self.last is not None and not self._grows(rank, n):
            before, _rank_before, n_before = self.last
            if n == n_before >= 2:
                self.stopped += len(self.lying)
            else:
                self.stored[before] += len(self.lying)
            self._end_avalanche(seat)
            return
        self.last = seat, rank, n
        if not any(hand for other, hand in enumerate(self.hands) if other != seat):
            self.stored[seat] += len(self.lying)
            self._end_avalanche(seat)
        else:
            self._next(seat)

    def _grows(self, rank, n):
        _seat, rank_before, n_before = self.last
        return n > n_before or (n == n_before and LOW_TO_HIGH.index(rank) >= LOW_TO_HIGH.index(rank_before))

    def _end_avalanche(self, seat):
        self.lying, self.last = [], None
        for other in self.from_left_of(seat):
            if not self.hands[other]:
                size = self.options["hand"]
                self.hands[other], self.stock = self.stock[:size], self.stock[size:]
        self._next(seat)

    def _next(self, seat):
        holders = [other for other in self.from_left_of(seat) if self.hands[other]]
        if self.stock or len(holders) > 1:
            self.on_move = holders[0]
            return
        if self.last is not None:
            self.stored[self.last[0]] += len(self.lying)
            self.lying, self.last = [], None
        for holder in holders:
            self.stored[holder] += len(self.hands[holder])
            self.hands[holder] = []
        self.phase, self.over = "over", "cards_out"
        self.ranking = [
            [other for other in range(self.seats) if self.stored[other] == level]
            for level in sorted(set(self.stored), reverse=True)
        ]

    def facts(self):
        seat, rank, n = self.last or (None, None, None)
        return {"dealer": self.dealer, "last": self.last and {"seat": seat, "rank": rank, "n": n}}

    def zones(self):
        return {
            "stock": len(self.stock),
            "avalanche": self.lying,
            "stopped": self.stopped,
            **{f"store:{seat}": cards for seat, cards in enumerate(self.stored)},
        }

    def points(self):
        return list(self.stored)
