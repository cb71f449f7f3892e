"""Basic Rummy: take from the pile what can be melded at once, and go out first."""

from games.ai.rummy_hands import RummyPolicy
from games.ai.rummy_sight import Sight, Weights
from games.engine import Move, Seat
from games.rules._shared.going_out import can_go_out
from games.rules._shared.melds import in_a_meld
from games.rules._shared.pieces import add
from games.rules._shared.rummy_moves import DRAW_DISCARD, DRAW_STOCK
from games.rules.basic_rummy import BasicRummyState

#: The winner of a deal nearly always gets at least this many points.
FEW_POINTS = 5
#: The most cards of a hand held back for going rummy that neither belong to a meld nor fit one.
NEARLY_OUT = 3


class BasicRummyPolicy(RummyPolicy[BasicRummyState]):
    """Rules of thumb for Basic Rummy, and how a careful player holds back.

    Everyone may add to melds on the table. A player who has melded nothing may still go rummy, so a hand held back goes
    out as soon as a melded one, and gives the others a harder time: it wins six deals of ten. When it loses, all its
    cards count. So holding back pays only if winning the deal is all that counts, or when nearly out.
    """

    slug = "basic-rummy"
    weights = Weights(out=3.0, promise=0.3, danger=20.0, burden=0.1)

    def holds_back(self, state: BasicRummyState, seat: Seat, sight: Sight) -> bool:
        """Hold back before the first meld if the deal decides or the hand is nearly out; never if it can go out now."""
        if not state.fresh or can_go_out(sight.hand, [meld[0] for meld in state.melds], state.LAST):
            return False
        return only_winning_counts(state, seat) or sight.hand.bit_count() - sight.placed() <= NEARLY_OUT

    def draw(self, state: BasicRummyState, seat: Seat) -> Move:
        """Draw the top discard if it makes a meld or can be laid off, else draw from the stock."""
        card = state.pile[-1]
        if any(meld[4] >> card & 1 for meld in state.melds) or in_a_meld(card, add(state.hands[seat], card), 13):
            return DRAW_DISCARD
        return DRAW_STOCK


def only_winning_counts(state: BasicRummyState, seat: Seat) -> bool:
    """Whether even the smallest win of this deal wins the match, and ``seat`` is not behind."""
    others = max(score for at, score in enumerate(state.scores) if at != seat)
    deals = state.options["deals"]
    if deals:
        return bool(state.deal >= deals and state.scores[seat] + FEW_POINTS > others)
    return bool(state.scores[seat] + FEW_POINTS >= state.options["target"])


POLICY = BasicRummyPolicy()
