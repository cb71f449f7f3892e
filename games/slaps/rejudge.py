"""Judge the slaps of a match again, from what is stored."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import cast

from games import engine
from games.engine import SlapState
from games.judging import verdicts
from games.judging.timing import FASTEST_REACTION
from games.matches import history, live_match
from games.matches.models import Match, SlapAttempt
from games.matches.slap_points import segments
from games.matches.slap_points.models import SlapPoint
from games.matches.slap_points.settlement import settle

Result = SlapAttempt.Result
#: How much two calculations of a number may differ, in ms.
ROUNDING = 1e-6


def differences(match: Match) -> list[str]:
    """Differences between a second judging and the stored verdicts; none if all is well.

    Replays the whole match from its seed and moves. Raises ``IllegalMove`` if that isn't possible.
    """
    points = {point.version: point for point in SlapPoint.objects.filter(match=match)}
    attempts = list(match.slaps.order_by("version", "seat"))
    if any(point.settled_at is None for point in points.values()):
        # Slaps on cards that not everyone has seen aren't judged yet.
        attempts = [attempt for attempt in attempts if attempt.version <= match.version]
    found = [text for attempt in attempts for text in _of_one(match, attempt)]
    by_card: dict[int, list[SlapAttempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.result not in (Result.EARLY, Result.LATE):
            by_card[attempt.version].append(attempt)
    moves = list(match.moves.values_list("seat", "move", "request_id"))
    for table, _made, _events in history.replay(match):
        at = table.version
        if at == len(moves):
            break
        point = points.get(table.version)
        if point is not None and point.settled_at is not None:
            found += _of_point(match, table, point, by_card, moves[at:])
        if table.version in by_card:
            names = [name for _seat, _move, name in moves[at : at + match.seat_count]]
            found += _of_card(match, table, by_card.pop(table.version), names)
    left = by_card.pop(table.version, [])
    if any(attempt.result != Result.PENDING for attempt in left):
        found.append(f"v{table.version}: judged, and no slap is entered")
    found += [f"v{version}: no such card" for version in by_card]
    return found


def _of_point(
    match: Match,
    table: live_match.LiveMatch,
    point: SlapPoint,
    by_card: dict[int, list[SlapAttempt]],
    moves: Sequence[tuple[int, str, str]],
) -> Iterator[str]:
    """Compare the settlement of one slap point, and remove its presses from ``by_card``."""
    name = f"slap point v{point.version}"
    state = cast(SlapState, table.state).copy()
    length = len(segments.ahead(state).moves)
    cards = range(point.version + 1, point.version + length + 1)
    attempts = [attempt for card in cards for attempt in by_card.pop(card, [])]
    settlement = settle(state, point.version, attempts, match.seed)
    expected = []
    for seat, move, request_id in settlement.moves(state):
        state.apply(seat, move)
        expected.append((seat, move, request_id))
    entered = list(moves[: len(expected)])
    if entered != expected:
        yield f"{name}: {entered} are entered, not {expected}"
    for attempt, result, by_lot in settlement.results():
        if (result, by_lot) != (attempt.result, attempt.by_lot):
            yield f"v{attempt.version} seat {attempt.seat}: {attempt.result} is stored, {result} found"
    if point.verdict != settlement.verdict():
        yield f"{name}: another verdict was told"


def _of_one(match: Match, attempt: SlapAttempt) -> Iterator[str]:
    """Compare the calculation of one press."""
    name = f"v{attempt.version} seat {attempt.seat}"
    reaction = verdicts.compensated(
        attempt.elapsed, attempt.claimed, attempt.ping, attempt.cap, handicap=attempt.handicap
    )
    if abs(reaction - attempt.reaction) > ROUNDING:
        yield f"{name}: {attempt.reaction:.1f} ms are stored, {reaction:.1f} ms reckoned"
    if attempt.cap > verdicts.cap_of(attempt.ping, is_rated=match.is_rated) + ROUNDING:
        yield f"{name}: a cap of {attempt.cap:.0f} ms is too much"
    is_early = reaction + attempt.handicap < FASTEST_REACTION
    if attempt.result != Result.LATE and is_early != (attempt.result == Result.EARLY):
        yield f"{name}: too early or not is judged wrongly"


def _of_card(match: Match, table: live_match.LiveMatch, attempts: list[SlapAttempt], names: list[str]) -> Iterator[str]:
    """Compare the verdict on one card with the stored results and moves."""
    state, entered = table.state.copy(), []

    def slap(attempt: SlapAttempt) -> bool:
        entered.append(f"slap:{attempt.version}:{attempt.seat}")
        state.apply(attempt.seat, "slap")
        return state.view(None).zone("pile").count == 0

    def may_slap(seat: int) -> bool:
        return "slap" in state.legal_moves(seat)

    try:
        judged = verdicts.judge(attempts, match.seed, may_slap=may_slap, slap=slap)
    except engine.IllegalMove as error:
        yield f"v{table.version}: {error}"
        return
    for attempt, result, by_lot in judged:
        if (result, by_lot) != (attempt.result, attempt.by_lot):
            yield f"v{table.version} seat {attempt.seat}: {attempt.result} is stored, {result} found"
    if names[: len(entered)] != entered:
        yield f"v{table.version}: {names[: len(entered)]} are entered, not {entered}"
