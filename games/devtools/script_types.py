"""Generate the types that scripts are checked against, from the server's messages.

Messages, views and intents are classes, so their types are read from those. The facts of a game's views and its events
have no fixed form, so they are observed in random matches with fixed seeds.
"""

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from random import Random
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

import msgspec

from games import engine, rules
from games.realtime import intents
from games.table import messages

#: Matches of each game at its smallest and largest table, and the number of moves examined in each.
MATCHES, MOVES = 4, 400
#: Number of moves between checks of all views.
LOOKS = 5

HEAD = """// The shapes of what the server sends and takes. Written by `manage.py script_types`; not by hand.

"""
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def source() -> str:
    """The text of ``types/messages.d.ts``."""
    found = _Shapes()
    found.read(messages.Message)
    spoken = [found.name_of(intent) for intent in get_args(intents.Intent)]
    parts = [
        *found.texts,
        f"type Message = {' | '.join(each.__name__ for each in get_args(messages.Message))};\n",
        f"type Intent = {' | '.join(spoken)};\n",
        *_observed(),
    ]
    return HEAD + "\n".join(parts)


class _Shapes:
    """Interfaces for classes, each written once, after the ones it needs."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.texts: list[str] = []

    def read(self, hint: Any) -> str:
        """The TypeScript type of a hint."""
        if isinstance(hint, str):
            return hint
        if hint in _PLAIN:
            return _PLAIN[hint]
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.read(hint.__metadata__[0])
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.read(each) for each in arguments))
        if origin is Literal:
            return " | ".join(f'"{each}"' for each in arguments)
        if origin is NotRequired:
            return self.read(arguments[0])
        if origin is not None and issubclass(origin, Mapping):
            return "Facts" if arguments == (str, Any) else f"Record<string, {self.read(arguments[1])}>"
        if origin is not None and issubclass(origin, Sequence):
            inner = self.read(arguments[0])
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        return self.name_of(hint)

    def name_of(self, shape: type) -> str:
        """The interface name of a class, which is written on first use."""
        name = shape.__name__
        if name in self.names:
            return self._with_facts(name)
        self.names.add(name)
        head = f"interface {name}<F = Facts>" if self._with_facts(name) != name else f"interface {name}"
        lines = "".join(f"  {member}: {kind};\n" for member, kind in self._members(shape))
        lines = lines.replace(": Facts;", ": F;")
        self.texts.append(f"/** {(shape.__doc__ or '').splitlines()[0]} */\n{head} {{\n{lines}}}\n")
        return self._with_facts(name)

    @staticmethod
    def _with_facts(name: str) -> str:
        return {"View": "View<F>", "Snapshot": "Snapshot<F>", "Moved": "Moved<F>"}.get(name, name)

    def _members(self, shape: type) -> Iterator[tuple[str, str]]:
        if issubclass(shape, msgspec.Struct):
            yield "t", f'"{shape.__struct_config__.tag}"'
            for field in msgspec.structs.fields(shape):
                yield field.name if field.required else f"{field.name}?", self.read(field.type)
            return
        hints = get_type_hints(shape, include_extras=True)
        names = [field.name for field in fields(shape)] if is_dataclass(shape) else list(hints)
        optional: frozenset[str] = getattr(shape, "__optional_keys__", frozenset())
        for name in names:
            yield f"{name}?" if name in optional else name, self.read(hints[name])


# Facts and events, which have no fixed form.


def _observed() -> Iterator[str]:
    """The observed facts of every game, and the data of all games' events."""
    data: dict[str, set[str]] = {}
    names = []
    for game in rules.all():
        views: list[Mapping[str, Any]] = []
        for seats in sorted({min(game.seats), max(game.seats)}):
            for number in range(MATCHES):
                for event in _play(game, seats, number, views):
                    note(event.data, data)
        facts: dict[str, set[str]] = {}
        for view in views:
            note(view, facts)
        always = set.intersection(*(set(view) for view in views))
        names.append("".join(part.capitalize() for part in game.slug.split("-")) + "Facts")
        lines = [f"  {name}{'' if name in always else '?'}: {one_of(facts[name])};\n" for name in sorted(facts)]
        doc = f"/** What all may know of a table of {game.name}, and what the viewer may. */\n"
        yield f"{doc}interface {names[-1]} {{\n{''.join(lines)}}}\n"
    yield "/** The facts of a game that is not known where they are read. */\ntype Facts = object;\n"
    lines = [f"  {name}?: {one_of(data[name])};\n" for name in sorted(data)]
    yield f"/** What events tell: each kind has some of it. */\ninterface EventData {{\n{''.join(lines)}}}\n"


def _play(game: engine.Rules, seats: int, number: int, views: list[Mapping[str, Any]]) -> list[engine.Event]:
    """The events of a random match with a fixed seed; facts observed on the way go to ``views``."""
    rng = Random(number)  # noqa: S311 - random matches are no secret
    # Every other match is as short as possible, so that endings are observed, too.
    shortest = {option.name: option.choices[1] for option in game.options if isinstance(option.choices, range)}
    state = game.deal(seats, shortest if number % 2 else {}, f"{rng.getrandbits(128):032x}")
    told: list[engine.Event] = []
    for step in range(MOVES):
        awaited = state.to_move()
        if step % LOOKS == 0 or not awaited:
            views += [state.view(viewer).facts for viewer in (None, *range(seats))]
        if not awaited:
            break
        state.apply(awaited[0], rng.choice(state.legal_moves(awaited[0])), told.append)
    return told


def note(values: Mapping[str, Any], known: dict[str, set[str]]) -> None:
    """Add the types of named values to the known ones."""
    for name, value in values.items():
        known.setdefault(name, set()).add(_type_of(value))


def _type_of(value: Any) -> str:
    """The type of one observed value."""
    if type(value) in _PLAIN:
        return _PLAIN[type(value)]
    if isinstance(value, Mapping):
        return "{ " + "; ".join(f"{name}: {_type_of(each)}" for name, each in sorted(value.items())) + " }"
    return f"({one_of({_type_of(each) for each in value})})[]"


def one_of(kinds: set[str]) -> str:
    """One type for all observed values: empty lists are ignored, and objects are merged."""
    lists = {kind.removesuffix("[]").removeprefix("(").removesuffix(")") for kind in kinds if kind.endswith("[]")}
    objects = {kind for kind in kinds if kind.startswith("{")}
    plain = sorted(kinds - objects - {kind for kind in kinds if kind.endswith("[]")} - {"never"})
    if objects:
        members: dict[str, set[str]] = {}
        for kind in objects:
            for name, _colon, each in (part.partition(": ") for part in _split(kind[2:-2])):
                members.setdefault(name, set()).add(each)
        plain.append("{ " + "; ".join(f"{name}: {one_of(members[name])}" for name in sorted(members)) + " }")
    if lists:
        parts = {part for each in lists for part in _split(each, " | ") if part != "never"}
        inner = one_of(parts) if parts else "never"
        plain.append(f"({inner})[]" if "|" in inner else f"{inner}[]")
    return " | ".join(plain) or "never"


def _split(text: str, mark: str = "; ") -> list[str]:
    """Split a text at marks outside brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "({[") - (letter in ")}]")
        if depth == 0 and text.startswith(mark, at):
            parts.append(text[start:at])
            start = at + len(mark)
    return [*parts, text[start:]]
