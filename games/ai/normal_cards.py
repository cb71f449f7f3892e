"""Normal Cards: lead cheap cards, take tricks that are worth the card, and calculate the end exactly."""

from bisect import insort
from collections.abc import Sequence
from random import Random

from games.ai.policy import EPSILON, Policy
from games.engine import Move, Seat, View
from games.engine.cards import CODES, SUIT, Card
from games.rules.normal_cards.rules import POWER, STRENGTH, VALUE, NormalCardsState

#: The cost of giving up a trump, in trick points, and of each step of its strength.
TRUMP_COST, TRUMP_STEP = 7.0, 0.9
#: The cost of giving up an ace or a seven that could win a trick later.
STRONG_COST = 1.5
#: The lowest strength of a trump.
TRUMPS = 10
#: The share of a trick's points to expect, by the number of opponents still to play, if a plain card or a trump is
#: winning.
HOLDS = tuple((2 * max(0.0, 1 - 0.45 * rivals) - 1, 2 * max(0.0, 1 - 0.2 * rivals) - 1) for rivals in range(6))
#: Points of a deal.
ALL_POINTS = 120


def _cost(card: Card, trump: int) -> float:
    """The value of keeping ``card``, in points."""
    if SUIT[card] == trump:
        return TRUMP_COST + TRUMP_STEP * STRENGTH[card]
    return STRONG_COST if VALUE[card] >= 10 else 0.0


#: The cost of leading each card, by trump suit; among equals the weaker is led.
LEADS = tuple(
    tuple(VALUE[card] + _cost(card, trump) + STRENGTH[card] / 1000 for card in range(52)) for trump in range(4)
)
#: The cost of playing each card to a trick, by trump suit, without the points of the trick.
PARTS = tuple(tuple(_cost(card, trump) + 0.05 * STRENGTH[card] for card in range(52)) for trump in range(4))


class NormalCardsPolicy(Policy[NormalCardsState]):
    """Rules of thumb and exact endings for Normal Cards."""

    slug = "normal-cards"
    playouts = {"medium": 40, "hard": 1600}

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """With two players, an empty stock and nothing hidden, the best possible move, except for easy players."""
        if level != "easy" and len(view.seats) == 2 and len(view.moves) > 1:
            state = self.imagine(view, rng)
            if not state.stock:
                return best_of_the_rest(state)
        return super().choose(view, level, rng)

    def greedy(self, state: NormalCardsState, seat: Seat, rng: Random) -> Move:
        """The card with the best balance of points won or lost and strength spent."""
        hand = state.hands[seat]
        if len(hand) == 1:
            return f"play:{CODES[hand[0]]}"
        return f"play:{CODES[_answer(state, seat, hand) if state.trick else _lead(state, hand)]}"

    def plain(self, state: NormalCardsState, seat: Seat, rng: Random) -> Move:
        """Take a trick that has points with the cheapest winning card; otherwise play the cheapest card."""
        hand, trick, trump = state.hands[seat], state.trick, state.trump
        if trick and sum(VALUE[card] for card in trick) >= 3:
            power = POWER[trump][SUIT[trick[0]]]
            best = max(power[card] for card in trick)
            winners = [card for card in hand if power[card] > best]
            if winners:
                return f"play:{CODES[min(winners, key=lambda card: power[card])]}"
        return state.default_move(seat)

    def is_over(self, state: NormalCardsState, start: NormalCardsState) -> bool:
        """A simulated deal is judged when it ends."""
        return state.deal != start.deal

    def play_out(self, state: NormalCardsState, seat: Seat, start: NormalCardsState, rng: Random) -> float:
        """Simulate as in every game, but without move codes, because searches spend most of their time here."""
        hands, stock, points, trump = state.hands, state.stock, state.points, state.trump
        seats = len(hands)
        random = rng.random
        while state.deal == start.deal and hands[state.turn]:
            turn = state.turn
            hand, trick = hands[turn], state.trick
            if random() < EPSILON:
                card = hand[int(random() * len(hand))]
            elif len(hand) == 1:
                card = hand[0]
            else:
                card = _answer(state, turn, hand) if trick else _lead(state, hand)
            hand.remove(card)
            trick.append(card)
            if len(trick) < seats:
                state.turn = turn + 1 if turn + 1 < seats else 0
                continue
            power = POWER[trump][SUIT[trick[0]]]
            powers = [power[card] for card in trick]
            winner = (state.leader + powers.index(max(powers))) % seats
            points[winner] += sum([VALUE[card] for card in trick])
            state.trick = []
            state.leader = state.turn = winner
            if stock:
                for taker in range(winner, winner + seats):
                    insort(hands[taker % seats], stock.pop())
        return self.value(state, seat, start)

    def value(self, state: NormalCardsState, seat: Seat, start: NormalCardsState) -> float:
        """Half for the final place, half for the lead in points of the seat's side."""
        points = state.totals()
        own = points[seat]
        sides = state.sides()
        others = [points[1 - seat % 2]] if sides else [points[at] for at in range(len(points)) if at != seat]
        ahead = sum((own > other) - (own < other) for other in others) / len(others)
        return 0.5 * ahead + 0.5 * (own - sum(others) / len(others)) / ALL_POINTS


