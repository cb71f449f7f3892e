"""What pages, emails and plans need to know about a game besides its rules: plain data and pure functions.

Texts stand here in English, marked with ``gettext_noop``; the code that shows them translates them. What functions
return is in the reader's language already.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .protocol import Event, Move
from .text import gettext as _
from .view import View

#: How long, in ms, the end of a deal or a bluff that is shown up stays on the table, unless its viewer goes on.
HELD = 4000


class Fact(NamedTuple):
    """Something that is so at a table: what, and how it is."""

    label: str
    value: str


class Bidding(NamedTuple):
    """Bids that a plan may make up to a maximum: in which phase, how high, and whether the viewer still may."""

    phase: str
    highest: int
    may_bid: Callable[[View], bool]


@dataclass(frozen=True, kw_only=True)
class Length:
    """How long a match takes. Decisions come from matches of AI players with standard options."""

    #: Decisions in a whole match by number of players; numbers between are taken from the next lower.
    decisions: Mapping[int, int] = field(default_factory=dict)
    #: Seconds that people take for a decision at a live table.
    seconds: float = 5
    #: Decisions that one turn holds: drawing, melding and discarding are one.
    per_turn: int = 1
    #: The option that makes a match longer in proportion.
    scale: str = ""
    #: Where the length is not one of decisions: minutes of a live match, and turns of one over days.
    minutes: float = 0
    turns: float = 0


def no_facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    """Nothing but the scores."""
    return ()


def nothing_to_plan(hand: Sequence[str]) -> Sequence[Move]:
    """No move can be planned."""
    return ()


def knows_points(view: View) -> bool:
    """The points of the seats are known all the time."""
    return True


def by_points(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    """Each seat's points decide."""
    return [_("{points} points").format(points=f"{seat.points:g}") for seat in view.seats]


@dataclass(frozen=True, kw_only=True)
class Presentation:
    """All that is shown and said of one game; what is left out is shown as for any game."""

    #: What the moves say on buttons, by verb or whole move; ``verb#`` is the form with a number or a second part.
    moves: Mapping[str, str] = field(default_factory=dict)
    #: Where moves are amounts, the move that is none of them: emails number it 0, also where it is the only one.
    nought: Move = ""
    #: What else the page says: titles of its zones by their kinds, and the words of its scripts.
    texts: Mapping[str, str] = field(default_factory=dict)
    #: What a player is asked, by the verbs among the legal moves: the first entry all of whose verbs are there.
    prompts: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    #: The same to a player of their first matches, in full sentences and with the rule that matters. "?penalty" among
    #: the verbs asks for such a fact.
    coach: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    #: What a player wants to know of the table, most important first, with the names of the seats.
    facts: Callable[[View, Sequence[str]], Sequence[Fact]] = no_facts
    #: Whether the points of the seats are known, and whether they stand among the facts, too.
    knows_points: Callable[[View], bool] = knows_points
    lists_points: bool = True
    #: Why each seat came where it did in a finished match, in the game's own terms: from the view, and from the events
    #: of the last move that the viewer may know.
    result: Callable[[View, Sequence[str], Sequence[Event]], Sequence[str]] = by_points

    #: The kind of event of which the one with most points, or else most cards, is told as a match's best moment; for
    #: games of one deal, since of several the best deal is told.
    feat: str = ""

    #: Names of options, and of what can be chosen, where they are not spelled as declared.
    option_names: Mapping[str, str] = field(default_factory=dict)
    #: How far apart the levels of AI players are.
    ai_levels: str = ""
    #: Shown before all other games.
    is_namesake: bool = False

    length: Length = Length()

    #: The moves that a player may plan with these cards in hand, on any seat's turn, most useful first.
    plannable: Callable[[Sequence[str]], Sequence[Move]] = nothing_to_plan
    #: Whether a plan has a step for each card in hand.
    plans_whole_hand: bool = False
    #: Whether hands are filled up between one's own moves, so that cards which come change no plan.
    refills_hands: bool = False
    #: What else is to be known of plans.
    plan_note: str = ""
    bidding: Bidding | None = None

    #: Kinds of zones whose cards lie open before all, the most telling first.
    open_zones: Sequence[str] = ()
    #: Zones of which only the card on top matters.
    top_only: frozenset[str] = frozenset()
    #: The scripts of the table's layout in ``static/js/table``; the first of them draws it.
    scripts: Sequence[str] = ("games/any",)
    #: By kind of event: how long, in ms, players see the table as it was before the event changes it. Pages show that,
    #: and clocks, AI players and cards that the table turns wait for it.
    rests: Mapping[str, int] = field(default_factory=dict)
    #: Whether cards are slapped: then there are pauses, calibrated hands, and turn-based slap points.
    has_slaps: bool = False
    #: The ranks from low to high, jokers as ``R`` and ``B``; and whether hands are sorted by them from the first.
    ranks: str = "RBA23456789TJQK"
    sorts_by_rank: bool = False

    def in_order(self, hand: Sequence[str]) -> Sequence[str]:
        """The cards of a hand as they are shown at first; ``hand`` is in pack order."""
        return sorted(hand, key=lambda code: self.ranks.index(code[0])) if self.sorts_by_rank else hand
