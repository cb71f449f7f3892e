"""Matches between AI players, to find out which one is better and how certain that is.

The two matches of a pair have the same deal with seats swapped, so that the luck of the deal cancels out. Rummy players
play one deal unless whole matches are requested, all others play whole matches. Numbers of playouts are fixed, so a
ladder gives the same result on every machine that is fast enough not to cut searches short.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log10, sqrt
from random import Random
from time import process_time
from typing import Any, NamedTuple

from games import rules
from games.ai.ceiling import seeing_move
from games.ai.players import LEVELS, choose
from games.ai.policy import policy_for
from games.ai.slaps import REFLEXES, reaction
from games.engine import TABLE, Move, Seat, State
from games.rules.armani.tables import BETS, CHOOSE, TAKE

#: Games that are played for one deal, with the options, if any, that make one deal the whole match.
SINGLE_DEALS: Mapping[str, Mapping[str, Any]] = {"basic-rummy": {"deals": 1}, "rummy-500": {}}
#: Standard deviations of a 95 % interval.
NORMAL_95 = 1.96
#: The level whose reflexes a contender without a level uses.
USUAL_REFLEXES = "medium"

#: The bid of a bold player of Game: Armani.
BOLD_BID = 10

Contender = Callable[[State, Seat, Random], Move]


@dataclass(slots=True)
class PairResult:
    """The result of ``first`` against ``second``.

    A win counts 1 point and a draw ½. With more than two players, points are the share of all pairs of opposing seats
    in which ``first`` placed higher. ``squares`` is the sum of the squared points.
    """

    slug: str
    seats: int
    first: str
    second: str
    matches: int = 0
    points: float = 0.0
    squares: float = 0.0
    seconds: float = 0.0
    slapped: int = 0
    slaps: int = 0

    def add(self, other: "PairResult") -> None:
        """Add the matches of ``other``, which has the same two contenders."""
        self.matches += other.matches
        self.points += other.points
        self.squares += other.squares
        self.seconds += other.seconds
        self.slapped += other.slapped
        self.slaps += other.slaps

    @property
    def rate(self) -> float:
        """The share of the points that ``first`` won."""
        return self.points / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate.

        Shares vary less than wins and losses, so they count as the number of wins and losses that would be as certain.
        """
        variance = self.squares / self.matches - self.rate**2
        wins = (
            self.matches * self.rate * (1 - self.rate) / variance if self.seats > 2 and variance > 0 else self.matches
        )
        return wilson(self.rate * wins, wins)

    @property
    def elo(self) -> float:
        """The rating difference in favour of ``first``; half a match is added to each side to keep it finite."""
        rate = (self.points + 0.5) / (self.matches + 1)
        return 400 * log10(rate / (1 - rate))

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values, rounded."""
        low, high = self.interval
        result: dict[str, Any] = {
            "game": self.slug,
            "seats": self.seats,
            "first": self.first,
            "second": self.second,
            "matches": self.matches,
            "rate": round(self.rate, 3),
            "low": round(low, 3),
            "high": round(high, 3),
            "elo": round(self.elo),
            "seconds": round(self.seconds, 1),
        }
        if self.slaps:
            low, high = wilson(self.slapped, self.slaps)
            result |= {
                "slaps": self.slaps,
                "slap_rate": round(self.slapped / self.slaps, 3),
                "slap_low": round(low, 3),
                "slap_high": round(high, 3),
            }
        return result


def wilson(points: float, number: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate of ``points`` out of ``number``."""
    if number == 0:
        return 0.0, 1.0
    rate = points / number
    square = NORMAL_95**2
    middle = (rate + square / (2 * number)) / (1 + square / number)
    half = NORMAL_95 * sqrt(rate * (1 - rate) / number + square / (4 * number * number)) / (1 + square / number)
    return middle - half, middle + half


def _random(state: State, seat: Seat, rng: Random) -> Move:
    moves = [move for move in state.legal_moves(seat) if move != "slap"]
    return rng.choice(moves)


def _stand_in(state: State, seat: Seat, rng: Random) -> Move:
    return state.default_move(seat)


def _greedy(state: State, seat: Seat, rng: Random) -> Move:
    view = state.view(seat)
    policy = policy_for(view.game)
    return policy.greedy(policy.imagine(view, rng), seat, rng)


def _of_level(level: str) -> Contender:
    def move(state: State, seat: Seat, rng: Random) -> Move:
        return choose(state.view(seat), level, f"{rng.getrandbits(64):x}")

    return move


