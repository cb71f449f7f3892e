"""The presentation of Game: Armani."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games.engine import Bidding, Event, Fact, Length, Presentation, View
from games.engine.text import gettext as _
from games.engine.text import gettext_noop, names_in_text
from games.rules.wording import card_names

from .tables import BETS, HIGHEST_BET, OVER, PATTERNS

SIDE_MARKS = "▲●"


def _facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    now = [Fact(_("Now"), _stage(view))] if view.phase != OVER else []
    return [*now, *(_bids(view, names) if view.phase == BETS else _hand(view, names))]


def _stage(view: View) -> str:
    if view.facts["final_lap"]:
        return _("Final lap")
    return {
        "bets": _("Bets"),
        "stage1": _("Stage 1"),
        "choose": _("Choosing cards"),
        "take": _("Taking cards"),
        "dealers": _("Choosing dealers"),
        "stage2": _("Stage 2"),
    }[view.phase]


def _bids(view: View, names: Sequence[str]) -> Iterator[Fact]:
    facts = view.facts
    bets = [
        f"{names[seat]}: {_('folded') if facts['folded'][seat] else bids[-1] if bids else '–'}"
        for seat, bids in enumerate(facts["bets"])
    ]
    yield Fact(_("Bets"), ", ".join(bets))


def _hand(view: View, names: Sequence[str]) -> Iterator[Fact]:
    facts = view.facts
    if facts["bettor"] is not None:
        highest = facts["bets"][facts["bettor"]]
        yield Fact(_capital(_("highest bet")), f"{names[facts['bettor']]}, {highest[-1] if highest else 0}")
    for side, members in enumerate(facts["teams"] or []):
        yield Fact(_("Team {mark}").format(mark=SIDE_MARKS[side]), ", ".join(names[seat] for seat in members))
    for label, points in ((_("Stage 1"), facts["stage1"]), (_("Final lap"), facts["final"])):
        if points:
            yield Fact(label, " · ".join(f"{SIDE_MARKS[side]} {of_side}" for side, of_side in enumerate(points)))
    if facts["winning"] is not None:
        yield Fact(
            _("This pile"), _("The pile goes to {name:*|you}").format(name=names_in_text(names)[facts["winning"]])
        )
    elif facts["duel"] and facts["turn"] is not None:
        yield Fact(_("Duel"), _duel(facts, names))
    if facts["to_take"]:
        yield Fact(_capital(_("cards left to take")), str(facts["to_take"]))
    if facts.get("own_draw"):
        yield Fact(_("The card you looked at"), card_names(facts["own_draw"]))


def _capital(text: str) -> str:
    # Only the first letter, because German has capitals inside, too.
    return text[:1].upper() + text[1:]


def _duel(facts: Mapping[str, Any], names: Sequence[str]) -> str:
    duel = facts["duel"]
    if duel["chances"] == 1:
        text = _("{name:* needs|You need} a face card: one chance")
    else:
        text = _("{name:* needs|You need} a face card: {n} chances")
    return text.format(name=names_in_text(names)[facts["turn"]], by=names[duel["by"]], n=duel["chances"])


def _result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    return [_why(view.facts, seat.team or 0, won=seat.place == 1) for seat in view.seats]


def _why(facts: Mapping[str, Any], side: int, *, won: bool) -> str:
    reason = facts["reason"]
    if reason == "all_cards":
        return _("all 52 cards") if won else _("no cards left")
    if reason == "last_card":
        return _("the last with cards") if won else _("out of cards")
    own, other = facts["final"][side], facts["final"][1 - side]
    score = _("final lap {own}–{other}").format(own=own, other=other)
    if own != other:
        return score
    return f"{score}, {_('with the queen of spades') if won else _('without the queen of spades')}"


PRESENTATION = Presentation(
    moves={
        "flip": gettext_noop("Ask for the next card"),
        "slap": gettext_noop("Slap"),
        "bet": gettext_noop("Bet {n}"),
        "fold": gettext_noop("Fold"),
        "fan:own": gettext_noop("Play with our cards"),
        "fan:other": gettext_noop("Play with their cards"),
        "take": gettext_noop("Take {card}"),
        "dealer": gettext_noop("{name} deals"),
    },
    zero_move="fold",
    prompts={
        ("bet", "fold"): gettext_noop("Bet how many points your team will win by, or fold."),
        ("bet",): gettext_noop("Bet how many points your team will win by."),
        ("fan",): gettext_noop("Choose which cards your team plays with."),
        ("dealer",): gettext_noop("Choose who deals for your team."),
        ("take",): gettext_noop("Take a card."),
    },
    coach={
        ("bet", "fold"): gettext_noop("Bet higher, or fold. Win by your bet, and your team picks cards for Stage 2."),
        ("bet",): gettext_noop("Each card won in Stage 1 is a point. How many more will you win? Bet low."),
        ("fan",): gettext_noop("Which cards will you play with now? Many last longer; face cards win duels."),
        ("take",): gettext_noop("Take one of their cards, too: an ace or another face card wins duels."),
        ("slap", "?final_lap"): gettext_noop("The final lap: the cards you win now are counted. Most points win."),
        ("slap", "?duel"): gettext_noop("A duel: a jack, queen, king or ace, or the pile is lost. Still slap pairs."),
        ("slap", "?stage1"): gettext_noop("Slap pairs and sandwiches. You play on with what you win: win all cards."),
        ("slap",): gettext_noop("A pair, or two the same around a card? Slap! Each card is a point."),
    },
    texts={
        "stack": gettext_noop("stack"),
        "wins": gettext_noop("won"),
        "pile": gettext_noop("Face-up pile"),
        "fan": gettext_noop("Cards of team {mark}"),
        "winning": gettext_noop("The pile goes to {name:*|you}"),
        "duel": gettext_noop("{name:* needs|You need} a face card: {n} chances"),
        "duel_1": gettext_noop("{name:* needs|You need} a face card: one chance"),
        "final_lap": gettext_noop("Final lap"),
        "stage1": gettext_noop("Stage 1"),
        "stage2": gettext_noop("Stage 2"),
        "bets": gettext_noop("Bets"),
        "choose": gettext_noop("Choosing cards"),
        "take": gettext_noop("Taking cards"),
        "dealers": gettext_noop("Choosing dealers"),
        "your_bet": gettext_noop("How many points will your team win by?"),
        "your_bet_task": gettext_noop("Your turn: bet or fold"),
        "choose_task": gettext_noop("Your turn: choose your cards"),
        "take_task": gettext_noop("Your turn: take a card"),
        "dealers_task": gettext_noop("Your turn: choose a dealer"),
        "highest_bet": gettext_noop("highest bet"),
        "bet_of": gettext_noop("bet {n}"),
        "folded": gettext_noop("folded"),
        "burned": gettext_noop("penalty cards underneath: {n}"),
        "may_slap": gettext_noop("What you can slap"),
        "pair": gettext_noop("pairs"),
        "sandwich": gettext_noop("sandwiches"),
        "top_bottom": gettext_noop("top and bottom"),
        "marriage": gettext_noop("marriages"),
        "queen_of_spades": gettext_noop("the queen of spades"),
        "run": gettext_noop("runs"),
        "own_draw": gettext_noop("The card you looked at"),
        "face_cards": gettext_noop("face cards: {n}"),
        "queen_counts": gettext_noop("the queen of spades counts 7"),
        "no_bet": gettext_noop("No bet yet"),
        "take_left": gettext_noop("cards left to take"),
        "stage1_points": gettext_noop("Stage 1"),
        "stage2_card": gettext_noop("card {n} of {total}"),
        "points": gettext_noop("{n} points in Stage 1"),
        "points_1": gettext_noop("{n} point in Stage 1"),
    },
    facts=_facts,
    knows_points=lambda view: bool(view.facts["stage1"]),
    lists_points=False,
    result=_result,
    feat="collect",
    option_names={
        "teams": gettext_noop("teams"),
        "slaps": gettext_noop("what you can slap"),
        "lockout": gettext_noop("cards you sit out after a wrong slap"),
        "stage2_flips": gettext_noop("cards in Stage 2"),
        "colour": gettext_noop("by colour"),
        "alternate": gettext_noop("every other seat"),
        "pair": gettext_noop("pair"),
        "sandwich": gettext_noop("sandwich"),
        "top_bottom": gettext_noop("top and bottom"),
        "marriage": gettext_noop("marriage"),
        "queen_of_spades": gettext_noop("queen of spades"),
        "run": gettext_noop("run"),
    },
    ai_levels=gettext_noop("The level shows in the slaps: Hard is faster at most piles."),
    is_namesake=True,
    length=Length(minutes=12, turns=30),
    bidding=Bidding(BETS, HIGHEST_BET, lambda view: not view.facts["folded"][view.seat or 0]),
    open_zones=("pile", "fan"),
    scripts=("games/armani", "slap", "verdict"),
    styles=("slaps",),
    has_slaps=True,
    patterns=PATTERNS,
    rests={"collect": 950},
)
