"""What a player has to do, in the game's own sentences."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from games import rules
from games.engine import Move


def prompt_of(slug: str, moves: Iterable[Move]) -> str | None:
    """The prompt for a player with these moves, in the reader's language; None if the game has none.

    The table's scripts find it in the same way (``words.js``).
    """
    verbs = {move.partition(":")[0] for move in moves} - {"slap"}
    for needed, sentence in rules.presentation(slug).prompts.items():
        if verbs.issuperset(needed):
            return _(sentence)
    return None
