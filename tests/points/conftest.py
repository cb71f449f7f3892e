"""Matches of Game: Armani by mail, and people who watch them without a socket."""

from collections.abc import Callable, Iterator

import pytest

from accounts.models import User
from games.matches import service
from games.matches.models import Match, SlapAttempt, hash_of
from games.matches.slap_points import commands, segments
from games.matches.slap_points.models import SlapPoint
from tests.conftest import SEED
from tests.live import waits
from tests.live.tables import keep_up


@pytest.fixture(autouse=True)
def _waits_are_leapt_over() -> Iterator[None]:
    with waits.leapt_over():
        yield


@pytest.fixture
def people(make_player: Callable[[str], User]) -> list[User]:
    return [make_player(name) for name in ("Ada", "Ben", "Cem", "Dora")]


@pytest.fixture
def begin(people: list[User]) -> Callable[..., Match]:
    """Starts a match by mail of that many people, and plays the bets: everybody but the opener folds."""

    def start(
        count: int = 2,
        *,
        clock: str = "daily",
        seed: str = SEED,
        relay: bool = False,
        ai: dict[int, str] | None = None,
        bets: bool = True,
        **options: object,
    ) -> Match:
        seats = count + len(ai or {})
        match = service.open_table(people[0], "armani", seats, options, ai=ai, clock=clock, is_public=False)
        for person in people[1:count]:
            service.join(match, person)
        Match.objects.filter(pk=match.pk).update(seed=seed, seed_hash=hash_of(seed), relay=relay)
        match.refresh_from_db()
        service.start(match, people[0])
        if bets:
            choose(match)
        match.refresh_from_db()
        return match

    return start


def choose(match: Match) -> None:
    """Make every ordinary choice as a cautious stand-in would, until cards are watched or the match is over."""
    table = service.load(match.pk)
    while not table.at_slap_point and table.status == Match.Status.RUNNING:
        seat = table.state.to_move()[0]
        sitter = table.sitters[seat]
        service.act(
            match.pk,
            seat,
            table.state.default_move(seat),
            request_id=f"choice{table.version}",
            player=None if sitter.is_ai else User.objects.get(pk=sitter.player_id),
            source="ai" if sitter.is_ai else "player",
        )
        keep_up(table)


def point_of(match: Match) -> SlapPoint:
    return SlapPoint.objects.get(match=match, settled_at=None)


def segment_of(match: Match) -> segments.Segment:
    return segments.ahead(service.load(match.pk).state)


def see(match: Match, seat: int, *presses: tuple[int, float], finish: bool = True) -> None:
    """``seat`` watches the open slap point to its end, slapping the cards of ``presses``: number in the segment, ms."""
    point, segment = point_of(match), segment_of(match)
    session = f"s{seat}v{point.version}"
    begun = service.begin_watch(match.pk, seat, session)
    assert begun is not None
    for at in range(begun.cursor + 1, len(segment.moves) + 1):
        assert commands.advance(point.pk, session, at)
        for number, reaction in presses:
            if number == at:
                press(match, seat, session, at, reaction, at_point=(point, segment))
    if finish:
        service.finish_watch(match.pk, seat, session)


def press(
    match: Match,
    seat: int,
    session: str,
    at: int,
    reaction: float,
    at_point: tuple[SlapPoint, segments.Segment] | None = None,
) -> bool:
    point, segment = at_point or (point_of(match), segment_of(match))
    is_right = segment.is_slappable and at == len(segment.moves)
    attempt = SlapAttempt(
        match=match,
        seat=seat,
        version=point.version + at,
        elapsed=reaction + 40,
        claimed=reaction,
        ping=40,
        cap=48,
        reaction=reaction,
        result="pending" if is_right else "wrong",
        at=point.opened_at,
    )
    return commands.press(match.pk, session, attempt)
