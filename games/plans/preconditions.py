"""What players can plan in each game, and what a plan depends on, from the player's own view alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from games import rules
from games.engine import Bidding, Move, View

#: Maximum steps of a plan.
MOST_STEPS = 10


class Ending(TextChoices):
    """Why a plan ended."""

    DONE = "done", _("All planned moves were played.")
    DROPPED = "dropped", _("You deleted the plan.")
    ILLEGAL = "illegal", _("The next move was no longer possible.")
    HAND = "hand", _("Your hand has changed.")
    DEAL = "deal", _("A new deal has begun.")
    PHASE = "phase", _("The betting is over.")
    AWAY = "away", _("Autoplay is playing for you.")
    BARRED = "barred", _("The moderators had paused your play.")


def can_bid(view: View) -> bool:
    """Whether a maximum bet can be planned now."""
    bidding = _bidding(view)
    return bidding is not None and bidding.may_bid(view)


def highest_bid(view: View) -> int:
    """The highest possible maximum bet."""
    bidding = _bidding(view)
    return bidding.highest if bidding else 0


def _bidding(view: View) -> Bidding | None:
    """The current bidding; None if there is none."""
    bidding = rules.presentation(view.game).bidding
    return bidding if bidding is not None and bidding.phase == view.phase else None


def candidates(view: View) -> Sequence[Move]:
    """Moves that can be planned on any seat's turn: everything the hand allows, most useful first.

    Excludes moves that depend on luck or on others, such as taking a card that isn't there yet.
    """
    if view.seat is None or view.phase == "over":
        return []
    return rules.presentation(view.game).plannable(own_hand(view))


def own_hand(view: View) -> list[str]:
    """The cards of the player's hand."""
    cards = [zone.cards or () for zone in view.zones if zone.id == f"hand:{view.seat}"]
    return [code for zone in cards for code in zone if code is not None]


def premise(view: View) -> dict[str, Any]:
    """The preconditions of a plan made in this view, as JSON."""
    facts = view.facts
    return {
        "deal": [facts.get("deal"), facts.get("round")],
        "phase": view.phase if _bidding(view) else None,
        "hand": None if rules.presentation(view.game).refills_hands else sorted(own_hand(view)),
    }


def broken(laid: Mapping[str, Any], view: View) -> Ending | None:
    """Why a plan with precondition ``laid`` is broken in this view; None if it still holds."""
    now = premise(view)
    if laid["deal"] != now["deal"]:
        return Ending.DEAL
    if laid["phase"] != now["phase"]:
        return Ending.PHASE
    if laid["hand"] != now["hand"]:
        return Ending.HAND
    return None


def bid(view: View, maximum: int) -> Move | None:
    """The bid for a player with this maximum: the lowest one, or folding; None if neither is legal.

    It never reveals the maximum.
    """
    bids = [int(move.partition(":")[2]) for move in view.moves if move.startswith("bet:")]
    if bids and min(bids) <= maximum:
        return f"bet:{min(bids)}"
    return "fold" if "fold" in view.moves else None
