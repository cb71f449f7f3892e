"""Plans in an answer: "plan: discard KS; draw", or "plan: up to 30" during betting.

An email can be forwarded and allows one turn, but a plan reaches further. So an answer saves no plan: its receipt links
to the plan's page, filled in, where the player logs in and saves it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from games.engine import View
from games.mail.decision_page import turns
from games.mail.decision_page.turns import Turn
from games.mail.inbound import reply_parser
from games.mail.moves import Numbered
from games.plans import preconditions, run_plans


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan named in an answer."""

    #: The planned moves as codes; empty for bets.
    moves: Sequence[str] = ()
    #: The highest bet; None for moves.
    maximum: int | None = None
    #: What can't be planned, in the writer's words; empty if everything can.
    problem: str = ""

    @property
    def query(self) -> str:
        """The query string that fills in the plan's form."""
        asked = [("maximum", self.maximum)] if self.maximum is not None else [("step", move) for move in self.moves]
        return urlencode(asked)


def proposal(turn: Turn, text: str) -> Proposal | None:
    """Read the plan in ``text`` against the current hand; None if there is none, or the player may not plan."""
    steps = reply_parser.plan_steps(text)
    if not steps or not run_plans.may_plan(turn.match, turn.seat, turn.seat.player):
        return None
    view = turn.table.view(turn.seat.number)
    if preconditions.can_bid(view):
        return _bets(view, " ".join(steps))
    numbers = {each.move: each.number for each in turn.shown}
    possible = [
        Numbered(numbers.get(move, -1), move, turns.label(turn, move)) for move in preconditions.candidates(view)
    ]
    moves: list[str] = []
    for words in steps[: preconditions.MOST_STEPS]:
        move = _named(words, possible)
        if move is None:
            return Proposal(moves, problem=words)
        moves.append(move)
    return Proposal(moves)


def _bets(view: View, words: str) -> Proposal:
    numbers = re.findall(r"\d+", words)
    if len(numbers) == 1 and 1 <= int(numbers[0][:4]) <= preconditions.highest_bid(view):
        return Proposal(maximum=int(numbers[0]))
    return Proposal(problem=words)


def _named(words: str, possible: Sequence[Numbered]) -> str | None:
    """The move that a step names: by its number in the email, by its words or code, or by its card alone."""
    card = f":{words.casefold()}"
    named = reply_parser.wished([words], possible) or [each for each in possible if each.move.casefold().endswith(card)]
    return named[0].move if len(named) == 1 else None
