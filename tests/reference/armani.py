"""Game: Armani by the book."""

from typing import Any

from tests.reference.base import PACK, RANKS, Reference

CHANCES = {"J": 1, "Q": 2, "K": 3, "A": 4}
ENDLESS = 2600


class Armani(Reference):
    """Stacks have their top last, the face-up pile its bottom first."""

    def __init__(self, seats: int, options: dict[str, Any], seed: str) -> None:
        super().__init__(seats, options, seed)
        self.stacks: list[list[str]] = [[] for _seat in range(seats)]
        for turn, card in enumerate(self.chances.shuffled(PACK)):
            self.stacks[(self.left + turn) % seats].append(card)
        self.phase, self.turn = "bets", self.left
        self.bets: list[list[int]] = [[] for _seat in range(seats)]
        self.folded = [False] * seats
        self.colours: list[list[str]] = [[] for _seat in range(seats)]
        self.sides: list[list[int]] | None = None
        if seats == 2:
            self.sides = [[self.left], [self.dealer]]
        elif options["teams"] == "alternate":
            self._alternate()
        self.pile: list[str] = []
        self.played: list[str] = []
        self.aside: list[list[str]] = [[] for _seat in range(seats)]
        self.duel: tuple[int, int] | None = None
        self.winning: int | None = None
        self.won_by_last_card = False
        self.last_face: int | None = None
        self.last_player = self.left
        #: Number of cards played so far, and from which number each seat may slap again.
        self.count, self.may_slap_from = 0, [0] * seats
        self.flips2, self.final_lap = 0, False
        self.fans: list[list[str]] = []
        self.dealers: list[int] = []
        self.stage1: list[int] | None = None
        self.captains: list[int] | None = None
        self.power: int | None = None
        self.to_take = 0

    # Who may do what

    def waits_for(self):
        if self.phase == "over":
            return []
        if self.phase in ("choose", "take"):
            return [self.captains[self.power]]
        if self.phase == "dealers":
            return [self.captains[1 - self.power]]
        return [self.turn] if self.winning is None else [-1]

    def legal(self, seat):
        in_play = self.phase in ("stage1", "stage2")
        if seat == -1:
            burns = [f"burn:{burner}" for burner in range(self.seats) if in_play and self.pile and self.stacks[burner]]
            return burns + ["close"] * (in_play and self.winning is not None)
        slap = ["slap"] * bool(in_play and self.pile and self.count >= self.may_slap_from[seat])
        if seat not in self.waits_for():
            return slap
        if self.phase == "bets":
            highest = self._highest_bet()
            return [f"bet:{bet}" for bet in range(highest + 1, 59)] + ["fold"] * (highest > 0)
        if self.phase == "choose":
            return ["fan:own", "fan:other"]
        if self.phase == "take":
            return [f"take:{card}" for card in self.fans[1 - self.power]]
        if self.phase == "dealers":
            return [f"dealer:{member}" for member in self.sides[len(self.dealers)]]
        return ["flip", *slap]

    def apply(self, seat, move):
        verb, _colon, what = move.partition(":")
        getattr(self, f"_{verb}")(seat, what)

    # Bets and sides

    def _highest_bet(self):
        return max((bet for bets in self.bets for bet in bets), default=0)

    def _bet(self, seat, what):
        self.bets[seat].append(int(what))
        if int(what) == 58:
            self.folded = [other != seat for other in range(self.seats)]
        self._next_bet(seat)

    def _fold(self, seat, what):
        self.folded[seat] = True
        self._next_bet(seat)

    def _next_bet(self, seat):
        still_in = [other for other in self.from_left_of(seat) if not self.folded[other]]
        self.turn = still_in[0]
        if len(still_in) == 1:
            self.bettor = still_in[0]
            if self.sides is None:
                self._draw_colours()
            self.phase, self.turn = "stage1", self.left

    def _alternate(self):
        self.sides = [[seat for seat in range(self.seats) if (seat - self.left) % 2 == side] for side in (0, 1)]

    def _draw_colours(self):
        for _draw in range(20):
            order = self.from_left_of(self.dealer)
            looked_at = {seat: self.stacks[seat].pop() for seat in order}
            for seat in order:
                below_top = self.chances.below(len(self.stacks[seat]) + 1)
                self.stacks[seat].insert(len(self.stacks[seat]) - below_top, looked_at[seat])
                self.colours[seat].append("red" if looked_at[seat][1] in "DH" else "black")
            told = [colours[-1] for colours in self.colours]
            if len(set(told)) == 2:
                first = told[self.left]
                self.sides = [
                    [seat for seat in range(self.seats) if (told[seat] == first) == own] for own in (True, False)
                ]
                return
        self._alternate()

    def _side(self, seat):
        return 0 if seat in self.sides[0] else 1

    # A hand

    def _next_with_cards(self, seat):
        return next((other for other in self.from_left_of(seat) if self.stacks[other]), None)

    def _flip(self, seat, what):
        is_last = all(not self.stacks[other] for other in range(self.seats) if other != seat)
        card = self.stacks[seat].pop()
        self.pile.append(card)
        self.played.append(card)
        self.count += 1
        self.flips2 += self.phase == "stage2"
        self.last_player = seat
        if card[0] in CHANCES:
            self.last_face = seat
        if is_last:
            self.winning, self.won_by_last_card, self.duel = seat, True, None
        elif card[0] in CHANCES:
            self.duel = seat, CHANCES[card[0]]
            self.turn = self._next_with_cards(seat)
        elif self.duel:
            challenger, chances = self.duel
            self.duel = challenger, chances - 1
            if chances == 1:
                self.winning, self.duel = challenger, None
            elif not self.stacks[seat]:
                self._pass_duel_on(seat)
        else:
            self.turn = self._next_with_cards(seat)

    def _pass_duel_on(self, seat):
        heir = self._next_with_cards(seat)
        if heir in (None, self.duel[0]):
            self.winning, self.duel = self.duel[0], None
        else:
            self.turn = heir

    def _burn(self, seat, what):
        burner = int(what)
        self.pile.insert(0, self.stacks[burner].pop())
        if self.winning is not None:
            return
        if not any(self.stacks):
            self.winning = self.last_player if self.last_face is None else self.last_face
            self.duel = None
        elif self.turn == burner and not self.stacks[burner]:
            if self.duel:
                self._pass_duel_on(burner)
            else:
                self.turn = self._next_with_cards(burner)

    def _is_slappable(self):
        ranks = [RANKS.index(card[0]) for card in self.played]
        high = [13 if rank == 0 else rank for rank in ranks]
        steps = [{(b - a), (c - b)} for a, b, c in (ranks[-3:], high[-3:])] if len(ranks) > 2 else []
        patterns = {
            "pair": len(ranks) > 1 and ranks[-1] == ranks[-2],
            "sandwich": len(ranks) > 2 and ranks[-1] == ranks[-3],
            "top_bottom": len(ranks) > 1 and ranks[-1] == ranks[0],
            "marriage": {card[0] for card in self.played[-2:]} == {"K", "Q"},
            "queen_of_spades": self.played[-1] == "QS",
            "run": {1} in steps or {-1} in steps,
        }
        return any(patterns[name] for name in self.options["slaps"])

    def _slap(self, seat, what):
        if self._is_slappable():
            self.may_slap_from[seat] = self.count + 1
            self.winning, self.won_by_last_card = seat, False
            self._close(seat, "")
            return
        wait = self.options["lockout"] * (1 if self.stacks[seat] else 2)
        self.may_slap_from[seat] = self.count + wait + 1
        if self.stacks[seat]:
            self._burn(seat, seat)

    def _close(self, seat, what):
        winner, is_last_card = self.winning, self.won_by_last_card
        hand = self.pile
        if is_last_card:
            hand = hand + self.stacks[winner]
            self.stacks[winner] = []
        self.pile, self.played, self.duel, self.last_face = [], [], None, None
        self.winning, self.won_by_last_card = None, False
        if self.phase == "stage1" or self.final_lap:
            self.aside[winner] += hand
        elif is_last_card:
            return self._finish("last_card", self._side(winner))
        else:
            self.stacks[winner] = hand[::-1] + self.stacks[winner]
            for side, members in enumerate(self.sides):
                if sum(len(self.stacks[member]) for member in members) == 52:
                    return self._finish("all_cards", side)
            self.final_lap = self.flips2 >= (self.options["stage2_flips"] or ENDLESS)
        if any(self.stacks):
            self.turn = winner if self.stacks[winner] else self._next_with_cards(winner)
        elif self.phase == "stage1":
            self._end_stage1()
        else:
            totals = self._totals()
            queen = next(side for side in (0, 1) if any("QS" in self.aside[seat] for seat in self.sides[side]))
            self._finish("final_lap", queen if totals[0] == totals[1] else totals.index(max(totals)))
        return None

    def _totals(self):
        laid = [[card for seat in side for card in self.aside[seat]] for side in self.sides]
        return [len(cards) + 6 * ("QS" in cards) for cards in laid]

    # Between the stages

    def _end_stage1(self):
        self.stage1 = self._totals()
        won = [[card for seat in side for card in self.aside[seat]] for side in self.sides]
        self.fans = [sorted(cards, key=PACK.index) for cards in won]
        self.aside = [[] for _seat in range(self.seats)]
        side = self._side(self.bettor)
        kept = self.stage1[side] - self.stage1[1 - side] >= self._highest_bet()
        self.power = side if kept else 1 - side
        in_order = self.from_left_of(self.dealer)
        self.captains = [
            max((seat for seat in in_order if seat in members), key=lambda seat: max(self.bets[seat], default=0))
            for members in self.sides
        ]
        self.phase = "choose"

    def _fan(self, seat, what):
        if what == "other":
            self.fans.reverse()
        other = 1 - self.power
        self.to_take = min(len(self.sides[other]), len(self.fans[other]))
        self.phase = "take"
        self._go_on_taking()

    def _take(self, seat, what):
        self.fans[1 - self.power].remove(what)
        self.fans[self.power] = sorted([*self.fans[self.power], what], key=PACK.index)
        self.to_take -= 1
        self._go_on_taking()

    def _go_on_taking(self):
        sizes = [len(fan) for fan in self.fans]
        if self.to_take:
            return
        if 52 in sizes:
            self._finish("all_cards", sizes.index(52))
            return
        self.shuffled = [self.chances.shuffled(fan) for fan in self.fans]
        if self.seats > 2:
            self.phase = "dealers"
        else:
            self.dealers = [members[0] for members in self.sides]
            self._deal_stage2()

    def _dealer(self, seat, what):
        self.dealers.append(int(what))
        if len(self.dealers) == 2:
            self._deal_stage2()

    def _deal_stage2(self):
        for side, members in enumerate(self.sides):
            order = [seat for seat in self.from_left_of(self.dealers[side]) if seat in members]
            for turn, card in enumerate(self.shuffled[side]):
                self.stacks[order[turn % len(order)]].append(card)
        self.phase, self.fans = "stage2", []
        self.turn = self._next_with_cards(self.dealer)

    def _finish(self, reason, side):
        self.phase, self.over = "over", reason
        self.ranking = [sorted(self.sides[side]), sorted(self.sides[1 - side])]

    # Compared values

    def facts(self):
        return {
            "dealer": self.dealer,
            "bets": self.bets,
            "folded": self.folded,
            "colours": self.colours,
            "teams": self.sides,
            "captains": self.captains,
            "power": self.power,
            "stage1": self.stage1,
            "duel": self.duel and {"by": self.duel[0], "chances": self.duel[1]},
            "winning": self.winning,
            "lockout": [max(0, start - self.count) for start in self.may_slap_from],
            "flips2": self.flips2,
            "final_lap": self.final_lap,
        }

    def zones(self):
        if self.over:
            return {"pile": self.pile}
        return {
            "pile": self.pile,
            **{f"stack:{seat}": len(stack) for seat, stack in enumerate(self.stacks)},
            **{f"won:{seat}": len(cards) for seat, cards in enumerate(self.aside)},
            **({f"fan:{side}": fan for side, fan in enumerate(self.fans)} if self.phase in ("choose", "take") else {}),
        }

    def points(self):
        return [self.stage1[self._side(seat)] for seat in range(self.seats)]
