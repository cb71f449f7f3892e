"""Why each seat finished where it did: in the game's own terms, or because a player resigned."""

from collections.abc import Collection, Sequence

from django.utils.translation import gettext as _

from games import rules
from games.engine import Event, View

#: How matches end by what players do beside the game; see ``games.matches.commands.endings``.
RESIGNED, AGREED = "resignation", "agreement"


def reasons(
    reason: str, view: View, names: Sequence[str], events: Sequence[Event], resigned: Collection[int]
) -> Sequence[str]:
    """One for each seat, empty where the game itself has not ended.

    ``view`` is a spectator's, ``events`` are those of the last move that all may know.
    """
    if reason == AGREED:
        return [_("ended by agreement")] * len(names)
    if reason == RESIGNED:
        gone = ", ".join(names[seat] for seat in sorted(resigned))
        return [
            _("resigned") if seat in resigned else _("{names} resigned").format(names=gone)
            for seat in range(len(names))
        ]
    if any(seat.place is None for seat in view.seats):
        return [""] * len(names)
    return rules.presentation(view.game).result(view, names, events)
