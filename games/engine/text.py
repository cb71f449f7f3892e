"""Translation of the rules' texts, independent of the translator.

Rules modules mark their sentences with ``_``; the site installs its translator at start-up with :func:`set_translator`.
Before that, sentences are English.
"""

from collections.abc import Callable


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