def _by_height(*places: float) -> Contender:
    """Play the card at one of ``places`` of the hand sorted by value, from 0 (lowest) to 1 (highest)."""
    order = "23456789TJQKA"

    def move(state: State, seat: Seat, rng: Random) -> Move:
        moves = sorted(state.legal_moves(seat), key=lambda move: order.index(move[5]))
        return moves[round(rng.choice(places) * (len(moves) - 1))]

    return move


def _by_count(state: State, seat: Seat, rng: Random) -> Move:
    """Hard in Game: Armani, but choose fans by their number of cards, and take any face card."""
    view = state.view(seat)
    if view.phase not in (CHOOSE, TAKE):
        return choose(view, "hard", f"{rng.getrandbits(64):x}")
    policy = policy_for(view.game)
    return policy.plain(policy.imagine(view, rng), seat, rng)


def _bold(state: State, seat: Seat, rng: Random) -> Move:
    """Hard in Game: Armani, but bid ``BOLD_BID`` instead of folding."""
    view = state.view(seat)
    if view.phase == BETS and f"bet:{BOLD_BID}" in view.moves:
        return f"bet:{BOLD_BID}"
    return choose(view, "hard", f"{rng.getrandbits(64):x}")


#: The players of a ladder; ``seer`` sees all cards; the four after it only play Armed, the last three Game: Armani.
CONTENDERS: Mapping[str, Contender] = {
    "random": _random,
    "stand-in": _stand_in,
    "greedy": _greedy,
    **{level: _of_level(level) for level in LEVELS},
    "seer": seeing_move,
    "high": _by_height(1),
    "low": _by_height(0),
    "middle": _by_height(0.5),
    "mixed": _by_height(*[1] * 12, *[0.5] * 5, *[0] * 3),
    # All three have the same reflexes.
    "by-value": _of_level("hard"),
    "by-count": _by_count,
    "bold": _bold,
}


class Aim(NamedTuple):
    """A goal for a pairing: the lower end of the interval must reach ``least``.

    ``pairs`` are enough to show this at the rates seen. ``of_slaps`` applies it to slapped piles.
    """

    slug: str
    first: str
    second: str
    least: float
    pairs: int
    seats: int = 2
    whole: bool = False
    of_slaps: bool = False


#: Hard against random and greedy, each level against the one below it, and hard among mediums at larger tables. The
#: medium players of Amagande and Avalanche are the greedy ones, and always-high is the greedy player of Armed. In
#: Game: Armani choices and bids are also compared between players with equal reflexes.
AIMS = (
    Aim("normal-cards", "hard", "random", 0.90, 60),
    Aim("normal-cards", "hard", "greedy", 0.65, 150),
    Aim("normal-cards", "hard", "medium", 0.50, 100),
    Aim("normal-cards", "medium", "easy", 0.50, 200),
    Aim("normal-cards", "hard", "medium", 0.50, 75, 3),
    Aim("normal-cards", "hard", "medium", 0.50, 75, 4),
    Aim("normal-cards", "hard", "medium", 0.50, 75, 6),
    Aim("avalanche", "hard", "random", 0.90, 25),
    Aim("avalanche", "hard", "medium", 0.85, 25),
    Aim("avalanche", "medium", "easy", 0.50, 30),
    Aim("avalanche", "hard", "medium", 0.50, 12, 4),
    Aim("armed", "hard", "random", 0.80, 200),
    Aim("armed", "hard", "high", 0.75, 50),
    Aim("armed", "hard", "low", 0.75, 50),
    Aim("armed", "hard", "middle", 0.75, 300),
    Aim("armed", "hard", "mixed", 0.75, 60),
    Aim("armed", "hard", "medium", 0.50, 50),
    Aim("armed", "medium", "easy", 0.50, 100),
    Aim("basic-rummy", "hard", "random", 0.90, 100),
    Aim("basic-rummy", "hard", "greedy", 0.55, 700),
    Aim("basic-rummy", "hard", "medium", 0.50, 600),
    Aim("basic-rummy", "medium", "easy", 0.50, 600),
    Aim("basic-rummy", "hard", "medium", 0.50, 300, whole=True),
    Aim("basic-rummy", "hard", "medium", 0.50, 500, 3),
    Aim("basic-rummy", "hard", "medium", 0.50, 500, 4),
    Aim("rummy-500", "hard", "random", 0.90, 400),
    Aim("rummy-500", "hard", "greedy", 0.55, 600),
    Aim("rummy-500", "hard", "medium", 0.50, 500),
    Aim("rummy-500", "medium", "easy", 0.50, 600),
    Aim("rummy-500", "hard", "medium", 0.50, 200, whole=True),
    Aim("rummy-500", "hard", "medium", 0.50, 700, 3),
    Aim("rummy-500", "hard", "medium", 0.50, 700, 4),
    Aim("amagande", "hard", "random", 0.60, 50),
    Aim("amagande", "hard", "medium", 0.50, 100),
    Aim("amagande", "medium", "easy", 0.50, 200),
    Aim("amagande", "hard", "medium", 0.50, 400, 4),
    Aim("ten-skip", "hard", "random", 0.70, 400),
    Aim("ten-skip", "hard", "greedy", 0.55, 400),
    Aim("ten-skip", "hard", "medium", 0.50, 400),
    Aim("ten-skip", "medium", "easy", 0.50, 400),
    Aim("ten-skip", "hard", "medium", 0.50, 400, 3),
    Aim("ten-skip", "hard", "medium", 0.50, 400, 4),
    Aim("armani", "hard", "medium", 0.65, 30, of_slaps=True),
    Aim("armani", "medium", "easy", 0.50, 30, of_slaps=True),
    Aim("armani", "hard", "medium", 0.50, 60, 4),
    Aim("armani", "by-value", "by-count", 0.50, 300),
    Aim("armani", "by-value", "bold", 0.50, 300),
)


