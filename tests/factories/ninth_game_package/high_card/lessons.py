"""The one lesson of High Card: a whole match."""

from games.engine import Lesson, Step, Watch
from games.engine.cards import CODES
from games.engine.lesson import deck
from games.engine.text import gettext_noop as _

ROUNDS = Lesson(
    game="high-card",
    name="rounds",
    title=_("The highest card takes the point"),
    rules_version=1,
    dealer=1,
    deck=deck(CODES[:52], ("KS QS JS TS 9S", "2D 3D 4D 5D 6D"), ""),
    line=(
        Step(say=_("Throw down the king: it beats every other card."), move="play:KS", lit="KS"),
        Watch(1, "play:2D"),
        Step(say=_("You won the round, so you lead again."), move="play:QS", goal="play"),
        Watch(1, "play:3D"),
        Step(say=_("Lead your jack."), move="play:JS", otherwise={"": _("Keep that card for later.")}),
        Watch(1, "play:4D"),
        Step(say=_("Three points. Lead the ten."), move="play:TS"),
        Watch(1, "play:5D"),
        Step(say=_("Your last card is high enough, too."), move="play:9S"),
        Watch(1, "play:6D"),
    ),
    end=_("You won all five rounds."),
    teaches=("rounds",),
)

LESSONS = (ROUNDS,)
