"""Between and after the hands of Game: Armani: Choosing Power, the deal of Stage 2, and how a match ends."""

from bisect import insort
from collections.abc import Sequence

from games.engine import Event, Seat
from games.engine.cards import CODES, Card, encode

from .bets import Bets
from .moment import Emit
from .tables import CHOOSE, DEALERS, ENDLESS_FLIPS, LEFT_OF, QUEEN_OF_SPADES, STAGE2, TAKE, points_of


class Power(Bets):
    """Counting Stage 1, choosing and dealing the fans, and ending the match."""

    __slots__ = ()

    # Stage 1 is counted; Choosing Power.

    def _gather(self) -> tuple[tuple[Card, ...], ...]:
        """The cards set aside, by side, in pack order."""
        return tuple(tuple(sorted(card for seat in side for card in self.won[seat])) for side in self.sides)

    def _count_stage1(self, emit: Emit) -> None:
        """Open the fans, count them, and find out which side has Choosing Power."""
        sides = self.sides
        self.fans = self._gather()
        self.won = [()] * self.seats
        self.stage1 = tuple(points_of(fan) for fan in self.fans)
        self.captains = tuple(self._captain(side) for side in sides)
        if emit:
            for side, fan in enumerate(self.fans):
                data = {"side": side, "seats": list(sides[side]), "cards": encode(fan), "points": self.stage1[side]}
                sources = [f"won:{seat}" for seat in sides[side]]
                emit(Event("fan", None, {**data, "source": sources[0], "sources": sources, "target": f"fan:{side}"}))
        betting = int(self.bettor in sides[1])
        bet = self.highest_bet()
        kept = self.stage1[betting] - self.stage1[1 - betting] >= bet
        self.power = betting if kept else 1 - betting
        self.phase = CHOOSE
        self.turn = self.captains[self.power]
        if emit:
            data = {"side": self.power, "seats": list(sides[self.power]), "kept": kept, "bet": bet}
            emit(Event("power", self.turn, data))

    def _captain(self, side: Sequence[Seat]) -> Seat:
        """The member with the highest bet; if none bet, the first from the dealer's left."""
        if any(self.bets[seat] for seat in side):
            return max(side, key=lambda seat: max(self.bets[seat], default=0))
        return next(seat for seat in LEFT_OF[self.seats][self.dealer] if seat in side)

    def _choose_fan(self, seat: Seat, which: str, emit: Emit) -> None:
        """Let the side with Choosing Power pick its fan."""
        if which == "other":
            self.fans = self.fans[::-1]
        if emit:
            emit(Event("choose", seat, {"fan": which, "counts": [len(fan) for fan in self.fans]}))
        other = 1 - self.power
        self.phase = TAKE
        self.to_take = min(len(self.sides[other]), len(self.fans[other]))
        self._after_taking(emit)

    def _take(self, seat: Seat, card: Card, emit: Emit) -> None:
        """Take one card out of the other side's fan."""
        power = self.power
        mine = list(self.fans[power])
        insort(mine, card)
        theirs = tuple(other for other in self.fans[1 - power] if other != card)
        self.fans = (tuple(mine), theirs) if power == 0 else (theirs, tuple(mine))
        self.to_take -= 1
        if emit:
            data = {"card": CODES[card], "cards": [CODES[card]]}
            emit(Event("take", seat, {**data, "source": f"fan:{1 - power}", "target": f"fan:{power}"}))
        self._after_taking(emit)

    def _after_taking(self, emit: Emit) -> None:
        """Continue after the last card was taken: a side with all 52 cards has won; else shuffle both fans."""
        if self.to_take:
            return
        power = self.power
        if not self.fans[1 - power]:
            self.end("all_cards", power, emit)
            return
        self._shuffle_fans(emit)
        if self.seats == 2:
            self._deal_stage2(emit)
        else:
            self.phase = DEALERS
            self.turn = self.captains[1 - power]

    def _shuffle_fans(self, emit: Emit) -> None:
        shuffled = []
        for fan in self.fans:
            cards = list(fan)
            self.chance.shuffle(cards)
            shuffled.append(tuple(cards))
        self.fans = tuple(shuffled)
        if emit:
            emit(Event("shuffle", None, {"counts": [len(fan) for fan in self.fans]}))

    def _name_dealer(self, seat: Seat, dealer: Seat, emit: Emit) -> None:
        """Let the side without Choosing Power name a dealer for side 0, then for side 1."""
        side = len(self.dealers)
        self.dealers = (*self.dealers, dealer)
        if emit:
            emit(Event("dealer", seat, {"side": side, "dealer": dealer}))
        if side == 1:
            self._deal_stage2(emit)

    # Stage 2.

    def _deal_stage2(self, emit: Emit) -> None:
        """Deal each side's cards to its members, the dealer last, and let the original dealer's left lead."""
        for side, members in enumerate(self.sides):
            start = members.index(self.dealers[side]) + 1 if self.dealers else 0
            order = members[start:] + members[:start]
            for at, card in enumerate(self.fans[side]):
                self.stacks[order[at % len(order)]].append(card)
            if emit:
                for seat in order:
                    data = {"cards": len(self.stacks[seat]), "source": f"fan:{side}", "target": f"stack:{seat}"}
                    emit(Event("deal", seat, data))
        self.fans = ((), ())
        self.phase = STAGE2
        if emit:
            emit(Event("stage", None, {"stage": 2}))
        self._lead(LEFT_OF[self.seats][self.dealer][0], emit)

    def _after_stage2_hand(self, winner: Seat, by_last_card: bool, emit: Emit) -> None:
        """End the match by one of two endings, or start the final lap at the limit, or the next hand."""
        sides = self.sides
        side = int(winner in sides[1])
        if by_last_card:
            self.end("last_card", side, emit)
        elif not any(self.stacks[seat] for seat in sides[1 - side]):
            self.end("all_cards", side, emit)
        else:
            if self.flips2 >= (self.stage2_flips or ENDLESS_FLIPS):
                self.final_lap = True
                if emit:
                    emit(Event("final_lap", None, {}))
            self._lead(winner, emit)

    def _count_final_lap(self, emit: Emit) -> None:
        """The higher total wins; at 29 to 29, the side with the queen of spades wins."""
        cards = self._gather()
        self.final = (points_of(cards[0]), points_of(cards[1]))
        if emit:
            emit(Event("count", None, {"points": list(self.final), "teams": [list(side) for side in self.sides]}))
        if self.final[0] == self.final[1]:
            winner = int(QUEEN_OF_SPADES in cards[1])
        else:
            winner = int(self.final[1] > self.final[0])
        self.end("final_lap", winner, emit)
