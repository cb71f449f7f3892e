"""Judge slaps: reaction times, the winner, and the moment from which no later press can win.

Pure functions, so that live tables, turn-based slaps, benchmarks and moderators all get the same result. Times are in
ms.
"""

import hmac
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypedDict, TypeVar

from games.judging.timing import CAP_MARGIN, CAP_MAX, CAP_MAX_RATED, TIE, VERDICT_MARGIN

#: A browser clock with steps of this many ms or more can't measure reactions.
COARSE = 20
#: The possible results of a press.
WON, BEATEN, WRONG = "won", "beaten", "wrong"


class Pressed(Protocol):
    """What judging needs of a press; ``reaction`` is the number that is compared."""

    seat: int
    #: Version of the match that showed the card.
    version: int
    reaction: float


class Recorded(Pressed, Protocol):
    """A press with everything its reaction was calculated from."""

    elapsed: float
    claimed: float | None
    ping: float
    cap: float
    handicap: float
    by_lot: bool


class Hand(TypedDict):
    """One hand of a verdict, visible to everyone: ``raw`` less ``credit`` and ``handicap`` is ``reaction``, in ms."""

    seat: int
    reaction: int
    raw: int
    ping: int
    credit: int
    handicap: int
    by_lot: bool
    result: str


P = TypeVar("P", bound=Pressed)


def cap_of(ping: float, *, is_rated: bool = False) -> float:
    """The maximum credit for a press over a connection with this ping."""
    return min(CAP_MAX_RATED if is_rated else CAP_MAX, ping + CAP_MARGIN)


def usable(claimed: float | None) -> float | None:
    """The browser's measured time from paint to press; None if it is implausible."""
    return None if claimed is None or not math.isfinite(claimed) or claimed < 0 else claimed


def compensated(elapsed: float, claimed: float | None, ping: float, cap: float, handicap: float = 0.0) -> float:
    """The reaction of a press received ``elapsed`` ms after its card was sent.

    ``claimed`` is what the browser measured from paint to press. The rest counts as latency, up to ``cap``; a browser
    that can't measure (None) is credited with its usual delay. ``handicap`` is the player's slap handicap.
    """
    claimed = usable(claimed)
    lag = ping if claimed is None else max(0.0, elapsed - claimed)
    return elapsed - min(lag, cap) - handicap


def in_order(presses: Iterable[P], seed: str) -> list[P]:
    """Sort by reaction; those too close to the fastest to tell apart are ordered at random by the match's seed."""
    ordered = sorted(presses, key=lambda press: (press.reaction, press.seat))
    tied = tied_with_the_first(ordered)

    def lot(press: P) -> bytes:
        return hmac.digest(seed.encode("ascii"), b"slap/%d/%d" % (press.version, press.seat), "sha256")

    return sorted(ordered[:tied], key=lot) + ordered[tied:]


def tied_with_the_first(ordered: Sequence[Pressed]) -> int:
    """How many of ``ordered``, sorted by reaction, tie with the first."""
    return sum(press.reaction - ordered[0].reaction <= TIE for press in ordered)


def verdict_after(best: float, rival_cap: float | None) -> float:
    """How long after a card was shown it may be judged, if its best slap so far took ``best``.

    ``rival_cap`` is the most credit of a player who can still press. If there is none (None), it is judged at once (0).
    """
    return 0.0 if rival_cap is None else best + rival_cap + VERDICT_MARGIN


def judge(
    presses: Iterable[P], seed: str, *, may_slap: Callable[[int], bool], slap: Callable[[P], bool]
) -> list[tuple[P, str, bool]]:
    """All presses on one card in order, each with its result and whether the order was decided at random.

    ``slap`` makes the slap of a seat that ``may_slap`` and returns whether it took the hand. A seat that may no longer
    slap, because the hand is taken or the slap has become illegal, is beaten at no cost.
    """
    ordered = in_order(presses, seed)
    tied = tied_with_the_first(sorted(ordered, key=lambda press: press.reaction))
    found = []
    for at, press in enumerate(ordered):
        result = (WON if slap(press) else WRONG) if may_slap(press.seat) else BEATEN
        found.append((press, result, at < tied and tied > 1))
    return found


def row(press: Recorded, result: str) -> Hand:
    """One hand of a verdict."""
    reaction, raw = round(press.reaction), round(press.elapsed)
    return {
        "seat": press.seat,
        "reaction": reaction,
        "raw": raw,
        "ping": round(press.ping),
        "credit": raw - reaction - round(press.handicap),
        "handicap": round(press.handicap),
        "by_lot": press.by_lot,
        "result": result,
    }
