"""Options of a match, declared once per game and shown in the lobby, the rules page and emails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .cards import CARDS, Card
from .text import gettext as _

#: Option values of one match by name: JSON values.
Options = Mapping[str, Any]

_MIN_SEED_DIGITS = 32
_MAX_SEED_DIGITS = 1024


class BadOptions(ValueError):
    """Invalid options, seat count, deck, dealer or seed; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Subset:
    """Choices of an option whose value is a list: all of ``always`` and any of ``extra``, each once."""

    always: tuple[str, ...]
    extra: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """One declared option.

    ``default`` is what ``deal`` fills in, ``by_mail`` what the lobby proposes for asynchronous
    matches; ``choices`` is a range of ints, a tuple of values, or a :class:`Subset`; ``text`` is
    one sentence for players.
    """

    name: str
    default: Any
    by_mail: Any
    choices: "range | tuple[Any, ...] | Subset"
    text: str

    def check(self, value: Any) -> None:
        """Raise :class:`BadOptions` with the reason if ``value`` is not allowed."""
        choices = self.choices
        if isinstance(choices, range):
            # In Python, a bool is an int.
            if type(value) is not int or value not in choices:
                raise BadOptions(
                    _("{option} must be a whole number from {low} to {high}.").format(
                        option=self.name, low=choices[0], high=choices[-1]
                    )
                )
        elif isinstance(choices, Subset):
            if (
                not isinstance(value, (list, tuple))
                or not all(isinstance(item, str) for item in value)
                or len(set(value)) != len(value)
                or not set(choices.always) <= set(value) <= {*choices.always, *choices.extra}
            ):
                raise BadOptions(
                    _("{option} must be a list: {always}, and any of {extra}.").format(
                        option=self.name, always=", ".join(choices.always), extra=", ".join(choices.extra)
                    )
                )
        elif not any(type(value) is type(choice) and value == choice for choice in choices):
            raise BadOptions(
                _("{option} must be one of: {choices}.").format(
                    option=self.name, choices=", ".join(str(choice) for choice in choices)
                )
            )


def fill(declared: Sequence[Option], given: Options) -> dict[str, Any]:
    """Complete ``given`` with the defaults, in declared order; lists are copied.

    Raises :class:`BadOptions` for unknown names and for values out of bounds.
    """
    if not isinstance(given, Mapping):
        raise BadOptions(_("Options must be given by name."))
    unknown = [str(name) for name in given if name not in {option.name for option in declared}]
    if unknown:
        raise BadOptions(_("There's no option {names}.").format(names=", ".join(sorted(unknown))))
    filled: dict[str, Any] = {}
    for option in declared:
        value = given.get(option.name, option.default)
        option.check(value)
        filled[option.name] = list(value) if isinstance(value, (list, tuple)) else value
    return filled


def check_seats(allowed: Sequence[int], seats: Any) -> None:
    """Raise :class:`BadOptions` if a game can't be played by ``seats`` players."""
    if type(seats) is not int or seats not in allowed:
        numbers = ", ".join(str(number) for number in allowed)
        raise BadOptions(_("This game is for {numbers} players.").format(numbers=numbers))


def check_dealer(seats: int, dealer: Any) -> None:
    """Raise :class:`BadOptions` if ``dealer`` is given and is not one of the seats."""
    if dealer is not None and (type(dealer) is not int or not 0 <= dealer < seats):
        raise BadOptions(_("The dealer must be a seat from 0 to {last}.").format(last=seats - 1))


def read_seed(seed: Any) -> bytes:
    """The bytes of a seed. Raises :class:`BadOptions` if it is not a hex string of at least 128 bits."""
    try:
        if not isinstance(seed, str) or not seed.isascii() or not seed.isalnum():
            raise ValueError
        data = bytes.fromhex(seed)
    except ValueError:
        raise BadOptions(_("The seed must be a string of hexadecimal digits.")) from None
    if not _MIN_SEED_DIGITS <= len(seed) <= _MAX_SEED_DIGITS:
        raise BadOptions(_("The seed must have at least 128 bits."))
    return data


def read_deck(deck: Any, pack: Sequence[Card]) -> list[Card]:
    """The cards of a stacked ``deck`` of codes.

    Raises :class:`BadOptions` if it does not hold exactly the cards of ``pack``.
    """
    if isinstance(deck, str) or not isinstance(deck, Sequence):
        raise BadOptions(_("The deck must be a list of card codes."))
    try:
        cards = [CARDS[code] for code in deck]
    except (KeyError, TypeError):
        raise BadOptions(_("The deck contains a card that doesn't exist.")) from None
    if sorted(cards) != sorted(pack):
        raise BadOptions(_("The deck must contain each card of the game exactly once."))
    return cards
