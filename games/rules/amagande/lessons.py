"""The lessons of Amagande: matching, penalties, the showdown, and a whole match to the last card."""

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_ANOTHER = _("That card fits, too. Here, choose the lit one.")
_NO_DRAW = _("You may draw even if you can play. Here, play the lit card.")


def _play(say: str, move: str) -> Step:
    return Step(say=say, move=f"play:{move}", lit=move[:2], otherwise={"play": _ANOTHER, "draw": _NO_DRAW})


MATCH = Lesson(
    game="amagande",
    name="match",
    title=_("Match suit or number"),
    rules_version=1,
    is_plain=True,
    dealer=1,
    deck=deck(CODES, ("9H 9C 4S QD KD 8D TC", "9D QS 6S 6H 7C JH 3C"), "4H 5C 3H"),
    line=(
        _play(_("Get rid of all your cards to win. Match the top card's suit or number: play your 9 of hearts."), "9H"),
        Watch(1, "play:9D"),
        _play(_("Diamonds now. Your 8 skips the next player; with two players that means you play again."), "8D"),
        _play(_("It's still your turn. Your queen and your king both fit; play the queen."), "QD"),
        Watch(1, "play:QS"),
        _play(_("Spades, or a queen. Your 4 of spades fits."), "4S"),
        Watch(1, "play:6S"),
        Step(say=_("Nothing fits a 6 of spades. Draw a card."), move="draw"),
        Step(say=_("The new card doesn't fit either. Pass, and your turn is over."), move="pass"),
    ),
    end=_(
        "Match suit or number, or draw one. Playing your last card wins at once. The third lesson shows the showdown."
    ),
    teaches=("match", "eight", "draw"),
)

PENALTY = Lesson(
    game="amagande",
    name="penalty",
    title=_("2s, 3s and wild aces"),
    rules_version=1,
    is_plain=True,
    dealer=0,
    deck=deck(CODES, ("2H 3H AH 5D KC 7C 9S", "2D 3C JC 5C KD 8S 4H"), "6D QC TC 9C 7H JD", first=1),
    line=(
        Watch(1, "play:2D", _("A 2: you must draw two cards, or counter.")),
        _play(_("Any 2 counters a 2, and so does the 3 of its suit. Play your 2 of hearts."), "2H"),
        Watch(1, "draw", _("The penalty goes to the other player now.")),
        _play(_("Hearts are still on top. Your 3 makes the other player draw three."), "3H"),
        Watch(1, "play:3C", _("A 3 on your 3: now you face three cards.")),
        Step(
            say=_("You have no 3, no 2 of clubs and no joker. Draw the three cards; your turn is over."),
            move="draw",
        ),
        Watch(1, "play:JC", _("With two players, a jack means you play again.")),
        Watch(1, "play:5C"),
        Step(
            say=_("An ace is wild and names a suit. You have two diamonds, so play it and name diamonds."),
            move="play:AH/D",
            lit="AH",
            otherwise={
                **dict.fromkeys(
                    ("play:AH/C", "play:AH/H", "play:AH/S"), _("You may name any suit. Name diamonds: you hold two.")
                ),
                "play": _ANOTHER,
                "draw": _NO_DRAW,
            },
        ),
        Watch(1, "play:KD"),
        _play(_("A king on a king: the rank matches."), "KC"),
    ),
    end=_("A 2 costs the next player two cards, a 3 three, a joker five. The ace of spades blocks any penalty."),
    teaches=("penalty", "counter", "ace", "jack"),
)

SHOWDOWN = Lesson(
    game="amagande",
    name="showdown",
    title=_("The bomb and the showdown"),
    rules_version=1,
    dealer=1,
    deck=deck(CODES, ("7S AC QH 9D TH 4H 5C", "QD 9S KH TS JD KC 8H"), "9H"),
    line=(
        _play(_("The 7 of spades is the bomb here: it ends the match. First play high cards: the queen."), "QH"),
        Watch(1, "play:QD"),
        _play(_("Play the 9 of diamonds."), "9D"),
        Watch(1, "play:9S"),
        Step(
            say=_("With an ace in hand you would be out at a showdown. Play it, and name hearts."),
            move="play:AC/H",
            lit="AC",
            otherwise={
                "play:7S": _("The bomb ends the match. With an ace in hand you would lose it: wait."),
                "play": _("You may name any suit. Name hearts: you hold two."),
                "draw": _NO_DRAW,
            },
        ),
        Watch(1, "play:KH"),
        _play(_("Hearts: play the 10."), "TH"),
        Watch(1, "play:TS"),
        _play(_("Spades! Your hand would count 4 + 5, and 30 is the limit. Play the bomb: showdown!"), "7S"),
    ),
    end=_(
        "You hold 9 points; the other player is over 30 and loses. At a showdown an ace, a joker or more than 30 "
        "puts you out; then the lowest sum wins. A 2 counts 20, a 3 counts 30."
    ),
    teaches=("showdown", "values"),
)

LAST_CARD = Lesson(
    game="amagande",
    name="last-card",
    title=_("A whole match: your last card"),
    rules_version=1,
    dealer=1,
    deck=deck(
        CODES,
        ("8H BJ QH 8D 7H KC JC", "5H 6H 4C 9D JH 6C 7C"),
        "QD",
    ),
    line=(
        _play(
            _("Play your last card before the other player does. Diamonds: play your 8, and it's your turn again."),
            "8D",
        ),
        _play(_("An 8 fits on an 8: play the second one."), "8H"),
        _play(_("Again! Hearts are on top now. Play the queen."), "QH"),
        Watch(1, "play:JH", _("A jack: with two players, the other player goes again.")),
        Watch(1, "play:6H"),
        _play(_("Your 7 of hearts fits."), "7H"),
        Watch(1, "play:7C"),
        _play(_("Clubs are black, and so is your joker: play it. The other player must draw five."), "BJ"),
        Watch(1, "draw", _("No counter: five cards. You have two left.")),
        _play(_("After a black joker play any black card. The jack lets you go again."), "JC"),
        _play(_("Clubs on clubs: play your last card, the king!"), "KC"),
    ),
    end=_(
        "Your hand is empty, so you win at once: nothing is counted. Watch how many cards the others hold, so they "
        "don't get there first."
    ),
    teaches=("out", "joker"),
)

LESSONS = (MATCH, PENALTY, SHOWDOWN, LAST_CARD)
