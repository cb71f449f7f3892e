"""Detect anomalies in a player's slaps for moderators. Pure, based on stored presses; not a verdict.

The limits are beyond human abilities, by the model behind the AI players' reflexes. Times are in ms.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median
from typing import Literal

#: Slaps per window, consecutive.
WINDOW = 20
#: Number of slaps in a window faster than that.
TOO_FAST, TOO_FAST_COUNT = 150, 3
#: Minimum median and minimum deviation of right slaps in a window.
LEAST_MEDIAN = 210
LEAST_DEVIATION = 30
#: Pattern cards in a row without a miss or a wrong slap.
FLAWLESS = 80
#: Share of slaps whose claimed latency reached the cap.
AT_CAP_SHARE = 0.60
#: Share and minimum number of slaps over a connection slower for pings than for slaps, or slower than any credit.
ODD_SHARE, ODD_COUNT = 0.90, 40

Kind = Literal["too_fast", "median", "steady", "flawless", "at_cap", "line"]


@dataclass(frozen=True, slots=True)
class Seen:
    """One card as a player saw it, if it made a pattern or they pressed."""

    is_pattern: bool
    #: Their reaction without handicap; None if they didn't slap.
    reaction: float | None = None
    #: Whether the latency claimed by their browser reached the cap; None if unknown.
    is_at_cap: bool | None = None
    #: Whether their connection answered pings later than a slap took, or later than is ever credited.
    is_line_odd: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """An anomaly: its figure, the number of cards, and where in the history they end."""

    kind: Kind
    figure: float
    count: int
    last: int


def findings(history: Sequence[Seen]) -> list[Finding]:
    """Anomalies in ``history``, oldest card first: at most the strongest of each kind."""
    slaps = [(at, seen) for at, seen in enumerate(history) if seen.reaction is not None]
    right = [(at, seen.reaction) for at, seen in slaps if seen.is_pattern and seen.reaction is not None]
    found: list[Finding | None] = [
        max(_too_fast(slaps), key=lambda one: one.figure, default=None),
        min(_medians(right), key=lambda one: one.figure, default=None),
        min(_deviations(right), key=lambda one: one.figure, default=None),
        max(_flawless(history), key=lambda one: one.figure, default=None),
        _at_cap(slaps),
        _line(slaps),
    ]
    return [finding for finding in found if finding is not None]


def _too_fast(slaps: Sequence[tuple[int, Seen]]) -> Iterator[Finding]:
    """Reactions too fast for people, several in one window."""
    for end in range(1, len(slaps) + 1):
        window = slaps[max(0, end - WINDOW) : end]
        count = sum(seen.reaction is not None and seen.reaction < TOO_FAST for _at, seen in window)
        if count >= TOO_FAST_COUNT:
            yield Finding("too_fast", count, len(window), window[-1][0])


def _medians(right: Sequence[tuple[int, float]]) -> Iterator[Finding]:
    for window in _windows(right):
        middle = median(reaction for _at, reaction in window)
        if middle < LEAST_MEDIAN:
            yield Finding("median", middle, WINDOW, window[-1][0])


def _deviations(right: Sequence[tuple[int, float]]) -> Iterator[Finding]:
    for window in _windows(right):
        reactions = [reaction for _at, reaction in window]
        mean = fmean(reactions)
        # stdev() calculates with fractions, which takes many times as long.
        deviation = sqrt(sum([(reaction - mean) ** 2 for reaction in reactions]) / (WINDOW - 1))
        if deviation < LEAST_DEVIATION:
            yield Finding("steady", deviation, WINDOW, window[-1][0])


def _windows(right: Sequence[tuple[int, float]]) -> Iterator[Sequence[tuple[int, float]]]:
    return (right[end - WINDOW : end] for end in range(WINDOW, len(right) + 1))


def _flawless(history: Sequence[Seen]) -> Iterator[Finding]:
    """Runs of pattern cards, all slapped, without a wrong slap."""
    run = 0
    for at, seen in enumerate(history):
        run = run + 1 if seen.is_pattern and seen.reaction is not None else 0
        if run >= FLAWLESS:
            yield Finding("flawless", run, run, at)


def _at_cap(slaps: Sequence[tuple[int, Seen]]) -> Finding | None:
    """A browser that always claims the maximum latency."""
    measured = [(at, seen.is_at_cap) for at, seen in slaps if seen.is_at_cap is not None]
    if len(measured) < WINDOW:
        return None
    share = sum(is_at_cap for _at, is_at_cap in measured) / len(measured)
    return Finding("at_cap", share, len(measured), measured[-1][0]) if share > AT_CAP_SHARE else None


def _line(slaps: Sequence[tuple[int, Seen]]) -> Finding | None:
    """A connection that answers pings later than it delivers slaps: a distant one, or delayed answers."""
    if len(slaps) < ODD_COUNT:
        return None
    share = sum(seen.is_line_odd for _at, seen in slaps) / len(slaps)
    return Finding("line", share, len(slaps), slaps[-1][0]) if share > ODD_SHARE else None
