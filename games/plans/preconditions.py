"""What players can plan in each game, and what a plan depends on, from the player's own view alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from games import rules
from games.engine import Bidding, Move, View

#: Steps of one plan at the most.
MOST_STEPS = 10


class Ending(TextChoices):
    """Why a plan is over."""

    DONE = "done", _("All planned moves were played.")
    DROPPED = "dropped", _("You deleted the plan.")
    ILLEGAL = "illegal", _("The next move was no longer possible.")
    HAND = "hand", _("Your hand has changed.")
    DEAL = "deal", _("A new deal has begun.")
    PHASE = "phase", _("The betting is over.")
    AWAY = "away", _("Autoplay is playing for you.")


def can_bid(view: View) -> bool:
    """Whether this is a moment for a maximum."""
    bidding = _bidding(view)
    return bidding is not None and bidding.may_bid(view)


def highest_bid(view: View) -> int:
    """The highest maximum that there can be."""
    bidding = _bidding(view)
    return bidding.highest if bidding else 0


def _bidding(view: View) -> Bidding | None:
    """The bidding that goes on; None if there is none."""
    bidding = rules.presentation(view.game).bidding
    return bidding if bidding is not None and bidding.phase == view.phase else None


def candidates(view: View) -> Sequence[Move]:
    """The moves that the player of ``view`` may plan on any seat's turn: what their hand could do, most useful first.

    Nothing that only luck or another's move makes possible, such as taking a card that is not there yet.
    """
    if view.seat is None or view.phase == "over":
        return []
    return rules.presentation(view.game).plannable(own_hand(view))


def own_hand(view: View) -> list[str]:
    """The cards of the own hand."""
    cards = [zone.cards or () for zone in view.zones if zone.id == f"hand:{view.seat}"]
    return [code for zone in cards for code in zone if code is not None]


def premise(view: View) -> dict[str, Any]:
    """What a plan laid on this view rests on, as JSON."""
    facts = view.facts
    return {
        "deal": [facts.get("deal"), facts.get("round")],
        "phase": view.phase if _bidding(view) else None,
        "hand": None if rules.presentation(view.game).refills_hands else sorted(own_hand(view)),
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
