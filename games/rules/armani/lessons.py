"""The lessons of Game: Armani: slapping, duels, bets with teams, and both ways through Stage 2."""

from collections.abc import Sequence

from games.engine import TABLE, Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = CODES[:52]


def _stacks(*played: str) -> Sequence[str]:
    """A pack from which each seat, from 0 on, plays these cards first; the rest is dealt in any order."""
    given = [cards.split() for cards in played]
    rest = [code for code in _PACK if not any(code in cards for cards in given)]
    rest = rest[::3] + rest[1::3] + rest[2::3]
    size = len(_PACK) // len(given)
    whole = [cards + [rest.pop() for _card in range(size - len(cards))] for cards in given]
    return deck(_PACK, [" ".join(reversed(cards)) for cards in whole])


def _made(moves: str) -> Sequence[Watch]:
    """Moves without comment: ``0`` is a card of seat 0, ``0!`` its slap, ``=`` the hand-over of a hand."""
    return [_move(move) for move in moves.split()]


def _move(move: str) -> Watch:
    if move == "=":
        return Watch(TABLE, "close")
    if move.endswith("!"):
        return Watch(int(move[0]), "slap")
    return Watch(int(move), "flip") if move.isdigit() else Watch(0, move)


def _bet(say: str, points: int) -> Step:
    return Step(
        say=say,
        move=f"bet:{points}",
        otherwise={"": _("Any bet is possible. For now, make the one in the instruction.")},
    )


def _slap(say: str) -> Step:
    return Step(
        say=say, move="slap", goal="collect", otherwise={"flip": _("Slap before that: this card makes a pattern.")}
    )


