"""Texts for a game's options and numbers of players."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from games import rules
from games.engine import Option, Subset


class OptionText(NamedTuple):
    """A declared option with its texts."""

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


def in_words(slug: str, option: Option) -> OptionText:
    """The description of an option on that game's rules page."""
    return OptionText(
        name=option.name,
        label=_capital(_spoken(slug, option.name)),
        text=_(option.text),
        choices=_choices(slug, option),
        default=value_in_words(slug, option.default, option.name),
        by_mail=value_in_words(slug, option.by_mail, option.name),
    )


def _choices(slug: str, option: Option) -> str:
    choices = option.choices
    if isinstance(choices, range):
        return _("{low} to {high}").format(low=choices[0], high=choices[-1])
    if isinstance(choices, Subset):
        return _("always {always}; optional: {extra}").format(
            always=value_in_words(slug, choices.always), extra=value_in_words(slug, choices.extra)
        )
    return _(" or ").join(value_in_words(slug, choice, option.name) for choice in choices)


def value_in_words(slug: str, value: Any, option: str = "") -> str:
    """The text for an option's value; special values, such as 0 for no limit, have their own."""
    if special := rules.presentation(slug).option_names.get(f"{option}={value}"):
        return _(special)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, (list, tuple)):
        return ", ".join(value_in_words(slug, item) for item in value)
    return _spoken(slug, str(value))


def _spoken(slug: str, name: str) -> str:
    """A declared name in words: ``stage2_flips`` becomes ``stage 2 flips``."""
    names = rules.presentation(slug).option_names
    return _(names[name]) if name in names else re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
