"""The coach in first matches: who has one, and that it has a sentence for every decision."""

import json
import random
import re
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from games import rules
from games.matches.models import Match
from games.table import coach
from games.table.prompts import prompt_of
from tests.factories.clients import QuickClient

SLUGS = [game.slug for game in rules.all()]
#: Options for a short match, since the coach speaks about the end, too.
SHORT = {"armani": {"stage2_flips": 1}}


def coach_of(match: Match, user: User | None) -> list[object] | None:
    client = Client()
    if user is not None:
        client.force_login(user)
    page = client.get(match.get_absolute_url()).content.decode()
    found = re.search(r'<script id="coach" type="application/json">(.*?)</script>', page)
    return json.loads(found[1]) if found else None


@pytest.mark.django_db
def test_the_first_three_matches_of_a_game_are_coached_and_no_others(
    ada: User, ben: User, start_match: Callable[..., Match]
) -> None:
    first, *others = (start_match("armed", ada, ben) for _number in range(4))
    assert [coach_of(match, ada) is not None for match in (first, *others)] == [True, True, True, False]
    # In order of their start, whatever was started since.
    assert coach_of(first, ada)
    assert coach_of(start_match("normal-cards", ada, ben), ada)
    assert coach_of(first, None) is None


@pytest.mark.django_db
def test_guests_are_coached_too(client: Client) -> None:
    for is_coached in (True, True, True, False):
        page = client.get(client.post("/play/", {"game": "amagande"}).url).content.decode()
        assert ('id="coach"' in page) == is_coached
    assert User.objects.filter(is_guest=True).count() == 1


@pytest.mark.django_db
def test_newcomers_are_not_asked_for_plans(ada: User, ben: User, start_by_mail: Callable[..., Match]) -> None:
    matches = [start_by_mail("armed", ada, ben) for _number in range(4)]
    client = QuickClient()
    client.force_login(ada)
    pages = [client.get(match.get_absolute_url()).content.decode() for match in matches]
    assert ["plan-panel" in page for page in pages] == [False, False, False, True]


@pytest.mark.parametrize("slug", SLUGS)
def test_the_coach_helps_to_choose_a_card_and_never_speaks_needlessly(slug: str) -> None:
    """Each sentence is used in some match, and each turn with cards to choose from has one."""
    sentences = coach.sentences(slug)
    said: set[tuple[str, ...]] = set()
    silent: set[tuple[str, ...]] = set()
    for seats in (min(rules.get(slug).seats), max(rules.get(slug).seats)):
        for seed in range(4):
            rng = random.Random(seed)
            state = rules.get(slug).deal(seats, SHORT.get(slug, {}) if seed % 2 else {}, f"{seed:032x}")
            for _step in range(400):
                awaited = list(state.to_move())
                if not awaited:
                    break
                moves = state.legal_moves(awaited[0])
                verbs = {move.partition(":")[0] for move in moves}
                verbs |= {f"?{name}" for name, fact in state.view(awaited[0]).facts.items() if fact}
                found = next((needed for needed, _text in sentences if verbs.issuperset(needed)), None)
                if found:
                    said.add(found)
                elif verbs & {"play", "lay", "meld", "discard", "draw", "bet"}:
                    silent.add(tuple(sorted(verbs)))
                state.apply(awaited[0], rng.choice(moves), lambda _event: None)
    assert silent == set()
    assert {needed for needed, _text in sentences} - said == set()


@pytest.mark.parametrize(
    ("moves", "asked"),
    [
        (["discard:2C", "swap:2C@1"], "Discard a card, or offer one in exchange."),
        (["discard:2C", "swap:2C@1", "challenge"], "Challenge the claim, or go on with a card."),
    ],
)
def test_a_claim_is_spoken_of_only_where_it_can_be_challenged(moves, asked):
    assert prompt_of("ten-skip", moves) == asked
