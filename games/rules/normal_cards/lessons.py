"""The lessons of Normal Cards: a trick, trumps, and the points."""

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = [code for code in CODES[:52] if code[0] in "A7KJQ6543"]
_ANOTHER = _("You may play any card, always. Here, choose the lit one.")


def _play(say: str, card: str) -> Step:
    return Step(say=say, move=f"play:{card}", lit=card, otherwise={"play": _ANOTHER})


TRICK = Lesson(
    game="normal-cards",
    name="trick",
    title=_("A trick: 7 beats the king"),
    rules_version=1,
    dealer=1,
    deck=deck(_PACK, ("7H KS 3C 5D", "KH AS 4D JD"), "6C AH 5S QD 3S 4H 6D 6H 3D"),
    line=(
        _play(_("Ranks are odd here: A 7 K J Q 6 5 4 3. Lead your 7 of hearts."), "7H"),
        Watch(1, "play:KH"),
        _play(_("The 7 took the king. You lead again: try the king of spades."), "KS"),
        Watch(1, "play:AS"),
        Watch(1, "play:JD", _("The ace took your king, so the other player leads.")),
        _play(_("Clubs are trumps: see the card under the stock. Any trump beats the jack, even your 3."), "3C"),
        _play(_("You need not follow suit, ever. Lead the ace of hearts: it's the best of its suit."), "AH"),
        Watch(1, "play:5S"),
        _play(_("Yours. Now lead a card worth nothing: the 5 of diamonds."), "5D"),
        Watch(1, "play:QD"),
    ),
    end=_(
        "The best trump takes the trick; without a trump, the best card of the suit led. The winner "
        "draws first and leads."
    ),
    teaches=("ranks", "trick", "trump", "no-duty"),
)

POINTS = Lesson(
    game="normal-cards",
    name="points",
    title=_("The points"),
    rules_version=1,
    dealer=0,
    deck=deck(_PACK, ("3H 6S AD JS", "AH QH 7D 4S"), "KC 5H 4H 7S 3D KH 6D 5C 4C", first=1),
    line=(
        Watch(1, "play:AH", _("The other player leads an ace: 11 points.")),
        _play(_("You can't beat it. Give it a card without points: the 3."), "3H"),
        Watch(1, "play:7D", _("A 7 is worth 10 points.")),
        _play(_("Take it with the ace of diamonds: 11 and 10 points for you."), "AD"),
        _play(_("You lead. The jack of spades counts 3; the 4 that is still out can't beat it."), "JS"),
        Watch(1, "play:4S"),
        _play(_("Now lead your 7 of spades: 10 points, and only the ace or a trump beats it."), "7S"),
        Watch(1, "play:QH"),
        _play(_("Taken, with the queen's 2 points. Lead the 6: it's worth nothing, so nothing is lost."), "6S"),
        Watch(1, "play:5H"),
    ),
    end=_("A counts 11, 7 counts 10, K 4, J 3, Q 2: 120 points in all. With more than 60 you win the deal."),
    teaches=("points",),
)

TRUMPS = Lesson(
    game="normal-cards",
    name="trumps",
    title=_("Trumps at the right time"),
    rules_version=1,
    dealer=0,
    deck=deck(_PACK, ("3S 6H KD 4C", "AC 5D 6S AD"), "JS KH 5S 7H 7D 4H 3C QS 6C", first=1),
    line=(
        Watch(1, "play:6S", _("The other player leads a trump: spades, as the card under the stock shows.")),
        _play(_("Only a better trump would win this, and there are no points in it. Throw the 4 of clubs away."), "4C"),
        Watch(1, "play:AC", _("Now an ace: 11 points lie there.")),
        _play(_("This is worth a trump. Take the ace with your 3 of spades."), "3S"),
        _play(_("The lead is yours: play the king of diamonds and hope."), "KD"),
        Watch(1, "play:AD", _("The ace of diamonds was still out.")),
        Watch(1, "play:KH"),
        _play(_("The king of hearts: 4 points. Your 7 is better, so take it without a trump."), "7H"),
        _play(_("Keep your trumps for points. Lead the 3 of clubs: it's worth nothing."), "3C"),
        Watch(1, "play:5D"),
    ),
    end=_(
        "Spend trumps where points lie. The open card under the stock is drawn last: a good trump is worth waiting for."
    ),
    teaches=("main-card", "trump"),
)

LESSONS = (TRICK, POINTS, TRUMPS)
