"""The lessons of Game: Armani: slapping, duels, and bets with teams."""

from collections.abc import Sequence

from games.engine import TABLE, Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = CODES[:52]


def _stacks(*played: str) -> Sequence[str]:
    """A pack from which each seat, from 0 on, plays these cards first; the rest is dealt as it comes."""
    given = [cards.split() for cards in played]
    rest = [code for code in _PACK if not any(code in cards for cards in given)]
    rest = rest[::3] + rest[1::3] + rest[2::3]
    size = len(_PACK) // len(given)
    whole = [cards + [rest.pop() for _card in range(size - len(cards))] for cards in given]
    return deck(_PACK, [" ".join(reversed(cards)) for cards in whole])


def _bet(say: str, points: int) -> Step:
    return Step(
        say=say, move=f"bet:{points}", otherwise={"": _("Any bet is possible. Take the one of the line for now.")}
    )


def _slap(say: str) -> Step:
    return Step(say=say, move="slap", goal="collect", otherwise={"flip": _("This card is worth a slap first.")})


SLAP = Lesson(
    game="armani",
    name="slap",
    title=_("Slap pairs and sandwiches"),
    rules_version=1,
    dealer=1,
    deck=_stacks("4D 7S 5C 5S 3H 6S 8C 9D TD", "9C 7H 8D TC 2D 4H TS"),
    line=(
        _bet(_("First the players bet; more of that later. Bet 1."), 1),
        Watch(1, "fold"),
        Watch(0, "flip", _("Now cards turn by themselves, yours and the other player's in turns. Watch for a pair.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("A 7 on a 7: a pair! Slap: the big button, or the space bar. Here it waits for you.")),
        Watch(0, "flip", _("You won those cards. Watch for a sandwich: two alike, with one card between.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        _slap(_("5, 8, 5: a sandwich! Slap.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Step(say=_("No pair, no sandwich. Slap all the same, to see what it costs."), move="slap"),
        Watch(0, "flip", _("Your top card went under the pile, and you may not slap for a few cards.")),
        Watch(1, "flip"),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(0, "flip", _("You may slap again. Keep your eyes open.")),
        Watch(1, "flip"),
        _slap(_("10 on 10! Slap.")),
    ),
    end=_(
        "A pair or a sandwich: slap first and take the pile. A wrong slap costs your top card. Real tables don't wait."
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
    deck=_stacks("6D 4C JS 9C 3C 5S 4H 5D 8H 2S 6C", "QH 8D 9H KD 8S 7C 7D 6S"),
    line=(
        _bet(_("Bet 1 again, and cards turn a little faster."), 1),
        Watch(1, "fold"),
        Watch(0, "flip"),
        Watch(1, "flip", _("A queen! You have two chances to answer with a jack, queen, king or ace.")),
        Watch(0, "flip"),
        Watch(0, "flip", _("Your jack answers it. Now the other player has one chance.")),
        Watch(1, "flip"),
        Watch(TABLE, "close", _("No face card came: the pile is yours.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("You lead, and here is a pair of nines. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip", _("A king: you have three chances.")),
        Watch(0, "flip"),
        Watch(0, "flip"),
        Watch(0, "flip"),
        _slap(
            _(
                "Three chances and no face card: the duel is lost. But 5, 4, 5 is a sandwich, and a slap beats "
                "everything!"
            )
        ),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(1, "slap", _("A pair. Leave this one, and see what happens when the other player is faster.")),
        Watch(1, "flip", _("The first to slap takes the pile and leads.")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("7, 2, 7: a sandwich. Slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        _slap(_("A pair of sixes. Slap!")),
    ),
    end=_(
        "After a jack the next player has 1 chance, after a queen 2, a king 3, an ace 4. Without a face card the pile "
        "goes to the player of the last one."
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
        _bet(_("Bet 10. The highest bet counts: it decides who chooses later."), 10),
        Watch(2, "fold"),
        Watch(0, "flip", _("Teams go by the colour of everybody's top card. Yours is red: see your partner's mark.")),
        Watch(1, "flip"),
        Watch(2, "flip"),
        _slap(_("4, 7, 4: a sandwich, and your partner's card made it. Slap!")),
        Watch(0, "flip", _("What you win counts for both of you.")),
        Watch(1, "flip"),
        Watch(2, "flip"),
        Watch(2, "slap", _("A pair of sixes. Leave it: your partner is there, and it counts for you, too.")),
        Watch(2, "flip", _("Your partner won the pile and leads.")),
        Watch(3, "flip"),
        Watch(0, "flip"),
        _slap(_("9 on 9. The next one might be an opponent's: slap!")),
        Watch(0, "flip"),
        Watch(1, "flip"),
        Watch(2, "flip"),
        _slap(_("10 on 10! Slap.")),
    ),
    end=_(
        "When all cards are played, each team counts 1 a card and 7 for the queen of spades. If "
        "yours wins by 10, as you "
        "bet, it picks its cards for Stage 2 and takes some of the others'. A team with all 52 cards "
        "wins, or one whose "
        "player is the last with cards; if that takes long, a final lap is counted."
    ),
    teaches=("bet", "teams", "power", "points", "choose", "all-cards", "last-card", "final-lap"),
)

LESSONS = (SLAP, DUEL, TEAMS)
