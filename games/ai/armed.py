"""Armed: both players choose at once, so a strong player chooses at random and notices opponents who hold cards back.

The merit of a card is what it may win and lose. A medium player expects the opponent's cards in random order, and
prefers its own better ones. A hard player expects an opponent as clever as itself: regret matching plays a small game
between possible hands of both sides against itself until neither side regrets much, and gives the chance of each card.
Tens of thousands of simulated matches showed three things:

- A card is worth about its value to the power of 2.5: an ace wins other cards as long as it is owned. A high card in
  the hand is worth a little more than one in the deck (``HELD``), because it can be played at the right moment.
- A player that always holds back the high cards is no danger, and only the number of its cards can be won. Then all
  cards are worth about the same, and the cards it has turned show which ones will come.
- Against all other players it is better to ignore the turned cards: a player that thinks also plays nearly all cards in
  turn.
"""

from collections.abc import Sequence
from math import exp
from operator import mul
from random import Random

from games.ai.armed_habits import Habit, noticed, usual
from games.ai.policy import Policy
from games.engine import Move, Seat, View
from games.engine.cards import CODES, Card
from games.rules.armed.rules import VALUE, ArmedState

VALUES = range(2, 15)
#: The value of owning a card, by its rank.
WORTH: tuple[float, ...] = tuple((value / 14) ** 2.5 for value in range(15))
#: The extra value of having it in hand.
HELD: tuple[float, ...] = (0.0, 0.0, *(0.2 * ((value - 2) / 12) ** 3 for value in VALUES))
#: The extra value of any card against an opponent who holds back the high ones.
COUNTS = 0.2
#: The value of the battle that ends the match.
DECIDES = 1.0
#: In a match of set length: from how many battles before the end only the number of cards counts.
LAST_BATTLES = 6.0
#: How sure the player must be that the opponent holds cards back.
SURE = 0.3
#: In regret matching, the chance that the opponent plays a random card.
CARELESS = 0.3


class ArmedPolicy(Policy[ArmedState]):
    """A mixed strategy for Armed; ``playouts`` are the rounds of regret matching."""

    slug = "armed"
    playouts = {"hard": 60}
    #: Number of hands imagined for each side.
    hands = 4
    #: How much two cards may differ in merit and still be about equally likely.
    whim = {"easy": 0.04, "medium": 0.04, "hard": 0.01}

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """A random card; better ones are more likely."""
        if view.seat is None or len(view.moves) == 1:
            return view.moves[0]
        seat = view.seat
        state = self.imagine(view, rng)
        if rng.random() < self.forgets.get(level, 0):
            return self.plain(state, seat, rng)
        habit = noticed(state, 1 - seat) if level == "hard" else usual(state, 1 - seat)
        if level == "hard" and habit.holds < SURE:
            worlds = [state, *(self.imagine(view, rng) for _world in range(self.hands - 1))]
            return lay(mixed_choice(worlds, seat, self.playouts[level], rng))
        hand = state.hands[seat]
        stakes = Stakes(state, seat, habit.holds)
        merits = {value: stakes.merit(value, habit) for value in {VALUE[card] for card in hand}}
        best = max(merits.values())
        weights = [exp((merits[VALUE[card]] - best) / self.whim[level]) for card in hand]
        return lay(rng.choices(hand, weights)[0])

    def greedy(self, state: ArmedState, seat: Seat, rng: Random) -> Move:
        """The highest card."""
        return lay(max(state.hands[seat], key=VALUE.__getitem__))

    def plain(self, state: ArmedState, seat: Seat, rng: Random) -> Move:
        """Any card."""
        return lay(rng.choice(state.hands[seat]))


def lay(card: Card) -> Move:
    """The move that plays ``card``."""
    return f"play:{CODES[card]}"