def _lead(state: NormalCardsState, hand: Sequence[Card]) -> Card:
    """The cheapest card to lead."""
    return min(hand, key=LEADS[state.trump].__getitem__)


def _answer(state: NormalCardsState, seat: Seat, hand: Sequence[Card]) -> Card:
    """The best card for a trick that has begun."""
    trick, trump = state.trick, state.trump
    seats = len(state.hands)
    power = POWER[trump][SUIT[trick[0]]]
    parts = PARTS[trump]
    powers = [power[card] for card in trick]
    best = max(powers)
    points = sum([VALUE[card] for card in trick])
    # Opponents still to play may win the trick; with two sides, every other player is one.
    rivals = seats - 1 - len(trick)
    lost = -1.0
    if state.teams and seats >= 4:
        rivals = (rivals + 1) // 2
        if (state.leader + powers.index(best) - seat) % 2 == 0:
            lost = HOLDS[rivals][best >= TRUMPS]
    weak, strong = HOLDS[rivals]
    choice, most = hand[0], -1000.0
    for card in hand:
        reached = power[card]
        won = lost if reached <= best else strong if reached >= TRUMPS else weak
        merit = won * (points + VALUE[card]) - parts[card]
        if merit > most:
            choice, most = card, merit
    return choice


def best_of_the_rest(state: NormalCardsState) -> Move:
    """The best move of two players who know all the cards: first to win, then for points."""
    seat = state.turn
    trick = state.trick
    ahead = state.points[seat] - state.points[1 - seat]
    own, other = tuple(state.hands[seat]), tuple(state.hands[1 - seat])
    best, best_value = own[0], -10_000.0
    for card in own:
        rest = tuple(kept for kept in own if kept != card)
        if trick:
            value = _after_trick(trick[0], card, other, rest, ahead, state.trump)
        else:
            value = -_reply(card, other, rest, -ahead, state.trump)
        if value > best_value:
            best, best_value = card, value
    return f"play:{CODES[best]}"


def _reply(led: Card, own: tuple[Card, ...], other: tuple[Card, ...], ahead: int, trump: int) -> float:
    """The value for the player with ``own``, who answers ``led``; ``ahead`` is the lead in points so far."""
    return max(
        _after_trick(led, card, other, tuple(kept for kept in own if kept != card), ahead, trump) for card in own
    )


def _after_trick(
    led: Card, card: Card, other: tuple[Card, ...], own: tuple[Card, ...], ahead: int, trump: int
) -> float:
    """The value for the player who answered ``led`` with ``card`` and keeps ``own``."""
    power = POWER[trump][SUIT[led]]
    points = VALUE[led] + VALUE[card]
    wins = power[card] > power[led]
    ahead += points if wins else -points
    if not own and not other:
        return 1000.0 * ((ahead > 0) - (ahead < 0)) + ahead
    if wins:
        return max(
            -_reply(next_led, other, tuple(kept for kept in own if kept != next_led), -ahead, trump) for next_led in own
        )
    return -max(
        -_reply(next_led, own, tuple(kept for kept in other if kept != next_led), ahead, trump) for next_led in other
    )


POLICY = NormalCardsPolicy()
