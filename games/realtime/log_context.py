"""What every log line of this task or thread is about: a match, a person, a request."""

from collections.abc import Mapping
from contextvars import ContextVar

_bound: ContextVar[Mapping[str, object]] = ContextVar("log_context", default={})  # noqa: B039 - never changed in place


def bind(**values: object) -> None:
    """Have lines written from here on, also by tasks that begin here, say this, too."""
    _bound.set({**_bound.get(), **values})


def begin(**values: object) -> None:
    """Forget what was bound in this thread before, and bind ``values``."""
    _bound.set(values)


def bound() -> Mapping[str, object]:
    """What is bound here."""
    return _bound.get()
