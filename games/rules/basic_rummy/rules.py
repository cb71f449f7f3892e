"""Basic Rummy, 2 to 6 players: sets and runs, lay-offs, a run joined to a set of four, several deals.

Rulings made where the rules are silent:

- A deal is void after 100 turns a player only if the last of them did not end it; going out comes first.
- ``rummy_doubles`` doubles the points of a player that goes out without having melded or laid off in an earlier turn of
  the deal, whether the hand went down in one meld or in several.
- A joined meld lies with its set first, then its run from low to high; the cards of its set don't move any more.
- With ``target`` the match ends as ``target``; after ``deals`` deals, or 40, as ``deals``.
- The winner of a deal always scores, since the other hands hold cards; a void deal counts as one of ``deals``.
- At the end of the match the hands of the last deal stay open on the table.
"""

from collections.abc import Sequence
from typing import ClassVar

from games.engine import Event, Move, Option, Options, Seat
from games.engine.cards import CODES, RANK, Card
from games.engine.text import gettext as _
from games.rules._shared.pieces import add, cards_of
from games.rules._shared.rummy import CAP, NO_CARD, Emit, RummyState
from games.rules._shared.rummy_moves import DRAW_DISCARD, DRAW_STOCK, ParsedMove
from games.rules._shared.rummy_rules import RummyRules

#: The number of turns per player after which a deal is void.
TURNS = 100
#: How many times the discard pile becomes the stock in one deal.
REFILLS = 2
HAND_SIZE = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}
VALUE = tuple(min(RANK[card] + 1, 10) for card in range(52))
DRAWS = (DRAW_STOCK, DRAW_DISCARD)


class BasicRummyState(RummyState):
    """One moment of a match of Basic Rummy."""

    __slots__ = ()

    SLUG: ClassVar[str] = "basic-rummy"
    NAME: ClassVar[str] = "Basic Rummy"
    VERBS: ClassVar[frozenset[str]] = frozenset((*DRAWS, "meld", "lay", "discard"))
    LAST: ClassVar[int] = 13

    @classmethod
    def pack(cls, seats: int, options: Options) -> list[Card]:
        """One pack of 52."""
        return list(range(52))

    @classmethod
    def hand_size(cls, seats: int) -> int:
        """Fewer cards for more players."""
        return HAND_SIZE[seats]

    def _draws(self) -> Sequence[Move]:
        return DRAWS

    def _refuse_draw(self, parsed: ParsedMove) -> str | None:
        return None if parsed.verb in DRAWS else _("First draw a card from the stock or the discard pile.")

    def _draw(self, seat: Seat, parsed: ParsedMove, emit: Emit | None) -> None:
        if parsed.verb == DRAW_STOCK:
            if not self.stock:
                self._refill(emit)
            self._draw_stock(seat, emit)
            return
        card = self.pile.pop()
        self.hands[seat] = add(self.hands[seat], card)
        self.known[seat] = add(self.known[seat], card)
        self.taken = card
        self.phase = "play"
        if emit:
            emit(Event("take", seat, {"cards": [CODES[card]], "source": "discard", "target": f"hand:{seat}"}))

    def _refill(self, emit: Emit | None) -> None:
        """Keep the top discard as the new pile, and shuffle the others into the stock."""
        under = self.pile[:-1]
        del self.pile[:-1]
        self.chance.shuffle(under)
        under.reverse()
        self.stock = under
        self.refills += 1
        if emit:
            emit(Event("refill", None, {"cards": len(under), "source": "discard", "target": "stock"}))

    def banned(self) -> Card:
        """The card taken from the discard pile this turn, unless it is the player's last."""
        return self.taken if self.hands[self.turn].bit_count() > 1 else NO_CARD

    def _is_void(self) -> bool:
        """Whether the deal is void at the start of a turn: no stock and no refill, or too many turns."""
        if self.turns >= TURNS * len(self.hands):
            return True
        return not self.stock and (self.refills >= REFILLS or len(self.pile) == 1)

    def gains(self, winner: Seat | None) -> list[int]:
        """The winner gets the value of all cards left in the other hands."""
        gains = [0] * len(self.hands)
        if winner is not None:
            gains[winner] = sum(VALUE[card] for hand in self.hands for card in cards_of(hand))
            if self.fresh and self.options["rummy_doubles"]:
                gains[winner] *= 2
        return gains

    def value_of(self, card: Card) -> int:
        """The value of a card in hand."""
        return VALUE[card]

    def _match_reason(self) -> str:
        deals = self.options["deals"]
        if not deals and max(self.scores) >= self.options["target"]:
            return "target"
        return "deals" if self.deal >= (deals or CAP) else ""


class BasicRummy(RummyRules):
    """The rules of Basic Rummy."""

    slug = BasicRummyState.SLUG
    name = BasicRummyState.NAME
    seats = range(2, 7)
    state_type = BasicRummyState
    options = (
        Option(
            "target",
            100,
            100,
            range(50, 501),
            _("Reach this many points at the end of a deal to win."),
        ),
        Option("deals", 0, 0, range(21), _("Play this many deals; 0 means play until a player has the points to win.")),
        Option(
            "rummy_doubles",
            False,
            False,
            (False, True),
            _("Put down your whole hand in one turn, and your points are doubled."),
        ),
    )


RULES = BasicRummy()
