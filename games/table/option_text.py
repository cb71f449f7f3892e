"""The options of a game, and how many can play it, in words."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from games.engine import Option, Subset

#: Names of options, and of what can be chosen, as the declarations spell them; a new one stands here to be translated.
SPOKEN = (
    gettext_noop("ace scores"),
    gettext_noop("battles"),
    gettext_noop("deals"),
    gettext_noop("hand"),
    gettext_noop("hand size"),
    gettext_noop("jokers"),
    gettext_noop("limit"),
    gettext_noop("lockout"),
    gettext_noop("one claim"),
    gettext_noop("packs"),
    gettext_noop("rummy doubles"),
    gettext_noop("slaps"),
    gettext_noop("stacking"),
    gettext_noop("stage 2 flips"),
    gettext_noop("target"),
    gettext_noop("teams"),
    gettext_noop("alternate"),
    gettext_noop("colour"),
    gettext_noop("marriage"),
    gettext_noop("pair"),
    gettext_noop("queen of spades"),
    gettext_noop("run"),
    gettext_noop("sandwich"),
    gettext_noop("top bottom"),
)


class OptionText(NamedTuple):
    """A declared option in words."""

    name: str
    label: str
    text: str
    choices: str
    default: str
    by_mail: str


def players(seats: Sequence[int]) -> str:
    """How many can play: ``2 to 8 players``, ``2, 3, 4 or 6 players``."""
    if len(seats) == 1:
        return _("{number} players").format(number=seats[0])
    if seats[-1] - seats[0] == len(seats) - 1:
        return _("{low} to {high} players").format(low=seats[0], high=seats[-1])
    return _("{numbers} or {last} players").format(
        numbers=", ".join(str(number) for number in seats[:-1]), last=seats[-1]
    )


def in_words(option: Option) -> OptionText:
    """What a rules page says of an option."""
    return OptionText(
        name=option.name,
        label=_capital(_spoken(option.name)),
        text=_(option.text),
        choices=_choices(option),
        default=value_in_words(option.default),
        by_mail=value_in_words(option.by_mail),
    )


def _choices(option: Option) -> str:
    choices = option.choices
    if isinstance(choices, range):
        return _("{low} to {high}").format(low=choices[0], high=choices[-1])
    if isinstance(choices, Subset):
        return _("always {always}; any of {extra}").format(
            always=value_in_words(choices.always), extra=value_in_words(choices.extra)
        )
    return _(" or ").join(value_in_words(choice) for choice in choices)


def value_in_words(value: Any) -> str:
    """A value of an option as people write it."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, (list, tuple)):
        return ", ".join(value_in_words(item) for item in value)
    return _spoken(str(value))


def _spoken(name: str) -> str:
    """A name of the declaration as people write it: ``stage2_flips`` is ``stage 2 flips``."""
    spoken = re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))
    return _(spoken) if spoken in SPOKEN else spoken


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
