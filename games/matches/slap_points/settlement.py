"""Settling a slap point: the order of its slaps, and the moves that follow. Pure, so it can be judged again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from games.engine import TABLE, Move, Seat, SlapState
from games.judging import verdicts
from games.matches.live_match import CLOSE
from games.matches.models import SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.segments import Debt, Press, Segment


@dataclass(frozen=True, slots=True)
class Settlement:
    """The outcome of the slaps at one slap point."""

    #: The version at which the point begins.
    first: int
    segment: Segment
    debts: Sequence[Debt]
    #: Slaps on the card that ends the segment, lowest reaction first, and how many of them a lot has ordered.
    right: Sequence[SlapAttempt]
    drawn: int
    #: Slaps on other cards, by card and then by seat.
    wrong: Sequence[SlapAttempt]

    @property
    def last(self) -> int:
        """The version at the end of the segment."""
        return self.first + len(self.segment.moves)

    def results(self) -> Iterator[tuple[SlapAttempt, str, bool]]:
        """Yield each slap with its result, and whether a lot affected it."""
        for place, press in enumerate(self.right):
            result = SlapAttempt.Result.BEATEN if place else SlapAttempt.Result.WON
            yield press, result, place < self.drawn
        for press in self.wrong:
            yield press, SlapAttempt.Result.WRONG, False

    def moves(self, state: SlapState) -> Iterator[tuple[Seat, Move, str]]:
        """Yield seat, move and request id one by one: the caller makes each in ``state`` before asking for the next."""
        for number, (seat, move) in enumerate(self.segment.moves, start=1):
            yield seat, move, f"point:{self.first}:{number}"
        for debt in self.debts:
            if debt.burns and state.stacks[debt.press.seat]:
                yield TABLE, f"burn:{debt.press.seat}", f"burn:{self.first}:{debt.press.at}:{debt.press.seat}"
        if self.right:
            seat = self.right[0].seat
            yield seat, "slap", f"slap:{self.last}:{seat}"
        elif not self.segment.is_slappable:
            yield TABLE, CLOSE, f"close:{self.last}"
        if segments.is_forced(state) and not segments.ahead(state).shows_cards:
            # The last card of the stage wasn't slapped: hand over its hand, as there is nothing left to watch.
            yield TABLE, CLOSE, f"close:{self.last}"

    def verdict(self) -> dict[str, object]:
        """The verdict as players are told it."""
        slaps = [verdicts.row(press, result) for press, result, _by_lot in self.results()]
        return {"v": self.last, "by_mail": True, "slaps": slaps}


def settle(state: SlapState, first: int, attempts: Iterable[SlapAttempt], seed: str) -> Settlement:
    """Settle the slap point that begins at version ``first`` in ``state``; ``state`` isn't changed."""
    segment = segments.ahead(state)
    attempts = sorted(attempts, key=lambda press: (press.version, press.seat))
    debts = segments.debts(state, segment, [Press(press.version - first, press.seat) for press in attempts])
    last = first + len(segment.moves) if segment.is_slappable else None
    right = verdicts.in_order([press for press in attempts if press.version == last], seed)
    tied = verdicts.tied_with_the_first(sorted(right, key=lambda press: press.reaction))
    wrong = [press for press in attempts if press.version != last]
    return Settlement(first, segment, debts, right, tied if tied > 1 else 0, wrong)
