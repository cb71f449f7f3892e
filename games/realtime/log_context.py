"""The context added to every log line of this task or thread: a match, a person, a request."""

from collections.abc import Mapping
from contextvars import ContextVar

_bound: ContextVar[Mapping[str, object]] = ContextVar("log_context", default={})  # noqa: B039 - never changed in place


def bind(**values: object) -> None:
    """Add values to log lines from here on, also of tasks started here."""
    _bound.set({**_bound.get(), **values})


def begin(**values: object) -> None:
    """Replace the context of this thread by ``values``."""
    _bound.set(values)


def bound() -> Mapping[str, object]:
    """The current context."""
    return _bound.get()
