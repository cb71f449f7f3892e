"""The lessons of Rummy 500: digging in the pile, the score, jokers, and both ends of a deal."""

from collections.abc import Sequence

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_OTHER_CARD = _("You may discard that card. Here, choose the lit one.")
_NOT_YET = _("You may do that later. One thing at a time: do what the instruction says.")
_STOCK_HERE = _("You could take from the pile. Here, draw from the stock.")
_THAT_MELD = _("That's a meld, too. Here, choose the lit cards.")


def _made(moves: str) -> Sequence[Watch]:
    """Moves without comment; a discard ends the turn. ``draw`` draws from the stock."""
    seat, found = 0, []
    for move in moves.split():
        found.append(Watch(seat, "draw:stock" if move == "draw" else move))
        seat ^= move.startswith("discard")
    return found


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
    return Step(
        say=say,
        move=f"discard:{card}",
        lit=card,
        otherwise={"discard": _OTHER_CARD, "meld": _NOT_YET, "lay": _NOT_YET},
    )


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
        _draw(_("Put cards on the table for points: 500 win. Each turn begins with a new card. Draw one.")),
        _discard(_("End your turn: discard the queen of diamonds. High cards in hand cost points."), "QD"),
        Watch(1, "draw:stock"),
        Watch(1, "discard:TS", _("All the discards lie open.")),
        Step(
            say=_(
                "There's a 3 in the pile, and you hold two. Press it, and take it with the cards above: three cards."
            ),
            move="take:3",
            lit="3D QD TS",
            otherwise={"": _("You could. But the 3 at the bottom gives you a set.")},
        ),
        _meld(_("You must use that 3 right away. Meld the three 3s: put them on the table."), "3C 3D 3H"),
        _discard(
            _("8, 9, 10 of spades are a run, but you may meld only once a turn. Discard the jack of clubs."), "JC"
        ),
        Watch(1, "draw:stock"),
        Watch(1, "discard:2S"),
        _draw(_("No card of the pile fits yours now. Draw from the stock.")),
        _meld(_("Now meld the 8, 9 and 10 of spades."), "8S 9S TS"),
        _discard(_("Discard the queen of diamonds."), "QD"),
    ),
    end=_(
        "You may take any card of the pile if you use it right away. You also get all the cards above it, which is "
        "good and bad."
    ),
    teaches=("dig", "must-use"),
)

