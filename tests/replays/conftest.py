"""Finished matches for tests of replays."""

import random
from collections.abc import Callable
from functools import cache

import pytest
from django.utils import timezone

import games.rules
from accounts.models import User
from games.ai.policy import policy_for
from games.engine import TABLE, Outcome
from games.matches import service
from games.matches.models import Match, Move
from tests.factories.matches import SEED

#: Options that make a match short.
SHORT = {
    "armani": {"stage2_flips": 52},
    "armed": {"battles": 12},
    "basic-rummy": {"deals": 2},
    "normal-cards": {"target": 3},
    "rummy-500": {"target": 100},
}


def short_options(slug: str) -> dict[str, object]:
    """The options of ``SHORT`` that this game has."""
    known = {option.name for option in games.rules.get(slug).options}
    return {name: value for name, value in SHORT.get(slug, {}).items() if name in known}


@cache
def _record(slug: str, seats: int, seed: str) -> tuple[tuple[tuple[int, str], ...], Outcome]:
    """A match of greedy players with that seed, and its result."""
    rng = random.Random(7)
    rules = games.rules.get(slug)
    state = rules.deal(seats, short_options(slug), seed)
    entries = []
    while awaited := state.to_move():
        seat = awaited[0]
        moves = state.legal_moves(seat)
        move = moves[0] if seat == TABLE or len(moves) == 1 else policy_for(slug).choose(state.view(seat), "easy", rng)
        state.apply(seat, move)
        entries.append((seat, move))
    return tuple(entries), state.outcome()


@pytest.fixture
def finished(start_match: Callable[..., Match], ada: User, ben: User) -> Callable[..., Match]:
    """Create a finished match of a game between Ada and Ben, with AI players on further seats."""

    def make(slug: str) -> Match:
        seats = min(games.rules.get(slug).seats)
        match = start_match(slug, ada, ben, ai=dict.fromkeys(range(2, seats), "easy"), **short_options(slug))
        entries, outcome = _record(slug, seats, SEED)
        now = timezone.now()
        Move.objects.bulk_create(
            Move(match=match, number=number, seat=seat, move=move, at=now, source="player", request_id=f"m{number}")
            for number, (seat, move) in enumerate(entries, 1)
        )
        Match.objects.filter(pk=match.pk).update(
            version=len(entries),
            status=Match.Status.OVER,
            finished_at=now,
            due_at=None,
            awaited="",
            outcome={
                "reason": outcome.reason,
                "ranking": [list(group) for group in outcome.ranking],
                "points": list(outcome.points),
            },
        )
        service.forget_all()
        match.refresh_from_db()
        return match

    return make
