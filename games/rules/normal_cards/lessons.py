"""The lessons of Normal Cards: a trick, the points, trumps, and the last tricks."""

from collections.abc import Sequence

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = [code for code in CODES[:52] if code[0] in "A7KJQ6543"]
_ANOTHER = _("You may always play any card. Here, choose the lit one.")


def _made(cards: str) -> Sequence[Watch]:
    """Cards played without comment, each after its seat."""
    return [Watch(int(card[0]), f"play:{card[1:]}") for card in cards.split()]


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
        _play(
            _("Win points. Each plays a card, and the better one takes both: a trick. Play your 7 of hearts."),
            "7H",
        ),
        Watch(1, "play:KH"),
        _play(
            _("Your 7 beats the king. High to low: A 7 K J Q 6 5 4 3. Lead again: play the king of spades."),
            "KS",
        ),
        Watch(1, "play:AS"),
        Watch(1, "play:JD", _("The ace took your king, so the other player leads.")),
        _play(_("Clubs are trumps, as the main card shows. Any trump beats the jack: play your 3 of clubs."), "3C"),
        _play(_("You never have to follow suit. Lead the ace of hearts: it's the best of its suit."), "AH"),
        Watch(1, "play:5S"),
        _play(_("It's yours. Now lead a card worth nothing: the 5 of diamonds."), "5D"),
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
        _play(_("You took it, with the queen's 2 points. Lead the 6: it's worth nothing, so you lose nothing."), "6S"),
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
        Watch(1, "play:6S", _("The other player leads a trump: spades, as the main card shows.")),
        _play(_("Only a better trump would win this, and there are no points in it. Throw away the 4 of clubs."), "4C"),
        Watch(1, "play:AC", _("Now an ace: that's 11 points.")),
        _play(_("This is worth a trump. Take the ace with your 3 of spades."), "3S"),
        _play(_("You lead: play the king of diamonds and hope."), "KD"),
        Watch(1, "play:AD", _("The other player still had the ace of diamonds.")),
        Watch(1, "play:KH"),
        _play(_("The king of hearts: 4 points. Your 7 is better, so take it without a trump."), "7H"),
        _play(_("Keep your trumps for points. Lead the 3 of clubs: it's worth nothing."), "3C"),
        Watch(1, "play:5D"),
    ),
    end=_("Spend trumps where there are points. The main card is drawn last: a good trump is worth waiting for."),
    teaches=("main-card", "trump"),
)

LAST = Lesson(
    game="normal-cards",
    name="last-tricks",
    title=_("The last tricks"),
    rules_version=1,
    dealer=1,
    deck=deck(
        _PACK,
        ("KC QC QS AC", "3C QD 5H JC"),
        "4H 3D JS 3H JH AS QH 6C 6S KD 4D KS 7C AD 5D 4S 3S 4C 5S JD 7D 5C 7S 7H AH 6H 6D KH",
    ),
    opens_at=26,
    line=(
        *_made("0QC 1JC 13C 0QS 13D 0JS 1QD 0KC 16C 0AC 06S 1AS 14D 0KD 07C 13H 14S 03S 14C 05S 15D 07D"),
        *_made("05C 1JD 0AD 1AH"),
        Watch(1, "play:KS", _("More than 60 of the 120 points win. You have 28, and here comes a king: 4 points.")),
        _play(_("Hearts are trumps. Take the king with your queen: 6 points."), "QH"),
        _play(
            _("You drew a king, the other player the main card: the stock is empty. Lead the 6: it's worth nothing."),
            "6D",
        ),
        Watch(1, "play:4H", _("The other player spends a trump, and gets no points.")),
        Watch(1, "play:5H"),
        _play(_("A trump is led. Your jack of hearts is a better one: take it."), "JH"),
        _play(_("37 points. Only your own 7 beats the king of hearts now, so lead the king."), "KH"),
        Watch(1, "play:6H"),
        _play(
            _("41 points, and one trick is left. Nothing can beat your 7 of hearts. What will the other card be?"), "7H"
        ),
        Watch(1, "play:7S"),
    ),
    end=_(
        "The other 7: 20 points in the last trick, and you win by 61 to 59. When the stock is empty, no one draws; "
        "after the last card the points are counted."
    ),
    teaches=("end",),
)

LESSONS = (TRICK, POINTS, TRUMPS, LAST)
