"""The presentation of Basic Rummy."""

from collections.abc import Sequence

from games.engine import HELD, Length, Move, Presentation
from games.engine.text import gettext_noop
from games.rules._shared import rummy_presentation as rummy


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    return ["draw:stock", *(f"discard:{code}" for code in hand)]


PRESENTATION = Presentation(
    moves={**rummy.MOVES, "draw:discard": gettext_noop("Take the discard")},
    prompts=rummy.PROMPTS,
    coach=rummy.COACH,
    texts={**rummy.TEXTS, "deal_note": gettext_noop("The winner gets the points of all cards left in hands.")},
    facts=rummy.facts,
    result=rummy.result,
    option_names={
        "target": gettext_noop("points to win"),
        "deals": gettext_noop("number of deals"),
        "deals=0": gettext_noop("until a player has enough points"),
        "rummy_doubles": gettext_noop("going rummy counts double"),
    },
    ai_levels=gettext_noop("Luck decides many deals. Over a whole match, better discards win."),
    length=Length(decisions={2: 800, 3: 400}, seconds=4, per_turn=3, scale="target"),
    plannable=_plannable,
    open_zones=rummy.OPEN_ZONES,
    top_only=frozenset({"discard"}),
    scripts=rummy.SCRIPTS,
    styles=("melds",),
    rests={"deal": HELD, "match_over": HELD},
)
