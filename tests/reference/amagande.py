"""Amagande by the book."""

from typing import Any

from tests.reference.base import JOKERS, PACK, RANKS, Reference

VALUES = {"A": 11, "2": 20, "3": 30, "T": 10, "J": 13, "Q": 12, "K": 14}


def _is_red(card):
    return card == "RJ" or (card not in JOKERS and card[1] in "DH")


def _value(card):
    if card in JOKERS:
        return 50
    return 60 if card == "AS" else VALUES.get(card[0], RANKS.index(card[0]) + 1)


def _is_ace(card):
    return card not in JOKERS and card[0] == "A"


def _penalty(card):
    return 5 if card in JOKERS else {"2": 2, "3": 3}.get(card[0], 0)


class Amagande(Reference):
    """The next card of ``stock`` comes first, the top of ``discarded`` last."""

    def __init__(self, seats: int, options: dict[str, Any], seed: str) -> None:
        super().__init__(seats, options, seed)
        cards = self.chances.shuffled([*PACK, *JOKERS])
        self.reference = "CDHS"[self.chances.below(4)]
        dealt = seats * (5 if seats > 4 else 7)
        for turn in range(dealt):
            self.hands[(self.left + turn) % seats].append(cards[turn])
        self.stock = cards[dealt:]
        first = self.stock.pop(0)
        while first in JOKERS or first[0] in "238JA" or first == f"7{self.reference}":
            self.stock.insert(self.chances.below(len(self.stock) + 1), first)
            first = self.stock.pop(0)
        self.discarded = [first]
        self.suit = self.colour = None
        self.penalty, self.free, self.direction = 0, False, 1
        self.on_move, self.phase = self.left, "play"
        self.passes = self.turns = 0

    def waits_for(self):
        return [] if self.over else [self.on_move]

    def _fits(self, card):
        top = self.discarded[-1]
        if self.penalty:
            return self._counters(card, top)
        if self.free or _is_ace(card):
            return True
        if self.suit:
            return _is_red(card) == (self.suit in "DH") if card in JOKERS else card[1] == self.suit
        if self.colour:
            return card not in JOKERS and _is_red(card) == (self.colour == "red")
        if card in JOKERS:
            return _is_red(card) == _is_red(top)
        return card[0] == top[0] or card[1] == top[1]

    @staticmethod
    def _counters(card, faced):
        if card == "AS":
            return True
        if not _penalty(card):
            return False
        if card in JOKERS or faced in JOKERS:
            return _is_red(card) == _is_red(faced) or (card in JOKERS and faced in JOKERS)
        return card[0] == faced[0] or card[1] == faced[1]

    def legal(self, seat):
        if seat not in self.waits_for():
            return []
        moves = ["pass" if self.phase == "drawn" else "draw"]
        for card in filter(self._fits, self.hands[seat]):
            names_a_suit = _is_ace(card) and not (self.penalty and card == "AS")
            moves += [f"play:{card}/{suit}" for suit in "CDHS"] if names_a_suit else [f"play:{card}"]
        return moves

    def apply(self, seat, move):
        if move == "pass":
            self._end_turn(1)
        elif move == "draw":
            self._draw(seat)
        else:
            self._play(seat, move[5:7], move[8:])

    def _draw_card(self, seat):
        if not self.stock and len(self.discarded) > 1:
            self.stock = self.chances.shuffled(self.discarded[:-1])
            self.discarded = self.discarded[-1:]
        self.hands[seat] += self.stock[:1]
        return bool(self.stock) and bool(self.stock.pop(0))

    def _draw(self, seat):
        if self.penalty:
            for _card in range(self.penalty):
                self._draw_card(seat)
            self.penalty = 0
            self._end_turn(1)
        elif self._draw_card(seat):
            self.phase, self.passes = "drawn", 0
        else:
            self.passes = 0 if any(map(self._fits, self.hands[seat])) else self.passes + 1
            if self.passes == self.seats:
                self._judge("blocked", None)
            else:
                self._end_turn(1)

    def _play(self, seat, card, named):
        blocked = self.penalty > 0 and card == "AS"
        stacked = self.penalty if self.options["stacking"] and _penalty(card) else 0
        self.hands[seat].remove(card)
        self.discarded.append(card)
        self.suit = named or None
        self.colour = {"RJ": "red", "BJ": "black"}.get(card)
        self.free = blocked
        self.penalty = _penalty(card) + stacked
        self.passes = 0
        if not self.hands[seat]:
            self._finish("out", [(other != seat, self._sum(other)) for other in range(self.seats)])
        elif card == f"7{self.reference}":
            self._judge("showdown", seat)
        else:
            self.direction *= -1 if card[0] == "J" and card not in JOKERS else 1
            skips = card[0] == "8" or (card[0] == "J" and self.seats == 2)
            self._end_turn(2 if skips and card not in JOKERS else 1)

    def _end_turn(self, steps):
        self.turns += 1
        self.phase = "play"
        self.on_move = (self.on_move + steps * self.direction) % self.seats
        if self.turns == 400:
            self._judge("turns", None)

    def _sum(self, seat):
        return sum(map(_value, self.hands[seat]))

    def _judge(self, reason, player):
        def is_eliminated(seat):
            return self._sum(seat) > 30 or any(card in JOKERS or _is_ace(card) for card in self.hands[seat])

        self._finish(reason, [(is_eliminated(seat), self._sum(seat), seat == player) for seat in range(self.seats)])

    def _finish(self, reason, merit):
        self.phase, self.over = "over", reason
        self.ranking = [[seat for seat in range(self.seats) if merit[seat] == level] for level in sorted(set(merit))]

    def facts(self):
        return {
            "reference": self.reference,
            "suit": self.suit,
            "colour": self.colour,
            "direction": self.direction,
            "free": self.free,
            "dealer": self.dealer,
            **({} if self.over else {"penalty": self.penalty, "turns": self.turns, "passes": self.passes}),
        }

    def zones(self):
        return {"stock": len(self.stock)}

    def points(self):
        return [self._sum(seat) for seat in range(self.seats)]
