"""The presentation of Normal Cards."""

from collections.abc import Sequence

from games.engine import HELD, Event, Fact, Length, Move, Presentation, View
from games.engine.text import gettext as _
from games.engine.text import gettext_noop
from games.rules.wording import suit_name

from .rules import PACK, VALUE


def _facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    facts = view.facts
    trick = view.zone("trick").cards or ()
    found = [Fact(_("Trumps"), suit_name(facts["trump"]))]
    if trick and trick[0]:
        leader = names[facts["leader"]]
        found.append(Fact(_("Led"), _("{suit}, by {name}").format(suit=suit_name(trick[0][1]), name=leader)))
    elif view.phase != "over":
        found.append(Fact(_("Led"), _("nothing yet")))
    if facts["options"]["deals"] > 1:
        found.append(Fact(_("Deal"), f"{facts['deal']} / {facts['options']['deals']}"))
    return found


def _result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    whole = sum(VALUE[card] for card in PACK) * int(view.facts["options"]["deals"])
    text = _("{points} of {whole} points in tricks")
    if any(seat.team is not None for seat in view.seats):
        text = _("{points} of {whole} points in the team's tricks")
    return [text.format(points=f"{seat.points:g}", whole=whole) for seat in view.seats]


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    return [f"play:{code}" for code in hand]


PRESENTATION = Presentation(
    moves={"play": gettext_noop("Play {card}")},
    prompts={("play",): gettext_noop("Play a card.")},
    coach={
        ("play",): gettext_noop("Play any card. Trumps win, then A 7 K J Q 6 5 4 3. Most points win."),
    },
    texts={
        "taken": gettext_noop("taken"),
        "main": gettext_noop("Main card"),
        "trick": gettext_noop("Trick"),
        "last_trick": gettext_noop("Last trick"),
        "trump": gettext_noop("Trumps"),
        "led": gettext_noop("Led"),
        "nothing_led": gettext_noop("nothing yet"),
        "trick_to": gettext_noop("{name:* won|You won} this trick"),
    },
    facts=_facts,
    result=_result,
    feat="trick",
    option_names={"teams": gettext_noop("play in two teams"), "deals": gettext_noop("number of deals")},
    ai_levels=gettext_noop("Hard counts the last cards exactly, so don't waste your trumps."),
    length=Length(decisions={2: 36}, seconds=7, scale="deals"),
    plannable=_plannable,
    plans_whole_hand=True,
    open_zones=("trick", "main", "last_trick"),
    scripts=("games/normal-cards",),
    rests={"trick": 900, "draw": 200, "draw_main": 200, "deal": HELD, "over": 1000},
)
