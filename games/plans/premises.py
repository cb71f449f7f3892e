"""What can be planned in each game, and what a plan rests on: from the player's own view alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from games.engine import Move, View
from games.engine.cards import RANKS

#: Steps of one plan at the most.
MOST_STEPS = 10
#: The game whose bids have a maximum instead of an order of moves, and the phase in which.
BIDDING = ("armani", "bets")
#: Games whose hands are filled up between one's own moves: cards come, none go.
_REFILLED = frozenset({"armed"})


class Ending(TextChoices):
    """Why a plan is over."""

    DONE = "done", _("All of it is played.")
    DROPPED = "dropped", _("You dropped it.")
    ILLEGAL = "illegal", _("Its next move was not legal any more.")
    HAND = "hand", _("Your hand was no longer the one that it was laid with.")
    DEAL = "deal", _("Another deal has begun.")
    PHASE = "phase", _("The bidding that it was laid for is over.")
    AWAY = "away", _("A stand-in plays for you.")


def can_bid(view: View) -> bool:
    """Whether this is a moment for a maximum."""
    return (view.game, view.phase) == BIDDING and not view.facts["folded"][view.seat or 0]


def candidates(view: View) -> list[Move]:
    """The moves that the player of ``view`` may plan, whoever is on turn: what their hand could do, most useful first.

    Nothing that only luck or another's move makes possible, such as taking a card that is not there yet.
    """
    if view.seat is None or view.phase == "over":
        return []
    hand = own_hand(view)
    return _OF_GAME.get(view.game, _nothing)(hand)


def own_hand(view: View) -> list[str]:
    """The cards of the own hand."""
    cards = [zone.cards or () for zone in view.zones if zone.id == f"hand:{view.seat}"]
    return [code for zone in cards for code in zone if code is not None]


def premise(view: View) -> dict[str, Any]:
    """What a plan laid on this view rests on, as JSON."""
    facts = view.facts
    return {
        "deal": [facts.get("deal"), facts.get("round")],
        "phase": view.phase if (view.game, view.phase) == BIDDING else None,
        "hand": None if view.game in _REFILLED else sorted(own_hand(view)),
    }


def broken(laid: Mapping[str, Any], view: View) -> Ending | None:
    """Why a plan with the premise ``laid`` does not hold for this view; None if it does."""
    now = premise(view)
    if laid["deal"] != now["deal"]:
        return Ending.DEAL
    if laid["phase"] != now["phase"]:
        return Ending.PHASE
    if laid["hand"] != now["hand"]:
        return Ending.HAND
    return None


def bid(view: View, maximum: int) -> Move | None:
    """The bid that the table makes for a player with this maximum: the lowest one, or folding; None if neither can be.

    It never tells how high the maximum is.
    """
    bids = [int(move.partition(":")[2]) for move in view.moves if move.startswith("bet:")]
    if bids and min(bids) <= maximum:
        return f"bet:{min(bids)}"
    return "fold" if "fold" in view.moves else None


def _nothing(_hand: Sequence[str]) -> list[Move]:
    return []


def _plays(hand: Sequence[str]) -> list[Move]:
    return [f"play:{code}" for code in hand]


def _amagande(hand: Sequence[str]) -> list[Move]:
    plays = []
    for code in hand:
        plays += [f"play:{code}/{suit}" for suit in "CDHS"] if code[0] == "A" else [f"play:{code}"]
    return [*plays, "draw", "pass"]


def _avalanche(hand: Sequence[str]) -> list[Move]:
    ranks = ["X" if code in ("RJ", "BJ") else code[0] for code in hand]
    lays = [f"lay:{rank}x{n}" for rank in [*RANKS, "X"] for n in range(1, ranks.count(rank) + 1)]
    return [*lays, "snow"]


def _rummy(hand: Sequence[str]) -> list[Move]:
    return ["draw:stock", *(f"discard:{code}" for code in hand), "pass"]


def _basic_rummy(hand: Sequence[str]) -> list[Move]:
    return _rummy(hand)[:-1]


def _ten_skip(hand: Sequence[str]) -> list[Move]:
    return [f"discard:{code}" for code in hand]


_OF_GAME: Mapping[str, Callable[[Sequence[str]], list[Move]]] = {
    "amagande": _amagande,
    "armed": _plays,
    "avalanche": _avalanche,
    "basic-rummy": _basic_rummy,
    "normal-cards": _plays,
    "rummy-500": _rummy,
    "ten-skip": _ten_skip,
}
