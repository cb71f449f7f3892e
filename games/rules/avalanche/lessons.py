"""The lessons of Avalanche: growing and falling, stopping, and the empty hand."""

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = [*CODES, "RJ"] * 2
_ANOTHER = _("That would be possible, too. Here, choose the lit cards.")


def _lay(say: str, move: str, lit: str) -> Step:
    return Step(say=say, move=f"lay:{move}", lit=lit, otherwise={"lay": _ANOTHER})


GROW = Lesson(
    game="avalanche",
    name="grow",
    title=_("Start, grow, fall"),
    rules_version=1,
    dealer=1,
    deck=deck(
        _PACK,
        ("5C 5D 9H JC JD JS 3C 4S KH AD", "8C 8D 4C 4D QH 6C 2D 2H 7S TC"),
        "7D 9C",
    ),
    line=(
        _lay(_("Nothing lies on the table: start an avalanche with your two 5s."), "5x2", "5C 5D"),
        Watch(1, "lay:8x2", _("The other player grows it: two cards, and higher.")),
        _lay(
            _("Grow it more: as many cards that are as high, or more cards of any rank. Your three jacks!"),
            "Jx3",
            "JC JD JS",
        ),
        Watch(1, "lay:4x2", _("Two cards are fewer than three: the avalanche falls.")),
        Step(
            say=_(
                "It fell to you, as you played before: nine cards are stored. Now draw a card: a snowfall is a "
                "whole turn."
            ),
            move="snow",
            otherwise={"lay": _("You might start an avalanche. Here, take a snowfall first.")},
        ),
        Watch(1, "lay:Qx1"),
        _lay(
            _("One queen: anything lower would make it fall to the other player. Grow it with your king."), "Kx1", "KH"
        ),
        Watch(1, "lay:6x1", _("The other player has nothing that beats a king.")),
        _lay(_("You store three more. Start again with your ace: only an ace or a joker can follow it."), "Ax1", "AD"),
        Watch(1, "lay:2x1"),
    ),
    end=_(
        "An avalanche falls to the player before the one who made it fall. At the end of the match the most "
        "stored cards win."
    ),
    teaches=("start", "grow", "fall", "snowfall", "stored"),
)

STOP = Lesson(
    game="avalanche",
    name="stop",
    title=_("Stop it, or let it fall"),
    rules_version=1,
    dealer=0,
    deck=deck(
        _PACK,
        ("4C 4D 3C 7H 7S QC QD 6D 6H KS", "9C 9D TC TD TH 5C JH JS AC 2D"),
        "8C 8D",
        first=1,
    ),
    line=(
        Watch(1, "lay:9x2", _("The other player starts with two 9s.")),
        _lay(
            _("As many cards, but lower, stop an avalanche: all its cards leave the game. Play your two 4s."),
            "4x2",
            "4C 4D",
        ),
        Watch(1, "lay:Tx3", _("Those four cards left the game. Now three 10s!")),
        _lay(
            _("You can't beat or stop three 10s: it will fall to the other player. Give as little as you can: the 3."),
            "3x1",
            "3C",
        ),
        Watch(1, "snow", _("It fell to the other player, who begins again and takes a card.")),
        _lay(_("Your turn: start with your two queens."), "Qx2", "QC QD"),
        Watch(1, "lay:Jx2", _("Two lower cards: the other player stops it.")),
        _lay(_("Your turn again. Start with the king."), "Kx1", "KS"),
        Watch(1, "lay:Ax1", _("An ace grows it.")),
        _lay(_("One card can't be stopped, only grown: with two cards! Two 7s are more than one ace."), "7x2", "7H 7S"),
        Watch(1, "lay:5x1"),
    ),
    end=_(
        "Fewer cards make an avalanche fall; as many lower ones stop it, and its cards are worth nothing to anybody."
    ),
    teaches=("stop",),
)

EMPTY = Lesson(
    game="avalanche",
    name="empty",
    title=_("The empty hand"),
    rules_version=1,
    dealer=1,
    options={"hand": 5},
    deck=deck(_PACK, ("6C 6D 6H QS RJ", "4C 5H 5S 8D AC"), "9D 9H 2C JC TS 3D"),
    line=(
        _lay(_("Here you have five cards. Start with the joker: it's above the ace, and not wild."), "Xx1", "RJ"),
        Watch(1, "lay:4x1", _("Only another joker could follow. It falls to you.")),
        _lay(_("You store two cards and go on: start with the queen."), "Qx1", "QS"),
        Watch(1, "lay:Ax1"),
        _lay(_("More cards grow it, whatever their rank: play two of your 6s."), "6x2", "6C 6D"),
        Watch(1, "lay:8x1", _("One card against two: it falls to you.")),
        _lay(_("Five more are yours. Now start with your last card."), "6x1", "6H"),
        Watch(1, "lay:5x1", _("Lower, so it falls to you, and your hand is empty.")),
        Step(
            say=_("With an empty hand you drew five new cards. Take a snowfall and have one more."),
            move="snow",
            otherwise={"lay": _("You might start an avalanche. Here, take a snowfall.")},
        ),
    ),
    end=_(
        "When an avalanche is over, an empty hand is filled from the stock. Without a stock it stays empty, "
        "and the match ends."
    ),
    teaches=("empty-hand", "joker", "end"),
)

LESSONS = (GROW, STOP, EMPTY)