def contest(
    slug: str, first: str, second: str, pairs: int, seats: int = 2, start: int = 0, *, whole: bool = False
) -> PairResult:
    """Let two contenders play ``pairs`` of matches; they sit alternately and swap places within a pair.

    ``whole`` plays whole matches of games that otherwise play one deal. Deals are numbered from ``start``.
    Raises ``KeyError`` for an unknown game or contender, ``BadOptions`` if the game doesn't have that number of seats.
    """
    game = rules.get(slug)
    names = (first, second)
    players = [CONTENDERS[name] for name in names]
    standing = PairResult(slug, seats, first, second)
    single = slug in SINGLE_DEALS and not whole
    options = SINGLE_DEALS[slug] if single else {}
    begun = process_time()
    for number in range(start, start + pairs):
        for swapped in (0, 1):
            sides = [(seat + swapped) % 2 for seat in range(seats)]
            state = game.deal(seats, options, f"{number:032x}")
            rng = Random(f"{number}/{swapped}")  # noqa: S311 - luck of a ladder that repeats itself
            if slug == "armani":
                at_table = [names[side] for side in sides]
                won = _play_with_slaps(state, at_table, [players[side] for side in sides], rng)
                standing.slaps += len(won)
                standing.slapped += sum(sides[seat] == 0 for seat in won)
            else:
                _play(single, state, [players[side] for side in sides], rng)
            standing.matches += 1
            points = _points(single, state, sides)
            standing.points += points
            standing.squares += points**2
    standing.seconds = process_time() - begun
    return standing


def _play(single: bool, state: State, players: Sequence[Contender], rng: Random) -> None:
    deal = getattr(state, "deal", None)
    while awaited := state.to_move():
        if single and getattr(state, "deal", None) != deal:
            return
        seat = awaited[0]
        state.apply(seat, players[seat](state, seat, rng))


def _points(single: bool, state: State, sides: Sequence[int]) -> float:
    """The share of pairs of opposing seats in which side 0 did better; ties count half."""
    values: Sequence[float] = getattr(state, "scores", ()) if single else state.returns()
    own, others = ([value for value, side in zip(values, sides, strict=True) if side == of] for of in (0, 1))
    better = [(mine > theirs) + (mine == theirs) / 2 for mine in own for theirs in others]
    return sum(better) / len(better)


def _play_with_slaps(state: State, names: Sequence[str], players: Sequence[Contender], rng: Random) -> list[Seat]:
    """Play Game: Armani with the reflexes of the levels; returns who won each slapped pile."""
    seed = f"{rng.getrandbits(128):x}"
    won: list[Seat] = []
    version = 0
    while awaited := state.to_move():
        seat = awaited[0]
        version += 1
        if seat == TABLE:
            state.apply(TABLE, "close")
            continue
        move = players[seat](state, seat, rng)
        state.apply(seat, move)
        if move == "flip":
            won += _slap(state, names, seed, version)
    return won


def _slap(state: State, names: Sequence[str], seed: str, version: int) -> list[Seat]:
    """Let all players slap that want to, the fastest first; returns the seats that won a pile."""
    presses = []
    for seat, name in enumerate(names):
        view = state.view(seat)
        if "slap" in view.moves:
            level = name if name in REFLEXES else USUAL_REFLEXES
            time = reaction(view, level, seed=seed, version=version, seat=seat)
            if time is not None:
                presses.append((time, seat))
    for _time, seat in sorted(presses):
        if "slap" not in state.legal_moves(seat):
            continue
        before = state.view(None).zone("pile").count
        state.apply(seat, "slap")
        if before and not state.view(None).zone("pile").count:
            return [seat]
    return []
