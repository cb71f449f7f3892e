"""The lessons of Rummy 500: digging in the pile, the score, and jokers."""

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_OTHER_CARD = _("You may discard that card. Here, choose the lit one.")
_NOT_YET = _("You may do that later. One thing at a time: do what the line says.")
_STOCK_HERE = _("You may take from the pile. Here, draw from the stock.")
_THAT_MELD = _("That is a meld, too. Here, choose the lit cards.")


def _draw(say: str) -> Step:
    return Step(say=say, move="draw:stock", otherwise={"take": _STOCK_HERE})


def _meld(say: str, cards: str) -> Step:
    return Step(
        say=say,
        move="meld:" + cards.replace(" ", ""),
        lit=cards.partition("=")[0] if "=" in cards else cards,
        otherwise={"meld": _THAT_MELD, "discard": _NOT_YET, "lay": _NOT_YET},
    )


def _discard(say: str, card: str) -> Step:
    return Step(say=say, move=f"discard:{card}", lit=card, otherwise={"discard": _OTHER_CARD, "meld": _NOT_YET})


DIG = Lesson(
    game="rummy-500",
    name="dig",
    title=_("Dig in the pile"),
    rules_version=1,
    dealer=1,
    deck=deck(
        CODES,
        ("3C 3H 8S 9S KD KC QD 5H 7D JC TC 2D 6S", "4C 4D 6H 7H 8C JH QS AH 2S 5S 9D TS TD"),
        "3D 4H QH 6C",
    ),
    line=(
        _draw(_("Draw from the stock.")),
        _discard(_("Discard the queen of diamonds."), "QD"),
        Watch(1, "draw:stock"),
        Watch(1, "discard:TS", _("The discards lie open, all of them.")),
        Step(
            say=_("The 3 of diamonds lies deep, and you hold two 3s. Take it, and all that lies above: three cards."),
            move="take:3",
            lit="3D QD TS",
            otherwise={"": _("That would be possible. But the 3 at the bottom makes a set of yours.")},
        ),
        _meld(_("The card that you dug for must be used at once: meld the three 3s."), "3C 3D 3H"),
        _discard(_("The 10 of spades makes a run, but one meld a turn is all. Discard the jack of clubs."), "JC"),
        Watch(1, "draw:stock"),
        Watch(1, "discard:2S"),
        _draw(_("Draw from the stock.")),
        _meld(_("Now meld 8, 9 and 10 of spades."), "8S 9S TS"),
        _discard(_("Discard the queen of diamonds."), "QD"),
    ),
    end=_("You may take any card of the pile if you use it at once. All above it comes along, which is good and bad."),
    teaches=("dig", "must-use"),
)

SCORE = Lesson(
    game="rummy-500",
    name="score",
    title=_("What counts for you, and against"),
    rules_version=1,
    dealer=1,
    deck=deck(
        CODES,
        ("KC KD 8H AC 3S 5D 7C 9C JS 2D 4H TD QS", "5H 6H 7H 2C 3H 4S 6S 8D 9D JD QC TH AD"),
        "6C KH 7S KS 3D",
    ),
    line=(
        _draw(_("Draw from the stock.")),
        _meld(_("Three kings: meld them. On the table they count 10 each, for you."), "KC KD KH"),
        _discard(_("Cards that stay in your hand count against you: an ace 15. Discard the ace of clubs."), "AC"),
        Watch(1, "draw:stock"),
        Watch(1, "meld:5H6H7H", _("The other player melds a run: 18 points.")),
        Watch(1, "discard:QC"),
        _draw(_("Draw from the stock.")),
        Step(
            say=_("Add the king of spades to your kings: 10 more points."),
            move="lay:KS@1",
            lit="KS",
            otherwise={"lay": _NOT_YET, "discard": _NOT_YET},
        ),
        Step(
            say=_("Your 8 of hearts fits the other player's run. It lies before you and counts 8 for you."),
            move="lay:8H@2",
            lit="8H",
            otherwise={"discard": _NOT_YET},
        ),
        _discard(_("48 points lie on the table for you. Discard the queen of spades, 10 points less to hold."), "QS"),
    ),
    end=_(
        "A deal ends when a player goes out, or when the stock is empty and the pile isn't taken. "
        "Then cards on the table "
        "count for you, cards in hand against you: 2 to 10 their number, J Q K 10, aces and jokers 15. 500 points win."
    ),
    teaches=("score", "lay-off", "going-out", "no-stock"),
)

JOKERS = Lesson(
    game="rummy-500",
    name="jokers",
    title=_("Jokers and high aces"),
    rules_version=1,
    dealer=1,
    deck=deck(
        CODES,
        ("5C 6C QH KH 9S TD 2D 3S 8D JD 4H 7S AC", "2C 3D 4S 5H 6S 7H 8C 9D TS JC QC KD 2H"),
        "9C RJ 6H AH 3H",
    ),
    line=(
        _draw(_("Draw from the stock.")),
        Step(
            say=_("A joker! It stands for any card. Meld it with 5 and 6 of clubs, as the 7."),
            move="meld:5C6CRJ=7C",
            lit="5C 6C RJ",
            otherwise={
                "meld": _("The joker may stand for that, too. Here, let it be the 7 of clubs."),
                "discard": _NOT_YET,
            },
        ),
        _discard(_("It stays the 7 of clubs for good: an 8 may follow. Discard the jack of diamonds."), "JD"),
        Watch(1, "draw:stock"),
        Watch(1, "lay:8C@1", _("The other player adds the 8 to your run.")),
        Watch(1, "discard:KD"),
        _draw(_("Draw from the stock.")),
        _meld(_("An ace may be high: meld queen, king, ace of hearts."), "QH KH AH"),
        _discard(_("Discard the 10 of diamonds."), "TD"),
    ),
    end=_("A joker counts 15, on the table and in hand. An ace is high or low, never both: king, ace, 2 is no run."),
    teaches=("joker", "ace"),
)

LESSONS = (DIG, SCORE, JOKERS)