class Stakes:
    """What can be won and lost in this battle, including cards already on the table from a war.

    ``holds`` is the probability that the opponent holds cards back.
    """

    def __init__(self, state: ArmedState, seat: Seat, holds: float = 0.0) -> None:
        self._ahead = state.totals[seat] - state.totals[1 - seat]
        near = exp((state.battle - state.battles) / LAST_BATTLES) if state.battles else 0.0
        extra = (1 - near) * COUNTS * holds + near
        self._worth = [(1 - near) * worth + extra for worth in WORTH]
        self._held = [(1 - near) * (1 - holds) * held for held in HELD]
        self._at_risk = self._lying(state, seat)
        self._to_win = self._lying(state, 1 - seat)

    def _lying(self, state: ArmedState, seat: Seat) -> float:
        """What ``seat`` loses with the battle, apart from the card it plays now."""
        laid = sum(self._worth[VALUE[card]] for card in state.laid[seat])
        rest = len(state.hands[seat]) + len(state.decks[seat]) - (state.sealed[seat] < 0)
        return laid + (DECIDES if rest < state.hand_size else 0.0)

    def payoff(self, ours: int, other: int, *, held: float = 0.0) -> float:
        """The gain from playing ``ours`` against ``other``; a new war is worth nothing to either side.

        ``held`` is what the opponent gives up because ``other`` leaves their hand.
        """
        difference = ours - other + self._ahead
        spent = held - self._held[ours]
        if difference > 0:
            return spent + self._worth[other] + self._to_win
        if difference < 0:
            return spent - self._worth[ours] - self._at_risk
        return spent

    def merit(self, ours: int, habit: Habit) -> float:
        """The expected gain from playing ``ours`` against an opponent with this ``habit``."""
        return sum(chance * self.payoff(ours, other) for other, chance in enumerate(habit.chances) if chance)

    def table(self, ours: Sequence[int], others: Sequence[int]) -> list[list[float]]:
        """The gain of each card of ``ours`` against each of ``others``, all played from the hand."""
        return [[self.payoff(our, other, held=self._held[other]) for other in others] for our in ours]


class _Mix:
    """The probabilities of one hand's cards, learned from regrets; cards of equal value are one choice."""

    __slots__ = ("choices", "regrets", "total")

    def __init__(self, values: Sequence[int]) -> None:
        self.choices = sorted(set(values))
        self.regrets = [0.0] * len(self.choices)
        self.total = [0.0] * len(self.choices)

    def chances(self) -> list[float]:
        """Probabilities in proportion to the regrets; equal while there are none."""
        whole = sum(self.regrets)
        if whole:
            return [regret / whole for regret in self.regrets]
        return [1 / len(self.regrets)] * len(self.regrets)

    def learn(self, payoffs: Sequence[float], chances: Sequence[float], weight: float) -> None:
        """Add the regrets of the choices not made; later rounds count more."""
        mean = sum(map(mul, payoffs, chances))
        self.regrets = [max(0.0, regret + pay - mean) for regret, pay in zip(self.regrets, payoffs, strict=True)]
        self.total = [total + weight * chance for total, chance in zip(self.total, chances, strict=True)]


def mixed_choice(worlds: Sequence[ArmedState], seat: Seat, rounds: int, rng: Random) -> Card:
    """Choose a card for ``seat`` by ``rounds`` of regret matching.

    The hand of ``seat`` is the same in all ``worlds``; its opponent expects others, dealt from its cards.
    """
    now = worlds[0]
    own_hand = now.hands[seat]
    own = [_Mix([VALUE[card] for card in own_hand])]
    for world in worlds[1:]:
        cards = world.hands[seat] + world.decks[seat]
        own.append(_Mix([VALUE[card] for card in rng.sample(cards, len(own_hand))]))
    others = [_Mix([VALUE[card] for card in _choosable(world, 1 - seat)]) for world in worlds]
    stakes = Stakes(now, seat)
    tables: dict[tuple[int, int], tuple[list[list[float]], list[tuple[float, ...]]]] = {}
    for number in range(1, rounds + 1):
        at = 0 if rng.random() < 0.5 else rng.randrange(len(own))
        other_at = rng.randrange(len(others))
        mine, theirs = own[at], others[other_at]
        if (at, other_at) not in tables:
            rows = stakes.table(mine.choices, theirs.choices)
            tables[at, other_at] = rows, [tuple(-payoff for payoff in column) for column in zip(*rows, strict=True)]
        rows, columns = tables[at, other_at]
        my_chances, their_chances = mine.chances(), theirs.chances()
        even = CARELESS / len(their_chances)
        expected = [(1 - CARELESS) * chance + even for chance in their_chances]
        mine.learn([sum(map(mul, row, expected)) for row in rows], my_chances, number)
        theirs.learn([sum(map(mul, column, my_chances)) for column in columns], their_chances, number)
    value = rng.choices(own[0].choices, own[0].total)[0]
    return next(card for card in own_hand if VALUE[card] == value)


def _choosable(state: ArmedState, seat: Seat) -> list[Card]:
    """The cards that ``seat`` can choose from, or has chosen."""
    sealed = state.sealed[seat]
    return state.hands[seat] if sealed < 0 else [*state.hands[seat], sealed]


POLICY = ArmedPolicy()
