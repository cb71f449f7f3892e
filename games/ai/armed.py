"""Armed: both choose at once, so a strong player mixes.

The chances of the own cards come from regret matching: a small game between some hands that either side may hold,
in which cards are won and lost by their worth, is played against itself until neither side regrets much.
"""

from collections.abc import Sequence
from operator import mul
from random import Random

from games.ai.policy import Policy
from games.engine import Move, Seat, View
from games.engine.cards import CODES, Card
from games.rules.armed import VALUE, ArmedState

#: What owning a card is worth, by its value: high cards win further cards (squares did best of what was tried).
WORTH: tuple[float, ...] = tuple(float(value * value) for value in range(15))


class ArmedPolicy(Policy[ArmedState]):
    """A mixed strategy for Armed; ``playouts`` are the rounds of regret matching."""

    slug = "armed"
    playouts = {"easy": 60, "medium": 200, "hard": 1200}
    #: Hands imagined on each side, by level.
    hands = {"easy": 2, "medium": 5, "hard": 12}

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """A card drawn by the chances that regret matching gives."""
        if len(view.moves) == 1:
            return view.moves[0]
        seat = view.to_move[0] if view.seat is None else view.seat
        if rng.random() < self.forgets.get(level, 0):
            return self.plain(self.imagine(view, rng), seat, rng)
        worlds = [self.imagine(view, rng) for _world in range(self.hands[level])]
        return f"play:{CODES[mixed_choice(worlds, seat, self.playouts[level], rng)]}"

    def greedy(self, state: ArmedState, seat: Seat, rng: Random) -> Move:
        """The highest card."""
        return f"play:{CODES[max(state.hands[seat], key=VALUE.__getitem__)]}"

    def plain(self, state: ArmedState, seat: Seat, rng: Random) -> Move:
        """Any card."""
        return f"play:{CODES[rng.choice(state.hands[seat])]}"


class _Mix:
    """The chances of the cards of one hand, learnt from regrets; cards of one value are one choice."""

    __slots__ = ("choices", "regrets", "total")

    def __init__(self, hand: Sequence[Card]) -> None:
        self.choices = sorted({VALUE[card] for card in hand})
        self.regrets = [0.0] * len(self.choices)
        self.total = [0.0] * len(self.choices)

    def chances(self) -> list[float]:
        """In proportion to the regrets of not having chosen so; even while there are none."""
        positive = [max(0.0, regret) for regret in self.regrets]
        whole = sum(positive)
        return [regret / whole for regret in positive] if whole else [1 / len(positive)] * len(positive)

    def learn(self, payoffs: Sequence[float], chances: Sequence[float], weight: float) -> None:
        """Regret what other choices would have brought; later rounds count for more."""
        mean = sum(payoff * chance for payoff, chance in zip(payoffs, chances, strict=True))
        for at, payoff in enumerate(payoffs):
            self.regrets[at] = max(0.0, self.regrets[at] + payoff - mean)
            self.total[at] += weight * chances[at]


def mixed_choice(worlds: Sequence[ArmedState], seat: Seat, rounds: int, rng: Random) -> Card:
    """The card of ``seat`` drawn from the average of so many rounds of regret matching.

    The hand of ``seat`` is the same in all ``worlds``; its opponent reckons with others, dealt from its cards.
    """
    now = worlds[0]
    own_hand = now.hands[seat]
    own = [_Mix(own_hand)]
    for world in worlds[1:]:
        cards = world.hands[seat] + world.decks[seat]
        own.append(_Mix(rng.sample(cards, len(own_hand))))
    others = [_Mix(_choosable(world, 1 - seat)) for world in worlds]
    ahead = now.totals[seat] - now.totals[1 - seat]
    at_risk = sum(WORTH[VALUE[card]] for card in now.laid[seat])
    to_win = sum(WORTH[VALUE[card]] for card in now.laid[1 - seat])
    tables: dict[tuple[int, int], tuple[list[list[float]], list[tuple[float, ...]]]] = {}
    for number in range(1, rounds + 1):
        at = 0 if rng.random() < 0.5 else rng.randrange(len(own))
        other_at = rng.randrange(len(others))
        mine, theirs = own[at], others[other_at]
        if (at, other_at) not in tables:
            rows = [[_payoff(our, other, ahead, at_risk, to_win) for other in theirs.choices] for our in mine.choices]
            tables[at, other_at] = rows, [tuple(-payoff for payoff in column) for column in zip(*rows, strict=True)]
        rows, columns = tables[at, other_at]
        my_chances, their_chances = mine.chances(), theirs.chances()
        mine.learn([sum(map(mul, row, their_chances)) for row in rows], my_chances, number)
        theirs.learn([sum(map(mul, column, my_chances)) for column in columns], their_chances, number)
    value = rng.choices(own[0].choices, own[0].total)[0]
    return next(card for card in own_hand if VALUE[card] == value)


def _choosable(state: ArmedState, seat: Seat) -> list[Card]:
    """The cards from which ``seat`` chooses, or has chosen."""
    sealed = state.sealed[seat]
    return state.hands[seat] if sealed < 0 else [*state.hands[seat], sealed]


def _payoff(ours: int, other: int, ahead: int, at_risk: float, to_win: float) -> float:
    """What a card won or lost is worth, with the cards of a war before it; a new war is nobody's gain."""
    difference = ours - other + ahead
    if difference > 0:
        return WORTH[other] + to_win
    if difference < 0:
        return -WORTH[ours] - at_risk
    return 0.0


POLICY = ArmedPolicy()
