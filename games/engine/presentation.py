"""What pages, emails and plans need to know about a game besides its rules: plain data and pure functions.

Texts are in English here, marked with ``gettext_noop``; the code that shows them translates them. Functions return
texts in the reader's language.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .cards import Card
from .protocol import Event, Move
from .text import gettext as _
from .view import View

#: How long the end of a deal or an exposed bluff stays on the table, in ms, unless its viewer continues.
HELD = 4000


class Fact(NamedTuple):
    """A fact about a table: its name and value."""

    label: str
    value: str


class Bidding(NamedTuple):
    """Bids that a plan can make: in which phase, up to what maximum, and whether the viewer can still bid."""

    phase: str
    highest: int
    may_bid: Callable[[View], bool]


@dataclass(frozen=True, kw_only=True)
class Length:
    """The length of a match. Decisions were counted in matches of AI players with standard options."""

    #: Decisions in a whole match by number of players; missing numbers use the next lower one.
    decisions: Mapping[int, int] = field(default_factory=dict)
    #: Seconds per decision at a live table.
    seconds: float = 5
    #: Decisions per turn: drawing, melding and discarding are one turn.
    per_turn: int = 1
    #: The option that lengthens a match in proportion.
    scale: str = ""
    #: For games not measured in decisions: minutes of a live match, and turns of a turn-based one.
    minutes: float = 0
    turns: float = 0


def no_facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    """No facts except the scores."""
    return ()


def nothing_to_plan(hand: Sequence[str]) -> Sequence[Move]:
    """No move can be planned."""
    return ()


def knows_points(view: View) -> bool:
    """The points are always known."""
    return True


def by_points(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    """Each seat's points."""
    return [_("{points} points").format(points=f"{seat.points:g}") for seat in view.seats]


@dataclass(frozen=True, kw_only=True)
class Presentation:
    """Everything shown about one game; missing fields use the common defaults."""

    #: Button texts by verb or whole move; ``verb#`` is the form with a number or a second part.
    moves: Mapping[str, str] = field(default_factory=dict)
    #: The move that is not an amount, in games with amounts: emails number it 0, even if it is the only move.
    zero_move: Move = ""
    #: Other texts of the page: zone titles by kind, and texts of its scripts.
    texts: Mapping[str, str] = field(default_factory=dict)
    #: Prompts by the legal verbs: the first entry whose verbs are all legal.
    prompts: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    #: The same for new players, in full sentences and with the relevant rule. "?penalty" among the verbs requires that
    #: fact.
    coach: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    #: The facts a player wants to know, most important first; gets the players' names.
    facts: Callable[[View, Sequence[str]], Sequence[Fact]] = no_facts
    #: Whether the points are known, and whether they are also among the facts.
    knows_points: Callable[[View], bool] = knows_points
    lists_points: bool = True
    #: Why each seat finished in its place, in the game's own terms: from the view, and from the public events of the
    #: last move.
    result: Callable[[View, Sequence[str], Sequence[Event]], Sequence[str]] = by_points

    #: The kind of event whose highest points, or else most cards, is a match's best moment; for games of one deal. With
    #: several deals it is the best deal.
    feat: str = ""

    #: Labels of options and choices that differ from their declared names.
    option_names: Mapping[str, str] = field(default_factory=dict)
    #: The strength difference of the AI levels.
    ai_levels: str = ""
    #: Listed before all other games.
    is_namesake: bool = False

    length: Length = Length()

    #: The moves that can be planned with this hand, on any seat's turn, most useful first.
    plannable: Callable[[Sequence[str]], Sequence[Move]] = nothing_to_plan
    #: Whether a plan has one step per card in hand.
    plans_whole_hand: bool = False
    #: Whether hands are refilled between a player's moves, so that new cards don't affect plans.
    refills_hands: bool = False
    #: A further hint about plans.
    plan_note: str = ""
    bidding: Bidding | None = None

    #: Kinds of zones with visible cards, most important first.
    open_zones: Sequence[str] = ()
    #: Zones of which only the top card matters.
    top_only: frozenset[str] = frozenset()
    #: The layout's scripts in ``static/js/table``; the first one draws it.
    scripts: Sequence[str] = ("games/any",)
    #: The layout's style sheets in ``static/css``, beside those of all tables.
    styles: Sequence[str] = ()
    #: How long pages show the table before an event changes it, in ms by kind of event. Clocks, AI players and flipped
    #: cards wait for it.
    rests: Mapping[str, int] = field(default_factory=dict)
    #: Whether cards are slapped: then there are pauses, slap handicaps, and turn-based slap points.
    has_slaps: bool = False
    #: Which cards can be slapped: by the pattern's name, whether the cards played make it.
    patterns: Mapping[str, Callable[[Sequence[Card]], bool]] = field(default_factory=dict)
    #: The ranks from low to high, jokers as ``R`` and ``B``; and whether hands are initially sorted by them.
    ranks: str = "RBA23456789TJQK"
    sorts_by_rank: bool = False

    def in_order(self, hand: Sequence[str]) -> Sequence[str]:
        """A hand in its initial order; ``hand`` is in pack order."""
        return sorted(hand, key=lambda code: self.ranks.index(code[0])) if self.sorts_by_rank else hand
