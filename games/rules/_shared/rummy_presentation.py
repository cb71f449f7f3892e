"""The presentation shared by the two rummies."""

from collections.abc import Mapping, Sequence

from games.engine import Event, Fact, View
from games.engine.text import gettext as _
from games.engine.text import gettext_noop
from games.rules.wording import card_name

MOVES: Mapping[str, str] = {
    "draw:stock": gettext_noop("Draw from the stock"),
    "meld": gettext_noop("Meld {cards}"),
    "lay": gettext_noop("Add {cards} to meld {n}"),
    "discard": gettext_noop("Discard {card}"),
}

PROMPTS: Mapping[tuple[str, ...], str] = {
    ("draw", "take"): gettext_noop("Draw from the stock, or take from the discard pile."),
    ("take",): gettext_noop("Take a card."),
    ("discard", "meld"): gettext_noop("Meld or add to melds if you like, then discard a card to end your turn."),
    ("discard", "lay"): gettext_noop("Add to melds if you like, then discard a card to end your turn."),
    ("discard",): gettext_noop("Discard a card to end your turn."),
    ("draw",): gettext_noop("Draw a card."),
    ("lay",): gettext_noop("Play cards."),
    ("pass",): gettext_noop("Pass, or see what else you can do."),
}

COACH: Mapping[tuple[str, ...], str] = {
    ("draw",): gettext_noop("Draw a card first. Get rid of all your cards before the others to win."),
    ("discard", "meld"): gettext_noop("You can meld {cards}, a set or a run. Discard to end your turn."),
    ("discard", "lay"): gettext_noop("You can add {cards} to meld {n}. A discard then ends your turn."),
    ("discard",): gettext_noop("Discard the card you need least; that ends your turn."),
}

TEXTS: Mapping[str, str] = {
    "on_table": gettext_noop("points on the table: {n}"),
    "meld": gettext_noop("Meld {n}"),
    "melds": gettext_noop("On the table"),
    "no_melds": gettext_noop("No melds yet"),
    "must": gettext_noop("Use this turn"),
    "depth": gettext_noop("How many cards do you take?"),
    "target": gettext_noop("Points to win"),
    "makes": gettext_noop("These make a {what}."),
    "run_of": gettext_noop("run of {n}"),
    "set_of": gettext_noop("set of {n}"),
    "one_more": gettext_noop("One more card makes a {what}."),
    "more_for": gettext_noop("{n} more cards make a {what}."),
    "fits": gettext_noop("This fits {melds}."),
    "fits_either": gettext_noop("This fits more than one: {melds}."),
    "meld_of": gettext_noop("{name:*'s|your} meld {n}"),
    "add_to": gettext_noop("Add to {meld}"),
    "lay_down": gettext_noop("Meld a {what}"),
    "which_meld": gettext_noop("Which meld gets it?"),
    "which_joker": gettext_noop("What is the joker?"),
    "take_must": gettext_noop("You take {n} cards, and must use {card} this turn."),
    "take_one_must": gettext_noop("You take {card}, and must use it this turn."),
}

OPEN_ZONES = ("discard", "meld")
SCRIPTS = ("games/rummy",)


def facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    """The deal, the target, and the card that must be used."""
    facts = view.facts
    deals = facts["options"].get("deals")
    found = [Fact(_("Deal"), f"{facts['deal']} / {deals}" if deals else str(facts["deal"]))]
    if not deals:  # a match with a fixed number of deals has no target
        found.append(Fact(_("Points to win"), str(facts["options"]["target"])))
    if facts.get("must"):
        found.append(Fact(_("Use this turn"), card_name(facts["must"])))
    return found


def result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    """The points of each seat, with the target or the number of deals that ended the match."""
    facts = view.facts
    last = facts["last_deal"]
    return [
        _why(int(seat.points), facts["reason"], facts["options"]["target"], last["deal"])
        + (f", {_('went out in the last deal')}" if last["winner"] == seat.seat else "")
        for seat in view.seats
    ]


def _why(points: int, reason: str, target: int, deals: int) -> str:
    if reason != "target":
        return _("score {points} after deal {n}").format(points=points, n=deals)
    return _("{points} points, {target} were needed").format(points=points, target=target)
