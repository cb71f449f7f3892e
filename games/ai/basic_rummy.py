"""Basic Rummy: take from the pile what can be laid at once, be out first."""

from games.ai.rummy_hands import RummyPolicy
from games.engine import Move, Seat
from games.rules.basic_rummy import BasicRummyState
from games.rules.melds import add, in_a_meld
from games.rules.rummy_moves import DRAW_DISCARD, DRAW_STOCK

#: Points of a deal that decide it.
MANY_POINTS = 60


class BasicRummyPolicy(RummyPolicy[BasicRummyState]):
    """Rules of thumb for Basic Rummy."""

    slug = "basic-rummy"
    # A little search was no gain here.
    playouts = {"hard": 120}
    clearly = {"hard": 2.5}

    def draw(self, state: BasicRummyState, seat: Seat) -> Move:
        """The top discard if it makes a meld or can be laid off, else the stock."""
        card = state.pile[-1]
        if any(meld[4] >> card & 1 for meld in state.melds) or in_a_meld(card, add(state.hands[seat], card), 13):
            return DRAW_DISCARD
        return DRAW_STOCK

    def value(self, state: BasicRummyState, seat: Seat, start: BasicRummyState) -> float:
        """Who won the deal, and by how many points."""
        gains = [after - before for after, before in zip(state.scores, start.scores, strict=True)]
        others = sum(gains) - gains[seat]
        if gains[seat]:
            return 0.6 + 0.4 * min(1.0, gains[seat] / MANY_POINTS)
        if others:
            return -0.6 - 0.4 * min(1.0, others / MANY_POINTS)
        return 0.0


POLICY = BasicRummyPolicy()
