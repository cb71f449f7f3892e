"""A state as JSON values and back: a cache for storage, never the truth.

The moves and the seed are the truth. A snapshot saves replaying a long match; an unreadable one is discarded.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, TypeVar

from .chance import Chance
from .protocol import State

StateType = TypeVar("StateType", bound=State)
#: Types whose values stay unchanged; nearly everything in a state is of one, and asking for them first saves time.
_PLAIN = {type(None), bool, int, float, str}


def freeze(state: State) -> dict[str, Any]:
    """The slots of ``state`` as JSON values. Raises ``TypeError`` for a slot that isn't plain data."""
    return {name: _freeze(getattr(state, name)) for name in _slots(type(state))}


def thaw(kind: type[StateType], data: dict[str, Any]) -> StateType:
    """Restore the state of type ``kind`` that :func:`freeze` turned into ``data``.

    Raises ``KeyError``, ``TypeError`` or ``ValueError`` if ``data`` has another format.
    """
    state = kind.__new__(kind)
    for name in _slots(kind):
        setattr(state, name, _thaw(data[name]))
    return state


@cache
def _slots(kind: type) -> list[str]:
    return [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]


def _freeze(value: Any) -> Any:
    """JSON values stay unchanged; anything else becomes a one-entry object named after its type."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return _freeze_all(value)
    if isinstance(value, tuple):
        return {"tuple": _freeze_all(value)}
    if isinstance(value, dict):
        return {"dict": [_freeze_all(entry) for entry in value.items()]}
    if isinstance(value, (set, frozenset)):
        return {type(value).__name__: sorted(_freeze_all(value))}
    if isinstance(value, (bytes, bytearray)):
        return {type(value).__name__: value.hex()}
    if isinstance(value, Chance):
        return {"chance": [value.seed.hex(), value.number]}
    raise TypeError(f"a state holds a {type(value).__name__}, which is not plain data")


def _freeze_all(values: Iterable[Any]) -> list[Any]:
    return [value if type(value) in _PLAIN else _freeze(value) for value in values]


def _thaw(value: Any) -> Any:
    if isinstance(value, list):
        return _thaw_all(value)
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "tuple":
            return tuple(_thaw_all(content))
        case "dict":
            return {_thaw(key): _thaw(item) for key, item in content}
        case "set":
            return set(_thaw_all(content))
        case "frozenset":
            return frozenset(_thaw_all(content))
        case "bytes":
            return bytes.fromhex(content)
        case "bytearray":
            return bytearray.fromhex(content)
        case "chance":
            seed, number = content
            return Chance(bytes.fromhex(seed), number)
    raise ValueError(f"a snapshot holds an unknown kind of value: {kind}")


def _thaw_all(values: Iterable[Any]) -> list[Any]:
    return [value if type(value) in _PLAIN else _thaw(value) for value in values]
