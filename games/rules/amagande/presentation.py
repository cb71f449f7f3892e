"""The presentation of Amagande."""

from collections.abc import Sequence

from games.engine import HELD, Event, Fact, Length, Move, Presentation, View
from games.engine.cards import CARDS, CODES
from games.engine.text import gettext as _
from games.engine.text import gettext_noop
from games.rules.wording import card_name, colour_name, suit_name

from .tables import ELIMINATING, SAFE


def _facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    facts = view.facts
    found = []
    if facts["free"]:
        found.append(Fact(_("Required"), _("any card")))
    elif facts["suit"]:
        found.append(Fact(_("Required"), suit_name(facts["suit"])))
    elif facts["colour"]:
        found.append(Fact(_("Required"), colour_name(facts["colour"])))
    if facts["penalty"]:
        found.append(Fact(_("Penalty"), _("draw {n}").format(n=facts["penalty"])))
    if len(view.seats) > 2:
        found.append(Fact(_("Direction"), _("clockwise") if facts["direction"] > 0 else _("counter-clockwise")))
    found.append(Fact(_("Bomb"), card_name(f"7{facts['reference']}")))
    return found


def _result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    hands = [view.zone(f"hand:{seat.seat}").cards or () for seat in view.seats]
    facts = view.facts
    whys = [
        _why(
            int(seat.points),
            [code for code in hand if code is not None],
            counted=facts["reason"] != "out",
            won=seat.place == 1,
        )
        for seat, hand in zip(view.seats, hands, strict=True)
    ]
    if facts["reason"] == "showdown":
        # Of equal hands, the one of the player who called the showdown comes last.
        whys[facts["turn"]] = _("{why}, called the showdown").format(why=whys[facts["turn"]])
    return whys


def _why(points: int, hand: Sequence[str], *, counted: bool, won: bool) -> str:
    """Why a hand has its place; ``counted``: as in a showdown, in which some hands are eliminated."""
    if not hand:
        return _("played the last card")
    if not counted:
        return _("{points} left in hand").format(points=points)
    held = [CODES[card] for card in map(CARDS.__getitem__, hand) if ELIMINATING >> card & 1]
    if held:
        why = _("eliminated by {card}").format(card=card_name(held[0]))
    elif points > SAFE:
        why = _("eliminated with {points} (limit {most})").format(points=points, most=SAFE)
    else:
        return _("safe with {points}").format(points=points)
    # Survivors come first, so if the winner is eliminated, everyone is.
    return _("{why}, like everyone; the lowest sum wins").format(why=why) if won else why


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    plays: list[Move] = []
    for code in hand:
        plays += [f"play:{code}/{suit}" for suit in "CDHS"] if code[0] == "A" else [f"play:{code}"]
    return [*plays, "draw", "pass"]


PRESENTATION = Presentation(
    moves={
        "play": gettext_noop("Play {card}"),
        "play#": gettext_noop("Play {card}, choose {suit}"),
        "draw": gettext_noop("Draw"),
        "pass": gettext_noop("Pass"),
    },
    prompts={
        ("play", "draw"): gettext_noop("Play a card, or draw."),
        ("play", "pass"): gettext_noop("Play the card you drew, or pass."),
        ("draw",): gettext_noop("Draw a card."),
        ("pass",): gettext_noop("Pass, or see what else you can do."),
    },
    coach={
        ("play", "draw", "?penalty"): gettext_noop("A penalty! Counter it with a marked card, or draw."),
        ("draw", "?penalty"): gettext_noop("A penalty, and you have no card that counters it. Draw the cards."),
        ("play", "pass"): gettext_noop("You may play the card you have just drawn, or pass."),
        ("play", "draw"): gettext_noop("Play a marked card, or draw. Get rid of all your cards to win."),
        ("draw",): gettext_noop("None of your cards can be played now, so draw."),
        ("pass",): gettext_noop("The card you drew doesn't fit, so pass."),
    },
    texts={
        "bomb": gettext_noop("Bomb"),
        "bomb_coach": gettext_noop("{card}: ends the match, hands are counted"),
        "bomb_ends": gettext_noop("it ends the match"),
        "required": gettext_noop("Required"),
        "anything": gettext_noop("any card"),
        "direction": gettext_noop("Direction"),
        "clockwise": gettext_noop("clockwise"),
        "counter": gettext_noop("counter-clockwise"),
        "red": gettext_noop("red"),
        "black": gettext_noop("black"),
        "which_suit": gettext_noop("Which suit must follow?"),
        "own_suit": gettext_noop("{n} in your hand"),
        "draw_n": gettext_noop("Draw {n} cards"),
        "penalty_for": gettext_noop("{name} must draw or counter"),
        "penalty_own": gettext_noop("You must draw or counter"),
        "showdown_now": gettext_noop("If we counted now"),
        "showdown_safe": gettext_noop("you have {n} points: safe"),
        "showdown_over": gettext_noop("you have {n} points, more than 30: out"),
        "showdown_card": gettext_noop("you have {n} points, but {card} puts you out"),
    },
    facts=_facts,
    knows_points=lambda view: view.phase == "over",
    result=_result,
    option_names={"stacking": gettext_noop("penalties add up")},
    ai_levels=gettext_noop(
        "A short game with a lot of luck: Hard wins a little more than half its matches against Medium."
    ),
    length=Length(decisions={2: 45, 5: 80}, seconds=6),
    plannable=_plannable,
    open_zones=("discard",),
    top_only=frozenset({"discard"}),
    scripts=("games/amagande",),
    rests={"over": HELD},
)
