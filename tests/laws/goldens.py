"""Golden logs: complete matches with every view of every seat, to be read and compared.

A log is JSON lines. The first line is the match without its moves, the second each seat's (and the spectator's, ``*``)
view of the deal. Each further line is an entry: seat, move, events, and changes of the views, first ``all`` for common
ones, then by viewer. Hidden cards are ``?``; a bare number is a zone of which only the count is known.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from games.engine import Match, Rules, State, View
from tests.laws.battery import event_json, play, random_options

FOLDER = Path(__file__).parent.parent / "data" / "goldens"
LOGS = 5
#: The first match with this many entries is kept, or else the closest.
_LENGTHS = range(30, 161)
_TRIES = 60


def flat(view: View) -> dict[str, Any]:
    """A view as a flat mapping, so that changes are few and readable."""
    data = view.to_json()
    facts = {f"facts.{fact}": value for fact, value in data["facts"].items() if fact != "options"}
    zones = {
        zone["id"]: zone["count"] if zone["cards"] is None else " ".join(code or "?" for code in zone["cards"])
        for zone in data["zones"]
    }
    notes = {f"{zone['id']}.note": zone["note"] for zone in data["zones"] if zone["note"]}
    seats = {f"{key}.{seat['seat']}": seat[key] for key in ("team", "place", "points", "out") for seat in data["seats"]}
    return {
        "phase": data["phase"],
        "to_move": data["to_move"],
        **seats,
        **zones,
        **notes,
        **facts,
        "moves": " ".join(data["moves"]),
    }


def _views(state: State, seats: int) -> dict[str, dict[str, Any]]:
    return {"*" if seat is None else str(seat): flat(state.view(seat)) for seat in (None, *range(seats))}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    changed = {key: value for key, value in after.items() if key not in before or before[key] != value}
    return {**changed, **{key: None for key in before if key not in after}}


def _shared(changes: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What all viewers have in common, under ``all``; the rest by viewer."""
    first, *others = changes.values()
    common = {
        key: value for key, value in first.items() if all(key in other and other[key] == value for other in others)
    }
    rest = {
        viewer: {key: value for key, value in mine.items() if key not in common} for viewer, mine in changes.items()
    }
    return {name: mine for name, mine in {"all": common, **rest}.items() if mine}


def lines(rules: Rules, match: Match) -> Iterator[str]:
    """The log of ``match``."""
    head = match.to_json()
    del head["entries"]
    yield json.dumps(head)
    state = rules.deal(match.seats, match.options, match.seed, deck=match.deck, dealer=match.dealer)
    views = _views(state, match.seats)
    yield json.dumps(_shared(views))
    for seat, move in match.entries:
        told: list[Any] = []
        state.apply(seat, move, lambda event, told=told: told.append(event_json(event)))  # type: ignore[misc]  # a default binds it
        after = _views(state, match.seats)
        changes = {viewer: _changes(views[viewer], after[viewer]) for viewer in after}
        yield json.dumps({"seat": seat, "move": move, "told": [_brief(event) for event in told], **_shared(changes)})
        views = after


def _brief(event: Mapping[str, Any]) -> list[Any]:
    """An event as kind, seat, data and, unless it is public, the seats that may know it."""
    to = event["to"]
    return [event["kind"], event["seat"], event["data"], *([] if to is None else [to])]


def read(log: Path) -> Match:
    """The match of a log."""
    head, _deal, *moves = (json.loads(line) for line in log.read_text().splitlines())
    return Match(**head, entries=[(entry["seat"], entry["move"]) for entry in moves])


def logs(slug: str) -> Sequence[Path]:
    """The logs of a game, in order."""
    return sorted((FOLDER / slug).glob("*.jsonl"))


def write(rules: Rules, match: Match, log: Path) -> None:
    """Write the log of ``match``."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"{line}\n" for line in lines(rules, match)))


def new_match(rules: Rules, number: int) -> Match:
    """A short random match for log ``number``, with varying numbers of seats; the first has standard options.

    Raises ``ValueError`` if none of the matches tried ends.
    """
    seats = rules.seats[(number - 1) % len(rules.seats)]
    tried: dict[int, Match] = {}
    for trial in range(_TRIES):
        rng = Random(f"golden/{rules.slug}/{number}/{trial}")
        options = {} if number == 1 and trial < _TRIES // 2 else random_options(rules, seats, rng)
        start = Match(rules.slug, rules.version, seats, options, f"{rng.getrandbits(128):032x}", [])
        record = play(rules, start, rng, longest=3000)
        if record.over:
            length = len(record.match.entries)
            off = max(_LENGTHS.start - length, length - _LENGTHS.stop, 0)
            tried.setdefault(off, record.match)
            if off == 0:
                break
    return tried[min(tried)]
