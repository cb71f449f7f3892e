"""Normal Cards: cheap cards are led, tricks are taken when they pay for the card; the end is counted out exactly."""

from collections.abc import Sequence
from random import Random

from games.ai.policy import Policy
from games.engine import Move, Seat, View
from games.engine.cards import CODES, SUIT, Card
from games.rules.normal_cards import POWER, STRENGTH, VALUE, NormalCardsState

#: What it costs to part with a trump, in points of a trick, and with each step of its strength.
TRUMP_COST, TRUMP_STEP = 7.0, 0.9
#: What it costs to part with an ace or a seven that could take a trick later.
STRONG_COST = 1.5
#: Points of a deal.
ALL_POINTS = 120


class NormalCardsPolicy(Policy[NormalCardsState]):
    """Rules of thumb and exact endings for Normal Cards."""

    slug = "normal-cards"
    playouts = {"medium": 40, "hard": 400}

    def choose(self, view: View, level: str, rng: Random) -> Move:
        """With two players, the stock gone and nothing hidden: the best move of all, except for easy players."""
        if level != "easy" and len(view.seats) == 2 and len(view.moves) > 1:
            state = self.imagine(view, rng)
            if not state.stock:
                return best_of_the_rest(state)
        return super().choose(view, level, rng)

    def greedy(self, state: NormalCardsState, seat: Seat, rng: Random) -> Move:
        """The card with the best balance of points taken or lost and strength spent."""
        hand = state.hands[seat]
        if len(hand) == 1:
            return f"play:{CODES[hand[0]]}"
        trump = state.trump
        if not state.trick:
            card = min(hand, key=lambda card: (VALUE[card] + _cost(card, trump), STRENGTH[card]))
        else:
            card = _answer(state, seat, hand)
        return f"play:{CODES[card]}"

    def plain(self, state: NormalCardsState, seat: Seat, rng: Random) -> Move:
        """Take a trick that has points with the cheapest card that takes it; else the cheapest card."""
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

    def value(self, state: NormalCardsState, seat: Seat, start: NormalCardsState) -> float:
        """Half for the place, half for the points by which one's own side is ahead."""
        points = state.totals()
        own = points[seat]
        sides = state.sides()
        others = [points[1 - seat % 2]] if sides else [points[at] for at in range(len(points)) if at != seat]
        ahead = sum((own > other) - (own < other) for other in others) / len(others)
        return 0.5 * ahead + 0.5 * (own - sum(others) / len(others)) / ALL_POINTS


def _cost(card: Card, trump: int) -> float:
    """The worth of keeping ``card``, in points."""
    if SUIT[card] == trump:
        return TRUMP_COST + TRUMP_STEP * STRENGTH[card]
    return STRONG_COST if VALUE[card] >= 10 else 0.0


def _answer(state: NormalCardsState, seat: Seat, hand: Sequence[Card]) -> Card:
    """The best card on a trick that has begun."""
    trick, trump = state.trick, state.trump
    seats = len(state.hands)
    power = POWER[trump][SUIT[trick[0]]]
    powers = [power[card] for card in trick]
    best = max(powers)
    winner = (state.leader + powers.index(best)) % seats
    points = sum(VALUE[card] for card in trick)
    sides = state.teams and seats >= 4
    ours = sides and winner % 2 == seat % 2
    behind = seats - 1 - len(trick)
    # Opponents still to play may take the trick away; of two sides every other player is one.
    rivals = (behind + 1) // 2 if sides else behind

    def merit(card: Card) -> float:
        takes = power[card] > best
        holds = max(0.0, 1 - rivals * (0.45 if (power[card] if takes else best) < 10 else 0.2))
        if takes:
            won = 2 * holds - 1
        elif ours:
            won = 2 * holds - 1 if rivals else 1.0
        else:
            won = -1.0
        return won * (points + VALUE[card]) - _cost(card, trump) - 0.05 * STRENGTH[card]

    return max(hand, key=merit)


def best_of_the_rest(state: NormalCardsState) -> Move:
    """The best move of two players who know all the cards: the win first, then the points."""
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
    """The value for the player with ``own``, who answers ``led``; ``ahead`` are the points so far."""
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
