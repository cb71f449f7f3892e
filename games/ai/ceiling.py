"""A player who sees all cards, used only by the ladder: its results show how much is left to luck.

It can't play a match, because it takes a state, and AI players get views (``games.ai.players.choose``).
"""

from copy import copy
from random import Random

from games.ai.armed import Stakes, lay
from games.ai.armed_habits import Habit
from games.ai.policy import policy_for
from games.ai.search import Search, best_move
from games.engine import Move, Seat, State
from games.rules.armed.rules import VALUE, ArmedState

#: Simulated games per move, for games whose hard player doesn't search.
PLAYOUTS = 80
#: By how many standard errors a move must beat the greedy one.
CLEARLY = 1.0


def seeing_move(state: State, seat: Seat, rng: Random) -> Move:
    """The move of a player who knows every card, including future draws, but not what the others will do."""
    if isinstance(state, ArmedState):
        return _against_the_hand(state, seat)
    view = state.view(seat)
    moves = [move for move in view.moves if move != "slap"]
    if len(moves) == 1:
        return moves[0]
    policy = copy(policy_for(view.game))
    # Nothing is imagined: every simulated world is the real one, and only the players' choices differ.
    policy.imagine = lambda view, rng: state.copy()  # type: ignore[method-assign]  # on a copy of its own
    greedy = policy.greedy(state, seat, rng)
    moves = [move for move in policy.candidates(state, seat, greedy) if move != "slap"]
    playouts = max(PLAYOUTS, policy.playouts.get("hard", 0))
    return best_move(Search(policy, view, seat, greedy, moves, playouts, CLEARLY), rng)


def _against_the_hand(state: ArmedState, seat: Seat) -> Move:
    """The best card in Armed against the one already chosen, or against any of the other hand."""
    other = 1 - seat
    sealed = state.sealed[other]
    cards = state.hands[other] if sealed < 0 else [sealed]
    chances = [0.0] * 15
    for card in cards:
        chances[VALUE[card]] += 1 / len(cards)
    stakes, habit = Stakes(state, seat), Habit(chances, 0.0)
    return lay(max(state.hands[seat], key=lambda card: stakes.merit(VALUE[card], habit)))
