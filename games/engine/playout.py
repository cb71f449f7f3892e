"""Random matches at full speed: the benchmark of a game's rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from time import process_time
from typing import Any

from .protocol import Rules

_MOVES_BEFORE_COPYING = 20
_COPIES = 2000


@dataclass(frozen=True, slots=True)
class Playout:
    """The results of a run of random matches.

    ``seconds`` are CPU time of one core; ``copy_us`` is the time to copy a state in microseconds, ``shortest`` and
    ``longest`` are numbers of moves.
    """

    matches: int
    moves: int
    seconds: float
    shortest: int
    longest: int
    copy_us: float

    def to_json(self) -> dict[str, float]:
        """The figures by name, including rates."""
        return {
            "matches": self.matches,
            "moves": self.moves,
            "seconds": round(self.seconds, 3),
            "matches_per_s": round(self.matches / self.seconds, 1),
            "moves_per_s": round(self.moves / self.seconds, 1),
            "moves_per_match": round(self.moves / self.matches, 2),
            "shortest": self.shortest,
            "longest": self.longest,
            "copy_us": round(self.copy_us, 2),
        }


def random_match(rules: Rules, seats: int, options: Mapping[str, Any], rng: Random) -> int:
    """Play one match of random legal moves to its end; returns the number of moves.

    If several seats are awaited, the first one moves.
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
            copy_us = time_of_a_copy(rules, seats, rng, chosen)
            return Playout(len(lengths), sum(lengths), spent, min(lengths), max(lengths), copy_us)


def time_of_a_copy(rules: Rules, seats: int, rng: Random, options: Mapping[str, Any]) -> float:
    """The CPU time of copying a state in microseconds, some moves into a random match."""
    state = rules.deal(seats, options, f"{rng.getrandbits(128):032x}")
    for _move in range(_MOVES_BEFORE_COPYING):
        if awaited := state.to_move():
            state.apply(awaited[0], rng.choice(state.legal_moves(awaited[0])))
    start = process_time()
    for _copy in range(_COPIES):
        state.copy()
    return (process_time() - start) / _COPIES * 1e6
