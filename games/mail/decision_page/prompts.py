"""What a player is asked to do, in one sentence: for emails, pushes and the decision page."""

from django.utils.translation import gettext as _

from games.engine import View
from games.table.prompts import prompt_of


def what_is_asked(view: View, *, at_slap_point: bool = False) -> str:
    """What this view's player is asked to do; if the game has no words for it, to make a move.

    ``at_slap_point``: the player has to watch the next cards alone.
    """
    if at_slap_point:
        return _("Watch the next cards, and slap in time.")
    return prompt_of(view.game, view.moves) or _("Make your move.")
