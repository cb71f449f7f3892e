"""Turn-based matches of Game: Armani, and people who watch without a socket."""

from collections.abc import Callable

import pytest

from accounts.models import User
from games.matches import service
from games.matches.models import Match, hash_of
from tests.factories.matches import SEED
from tests.factories.slap_points import choose


@pytest.fixture
def people(make_player: Callable[[str], User]) -> list[User]:
    return [make_player(name) for name in ("Ada", "Ben", "Cem", "Dora")]


@pytest.fixture
def begin(people: list[User]) -> Callable[..., Match]:
    """Start a turn-based match of that many people, and play the bets: everyone but the opener folds."""

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
