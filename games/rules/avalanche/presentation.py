"""The presentation of Avalanche."""

from collections.abc import Mapping, Sequence
from typing import Any

from games.engine import Event, Fact, Length, Move, Presentation, View
from games.engine.text import gettext as _
from games.engine.text import gettext_noop, names_in_text
from games.rules.wording import RANKS_AND_JOKER, rank_label


def _facts(view: View, names: Sequence[str]) -> Sequence[Fact]:
    last: Mapping[str, Any] | None = view.facts["last"]
    if not last:
        return []
    lay = _("{n} × {rank} by {name:*|you}").format(
        n=last["n"], rank=rank_label(last["rank"]), name=names_in_text(names)[last["seat"]]
    )
    return [Fact(_("Last played"), lay)]


def _result(view: View, names: Sequence[str], events: Sequence[Event]) -> Sequence[str]:
    most = max(seat.points for seat in view.seats)
    return [
        (_("most cards stored: {n}") if seat.points == most else _("cards stored: {n}")).format(n=f"{seat.points:g}")
        for seat in view.seats
    ]


def _plannable(hand: Sequence[str]) -> Sequence[Move]:
    ranks = ["X" if code in ("RJ", "BJ") else code[0] for code in hand]
    lays = [f"lay:{rank}x{n}" for rank in RANKS_AND_JOKER for n in range(1, ranks.count(rank) + 1)]
    return [*lays, "snow"]


PRESENTATION = Presentation(
    moves={"snow": gettext_noop("Draw a card (snowfall)"), "lay#": gettext_noop("Play {n} {rank}")},
    prompts={
        ("lay", "snow"): gettext_noop("Play cards of one rank, or draw a card."),
        ("lay",): gettext_noop("Play cards of one rank."),
        ("snow",): gettext_noop("Draw a card."),
    },
    coach={
        ("lay", "snow"): gettext_noop("Start an avalanche with cards of one rank, or draw. Most stored cards win."),
        ("lay",): gettext_noop("Play one rank: more or higher cards make it grow, fewer give it away."),
    },
    texts={
        "store": gettext_noop("stored"),
        "points": gettext_noop("{n} stored cards"),
        "points_1": gettext_noop("{n} stored card"),
        "avalanche": gettext_noop("Avalanche"),
        "stopped": gettext_noop("Stopped avalanches"),
        "last_lay": gettext_noop("Last played"),
        "last_lay_of": gettext_noop("{n} × {rank} by {name:*|you}"),
        "to_grow": gettext_noop("To make it grow"),
        "grows_with": gettext_noop("{n} × {rank} or higher, or more cards"),
        "would_start": gettext_noop("starts an avalanche"),
        "would_grow": gettext_noop("it grows to {n}"),
        "would_stop": gettext_noop("it stops: {n} cards leave the game"),
        "would_fall": gettext_noop("it falls: {n} cards to {name:*|you}"),
        "would_keep_1": gettext_noop("no one can answer, so you get the card"),
        "would_keep": gettext_noop("no one can answer, so you get {n} cards"),
    },
    facts=_facts,
    result=_result,
    feat="stored",
    option_names={"packs": gettext_noop("packs of cards"), "hand": gettext_noop("cards in hand")},
    ai_levels=gettext_noop("The level matters most here: Hard almost never loses to a random player."),
    length=Length(decisions={2: 130}),
    plannable=_plannable,
    open_zones=("avalanche",),
    scripts=("games/avalanche",),
    ranks="23456789TJQKARB",
    sorts_by_rank=True,
    rests={"stored": 900, "stopped": 900, "over": 1000},
)