SLAP = Lesson(
    game="armani",
    name="slap",
    title=_("Slap pairs and sandwiches"),
    rules_version=1,
    dealer=1,
    deck=_stacks("4D 7S 5C 5S 3H 6S 8C 9D TD 3S 6C 9H", "9C 7H 8D TC 2D 4H TS 6H 2C 2H"),
    opens_at=4,
    is_plain=True,
    line=(
        *_made("bet:1"),
        Watch(1, "fold"),
        *_made("0 1"),
        Watch(
            0, "flip", _("Win cards! They turn by themselves, yours and the other player's in turn. Watch for a pair.")
        ),
        Watch(1, "flip"),
        _slap(_("A 7 on a 7: a pair! Slap first and win the pile: press the big button.")),
        Watch(0, "flip", _("You won those cards. Watch for a sandwich: two the same, with one card between.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        _slap(_("5, 8, 5: a sandwich! Slap.")),
        Watch(0, "flip", _("The cards are yours again. But not every card makes a pair or a sandwich.")),
        Watch(1, "flip"),
        Step(
            say=_("No pair, no sandwich. Slap anyway, to see what it costs."),
            move="slap",
            otherwise={"flip": _("The next card can wait. First slap, to see what it costs.")},
        ),
        Watch(0, "flip", _("Your top card went under the pile. You can't slap for the next few cards."), pace="normal"),
        Watch(1, "flip", _("The cards come faster now.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip", _("You may slap again. Keep your eyes open.")),
        Watch(1, "flip"),
        _slap(_("10 on 10! Slap.")),
        Watch(0, "flip", _("Now as fast as at quick tables, and the other player slaps, too."), pace="fast"),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(1, "slap", _("A pair of 6s! Leave it this once: watch the other player take it.")),
        Watch(1, "flip", _("The other player was first and takes the pile.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("2, 9, 2: a sandwich. Your turn to be first: slap!")),
    ),
    end=_(
        "A pair or a sandwich: slap first and take the pile. A wrong slap costs your top card. Win all the cards, "
        "and you win the match. In a real match the others don't wait for you."
    ),
    teaches=("pair", "sandwich", "wrong-slap", "lock-out"),
)

DUEL = Lesson(
    game="armani",
    name="duel",
    title=_("Face cards and duels"),
    rules_version=1,
    dealer=1,
    pace="normal",
    deck=_stacks("6D 4C JS 9C 3C 5S 4H 5D 8H 2S 6C AD TD", "QH 8D 9H KD 8S 7C 7D 6S 3D TC JC"),
    opens_at=3,
    is_plain=True,
    line=(
        *_made("bet:1"),
        Watch(1, "fold"),
        *_made("0"),
        Watch(1, "flip", _("Now face cards: jacks, queens, kings and aces. They start a duel.")),
        Watch(0, "flip", _("A queen! You have two chances to answer with a jack, queen, king or ace.")),
        Watch(0, "flip", _("A 4 is no answer. One chance left.")),
        Watch(1, "flip", _("Your jack answers it. Now the other player has one chance.")),
        Watch(TABLE, "close", _("No face card came: the pile is yours.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("You lead, and here is a pair of 9s. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip", _("A king: you have three chances.")),
        Watch(0, "flip"),
        Watch(0, "flip"),
        _slap(_("No face card: the duel is lost. But 5, 4, 5 is a sandwich, and a slap beats everything!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(1, "slap", _("A pair of 8s. Leave this one: watch the other player be faster.")),
        Watch(1, "flip", _("The first to slap takes the pile and leads.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("7, 2, 7: a sandwich. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("A pair of 6s. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip", _("An ace! Four chances for the other player.")),
        Watch(1, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip", _("A jack answers your ace. Now you have one chance.")),
        _slap(_("Your 10 is no face card. But 10, jack, 10 is a sandwich: slap!")),
    ),
    end=_(
        "After a jack the next player has 1 chance, after a queen 2, a king 3, an ace 4. With no other face card, "
        "the pile goes to the player of the last one."
    ),
    teaches=("duel", "slap-beats"),
)

TEAMS = Lesson(
    game="armani",
    name="teams",
    title=_("Bets and teams"),
    rules_version=1,
    seats=4,
    dealer=3,
    deck=_stacks("9D 4H 2D 9C 3C", "5S 7C 6C TS 8C", "TH 4D 6D 2H TD", "3S 9S TC 6S 5C"),
    line=(
        _bet(_("You bet how many points your team will win by, before you know who is in it. Bet 5."), 5),
        Watch(1, "fold"),
        Watch(2, "bet:8", _("Another player bets more.")),
        Watch(3, "fold"),
        _bet(_("Bet 10. The highest bet counts: it decides which team chooses later."), 10),
        Watch(2, "fold"),
        Watch(
            0, "flip", _("The colour of your top card decides your team. Yours is red: look for your partner's mark.")
        ),
        Watch(1, "flip"),
        Watch(2, "flip"),
        _slap(_("4, 7, 4: a sandwich, and your partner played the last card. Slap!")),
        Watch(0, "flip", _("What you win counts for both of you.")),
        Watch(1, "flip"),
        Watch(2, "flip"),
        Watch(2, "slap", _("A pair of 6s. Leave it: your partner slaps, and it counts for you, too.")),
        Watch(2, "flip", _("Your partner won the pile and leads.")),
        Watch(3, "flip"),
        Watch(0, "flip"),
        _slap(_("9 on 9! Be faster than the others: slap.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(2, "flip"),
        _slap(_("10 on 10! Slap.")),
    ),
    end=_(
        "Your team's cards are added up after Stage 1: 1 point a card, 7 for the queen of spades. You bet 10, so you "
        "must win by 10 or more. What for? The next lesson shows it."
    ),
    teaches=("bet", "teams"),
)

POWER = Lesson(
    game="armani",
    name="power",
    title=_("Your bet pays: Stage 2"),
    rules_version=1,
    dealer=1,
    pace="normal",
    deck=deck(
        _PACK,
        (
            "2C 5S 2D 9S AH KS AD 5C 7S QD QC TH 4H 8D TC 8S 7H 3D JD 6S 3S QH 2H JS AC TD",
            "6C 2S 5H AS KD 7D 9H KC 4S TS 6D 4D 5D 3H 3C 4C 7C 9C 9D 8C JC JH 8H 6H QS KH",
        ),
    ),
    opens_at=58,
    line=(
        *_made("bet:10"),
        Watch(1, "fold"),
        *_made("0 1 0 1 0 1 = 0 1 0 1 0 = 1 0 = 1 0 1 = 0 1 0 1 0! 0 1 0 1 0 1 0! 0 1 0 1 0 1 1 = 0 1 1 0 0 0 1 1 1"),
        *_made("0 0! 0 1 0! 0 1"),
        Watch(0, "flip", _("You bet 10. Stage 1 is nearly over: watch the last cards.")),
        Watch(1, "flip"),
        _slap(_("A pair of 2s. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip", _("The other player's last card.")),
        Watch(0, "flip", _("Only you have a card left: it will win you the pile.")),
        Watch(TABLE, "close", _("That was the last card: the pile is yours.")),
        Step(
            say=_("51 points to 7: you won by more than 10, so you kept your bet. Keep your big fan for Stage 2."),
            move="fan:own",
            otherwise={
                "fan": _("You could take the other fan. But yours has 45 cards, and that one has 7. Keep yours.")
            },
        ),
        Step(
            say=_("You may take one card from the other fan, too. Take the queen of hearts."),
            move="take:QH",
            lit="QH",
            otherwise={"take": _("You could take that card. Here, take the lit one: a face card starts duels.")},
        ),
        Watch(0, "flip", _("Stage 2: both fans are shuffled. Now win all 52 cards.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("Jack, king, jack: a sandwich. Slap!")),
        Watch(0, "flip", _("In Stage 2 the cards you win go under your stack, and you play them again.")),
        Watch(1, "flip"),
        Watch(TABLE, "close", _("No answer to your jack: the pile is yours.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip"),
        _slap(_("A pair of 3s. Slap!")),
        Watch(0, "flip", _("The other player has two cards left.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip", _("Only you have cards now: your next card wins the match, too.")),
        _slap(_("A pair of 2s: slap, and you hold all 52 cards!")),
    ),
    end=_(
        "You hold all 52 cards: you win the match! You also win if only you have cards left to play. If your bet "
        "fails, the other team picks its fan and takes cards from you."
    ),
    teaches=("power", "points", "choose", "last-card", "all-cards"),
)

LAP = Lesson(
    game="armani",
    name="lap",
    title=_("The final lap"),
    rules_version=1,
    dealer=1,
    pace="normal",
    options={"stage2_flips": 1},
    deck=deck(
        _PACK,
        (
            "8C 5H KD 7C 4H 2D 6H 4C JH KC QS 2H AC JS 9D 9C TS 3D 5D QH 2C KS AS 3C 8H TD",
            "5S JD TC QC 6D 4D 7H 6S TH AD 9S 3H 6C AH 9H 8D 7S 2S QD JC KH 5C 8S 4S 3S 7D",
        ),
    ),
    opens_at=89,
    line=(
        *_made("bet:5"),
        Watch(1, "fold"),
        *_made("0 1 0 1 0 1! 1 0 1 1 1 0 1! 1 0 = 1 0 0! 0 1 0 1 0 1 0 1 0! 0 1 0 1 = 0 1 1 1 0 0 1 1 = 0 1 1 1 = 0"),
        *_made("1 0 0 = 1 0 1 0 = 1 0 = fan:own take:AS 0 1 0 = 1 0 1 0 1 1 = 0 1 0 1 1 0 0! 0 1 0 1 0 = 1"),
        Watch(0, "flip", _("A long Stage 2 ends with a final lap: the cards you win now are set aside and counted.")),
        _slap(_("A pair of 7s. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip", _("A jack: you have one chance.")),
        Watch(TABLE, "close", _("No answer: these three go to the other player.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip"),
        _slap(_("5, 4, 5: a sandwich. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(1, "flip", _("Your ace: the other player has four chances.")),
        Watch(1, "flip"),
        _slap(_("A pair of 2s. Don't wait for the duel: slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip"),
        _slap(_("A pair of 3s. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(1, "flip"),
        Watch(1, "flip"),
        Watch(1, "slap", _("A pair of 8s. Leave it: the other player may win some, too.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(TABLE, "close", _("You had one chance to answer the jack, and missed.")),
        Watch(1, "flip", _("The other player's last card.")),
        Watch(0, "flip"),
        _slap(_("A pair of 9s. Slap!")),
        Watch(0, "flip"),
        Watch(TABLE, "close", _("Only you have cards left, so you get all of them.")),
    ),
    end=_(
        "38 cards, and the queen of spades counts 7: you win the match by 44 to 14. The final lap comes after 208 "
        "cards in Stage 2, or after 104 in turn-based matches."
    ),
    teaches=("final-lap",),
)

LESSONS = (SLAP, DUEL, TEAMS, POWER, LAP)
