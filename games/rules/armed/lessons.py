"""The lessons of Armed: a battle, a war, and when it pays to lose."""

from collections.abc import Sequence

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = CODES[:52]
_ANOTHER = _("Any card may be played. Here, choose the lit one, and see what happens.")


def _decks(mine: str, theirs: str) -> Sequence[str]:
    """A pack that gives both these cards first, in this order; the rest is dealt as it comes."""
    given = [mine.split(), theirs.split()]
    rest = [code for code in _PACK if code not in given[0] + given[1]]
    rest = rest[::5] + rest[1::5] + rest[2::5] + rest[3::5] + rest[4::5]
    whole = [cards + [rest.pop() for _card in range(26 - len(cards))] for cards in given]
    return deck(_PACK, [" ".join(reversed(cards)) for cards in whole])


def _play(say: str, card: str) -> Step:
    return Step(say=say, move=f"play:{card}", lit=card, otherwise={"play": _ANOTHER})


BATTLE = Lesson(
    game="armed",
    name="battle",
    title=_("A battle: the higher card takes both"),
    rules_version=1,
    dealer=1,
    deck=_decks("KH AS 3C TD QS 6H", "9C 4D AH 8S JD 2C"),
    line=(
        _play(_("Choose a card in secret; the other player does, too. Play your king: it counts 13."), "KH"),
        Watch(1, "play:9C", _("Both cards are turned together.")),
        _play(_("13 beats 9, so both cards go under your deck. Now play the 10."), "TD"),
        Watch(1, "play:8S"),
        _play(_("You won again. Now spend a card that is worth little: play the 3."), "3C"),
        Watch(1, "play:AH"),
        _play(_("An ace counts 14 and took your 3. That's a good trade for you! Play your ace."), "AS"),
        Watch(1, "play:JD"),
        _play(_("14 beats 11. Once more: the queen counts 12."), "QS"),
        Watch(1, "play:4D"),
    ),
    end=_(
        "The higher card takes all, and suits never matter. If you have to draw and your deck is empty, you lose the "
        "match."
    ),
    teaches=("battle", "values"),
)

WAR = Lesson(
    game="armed",
    name="war",
    title=_("War: equal values"),
    rules_version=1,
    dealer=1,
    deck=_decks("8C QD 5S 7H 6D JS", "8H TC KD 7S 6C 9D"),
    line=(
        _play(_("Play your 8."), "8C"),
        Watch(1, "play:8H", _("The other player chose an 8, too!")),
        _play(_("Equal values mean war: choose one more card. It is added to your 8, so play the queen."), "QD"),
        Watch(1, "play:TC"),
        _play(_("8 + 12 beat 8 + 10: you took all four cards. Now play the 7."), "7H"),
        Watch(1, "play:7S", _("War again.")),
        _play(_("Try your 6: 7 + 6 would be 13."), "6D"),
        Watch(1, "play:6C", _("Equal once more! The war goes on.")),
        _play(_("Now a strong card: the jack makes 24."), "JS"),
        Watch(1, "play:9D"),
    ),
    end=_(
        "24 beat 22, and you took six cards at once. In a war the higher total takes everything, so keep a high card."
    ),
    teaches=("war",),
)

ENDING = Lesson(
    game="armed",
    name="ending",
    title=_("The end: more cards win"),
    rules_version=1,
    dealer=1,
    options={"battles": 5},
    deck=_decks("2H 9S KC 4C AD JH", "AC 7D QC 5D KS 3S"),
    line=(
        _play(_("This match ends after five battles: more cards win. Guess an ace comes, and lose only a 2."), "2H"),
        Watch(1, "play:AC"),
        _play(_("Well guessed: the ace is gone for now. Play the 9."), "9S"),
        Watch(1, "play:7D"),
        _play(_("Ahead again. The king beats all but an ace: play it."), "KC"),
        Watch(1, "play:QC"),
        _play(_("The other player's king is still out. Spend your 4."), "4C"),
        Watch(1, "play:KS"),
        _play(_("Last battle, and it decides. Nothing beats your ace."), "AD"),
        Watch(1, "play:5D"),
    ),
    end=_(
        "You hold 27 cards, the other player 25: you win. Most matches go on until a player has to draw and can't; "
        "over days they end after 26 battles."
    ),
    teaches=("battles", "deck-out"),
)

LESSONS = (BATTLE, WAR, ENDING)
