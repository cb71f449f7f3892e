"""The presentation of Armed."""

from collections.abc import Sequence

from games.engine import Event, Fact, Length, Move, Presentation, View
from games.engine.text import gettext as _
from games.engine.text import gettext_noop


def _facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    facts = view.facts
    most = facts["options"]["battles"]
    found = [Fact(_("Battle"), f"{facts['battle']} / {most}" if most else str(facts["battle"]))]
    if facts["war"]:
        totals = ", ".join(f"{name} {total}" for name, total in zip(names, facts["totals"], strict=True))
        found.append(Fact(_("War"), totals))
    return found


def _result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    return [_why(view, seat.seat) for seat in view.seats]


def _why(view: View, seat: int) -> str:
    own, other = view.seats[seat], view.seats[1 - seat]
    if view.facts["reason"] == "battles":
        return _("{own}–{other} cards after battle {n}").format(
            own=f"{own.points:g}", other=f"{other.points:g}", n=view.facts["battle"]
        )
    if own.place == 1 and other.place != 1:
        return _("the opponent had no cards left to draw")
    return _("no cards left to draw")


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    return [f"play:{code}" for code in hand]


PRESENTATION = Presentation(
    moves={"play": gettext_noop("Play {card}")},
    prompts={("play",): gettext_noop("Play a card.")},
    # There are none: its cards are counted, and the numbers of cards stand beside each player.
    knows_points=lambda view: False,
    coach={
        ("play",): gettext_noop("Choose a card: the higher wins both. No cards left to draw? You lose."),
    },
    texts={
        "deck": gettext_noop("stock"),
        "battleground": gettext_noop("{name:*'s|Your} side"),
        "battle": gettext_noop("Battle"),
        "war": gettext_noop("War"),
        "totals": gettext_noop("Totals"),
        "both_choose": gettext_noop("Both choose a card."),
        "battle_to": gettext_noop("{one} against {other}: {name:* won|you won} the battle"),
        "war_note": gettext_noop("Equal totals, so both play another card."),
        "plan_make": gettext_noop("Plan the next battles"),
        "plan_help": gettext_noop("Tap cards in the order you want to play them."),
        "plan_cards": gettext_noop("Planned:"),
        "plan_done": gettext_noop("All planned cards are played."),
        "plan_start": gettext_noop("Play the plan"),
        "plan_stop": gettext_noop("Stop the plan"),
    },
    facts=_facts,
    result=_result,
    feat="taken",
    option_names={
        "hand_size": gettext_noop("cards in hand"),
        "battles": gettext_noop("number of battles"),
        "battles=0": gettext_noop("no limit"),
    },
    ai_levels=gettext_noop(
        "Hard mixes up its cards and remembers yours. Play without a plan, or always your highest card, "
        "and you lose four matches of five."
    ),
    length=Length(decisions={2: 490}, seconds=4, per_turn=2),
    plannable=_plannable,
    plans_whole_hand=True,
    refills_hands=True,
    plan_note=gettext_noop("Wars use the plan, too."),
    open_zones=("battleground",),
    scripts=("games/armed", "plan"),
    ranks="23456789TJQKA",
    sorts_by_rank=True,
    rests={"taken": 1600, "over": 1000},
)
