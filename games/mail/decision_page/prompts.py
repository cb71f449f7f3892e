"""What a player is asked to do, in one sentence: for mails, pushes and the decision page."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.engine import View

#: By the verbs among the legal moves: the first entry all of whose verbs can be used is what is asked.
_SENTENCES: Mapping[tuple[str, ...], Any] = {
    ("bet", "fold"): gettext_lazy("Bet how many points your side will win by, or fold."),
    ("bet",): gettext_lazy("Bet how many points your side will win by."),
    ("fan",): gettext_lazy("Choose the fan that your side plays with."),
    ("dealer",): gettext_lazy("Name the player who deals for your side."),
    ("draw", "take"): gettext_lazy("Draw from the stock, or take from the pile."),
    ("take",): gettext_lazy("Take a card."),
    ("play", "draw"): gettext_lazy("Play a card, or draw."),
    ("play", "pass"): gettext_lazy("Play the card that you have drawn, or pass."),
    ("lay", "snow"): gettext_lazy("Lay cards of one rank, or take the snow."),
    ("discard", "meld"): gettext_lazy("Meld or add to melds if you like, then discard a card."),
    ("discard", "lay"): gettext_lazy("Add to melds if you like, then discard a card."),
    ("discard", "swap"): gettext_lazy("Discard a card, or offer one in exchange."),
    ("discard", "challenge"): gettext_lazy("Challenge the claim, or go on with a card."),
    ("challenge",): gettext_lazy("Challenge the claim, or let it pass."),
    ("discard",): gettext_lazy("Discard a card."),
    ("swap",): gettext_lazy("Offer a card in exchange."),
    ("give",): gettext_lazy("Give a card in exchange."),
    ("keep",): gettext_lazy("Keep one of the cards that you have drawn."),
    ("top",): gettext_lazy("Choose the card that is left on top."),
    ("claim", "end"): gettext_lazy("Claim a ten-skip hand, or end your turn."),
    ("show", "hide"): gettext_lazy("Show your hand, or keep it hidden."),
    ("draw",): gettext_lazy("Draw a card."),
    ("play",): gettext_lazy("Play a card."),
    ("lay",): gettext_lazy("Lay cards."),
    ("snow",): gettext_lazy("Take the snow."),
    ("pass",): gettext_lazy("Pass, or look at what is possible."),
}


def what_is_asked(view: View, *, at_slap_point: bool = False) -> str:
    """What the player of this view is asked to do; of a game whose moves are not known here, to move.

    ``at_slap_point``: the next cards are to be watched, each player for themselves.
    """
    if at_slap_point:
        return _("Watch the next cards, and slap in time.")
    verbs = {move.partition(":")[0] for move in view.moves} - {"slap"}
    for needed, sentence in _SENTENCES.items():
        if verbs.issuperset(needed):
            return str(sentence)
    return _("Make your move.")
