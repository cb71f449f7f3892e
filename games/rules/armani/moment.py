"""The state of Game: Armani."""

from collections.abc import Callable
from typing import Any, Self

from games.engine import Chance, Event, Options, Outcome, Seat, returns_from
from games.engine.cards import Card

from .tables import BETS, LEFT_OF, NO_SEAT, NO_SIDE, OVER

Emit = Callable[[Event], None] | None
Sides = tuple[tuple[Seat, ...], ...]


class Moment:
    """The state of a match, and what all phases use of it.

    Face-down stacks are lists with the top card last; ``pile`` is the face-up pile, bottom first,
    of which the first ``burned`` cards were burned in this hand and the others played.
    """

    __slots__ = (
        "bets",
        "bettor",
        "burned",
        "captains",
        "chance",
        "chances",
        "colours",
        "dealer",
        "dealers",
        "draws",
        "duel_by",
        "fans",
        "final",
        "final_lap",
        "flips",
        "flips2",
        "folded",
        "last",
        "lockout",
        "locks",
        "phase",
        "pile",
        "power",
        "reason",
        "seats",
        "sides",
        "slaps",
        "stacks",
        "stage1",
        "stage2_flips",
        "teams_by",
        "to_take",
        "turn",
        "winner",
        "winning",
        "winning_by",
        "won",
    )

    def __init__(self, seats: int, options: Options, dealer: Seat, chance: Chance) -> None:
        """The empty table of a new match, before the cards are dealt."""
        self.seats = seats
        self.teams_by: str = options["teams"]
        self.slaps: tuple[str, ...] = tuple(options["slaps"])
        self.lockout: int = options["lockout"]
        self.stage2_flips: int = options["stage2_flips"]
        self.dealer = dealer
        self.chance = chance
        self.phase = BETS
        #: What the match waits for: a seat, the table, or ``NO_SEAT``.
        self.turn: Seat = (dealer + 1) % seats
        self.stacks: list[list[Card]] = [[] for _seat in range(seats)]
        self.pile: list[Card] = []
        self.burned = 0
        #: Cards set aside by each seat, in Stage 1 and in the final lap.
        self.won: list[tuple[Card, ...]] = [()] * seats
        self.fans: tuple[tuple[Card, ...], ...] = ((), ())
        # The bets.
        self.bets: tuple[tuple[int, ...], ...] = ((),) * seats
        self.folded: tuple[bool, ...] = (False,) * seats
        self.bettor: Seat = NO_SEAT
        # The teams: announced colours, cards looked at (each known only to its owner), and the sides once known.
        self.colours: tuple[tuple[str, ...], ...] = ((),) * seats
        self.draws: tuple[tuple[Card, ...], ...] = ((),) * seats
        self.sides: Sides = ()
        # The hand: who played the face card to answer, chances left, the winner at `close`, and why.
        self.duel_by: Seat = NO_SEAT
        self.chances = 0
        self.winning: Seat = NO_SEAT
        self.winning_by: str | None = None
        self.last: Seat = NO_SEAT
        #: Cards played in the match, and in Stage 2; from which card each seat may slap.
        self.flips = 0
        self.flips2 = 0
        self.locks: list[int] = [0] * seats
        self.final_lap = False
        # Choosing Power, and how many cards are still to be taken.
        self.stage1: tuple[int, ...] = ()
        self.power = NO_SIDE
        self.captains: tuple[Seat, ...] = ()
        self.to_take = 0
        self.dealers: tuple[Seat, ...] = ()
        # The end: points of the final lap, the reason, the winning side.
        self.final: tuple[int, ...] = ()
        self.reason: str | None = None
        self.winner = NO_SIDE

    def copy(self) -> Self:
        """An equal state that shares nothing mutable with this one."""
        kind = type(self)
        new = kind.__new__(kind)
        new.seats = self.seats
        new.teams_by = self.teams_by
        new.slaps = self.slaps
        new.lockout = self.lockout
        new.stage2_flips = self.stage2_flips
        new.dealer = self.dealer
        new.chance = self.chance.copy()
        new.phase = self.phase
        new.turn = self.turn
        new.stacks = [stack[:] for stack in self.stacks]
        new.pile = self.pile[:]
        new.burned = self.burned
        new.won = self.won[:]
        new.fans = self.fans
        new.bets = self.bets
        new.folded = self.folded
        new.bettor = self.bettor
        new.colours = self.colours
        new.draws = self.draws
        new.sides = self.sides
        new.duel_by = self.duel_by
        new.chances = self.chances
        new.winning = self.winning
        new.winning_by = self.winning_by
        new.last = self.last
        new.flips = self.flips
        new.flips2 = self.flips2
        new.locks = self.locks[:]
        new.final_lap = self.final_lap
        new.stage1 = self.stage1
        new.power = self.power
        new.captains = self.captains
        new.to_take = self.to_take
        new.dealers = self.dealers
        new.final = self.final
        new.reason = self.reason
        new.winner = self.winner
        return new

    def options(self) -> dict[str, Any]:
        """The options of the match by name."""
        return {
            "teams": self.teams_by,
            "slaps": list(self.slaps),
            "lockout": self.lockout,
            "stage2_flips": self.stage2_flips,
        }

    def highest_bet(self) -> int:
        """The highest bet so far; 0 before the first."""
        return 0 if self.bettor == NO_SEAT else self.bets[self.bettor][-1]

    def _next(self, seat: Seat) -> Seat:
        """The next seat to the left with face-down cards, possibly ``seat`` itself, or ``NO_SEAT``."""
        stacks = self.stacks
        for other in LEFT_OF[self.seats][seat]:
            if stacks[other]:
                return other
        return NO_SEAT

    def _lead(self, winner: Seat, emit: Emit) -> None:
        """Let ``winner`` lead the next hand, or the next seat to the left with cards."""
        self.turn = winner if self.stacks[winner] else self._next(winner)
        if emit:
            emit(Event("lead", self.turn, {}))

    # The end.

    def end(self, reason: str, winner: int, emit: Emit) -> None:
        """End the match with this winning side."""
        self.phase = OVER
        self.turn = NO_SEAT
        self.reason = reason
        self.winner = winner
        if emit:
            seats = list(self.sides[winner])
            emit(Event("over", None, {"reason": reason, "side": winner, "seats": seats}))

    def _ranking(self) -> tuple[tuple[Seat, ...], ...]:
        sides = self.sides
        return sides if self.winner == 0 else sides[::-1]

    def side_points(self, seat: Seat) -> int:
        """The Stage 1 points of the seat's side; 0 before they are counted."""
        return self.stage1[int(seat in self.sides[1])] if self.stage1 else 0

    def outcome(self) -> Outcome | None:
        """How the match ended; ``None`` while it runs. Points are those of Stage 1."""
        if self.reason is None:
            return None
        return Outcome(self.reason, self._ranking(), tuple(self.side_points(seat) for seat in range(self.seats)))

    def returns(self) -> tuple[float, ...]:
        """1 for the winning side, −1 for the other; zeros before the end."""
        if self.reason is None:
            return (0.0,) * self.seats
        return returns_from(self._ranking(), sides=True)
