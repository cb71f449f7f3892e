"""Translation of what the rules say, without knowing who translates.

Rules modules mark their sentences with ``_``; the site installs its translator at start-up
with :func:`set_translator`. Until then sentences are English.
"""

from collections.abc import Callable


def _english(message: str) -> str:
    return message


_translate: Callable[[str], str] = _english


def set_translator(translate: Callable[[str], str]) -> None:
    """Let ``translate`` turn each English message into the reader's language from now on."""
    global _translate
    _translate = translate


def gettext(message: str) -> str:
    """``message`` in the reader's language."""
    return _translate(message)


def gettext_noop(message: str) -> str:
    """``message`` as it is, marked for translators: the code that shows it translates it."""
    return message
