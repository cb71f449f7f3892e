"""Random matches against the clock: the benchmark of a game's rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from time import process_time
from typing import Any

from .protocol import Rules


@dataclass(frozen=True, slots=True)
class Playout:
    """What a run of random matches measured; ``seconds`` are CPU time of one core."""

    matches: int
    moves: int
    seconds: float
    shortest: int
    longest: int

    def to_json(self) -> dict[str, float]:
        """The figures by name, rates included."""
        return {
            "matches": self.matches,
            "moves": self.moves,
            "seconds": round(self.seconds, 3),
            "matches_per_s": round(self.matches / self.seconds, 1),
            "moves_per_s": round(self.moves / self.seconds, 1),
            "moves_per_match": round(self.moves / self.matches, 2),
            "shortest": self.shortest,
            "longest": self.longest,
        }


def random_match(rules: Rules, seats: int, options: Mapping[str, Any], rng: Random) -> int:
    """Play one match of random legal moves to its end; the number of moves it took.

    Of several awaited seats the first moves.
    """
    random = rng.random
    state = rules.deal(seats, options, f"{rng.getrandbits(128):032x}")
    to_move = state.to_move
    legal_moves = state.legal_moves
    apply = state.apply
    moves = 0
    while awaited := to_move():
        seat = awaited[0]
        choices = legal_moves(seat)
        apply(seat, choices[int(random() * len(choices))])
        moves += 1
    return moves


def playout(rules: Rules, seats: int, seconds: float, rng: Random, options: Mapping[str, Any] | None = None) -> Playout:
    """Play random matches for about ``seconds`` of CPU time, at least one."""
    chosen = options or {}
    lengths = []
    start = process_time()
    while True:
        lengths.append(random_match(rules, seats, chosen, rng))
        spent = process_time() - start
        if spent >= seconds:
            return Playout(len(lengths), sum(lengths), spent, min(lengths), max(lengths))
