"""Count move sequences: the quickest way to notice that a rule now allows more or less than before."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from games.engine import Rules, State

FILE = Path(__file__).parent.parent / "data" / "perft.json"
#: Another move is counted as long as the number of sequences is at most this.
_ENOUGH = 4000
_DEEPEST = 12


def perft(state: State, depth: int) -> int:
    """The number of move sequences of length ``depth``, each move by the first awaited seat, without slaps."""
    awaited = state.to_move()
    if depth == 0 or not awaited:
        return int(depth == 0)
    seat = awaited[0]
    moves = [move for move in state.legal_moves(seat) if move != "slap"]
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = state.copy()
        after.apply(seat, move)
        total += perft(after, depth - 1)
    return total


def deal_of(rules: Rules, pinned: Mapping[str, Any]) -> State:
    """The first state of a pinned deal: one with ``seats``, ``options`` and ``seed``."""
    return rules.deal(pinned["seats"], pinned["options"], pinned["seed"])


def count(rules: Rules) -> Iterator[dict[str, Any]]:
    """A game's pinned deals for the fewest and most players, with their counts from depth 1 on."""
    for seats in sorted({min(rules.seats), max(rules.seats)}):
        pinned = {"seats": seats, "options": {}, "seed": f"{seats:032x}"}
        state = deal_of(rules, pinned)
        counts = [perft(state, 1)]
        while (
            len(counts) < _DEEPEST
            and counts[-1] * max(2, counts[-1] // max(1, counts[-2] if counts[1:] else 1)) <= _ENOUGH
        ):
            counts.append(perft(state, len(counts) + 1))
        yield {**pinned, "counts": counts}


def load() -> dict[str, list[dict[str, Any]]]:
    """The pinned counts by slug."""
    stored: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text())
    return stored


def save(counted: Mapping[str, list[dict[str, Any]]]) -> None:
    """Write the pinned counts, one line per deal."""
    games = (
        f"  {json.dumps(slug)}: [\n" + ",\n".join(f"    {json.dumps(pinned)}" for pinned in pins) + "\n  ]"
        for slug, pins in sorted(counted.items())
    )
    FILE.write_text("{\n" + ",\n".join(games) + "\n}\n")
