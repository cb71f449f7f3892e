"""What one has to know of a table beside its cards: trumps, bets, scores. In words, for mails and plain pages.

The scripts of the table show the same facts with signs and marks (``static/js/table/games``).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from games.engine import View
from games.rules.wording import card_name, card_names, colour_name, suit_name
from games.table.labels import TEXTS, rank_label

SIDE_MARKS = "▲●"


class Fact(NamedTuple):
    """Something that is so at a table: what, and how it is."""

    label: str
    value: str


def facts(view: View, names: Sequence[str]) -> list[Fact]:
    """What a player of this game wants to know of the table, most important first; ``names`` are those of the seats.

    Only what the view shows goes in. An unknown game gives its scores alone.
    """
    return [*_OF_GAME.get(view.game, _nothing)(view, names), *_points(view, names)]


def _text(key: str, **values: Any) -> str:
    return str(TEXTS[key]).format(**values)


def _points(view: View, names: Sequence[str]) -> list[Fact]:
    """How the seats stand, where that is not hidden till the end."""
    if (view.game == "amagande" and view.phase != "over") or view.game == "armani":
        return []
    shown = ", ".join(f"{names[seat.seat]} {seat.points:g}" for seat in view.seats)
    return [Fact(_("Points"), shown.replace(" -", " −"))]


def _nothing(_view: View, _names: Sequence[str]) -> list[Fact]:
    return []


def _armani(view: View, names: Sequence[str]) -> list[Fact]:
    facts = view.facts
    found = [Fact(_("Now"), _text("final_lap" if facts["final_lap"] else view.phase))] if view.phase != "over" else []
    if view.phase == "bets":
        bets = [
            f"{names[seat]}: {_text('folded') if facts['folded'][seat] else bids[-1] if bids else '–'}"
            for seat, bids in enumerate(facts["bets"])
        ]
        return [*found, Fact(_text("bets"), ", ".join(bets))]
    if facts["bettor"] is not None:
        highest = facts["bets"][facts["bettor"]]
        found.append(
            Fact(_text("highest_bet").capitalize(), f"{names[facts['bettor']]}, {highest[-1] if highest else 0}")
        )
    for side, members in enumerate(facts["teams"] or []):
        found.append(Fact(_text("side", mark=SIDE_MARKS[side]), ", ".join(names[seat] for seat in members)))
    for key in ("stage1", "final"):
        if facts[key]:
            label = _text("stage1_points" if key == "stage1" else "final_lap")
            found.append(
                Fact(label, " · ".join(f"{SIDE_MARKS[side]} {points}" for side, points in enumerate(facts[key])))
            )
    if facts["winning"] is not None:
        found.append(Fact(_("This hand"), _text("winning", name=names[facts["winning"]])))
    elif facts["duel"] and facts["turn"] is not None:
        duel = facts["duel"]
        key = "duel_1" if duel["chances"] == 1 else "duel"
        found.append(Fact(_("Duel"), _text(key, name=names[facts["turn"]], by=names[duel["by"]], n=duel["chances"])))
    if facts["to_take"]:
        found.append(Fact(_text("take_left").capitalize(), str(facts["to_take"])))
    if facts.get("own_draw"):
        found.append(Fact(_text("own_draw"), card_names(facts["own_draw"])))
    return found


def _armed(view: View, names: Sequence[str]) -> list[Fact]:
    facts = view.facts
    most = facts["options"]["battles"]
    found = [Fact(_text("battle"), f"{facts['battle']} / {most}" if most else str(facts["battle"]))]
    if facts["war"]:
        totals = ", ".join(f"{name} {total}" for name, total in zip(names, facts["totals"], strict=True))
        found.append(Fact(_text("war"), totals))
    return found


def _avalanche(view: View, names: Sequence[str]) -> list[Fact]:
    last: Mapping[str, Any] | None = view.facts["last"]
    if not last:
        return []
    lay = _text("last_lay_of", n=last["n"], rank=rank_label(last["rank"]), name=names[last["seat"]])
    return [Fact(_text("last_lay"), lay)]


def _rummy(view: View, _names: Sequence[str]) -> list[Fact]:
    facts = view.facts
    found = [Fact(_text("deal"), str(facts["deal"]))]
    if facts["options"]["target"]:
        found.append(Fact(_text("target"), _text("points", n=facts["options"]["target"])))
    if facts.get("must"):
        found.append(Fact(_text("must"), card_name(facts["must"])))
    return found


def _amagande(view: View, _names: Sequence[str]) -> list[Fact]:
    facts = view.facts
    found = []
    if facts["free"]:
        found.append(Fact(_text("required"), _text("anything")))
    elif facts["suit"]:
        found.append(Fact(_text("required"), suit_name(facts["suit"])))
    elif facts["colour"]:
        found.append(Fact(_text("required"), colour_name(facts["colour"])))
    if facts["penalty"]:
        found.append(Fact(_text("penalty"), _text("penalty_n", n=facts["penalty"])))
    found.append(Fact(_text("direction"), _text("clockwise" if facts["direction"] > 0 else "counter")))
    found.append(Fact(_text("reference"), suit_name(facts["reference"])))
    return found


def _normal_cards(view: View, names: Sequence[str]) -> list[Fact]:
    facts = view.facts
    trick = view.zone("trick").cards or ()
    found = [Fact(_text("trump"), suit_name(facts["trump"]))]
    if trick and trick[0]:
        leader = names[facts["leader"]]
        found.append(Fact(_text("led"), _("{suit}, by {name}").format(suit=suit_name(trick[0][1]), name=leader)))
    else:
        found.append(Fact(_text("led"), _text("nothing_led")))
    if facts["options"]["deals"] > 1:
        found.append(Fact(_text("deal"), f"{facts['deal']} / {facts['options']['deals']}"))
    return found


def _ten_skip(view: View, names: Sequence[str]) -> list[Fact]:
    facts = view.facts
    found = [Fact(_text("round"), str(facts["round"])), Fact(_text("limit"), str(facts["options"]["limit"]))]
    if facts["notice"] is not None:
        found.append(Fact(_text("notice"), names[facts["notice"]]))
    if facts["offer"]:
        found.append(Fact(_text("offer"), card_name(facts["offer"])))
    return found


_OF_GAME: Mapping[str, Callable[[View, Sequence[str]], list[Fact]]] = {
    "amagande": _amagande,
    "armani": _armani,
    "armed": _armed,
    "avalanche": _avalanche,
    "basic-rummy": _rummy,
    "normal-cards": _normal_cards,
    "rummy-500": _rummy,
    "ten-skip": _ten_skip,
}
