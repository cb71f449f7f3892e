"""The presentation of Rummy 500."""

from collections.abc import Sequence

from games.engine import HELD, Length, Move, Presentation
from games.engine.text import gettext_noop
from games.rules._shared import rummy_presentation as rummy


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    return ["draw:stock", *(f"discard:{code}" for code in hand), "pass"]


PRESENTATION = Presentation(
    moves={
        **rummy.MOVES,
        "take:1": gettext_noop("Take the top discard"),
        "take#": gettext_noop("Take the top {n} cards"),
        "pass": gettext_noop("Pass"),
    },
    zero_move="draw:stock",
    prompts=rummy.PROMPTS,
    coach={
        **rummy.COACH,
        ("discard", "meld"): gettext_noop("You can meld {cards}. A joker is any card. Discard to end your turn."),
        ("draw",): gettext_noop("Draw, or take from the pile and use the deepest one at once. 500 points win."),
        ("meld",): gettext_noop("Now use the card you took. You can meld {cards}."),
        ("lay",): gettext_noop("Now use the card you took: add {cards} to meld {n}."),
    },
    texts={
        **rummy.TEXTS,
        "deal_note": gettext_noop("Cards on the table count for you, cards in hand against you."),
    },
    facts=rummy.facts,
    result=rummy.result,
    option_names={
        "target": gettext_noop("points to win"),
        "jokers": gettext_noop("jokers"),
        "ace_scores": gettext_noop("value of a high ace"),
    },
    ai_levels=gettext_noop("One deal is mostly luck, a whole match less so. Hard keeps in mind which cards are left."),
    length=Length(decisions={2: 216, 3: 370, 5: 610, 7: 860}, per_turn=3, scale="target"),
    plannable=_plannable,
    open_zones=rummy.OPEN_ZONES,
    scripts=rummy.SCRIPTS,
    styles=("melds",),
    rests={"deal": HELD, "match_over": HELD},
)
