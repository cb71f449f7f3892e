"""The presentation of High Card."""

from collections.abc import Sequence

from games.engine import Event, Fact, Length, Move, Presentation, View
from games.engine.text import gettext as _
from games.engine.text import gettext_noop


def _facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    return [Fact(_("Leads the round"), names[view.facts["leader"]])]


def _result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    return [_("highest card in {n} of 5 rounds").format(n=f"{seat.points:g}") for seat in view.seats]


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    return [f"play:{code}" for code in hand]


PRESENTATION = Presentation(
    moves={"play": gettext_noop("Throw down {card}")},
    prompts={("play",): gettext_noop("Throw down a card: the highest scores.")},
    texts={"table": gettext_noop("This round"), "played": gettext_noop("Rounds played")},
    facts=_facts,
    result=_result,
    length=Length(decisions={2: 10, 3: 15, 4: 20}),
    plannable=_plannable,
    plans_whole_hand=True,
    open_zones=("table", "played"),
    sorts_by_rank=True,
)
