"""What a player has to do, in one sentence: for emails, pushes and the decision page."""

from django.utils.translation import gettext as _

from games.engine import View
from games.table.prompts import prompt_of


def what_is_asked(view: View, *, at_slap_point: bool = False) -> str:
    """What the player of this view is asked to do; of a game that has no words for it, to move.

    ``at_slap_point``: the next cards are to be watched, each player for themselves.
    """
    if at_slap_point:
        return _("Watch the next cards, and slap in time.")
    return prompt_of(view.game, view.moves) or _("Make your move.")
