"""Work in another language, without activating it for each piece of work."""

import threading
from collections.abc import Callable
from contextvars import Context
from typing import ParamSpec, TypeVar

from django.utils import translation

P = ParamSpec("P")
T = TypeVar("T")


class _Contexts(threading.local):
    """A context for each language, of each thread: what is active in one thread isn't in another."""

    def __init__(self) -> None:
        self.by_language: dict[str | None, Context] = {}


_contexts = _Contexts()


def in_language(language: str | None, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call ``work`` with ``language`` active (None: untranslated).

    Unless it is active already, ``work`` runs in a context that knows nothing else. A move needs this several times,
    and ``translation.override`` takes ten times as long.
    """
    if translation.get_language() == language:
        return work(*args, **kwargs)
    context = _contexts.by_language.get(language)
    if context is None:
        context = _contexts.by_language[language] = Context()
        context.run(translation.override(language).__enter__)
    # A copy, because this thread may be in it already.
    return context.copy().run(work, *args, **kwargs)
