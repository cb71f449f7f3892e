"""The lessons of Basic Rummy: a turn, going out and the score, and what may be added where."""

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = CODES[:52]
_STOCK_HERE = _("You could take that card. Here, draw from the stock: you never know what comes.")
_NOT_YET = _("You may do that later. One thing at a time: do what the instruction says.")
_OTHER_CARD = _("You may discard that card. Here, choose the lit one.")

TURN = Lesson(
    game="basic-rummy",
    name="turn",
    title=_("A turn: draw, meld, discard"),
    rules_version=1,
    dealer=1,
    deck=deck(
        _PACK,
        ("5H 6H 9C 9D KS QS 2D 4C 8S TD", "AC 3D 4H 6S 7C 8D 9H TS JC KD"),
        "3S 7H JH 2S QC",
    ),
    line=(
        Step(
            say=_("Be the first without cards. Each turn begins with a new card: draw it from the stock."),
            move="draw:stock",
            otherwise={"": _STOCK_HERE},
        ),
        Step(
            say=_("Three or more cards of a suit in a row are a run. Meld the 5, 6, 7 of hearts."),
            move="meld:5H6H7H",
            lit="5H 6H 7H",
            otherwise={"discard": _("A discard ends your turn. First meld the three hearts.")},
        ),
        Step(
            say=_(
                "Discard the king of spades to end your turn. The winner gets the points of cards left in your hand."
            ),
            move="discard:KS",
            lit="KS",
            otherwise={"discard": _OTHER_CARD},
        ),
        Watch(1, "draw:stock", _("Now the other player has a turn.")),
        Watch(1, "discard:9H", _("Watch what the other player discards.")),
        Step(
            say=_("A 9, and you hold two! Take it from the discard pile."),
            move="draw:discard",
            lit="9H",
            otherwise={"": _("You could draw from the stock. But the 9 on the discard pile is just what you need.")},
        ),
        Step(
            say=_("Three cards of one rank are a set. Meld the three nines."),
            move="meld:9C9D9H",
            lit="9C 9D 9H",
            otherwise={"discard": _("A discard ends your turn. First meld the nines.")},
        ),
        Step(
            say=_("Discard the queen of spades to end your turn."),
            move="discard:QS",
            lit="QS",
            otherwise={"discard": _OTHER_CARD},
        ),
    ),
    end=_(
        "That's a turn: draw, meld if you can, discard. You have four cards left; the first player without cards "
        "wins the deal."
    ),
    teaches=("draw", "set", "run", "discard"),
)

SCORE = Lesson(
    game="basic-rummy",
    name="score",
    title=_("Going out and the score"),
    rules_version=1,
    dealer=1,
    deck=deck(
        _PACK,
        ("4C 4D 4H JS 6D 7D 8D TC JC 9D", "AS 2H 3C 5S 7S 9C TH QD QC KH"),
        "2C 4S 8H JD 3H",
    ),
    line=(
        Step(say=_("Draw from the stock."), move="draw:stock", otherwise={"": _STOCK_HERE}),
        Step(
            say=_("All four 4s: a set may have four cards. Meld them."),
            move="meld:4C4D4H4S",
            lit="4C 4D 4H 4S",
            otherwise={
                "meld": _("That's a meld, too. Here, take all four 4s."),
                "discard": _NOT_YET,
            },
        ),
        Step(
            say=_("Discard the jack of spades."),
            move="discard:JS",
            lit="JS",
            otherwise={"discard": _OTHER_CARD},
        ),
        Watch(1, "draw:stock"),
        Watch(1, "discard:QC", _("Watch what the other player discards.")),
        Step(
            say=_("The queen of clubs goes with your 10 and jack. Take it."),
            move="draw:discard",
            lit="QC",
            otherwise={"": _("You could draw from the stock. But the queen makes a run with your clubs.")},
        ),
        Step(
            say=_("Meld the 10, jack and queen of clubs."),
            move="meld:TCJCQC",
            lit="TC JC QC",
            otherwise={"meld": _("That's a meld, too. Here, keep the diamonds for the next turn."), "": _NOT_YET},
        ),
        Step(
            say=_("You can make only one new meld a turn. The diamonds must wait: discard the 6 to end your turn."),
            move="discard:6D",
            lit="6D",
            otherwise={"discard": _OTHER_CARD},
        ),
        Watch(1, "draw:stock"),
        Watch(1, "discard:2H", _("The other player still holds many cards. That's good for you.")),
        Step(say=_("Draw from the stock again."), move="draw:stock", otherwise={"": _STOCK_HERE}),
        Step(
            say=_("Meld the 7, 8 and 9 of diamonds."),
            move="meld:7D8D9D",
            lit="7D 8D 9D",
            otherwise={"discard": _NOT_YET},
        ),
        Step(
            say=_("One card left. Discard it, and you go out!"),
            goal="deal_over",
            move="discard:3H",
            lit="3H",
        ),
    ),
    end=_(
        "You went out, so you score everything the other player still held: king, queen, jack and 10 count 10, an "
        "ace 1, the others their number. The first player with 100 points wins."
    ),
    teaches=("one-meld", "going-out", "score"),
)

SUBTLE = Lesson(
    game="basic-rummy",
    name="adding",
    title=_("Adding to melds"),
    rules_version=1,
    dealer=1,
    deck=deck(
        _PACK,
        ("2C 2D 2H 3S 4S 5S 8D JD KH QC", "7H 8H 9H AC 6C 9S TC QD KS 4D"),
        "6H 2S 5D TH 3D",
    ),
    line=(
        Step(say=_("Draw from the stock."), move="draw:stock", otherwise={"": _STOCK_HERE}),
        Step(
            say=_("Meld all four 2s: a complete set can do something special."),
            move="meld:2C2D2H2S",
            lit="2C 2D 2H 2S",
            otherwise={"meld": _("That's a meld, too. Here, take all four 2s."), "discard": _NOT_YET},
        ),
        Step(
            say=_("Discard the king of hearts."),
            move="discard:KH",
            lit="KH",
            otherwise={"discard": _OTHER_CARD, "lay": _NOT_YET},
        ),
        Watch(1, "draw:stock"),
        Watch(1, "meld:7H8H9H", _("The other player melds a run.")),
        Watch(1, "discard:KS"),
        Step(say=_("Draw from the stock."), move="draw:stock", otherwise={"": _STOCK_HERE}),
        Step(
            say=_("You may add to every meld, the other player's too. Your 10 of hearts goes on after 7, 8, 9."),
            move="lay:TH@2",
            lit="TH",
            otherwise={"": _NOT_YET},
        ),
        Step(
            say=_("Now something special: 3, 4, 5 of spades continue from the 2 of spades. Add them to the set."),
            move="lay:3S4S5S@1",
            lit="3S 4S 5S",
            otherwise={
                "meld": _("You could meld them as a separate run. Here, add them to the set of 2s."),
                "discard": _NOT_YET,
            },
        ),
        Step(say=_("Discard the queen of clubs."), move="discard:QC", lit="QC", otherwise={"discard": _OTHER_CARD}),
    ),
    end=_(
        "You may add to any meld, as often as you like in a turn: to the ends of a run, the fourth card to a set, "
        "and a run to a complete set. It costs nothing, and your hand gets smaller."
    ),
    teaches=("lay-off", "joined"),
)

LESSONS = (TURN, SCORE, SUBTLE)
