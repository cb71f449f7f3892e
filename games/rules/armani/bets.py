"""The first phase of Game: Armani: bets and teams."""

from collections.abc import Sequence

from games.engine import Event, Seat
from games.engine.cards import CODES, IS_RED, Card

from .moment import Emit, Moment, Sides
from .tables import HIGHEST_BET, LEFT_OF, SAME_COLOUR_DRAWS, STAGE1, colour_of


class Bets(Moment):
    """The part of a match in which players bid and draw for sides."""

    __slots__ = ()

    # The bets.

    def _bet(self, seat: Seat, points: int, emit: Emit) -> None:
        """Bid ``points``; if no higher bid is possible, all others fold at once."""
        self.bets = tuple((*bids, points) if at == seat else bids for at, bids in enumerate(self.bets))
        self.bettor = seat
        if emit:
            emit(Event("bet", seat, {"points": points}))
        if points == HIGHEST_BET:
            for other in LEFT_OF[self.seats][seat][:-1]:
                if not self.folded[other]:
                    self._mark_folded(other, emit, forced=True)
        self._next_bidder(seat, emit)

    def _fold(self, seat: Seat, emit: Emit) -> None:
        self._mark_folded(seat, emit, forced=False)
        self._next_bidder(seat, emit)

    def _mark_folded(self, seat: Seat, emit: Emit, *, forced: bool) -> None:
        self.folded = tuple(gone or at == seat for at, gone in enumerate(self.folded))
        if emit:
            emit(Event("fold", seat, {"forced": forced}))

    def _next_bidder(self, seat: Seat, emit: Emit) -> None:
        """Ask the next player that hasn't folded to bid; find the teams when all but one have folded."""
        left = [other for other in LEFT_OF[self.seats][seat] if not self.folded[other]]
        if len(left) > 1:
            self.turn = left[0]
            return
        if emit:
            emit(Event("bets_over", self.bettor, {"points": self.highest_bet()}))
        if not self.sides:
            self._draw_teams(emit)
        self.phase = STAGE1
        if emit:
            emit(Event("stage", None, {"stage": 1}))
        self._lead(LEFT_OF[self.seats][self.dealer][0], emit)

    # The teams.

    def _seat_alternately(self) -> None:
        """Put every other seat on a side; the dealer's left is on side 0."""
        side = [(seat - self.dealer - 1) % self.seats % 2 for seat in range(self.seats)]
        self.sides = _sides_from(side)

    def _draw_teams(self, emit: Emit) -> None:
        """Same colour, same team; if all colours are the same, everyone looks again, at most 20 times."""
        order = LEFT_OF[self.seats][self.dealer]
        for _draw in range(SAME_COLOUR_DRAWS):
            looked = self._look(order, emit)
            red = [IS_RED[looked[seat]] for seat in range(self.seats)]
            if any(red) and not all(red):
                self.sides = _sides_from([int(red[seat] != red[order[0]]) for seat in range(self.seats)])
                break
        else:
            self._seat_alternately()
        if emit:
            emit(Event("teams", None, {"teams": [list(side) for side in self.sides]}))

    def _look(self, order: Sequence[Seat], emit: Emit) -> dict[Seat, Card]:
        """Let all players look at their top cards and tell the colours, then put them back at random places."""
        looked = {seat: self.stacks[seat].pop() for seat in order}
        for seat, card in looked.items():
            stack = f"stack:{seat}"
            if emit:
                data = {"card": CODES[card], "cards": [CODES[card]], "source": stack, "target": stack}
                emit(Event("look", seat, data, frozenset((seat,))))
                emit(Event("colour", seat, {"colour": colour_of(card), "cards": 1, "source": stack, "target": stack}))
        for seat, card in looked.items():
            stack_of = self.stacks[seat]
            stack_of.insert(len(stack_of) - self.chance.below(len(stack_of) + 1), card)
        self.draws = tuple((*seen, looked[seat]) for seat, seen in enumerate(self.draws))
        self.colours = tuple((*told, colour_of(looked[seat])) for seat, told in enumerate(self.colours))
        return looked


def _sides_from(side_of: Sequence[int]) -> Sides:
    """The members of each side, from each seat's side."""
    return tuple(tuple(seat for seat, of in enumerate(side_of) if of == side) for side in (0, 1))
