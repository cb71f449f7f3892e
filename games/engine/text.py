"""Translation of the rules' texts, independent of the translator.

Rules modules mark their sentences with ``_``; the site installs its translator at start-up with :func:`set_translator`.
Before that, sentences are English.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def _english(message: str) -> str:
    return message


_translate: Callable[[str], str] = _english
#: The texts that :func:`remembered` keeps: by language, and by message or by what is written about (`by_language`).
_kept: dict[str, dict[Hashable, str]] = {}
_current: ContextVar[dict[Hashable, str] | None] = ContextVar("translations", default=None)


def set_translator(translate: Callable[[str], str]) -> None:
    """Translate messages with ``translate`` from now on."""
    global _translate
    _translate = translate
    _kept.clear()


@contextmanager
def remembered(language: str) -> Iterator[None]:
    """Ask the translator only once for each message while it writes in ``language``.

    A move has dozens of them, and the site's translator takes 20 times as long as this memory.
    """
    token = _current.set(_kept.setdefault(language, {}))
    try:
        yield
    finally:
        _current.reset(token)


def gettext(message: str) -> str:
    """``message`` in the reader's language."""
    texts = _current.get()
    if texts is None:
        return _translate(message)
    text = texts.get(message)
    if text is None:
        text = texts[message] = _translate(message)
    return text


def by_language(write: Callable[[T], str]) -> Callable[[T], str]:
    """``write``, a function of few different things to a text, with its texts kept as :func:`remembered` does."""

    @wraps(write)
    def kept(thing: T) -> str:
        texts = _current.get()
        if texts is None:
            return write(thing)
        text = texts.get((write, thing))
        if text is None:
            text = texts[write, thing] = write(thing)
        return text

    return kept


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


class Names(tuple[Name, ...]):
    """Names by seat, for sentences with words for each reader."""

    __slots__ = ()


def names_in_text(names: Sequence[str]) -> Names:
    """Names by seat, for sentences with words for each reader."""
    if isinstance(names, Names):
        return names
    return Names([name if isinstance(name, Name) else Name(name) for name in names])


def names_for(names: Sequence[str], seat: int | None) -> Names:
    """Names by seat, for sentences that the player of that seat reads."""
    named = names_in_text(names)
    return named if seat is None else Names((*named[:seat], Reader(names[seat]), *named[seat + 1 :]))
