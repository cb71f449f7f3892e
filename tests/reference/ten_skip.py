"""Ten-Skip Challenge by the book."""

from typing import Any

from tests.reference.base import PACK, RANKS, Reference

CARDS = [card for card in PACK if card[0] in RANKS[:10]]


def _points(hand):
    return sum(20 if card[0] == "A" else RANKS.index(card[0]) + 1 for card in hand)


class TenSkip(Reference):
    """``out_in`` is the round in which a seat left the match."""

    def __init__(self, seats: int, options: dict[str, Any], seed: str) -> None:
        super().__init__(seats, options, seed)
        self.scores = [0] * seats
        self.out_in: list[int | None] = [None] * seats
        self.round = 0
        self._deal()

    def _in_match(self, order):
        return [seat for seat in order if self.out_in[seat] is None]

    def _deal(self):
        self.round += 1
        order = self._in_match(self.from_left_of(self.dealer))
        size = {5: 6, 6: 5}.get(len(order), 7)
        self.sequence = 3 if len(order) > 4 else 4
        cards = self.chances.shuffled(CARDS)
        self.hands = [[] for _seat in range(self.seats)]
        for turn in range(size * len(order)):
            self.hands[order[turn % len(order)]].append(cards[turn])
        self.stock, self.discarded, self.drawn = cards[size * len(order) :], [], []
        self.in_round = sorted(order)
        self.notice = self.exposed = None
        self.swaps = 0
        self._begin_turn(order[0])

    def _left_in_round(self, seat):
        return next(other for other in self.from_left_of(seat) if other in self.in_round)

    def _begin_turn(self, seat):
        self.turn = self.on_move = seat
        self.phase = "turn"
        if self.notice == seat:
            self.phase = "show"
        elif self.notice is None and (not self.stock or self.swaps >= 3 * len(self.in_round)):
            self._end_round({loser: _points(self.hands[loser]) for loser in self.in_round})

    def _end_round(self, losses):
        for loser, points in losses.items():
            has_pair = len({card[0] for card in self.hands[loser]}) < len(self.hands[loser])
            self.scores[loser] += points * (2 if has_pair else 1)
            if self.scores[loser] >= self.options["limit"]:
                self.out_in[loser] = self.round
        if len(self._in_match(range(self.seats))) <= 1:
            self._finish("last_in")
        elif self.round == 60:
            self._finish("rounds")
        else:
            self.dealer = self._in_match(self.from_left_of(self.dealer))[0]
            self._deal()

    def _finish(self, reason):
        self.phase, self.over = "over", reason
        merit = [(-(self.out_in[seat] or 61), self.scores[seat]) for seat in range(self.seats)]
        self.ranking = [[seat for seat in range(self.seats) if merit[seat] == level] for level in sorted(set(merit))]

    def waits_for(self):
        return [] if self.over else [self.on_move]

    def legal(self, seat):
        if seat not in self.waits_for():
            return []
        hand = self.hands[seat]
        if self.phase == "turn":
            victims = [other for other in self.in_round if other not in (seat, self.notice)]
            discards = [f"discard:{card}" for card in hand if self.stock]
            swaps = [f"swap:{card}@{victim}" for card in hand for victim in victims]
            challenge = ["challenge"] * (self.notice is not None)
            return discards + swaps + challenge + ["pass"] * (not discards and not swaps)
        if self.phase == "end":
            return ["claim", "end"]
        if self.phase == "show":
            return ["show", "hide"]
        return [f"{self.phase}:{card}" for card in (self.drawn if self.phase == "keep" else hand)]

    def apply(self, seat, move):
        verb, _colon, what = move.partition(":")
        card = what[:2]
        if verb == "discard":
            self.hands[seat].remove(card)
            self.discarded.append(card)
            self.swaps = 0
            self.drawn, self.stock = self.stock[:2], self.stock[2:]
            self.phase = "keep"
            if len(self.drawn) == 1:
                self.hands[seat].append(self.drawn.pop())
                self._end_turn(seat)
        elif verb == "keep":
            self.drawn.remove(card)
            self.hands[seat].append(card)
            self.discarded.append(self.drawn.pop())
            self._end_turn(seat)
        elif verb == "swap":
            self.offer, self.on_move, self.phase = card, int(what[3:]), "give"
        elif verb == "give":
            self.hands[seat].remove(card)
            self.hands[seat].append(self.offer)
            self.hands[self.turn].remove(self.offer)
            self.hands[self.turn].append(card)
            self.swaps += 1
            self._end_turn(self.turn)
        elif verb in ("show", "hide"):
            self._end_round({loser: _points(self.hands[loser]) for loser in self.in_round if loser != seat})
        elif verb == "challenge":
            self._challenge(seat, self.notice)
        elif verb == "top":
            others = sorted((other for other in self.hands[seat] if other != card), key=PACK.index)
            self.discarded += [*others, card]
            self.hands[seat] = []
            self._begin_turn(self._left_in_round(seat))
        else:
            if verb == "claim":
                self.notice = seat
            self._begin_turn(self._left_in_round(seat))

    def _end_turn(self, seat):
        self.on_move, self.phase = seat, "end"
        if self.notice is not None or (self.options["one_claim"] and self.exposed not in (None, seat)):
            self._begin_turn(self._left_in_round(seat))

    def _challenge(self, seat, claimer):
        ranks = {RANKS.index(card[0]) for card in self.hands[claimer]}
        if any(all(low + 2 * step in ranks for step in range(self.sequence)) for low in range(10)):
            self._end_round({seat: _points(self.hands[seat]) + _points(self.hands[claimer])})
            return
        self.notice, self.exposed = None, claimer
        self.in_round.remove(seat)
        self.phase = "top"
        if len(self.in_round) == 1:
            (last,) = self.in_round
            self._end_round({last: _points(self.hands[last])})

    def facts(self):
        return {
            "round": self.round,
            "dealer": self.dealer,
            "scores": self.scores,
            **({} if self.over else {"notice": self.notice, "in_round": self.in_round, "swaps": self.swaps}),
        }

    def zones(self):
        return {} if self.over else {"stock": len(self.stock), "discard": self.discarded}

    def points(self):
        return list(self.scores)
