"""Why each seat finished in its place: by the game's own rules, or because a player resigned."""

from collections.abc import Collection, Sequence

from django.utils.translation import gettext as _

from games import rules
from games.engine import Event, View

#: Reasons for an end outside the game; see ``games.matches.commands.endings``.
RESIGNED, AGREED = "resignation", "agreement"


def reasons(
    reason: str, view: View, names: Sequence[str], events: Sequence[Event], resigned: Collection[int]
) -> Sequence[str]:
    """One reason per seat, empty where the game itself has not ended.

    ``view`` is a spectator's, ``events`` are the public ones of the last move.
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