SCORE = Lesson(
    game="rummy-500",
    name="score",
    title=_("What counts for you and against you"),
    rules_version=1,
    dealer=1,
    deck=deck(
        CODES,
        ("KC KD 8H AC 3S 5D 7C 9C JS 2D 4H TD QS", "5H 6H 7H 2C 3H 4S 6S 8D 9D JD QC TH AD"),
        "6C KH 7S KS 3D",
    ),
    line=(
        _draw(_("Draw from the stock.")),
        _meld(_("Three kings: meld them. Each counts 10 points for you on the table."), "KC KD KH"),
        _discard(_("Cards that stay in your hand count against you: an ace 15. Discard the ace of clubs."), "AC"),
        Watch(1, "draw:stock"),
        Watch(1, "meld:5H6H7H", _("The other player melds a run: 18 points.")),
        Watch(1, "discard:QC"),
        _draw(_("Draw from the stock.")),
        Step(
            say=_("Add the king of spades to your kings: 10 more points."),
            move="lay:KS@1",
            lit="KS",
            otherwise={
                "meld": _("That's a run, too. Here, add the king to your three kings."),
                "lay": _NOT_YET,
                "discard": _NOT_YET,
            },
        ),
        Step(
            say=_("Your 8 of hearts fits the other player's run. It stays in front of you and counts 8 for you."),
            move="lay:8H@2",
            lit="8H",
            otherwise={"lay": _NOT_YET, "discard": _NOT_YET},
        ),
        _discard(_("You have 48 points on the table. Discard the queen of spades: 10 points less in your hand."), "QS"),
    ),
    end=_(
        "At the end of a deal cards on the table count for you, cards in hand against you: 2 to 10 their number, "
        "J Q K 10, aces and jokers 15. 500 points win."
    ),
    teaches=("score", "lay-off"),
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
        _discard(_("It's the 7 of clubs for good now: an 8 may follow. Discard the jack of diamonds."), "JD"),
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

OUT = Lesson(
    game="rummy-500",
    name="out",
    title=_("Going out"),
    rules_version=1,
    dealer=1,
    deck=deck(
        CODES,
        ("BJ 8D 8S KH QC 3D 7H KS 3H KD TD 5S JS", "6D 4H TC 4S 9S JC 6H 3C 2H 6S 5D TS 6C"),
        "8C KC 2S RJ QS QD 9C 4C QH 2C AD",
    ),
    opens_at=24,
    line=(
        *_made("""
            take:1 meld:8C8D8S lay:BJ=8*@1 discard:QC take:1 meld:TCJCQC discard:TS draw meld:KCKDKHKS discard:TD
            draw meld:6C6D6H6S discard:9S take:3 meld:9STSJS discard:TD draw meld:4H4SRJ=4* discard:5D
            draw lay:QS@5 discard:7H draw discard:QD
        """),
        _draw(_("Get rid of all your cards, and the deal is over. You have three left: draw one from the stock.")),
        Step(
            say=_("The 9 of clubs goes in front of the 10, jack and queen. Add it: 9 points for you."),
            move="lay:9C@2",
            lit="9C",
            otherwise={"lay": _NOT_YET, "discard": _NOT_YET},
        ),
        _discard(_("Keep the two 3s: a third would make a set. Discard the 5."), "5S"),
        Watch(1, "draw:stock"),
        Watch(1, "lay:4C@6", _("The other player adds a 4 to a set.")),
        Watch(1, "discard:3C", _("Watch what the other player discards!")),
        Step(
            say=_("A third 3! Take it from the pile."),
            move="take:1",
            lit="3C",
            otherwise={"": _("You could draw from the stock. But with this 3 you go out.")},
        ),
        _meld(_("Meld the three 3s. No card is left in your hand: you go out, even without a discard."), "3C 3D 3H"),
    ),
    end=_(
        "The deal is over. Your cards on the table count 136. The other player's count 81, minus 4 for two 2s in "
        "hand: 77. New deals follow until a player has 500."
    ),
    teaches=("going-out",),
)

NO_STOCK = Lesson(
    game="rummy-500",
    name="no-stock",
    title=_("When the stock is empty"),
    rules_version=1,
    dealer=1,
    deck=deck(
        CODES,
        ("4S 3H QC AC 7S JC 7D 5H 4D BJ 2D 4C 9S", "5S 2C 2S KH 8C 7H 7C TH TC QD 6D 5D JD"),
        "8H 2H QS KC 5C RJ 9C AS JH 6C AH 3C 6H 3S TS 9H 4H 8D 9D 8S KS TD KD 3D QH 6S JS AD",
    ),
    opens_at=83,
    line=(
        *_made("""
            draw meld:JCQCBJ=KCAC discard:9S draw lay:TC@1 discard:JD draw meld:4C4D4S discard:KC
            draw meld:5C5D5S discard:QD draw meld:7D7SRJ=7* lay:5H@3 discard:3H draw meld:7C8C9C lay:7H@4 discard:TH
            draw discard:AS draw discard:JH draw lay:6C@5 discard:2D draw discard:AH take:6 meld:AH2H3H discard:AS
            draw discard:KH draw discard:TH draw discard:QS draw discard:JH take:5 meld:AS2S3S discard:TH
            draw discard:TS draw lay:4H@2 discard:JH take:8 meld:8H9HTHJH discard:KC draw discard:KH draw discard:JD
            draw discard:QS draw discard:QD draw discard:TD take:6 meld:KCKHKS discard:TD draw lay:KD@9 discard:8D
            take:2 meld:8D9DTDJDQD discard:TS draw discard:8S take:2 meld:8S9STS discard:QS draw lay:QH@8 discard:6D
            draw discard:6H draw lay:JS@11 discard:3C
        """),
        Step(
            say=_(
                "The stock has one card left: the deal ends soon. Dig for points: take both 6s and the 3 above them."
            ),
            move="take:3",
            lit="6D 6H 3C",
            otherwise={"": _("You could draw the last card. But with the two 6s you have a set.")},
        ),
        _meld(_("Meld the three 6s: 18 more points."), "6D 6H 6S"),
        _discard(_("Your hand will soon count against you. Discard the 3."), "3C"),
        Watch(1, "take:2", _("The other player digs, too.")),
        Watch(1, "lay:QS@11"),
        Watch(1, "discard:3C"),
        _draw(_("Draw the last card of the stock.")),
        _discard(_("An ace in hand would cost you 15. Discard it."), "AD"),
        Watch(1, "pass", _("The stock is empty. If a player doesn't take from the pile now, the deal is over.")),
    ),
    end=_(
        "The other player passed, so the deal is over though you both hold cards. The cards left in hand are "
        "subtracted: 265 points for you, 101 for the other player."
    ),
    teaches=("no-stock",),
)

LESSONS = (DIG, SCORE, JOKERS, OUT, NO_STOCK)
