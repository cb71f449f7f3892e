"""The lessons of Ten-Skip Challenge: the ten-skip hand, the challenge, and the points."""

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

_PACK = [code for code in CODES[:52] if code[0] in "A23456789T"]
_OTHER_CARD = _("You could discard that one. Here, choose the lit card.")
_NO_SWAP = _("You may offer a card to the other player. Here, discard it.")
_OTHER_KEEP = _("You could keep that one. Here, keep the other.")
_NOT_YET = _("You may claim at the end of any turn, whether it's true or not. Not here yet: end your turn.")


def _discard(say: str, card: str) -> Step:
    return Step(say=say, move=f"discard:{card}", lit=card, otherwise={"discard": _OTHER_CARD, "swap": _NO_SWAP})


def _keep(say: str, card: str) -> Step:
    return Step(say=say, move=f"keep:{card}", lit=card, otherwise={"keep": _OTHER_KEEP})


MADE = Lesson(
    game="ten-skip",
    name="made",
    title=_("The ten-skip hand: A 3 5 7"),
    rules_version=1,
    dealer=1,
    deck=deck(_PACK, ("AC 3D 5H 9S 9C TD 2S", "2C 4C 4D 6H 8S TC AD"), "8D 4H 6S 2D 7S 6C 8C 3C"),
    line=(
        _discard(
            _("Win rounds with a hand such as A-3-5-7. A lost round costs points. You need a 7: discard the 10."),
            "TD",
        ),
        _keep(_("You drew two cards and keep one. Neither is a 7. Keep the 4: it costs less if you lose."), "4H"),
        Step(
            say=_("A-3-5-7 isn't complete yet, so don't claim anything: end your turn."),
            move="end",
            otherwise={"claim": _NOT_YET},
        ),
        Watch(1, "discard:2C"),
        Watch(1, "keep:2D"),
        Watch(1, "end"),
        _discard(_("Your turn again. Discard a 9."), "9S"),
        _keep(_("There's the 7! Keep it."), "7S"),
        Step(
            say=_(
                "A-3-5-7 skips a number each time: that's a ten-skip hand. Put the other player on notice: claim it."
            ),
            move="claim",
            otherwise={"end": _("You could end your turn. But now you have a ten-skip hand: claim it.")},
        ),
        Watch(1, "discard:4C", _("The other player may challenge you, or take a card.")),
        Watch(1, "keep:8C"),
        Step(
            say=_("No one challenged you: you win the round! You don't have to show your cards. Keep them hidden."),
            move="hide",
            otherwise={"show": _("You could show them. Here, keep your secret.")},
        ),
    ),
    end=_(
        "Ten-skip hands are A-3-5-7, 2-4-6-8, 3-5-7-9 and 4-6-8-10; suits don't matter. If you lose a round you get "
        "points, and points are bad: with 1000 you're out."
    ),
    teaches=("made-hand", "turn", "claim", "unchallenged"),
)

CHALLENGE = Lesson(
    game="ten-skip",
    name="challenge",
    title=_("Challenge a bluff"),
    rules_version=1,
    dealer=1,
    deck=deck(_PACK, ("5C 5D 5H 6C 6D 6H 2S", "AC 3D 8C 9S 4C TH AD"), "9C TD 3S"),
    line=(
        _discard(_("Look at your cards: three 5s and three 6s. Discard the 2."), "2S"),
        _keep(_("Keep the 9, or the 10? The lower one."), "9C"),
        Step(say=_("You have no ten-skip hand, so end your turn."), move="end", otherwise={"claim": _NOT_YET}),
        Watch(1, "swap:8C@0", _("The other player offers you the 8 of clubs for one of your cards.")),
        Step(
            say=_("You can't say no: give back any card, face down. Give the 9."),
            move="give:9C",
            lit="9C",
            otherwise={"give": _("You could give that one. Here, choose the lit card.")},
        ),
        Watch(1, "claim", _("“You're on notice!” The other player claims a ten-skip hand.")),
        Step(
            say=_("Every ten-skip hand needs a 5 or a 6, and you hold six of the eight. Challenge it!"),
            move="challenge",
            otherwise={"": _("You could take a card instead. But then the claim stands, and you lose the round.")},
        ),
    ),
    end=_(
        "It was a bluff, so you're safe in this round, and the other player loses it. A real ten-skip hand would "
        "have cost you the points of both hands."
    ),
    teaches=("swap", "challenge"),
)

POINTS = Lesson(
    game="ten-skip",
    name="points",
    title=_("The points, and a bluff"),
    rules_version=1,
    dealer=1,
    deck=deck(_PACK, ("2C 4D 6S TH 3C 9D 7H", "AC AD 5C 5S 8D 9C TC"), "8H 3S 6H 4H"),
    line=(
        _discard(_("2 4 6 are three of four: an 8 is missing. Discard the 10."), "TH"),
        _keep(_("An 8! Keep it."), "8H"),
        Step(
            say=_("Claim your ten-skip hand."),
            move="claim",
            otherwise={"end": _("You could end your turn. But now you have a ten-skip hand: claim it.")},
        ),
        Watch(1, "challenge", _("The other player doesn't believe you.")),
        Watch(
            1, "discard:7C", _("You did have a ten-skip hand, so the other player gets 232 points. A new round begins.")
        ),
        Watch(1, "keep:TD"),
        Watch(1, "end"),
        _discard(
            _("An ace counts 20, and a pair in the loser's own hand doubles everything. You hold two 5s: discard one."),
            "5H",
        ),
        _keep(_("Both make a pair. Keep the 3: it counts less."), "3D"),
        Step(
            say=_("You have no ten-skip hand now. Claim one anyway: that's a bluff."),
            move="claim",
            otherwise={"end": _("You could end your turn. Here, try a bluff.")},
        ),
        Watch(1, "discard:7D", _("Will the other player challenge again?")),
        Watch(1, "keep:4H"),
        Step(
            say=_("No challenge, so your bluff wins the round! Keep your cards hidden."),
            move="hide",
            otherwise={"show": _("You could show them, but then everyone knows that you bluffed. Hide them.")},
        ),
    ),
    end=_(
        "If you lose a round, your hand is added up; at 1000 points you're out of the match, and the last player "
        "left wins. A wrong challenge adds both hands, and a pair doubles the points."
    ),
    teaches=("points", "bluff"),
)

LESSONS = (MADE, CHALLENGE, POINTS)
