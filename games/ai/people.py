"""The AI players: names, characters, and how long they seem to think. Their level is always shown with them.

The level alone decides how strong one plays; this module decides what it feels like to sit opposite.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from games.engine.text import gettext as _

#: How long an AI player seems to think in a live match: minimum and maximum in milliseconds.
TEMPOS = {"quick": (600, 1200), "even": (600, 2000), "slow": (1200, 2000)}


@dataclass(frozen=True, slots=True)
class Character:
    """An AI player; ``tempo`` is one of ``TEMPOS``, and the face is a symbol of the sprite."""

    name: str
    tempo: str

    @property
    def face(self) -> str:
        """The symbol in ``static/img/ai-faces.svg``."""
        return self.name.lower()

    @property
    def line(self) -> str:
        """Its description, in the reader's language."""
        return _line_of(self.name)

    @property
    def style(self) -> str:
        """Its way of thinking, in words."""
        return {
            "quick": _("Answers right away"),
            "even": _("Takes time when it's needed"),
            "slow": _("Thinks before every card"),
        }[self.tempo]


CHARACTERS = (
    Character("Ada", "quick"),
    Character("Boris", "slow"),
    Character("Chiara", "quick"),
    Character("Dumisani", "even"),
    Character("Edda", "slow"),
    Character("Farid", "even"),
    Character("Greta", "quick"),
    Character("Hugo", "slow"),
    Character("Ines", "even"),
    Character("Jun", "quick"),
    Character("Kofi", "slow"),
    Character("Lena", "even"),
)
NAMES = tuple(character.name for character in CHARACTERS)
_BY_NAME = {character.name: character for character in CHARACTERS}


def name_for(match_key: str, seat: int, taken: Iterable[str] = ()) -> str:
    """The name of the AI player on ``seat``: unique in its match, and not one of ``taken``."""
    names = list(NAMES)
    Random(match_key).shuffle(names)  # noqa: S311 - a name is no secret
    there = {name.casefold() for name in taken}
    # There are more names than seats, so one is always free.
    return next(name for name in names[seat:] + names[:seat] if name.casefold() not in there)


def pause_of(name: str) -> tuple[int, int]:
    """How long the AI player called ``name`` seems to think: minimum and maximum in milliseconds."""
    character = _BY_NAME.get(name)
    return TEMPOS[character.tempo if character else "even"]


def _line_of(name: str) -> str:
    return {
        "Ada": _("Counts the trumps that are gone, and wants you to know it."),
        "Boris": _("Has never rushed a card, and won't start with you."),
        "Chiara": _("Winks at good hands and at bad ones, so that it tells you nothing."),
        "Dumisani": _("Laughs at his own mistakes first. Laugh along, and deal again."),
        "Edda": _("Learned all these games before there were rules pages."),
        "Farid": _("Keeps score in his head, and yours too."),
        "Greta": _("Came for one quick game, three hours ago."),
        "Hugo": _("Tips his cap to no one but the queen of spades."),
        "Ines": _("Believes no claim, not even the weather forecast."),
        "Jun": _("Hears music while playing; the cards keep time."),
        "Kofi": _("Says that the next deal is always the best one."),
        "Lena": _("Plays each hand as if it were the last of the evening."),
    }[name]
