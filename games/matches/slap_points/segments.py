"""Segments: the cards between two slap points, computed from a state without making a move. Pure.

Flips are forced, so everything up to the next slappable card is settled already. A process that has one holds
cards that may not have been shown yet: it stays in the process and is never stored or sent.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from games.engine import TABLE, Move, Seat
from games.matches.live_match import CLOSE, FLIP
from games.rules.armani import ArmaniState
from games.rules.armani.tables import PLAYING


class Segment(NamedTuple):
    """A run of forced moves, dead hands handed over as they fall.

    ``is_slappable`` if it ends at a slappable card; else it ends with the card after which the hand that ends the
    stage or the match is handed over.
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
    """What a wrong slap costs: the lock-out at once, the card when the slap point is settled."""

    press: Press
    #: The number of the card from which the seat may slap again.
    until: int
    #: Whether it had a card to burn.
    burns: bool


def is_forced(state: ArmaniState) -> bool:
    """Whether cards are turned now and there is no choice but to slap."""
    return state.phase in PLAYING


def ahead(state: ArmaniState) -> Segment:
    """The segment from ``state`` on, which stays as it is. ``state`` must be one in which cards are turned."""
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


def walk(state: ArmaniState, segment: Segment) -> Iterator[tuple[int, ArmaniState]]:
    """Each move's number, from 1, and the state after it: one copy of ``state``, carried along."""
    state = state.copy()
    for at, (seat, move) in enumerate(segment.moves, start=1):
        state.apply(seat, move)
        yield at, state


def debts(state: ArmaniState, segment: Segment, presses: Iterable[Press]) -> list[Debt]:
    """What the wrong slaps of ``presses`` cost, in the order in which they are paid: by card, then by seat.

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
            # Burned cards stay in the stacks until the point is settled: what is owed is not there to burn again.
            burns = len(now.stacks[seat]) > owed[seat]
            owed[seat] += burns
            found.append(Debt(Press(at, seat), now.lock_after(has_card=burns), burns))
    return found


def may_press(state: ArmaniState, segment: Segment, locks: Sequence[int], wrong: Iterable[Press], press: Press) -> bool:
    """Whether a seat is not locked out on the card of ``press``, by ``locks`` or its own ``wrong`` slaps before it."""
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
    """The lock-outs by seat, ``locks`` before the segment, as they are after it."""
    after = list(locks)
    for debt in paid:
        after[debt.press.seat] = max(after[debt.press.seat], debt.until)
    return after
