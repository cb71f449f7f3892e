"""Translation of the rules' texts, independent of the translator.

Rules modules mark their sentences with ``_``; the site installs its translator at start-up with :func:`set_translator`.
Before that, sentences are English.
"""

from collections.abc import Callable, Sequence


def _english(message: str) -> str:
    return message


_translate: Callable[[str], str] = _english


def set_translator(translate: Callable[[str], str]) -> None:
    """Translate messages with ``translate`` from now on."""
    global _translate
    _translate = translate


def gettext(message: str) -> str:
    """``message`` in the reader's language."""
    return _translate(message)


def gettext_noop(message: str) -> str:
    """Mark ``message`` for translators without translating it: the code that shows it does."""
    return message


class Name(str):
    """A player's name in a sentence, which has words for others and words for that player.

    ``{name:* draws|You draw} a card`` is "Ada draws a card" for others: the name replaces the star. A field without
    such words becomes the bare name.
    """

    __slots__ = ()

    def __format__(self, words: str) -> str:
        return self._of(*words.split("|")) if words else str(self)

    def _of(self, others: str, reader: str) -> str:
        return others.replace("*", self)


class Reader(Name):
    """The name of the player who reads the sentence: "You draw a card". Without words it is "Ada (you)"."""

    __slots__ = ()

    def __new__(cls, name: str) -> "Reader":
        """The name as the player who has it reads it."""
        return super().__new__(cls, gettext("{name} (you)").format(name=name))

    def _of(self, others: str, reader: str) -> str:
        return reader


def names_in_text(names: Sequence[str]) -> Sequence[Name]:
    """Names by seat, for sentences with words for each reader."""
    return [name if isinstance(name, Name) else Name(name) for name in names]


def names_for(names: Sequence[str], seat: int | None) -> Sequence[Name]:
    """Names by seat, for sentences that the player of that seat reads."""
    return [Reader(name) if at == seat else Name(name) for at, name in enumerate(names)]
