"""The lessons of Avalanche: growing and falling, stopping, the empty hand, and the end."""

from collections.abc import Sequence

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = [*CODES, "RJ"] * 2
_ANOTHER = _("You could do that, too. Here, choose the lit cards.")
_NO_SNOW = _("You could take a snowfall instead. Here, play the lit cards.")


def _made(lays: str) -> Sequence[Watch]:
    """Plays without comment, of seat 0 and seat 1 in turn."""
    return [Watch(at % 2, f"lay:{lay}") for at, lay in enumerate(lays.split())]


def _lay(say: str, move: str, lit: str) -> Step:
    return Step(say=say, move=f"lay:{move}", lit=lit, otherwise={"lay": _ANOTHER, "snow": _NO_SNOW})


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
        _lay(
            _("The player who stores the most cards wins. Start an avalanche: play your two 5s."),
            "5x2",
            "5C 5D",
        ),
        Watch(1, "lay:8x2", _("The other player makes it grow: two cards, and higher.")),
        _lay(
            _("More cards make it grow, too, if they all have one rank. Play your three jacks."),
            "Jx3",
            "JC JD JS",
        ),
        Watch(1, "lay:4x2", _("Two cards are fewer than three: the avalanche falls.")),
        Step(
            say=_(
                "You played last before it fell, so you store its nine cards. Now draw a card: a snowfall is a "
                "whole turn."
            ),
            move="snow",
            otherwise={"lay": _("You could start an avalanche. Here, take a snowfall first.")},
        ),
        Watch(1, "lay:Qx1"),
        _lay(_("One queen: anything lower falls to the other player. Make it grow with your king."), "Kx1", "KH"),
        Watch(1, "lay:6x1", _("The other player has nothing that beats a king.")),
        _lay(_("You store three more. Start again with your ace: only an ace or a joker can follow it."), "Ax1", "AD"),
        Watch(1, "lay:2x1"),
    ),
    end=_(
        "Play as many cards, as high or higher, or play more cards: the avalanche grows. Play fewer: it falls to "
        "the player before. The player with the most stored cards wins."
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
            _("Two lower cards stop two 9s: all cards of the avalanche leave the game. Play your two 4s."),
            "4x2",
            "4C 4D",
        ),
        Watch(1, "lay:Tx3", _("Those four cards left the game. Now three 10s!")),
        _lay(
            _(
                "You can't beat or stop three 10s, so they'll fall to the other player. Give as little as you can: "
                "the 3."
            ),
            "3x1",
            "3C",
        ),
        Watch(1, "snow", _("It fell to the other player, who starts again and takes a card.")),
        _lay(_("Your turn: start with your two queens."), "Qx2", "QC QD"),
        Watch(1, "lay:Jx2", _("Two lower cards: the other player stops it.")),
        _lay(_("Your turn again. Start with the king."), "Kx1", "KS"),
        Watch(1, "lay:Ax1", _("An ace makes it grow.")),
        _lay(_("You can't stop one card, only grow it: with two cards! Two 7s beat one ace."), "7x2", "7H 7S"),
        Watch(1, "lay:5x1"),
    ),
    end=_("Fewer cards make an avalanche fall. The same number of lower cards stops it, and no one scores its cards."),
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
        _lay(_("More cards make it grow, whatever their rank: play two of your 6s."), "6x2", "6C 6D"),
        Watch(1, "lay:8x1", _("One card against two: it falls to you.")),
        _lay(_("Five more are yours. Now start with your last card."), "6x1", "6H"),
        Watch(1, "lay:5x1", _("Lower, so it falls to you, and your hand is empty.")),
        Step(
            say=_("Your hand was empty, so you drew five new cards. Take a snowfall and have one more."),
            move="snow",
            otherwise={"lay": _("You could start an avalanche. Here, take a snowfall.")},
        ),
    ),
    end=_(
        "When an avalanche is over, an empty hand is filled from the stock. Without a stock it stays empty: the next "
        "lesson shows how the match ends."
    ),
    teaches=("empty-hand", "joker"),
)

ENDING = Lesson(
    game="avalanche",
    name="ending",
    title=_("No stock: the end"),
    rules_version=1,
    dealer=1,
    options={"packs": 1},
    deck=deck(
        [*CODES, "RJ"],
        ("8S TS 6S 3H JH 3C AS 4H 7C TH", "2C 6C AC 5H 6D KS 7H JC 7S RJ"),
        "2D 9H 2H 9C KH QS QH BJ AH 5S 4D RJ TD TC 9S 3S KC 8D KD 8H 8C QC 4C 5D 4S 3D 5C QD 2S AD 7D 9D JS 6H JD",
    ),
    opens_at=28,
    line=(
        *_made("4x1 5x1 3x2 6x2 Tx2 7x2 Jx1 Jx1 Ax1 Ax1 6x1 2x1 7x1 Kx1 8x1 Xx1 2x2 8x2 9x2 Tx2 Qx2 Kx2 5x1 4x1"),
        *_made("Kx1 Xx1 Xx1 3x1"),
        _lay(
            _("You stored 8 cards, the other player 20, and the match is nearly over. Play your last card."),
            "Ax1",
            "AH",
        ),
        Watch(1, "lay:9x1", _("Lower, so both cards fall to you. Then you both fill your empty hands.")),
        _lay(
            _("You drew ten cards, the other player the last five: the stock is empty. Start with your 2."), "2x1", "2S"
        ),
        Watch(1, "lay:6x1"),
        _lay(_("Make it grow with your two 4s."), "4x2", "4C 4S"),
        Watch(1, "lay:Jx2", _("Two jacks: every card makes it worth more.")),
        _lay(_("Two queens beat them, and the other player has only two cards. Play your queens."), "Qx2", "QC QD"),
        Watch(1, "lay:7x1", _("One card against two: nine cards fall to you.")),
        _lay(_("19 to 20! The other player's last card can't beat two cards: play your two 5s."), "5x2", "5C 5D"),
        Watch(1, "lay:9x1"),
    ),
    end=_(
        "With the stock empty, the match ends when only one player has cards. You also store the three you still "
        "hold: 25 to 20, you win!"
    ),
    teaches=("end",),
)

LESSONS = (GROW, STOP, EMPTY, ENDING)
