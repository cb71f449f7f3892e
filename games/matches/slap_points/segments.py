"""Segments: the cards up to the next slap point, computed from a state without making a move. Pure.

Flips are forced, so everything up to the next slappable card is determined. A segment may contain cards that have not
been shown yet, so it stays in its process and is never stored or sent.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from games.engine import TABLE, Move, Seat, SlapState
from games.matches.live_match import CLOSE, FLIP


class Segment(NamedTuple):
    """A run of forced moves, including the hand-over of hands that no one won.

    ``is_slappable`` says that it ends at a slappable card; otherwise it ends with the card after which the hand that
    ends the stage or the match is handed over.
    """

    moves: tuple[tuple[Seat, Move], ...]
    is_slappable: bool

    @property
    def shows_cards(self) -> bool:
        """Whether there is anything to watch."""
        return any(move == FLIP for _seat, move in self.moves)


class Press(NamedTuple):
    """A slap of ``seat`` on the card that move number ``at`` of a segment showed, counted from 1."""

    at: int
    seat: Seat


class Debt(NamedTuple):
    """The penalty for a wrong slap: a lock-out at once, and a burned card when the slap point is settled."""

    press: Press
    #: The number of the card from which the seat may slap again.
    until: int
    #: Whether the seat had a card to burn.
    burns: bool


def is_forced(state: SlapState) -> bool:
    """Whether the table is turning cards, so that players can only slap."""
    return any((CLOSE if seat == TABLE else FLIP) in state.legal_moves(seat) for seat in state.to_move())


def ahead(state: SlapState) -> Segment:
    """The segment that follows ``state``, in which cards must be being turned; ``state`` isn't changed."""
    state = state.copy()
    moves: list[tuple[Seat, Move]] = []
    while True:
        (seat,) = state.to_move()
        if seat == TABLE:
            phase = state.phase
            state.apply(TABLE, CLOSE)
            if state.phase != phase:
                return Segment(tuple(moves), is_slappable=False)
            moves.append((TABLE, CLOSE))
            continue
        state.apply(seat, FLIP)
        moves.append((seat, FLIP))
        if state.is_slappable():
            return Segment(tuple(moves), is_slappable=True)


def walk(state: SlapState, segment: Segment) -> Iterator[tuple[int, SlapState]]:
    """Yield each move's number, from 1, and the state after it; all are one copy of ``state``, changed in place."""
    state = state.copy()
    for at, (seat, move) in enumerate(segment.moves, start=1):
        state.apply(seat, move)
        yield at, state


def debts(state: SlapState, segment: Segment, presses: Iterable[Press]) -> list[Debt]:
    """The penalties for the wrong slaps in ``presses``, in the order in which they are applied: by card, then by seat.

    Slaps on the slappable card that ends the segment are right and cost nothing.
    """
    by_card: dict[int, list[Seat]] = {}
    for at, seat in sorted(presses):
        if not (segment.is_slappable and at == len(segment.moves)):
            by_card.setdefault(at, []).append(seat)
    found: list[Debt] = []
    if not by_card:
        return found
    owed = [0] * state.seats
    for at, now in walk(state, segment):
        for seat in by_card.get(at, ()):
            # Burned cards stay in the stacks until the point is settled, so subtract those already owed.
            burns = len(now.stacks[seat]) > owed[seat]
            owed[seat] += burns
            found.append(Debt(Press(at, seat), now.lock_after(has_card=burns), burns))
    return found


def may_press(state: SlapState, segment: Segment, locks: Sequence[int], wrong: Iterable[Press], press: Press) -> bool:
    """Whether a seat may slap the card of ``press``, given ``locks`` and its own ``wrong`` slaps before it."""
    locks = locks_after(locks, debts(state, segment, wrong))
    for at, now in walk(state, segment):
        if at == press.at:
            return (
                segment.moves[at - 1][1] == FLIP
                and "slap" in now.legal_moves(press.seat)
                and locks[press.seat] <= now.flips
            )
    return False


def locks_after(locks: Sequence[int], paid: Iterable[Debt]) -> list[int]:
    """The lock-outs by seat after the segment; ``locks`` are those before it."""
    after = list(locks)
    for debt in paid:
        after[debt.press.seat] = max(after[debt.press.seat], debt.until)
    return after
