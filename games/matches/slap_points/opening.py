"""Open a slap point: choose who watches it, and how fast the AI players are.

Called while a change is planned, so everything is stored in the transaction of the move that led here.
"""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from games.ai import slaps
from games.engine import Seat, SlapState
from games.matches.live_match import FLIP, LiveMatch
from games.matches.models import SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.models import Attendance, SlapPoint, Watch
from games.matches.slap_points.watching import Watching

#: An AI player slower than this misses the card: the middle of the range of times for which one is shown, in ms.
AI_WINDOW = 1400
#: The number of players from which on team members take turns in watching.
RELAY_FROM = 4


@dataclass(slots=True)
class Opening:
    """A slap point that is about to be stored."""

    point: SlapPoint
    #: The seats whose players have to watch.
    watchers: tuple[Seat, ...]
    attempts: list[SlapAttempt]
    #: Changed rows of attendance.
    attendances: list[Attendance]

    def store(self) -> None:
        self.point.save()
        Watch.objects.bulk_create(Watch(point=self.point, seat=seat) for seat in self.watchers)
        SlapAttempt.objects.bulk_create(self.attempts)
        for attendance in self.attendances:
            attendance.save()


def plan(
    table: LiveMatch, at: datetime, locks: Sequence[int] | None = None, watching: Watching | None = None
) -> Opening:
    """Plan the slap point that begins at ``table`` now.

    Args:
        table: a match at a slap point, whose people are not all gone.
        at: the moment of the change.
        locks: by seat, the card from which it may slap; None reads them from the previous slap point.
        watching: of the previous slap point, if the same change uses it.
    """
    if locks is None:
        last = SlapPoint.objects.filter(match=table.match_id).order_by("-version").first()
        locks = last.locks if last else [0] * len(table.sitters)
    known = watching or Watching.of(table.match_id)
    attendances = [known.attendance(seat) for seat in range(len(locks))]
    people = [sitter.seat for sitter in table.sitters if not sitter.is_ai]
    ai = [sitter.seat for sitter in table.sitters if sitter.is_ai]
    changed: dict[Seat, Attendance] = {}
    if all(attendances[seat].is_asleep for seat in people):
        # The match has to wait for at least one person, or it would run to its end unseen.
        for seat in people:
            attendances[seat].missed = 0
            changed[seat] = attendances[seat]
    people = [seat for seat in people if not attendances[seat].is_asleep]
    if uses_relay(table):
        people, ai = _relay(table, people, ai, attendances, changed)
    point = SlapPoint(match_id=table.match_id, version=table.version, opened_at=at, locks=list(locks))
    return Opening(point, tuple(people), _ai_attempts(table, ai, locks, at), list(changed.values()))


def uses_relay(table: LiveMatch) -> bool:
    """Whether one player of each team watches the whole slap point."""
    return table.uses_relay and len(table.sitters) >= RELAY_FROM


def _relay(
    table: LiveMatch,
    people: Sequence[Seat],
    ai: Sequence[Seat],
    attendances: Sequence[Attendance],
    changed: dict[Seat, Attendance],
) -> tuple[list[Seat], list[Seat]]:
    """One watcher for each team: drawn from its awake people who have not served yet, otherwise an AI player."""

    def lot(seat: Seat) -> bytes:
        return hmac.digest(table.seed.encode("ascii"), b"relay/%d/%d" % (table.version, seat), "sha256")

    drawn: list[Seat] = []
    drawn_ai: list[Seat] = []
    for side in table.rules.teams(table.state) or ():
        mine = [seat for seat in people if seat in side]
        fresh = [seat for seat in mine if not attendances[seat].has_served]
        if mine and not fresh:
            for seat in side:
                attendances[seat].has_served = False
                changed[seat] = attendances[seat]
            fresh = mine
        if fresh:
            seat = min(fresh, key=lot)
            attendances[seat].has_served = True
            changed[seat] = attendances[seat]
            drawn.append(seat)
        else:
            drawn_ai += sorted((seat for seat in ai if seat in side), key=lot)[:1]
    return sorted(drawn), sorted(drawn_ai)


def _ai_attempts(table: LiveMatch, seats: Iterable[Seat], locks: Sequence[int], at: datetime) -> list[SlapAttempt]:
    """The slaps of the AI players on ``seats`` in this segment; a lock-out begins with the slap that causes it."""
    state = cast(SlapState, table.state)
    segment = segments.ahead(state)
    until = list(locks)
    owed = [0] * state.seats
    found: list[SlapAttempt] = []
    for number, now in segments.walk(state, segment):
        if segment.moves[number - 1][1] != FLIP:
            continue
        is_right = segment.is_slappable and number == len(segment.moves)
        version = table.version + number
        for seat in seats:
            if until[seat] > now.flips or "slap" not in now.legal_moves(seat):
                continue
            level = table.sitters[seat].ai_level
            reaction = slaps.reaction(now.view(seat), level, seed=table.seed, version=version, seat=seat)
            if reaction is None or reaction > AI_WINDOW:
                continue
            if not is_right:
                burns = len(now.stacks[seat]) > owed[seat]
                owed[seat] += burns
                until[seat] = now.lock_after(has_card=burns)
            found.append(
                SlapAttempt(
                    match_id=table.match_id,
                    seat=seat,
                    version=version,
                    elapsed=reaction,
                    claimed=reaction,
                    ping=0,
                    cap=0,
                    reaction=reaction,
                    result=SlapAttempt.Result.PENDING if is_right else SlapAttempt.Result.WRONG,
                    at=at,
                )
            )
    return found
