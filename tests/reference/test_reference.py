"""The games agree, move by move, with second implementations written only from their rules."""

from random import Random

import pytest

from games.engine import TABLE, Rules
from tests.factories.samples import tables
from tests.laws.battery import SEEDS, random_options
from tests.reference.amagande import Amagande
from tests.reference.armani import Armani
from tests.reference.avalanche import Avalanche
from tests.reference.ten_skip import TenSkip

REFERENCES = {"armani": Armani, "ten-skip": TenSkip, "amagande": Amagande, "avalanche": Avalanche}


def choose(state, seats: int, rng: Random, liking: str) -> tuple[int, str]:
    """A random entry: sometimes a slap or a burn, otherwise of awaited seats, preferring moves of ``liking``."""
    if rng.random() < 0.25:
        bystanders = [(seat, move) for seat in (*range(seats), TABLE) for move in state.legal_moves(seat)]
        unforced = [entry for entry in bystanders if entry[0] not in state.to_move()]
        if unforced and rng.random() < 0.5:
            return rng.choice(unforced)
    seat = rng.choice(state.to_move())
    moves = state.legal_moves(seat)
    liked = [move for move in moves if move.startswith(liking)]
    return seat, rng.choice(liked if liked and rng.random() < 0.8 else moves)


@pytest.mark.parametrize(("rules", "seats"), tables(*sorted(REFERENCES), largest=False))
@pytest.mark.parametrize("number", range(2 * SEEDS))
def test_both_play_the_same_game(rules: Rules, seats: int, number: int):
    slug = rules.slug
    rng = Random(f"reference/{slug}/{seats}/{number}")
    options = random_options(rules, seats, rng) if number else {}
    seed = f"{rng.getrandbits(128):032x}"
    state = rules.deal(seats, options, seed)
    reference = REFERENCES[slug](seats, dict(state.view(None).facts["options"]), seed)
    liking = rng.choice(["", "flip", "swap", "claim", "draw", "lay"])
    entries: list[tuple[int, str]] = []

    def where() -> str:
        return f"{options} {seed} {entries}"

    while True:
        view = state.view(None)
        assert (view.phase, list(view.to_move)) == (reference.phase, reference.waits_for()), where()
        for fact, value in reference.facts().items():
            assert view.facts[fact] == value, f"{fact}: {where()}"
        for zone_id, cards in reference.zones().items():
            zone = view.zone(zone_id)
            assert zone.count == (cards if isinstance(cards, int) else len(cards)), f"{zone_id}: {where()}"
            assert zone.cards is None or isinstance(cards, int) or list(zone.cards) == cards, f"{zone_id}: {where()}"
        if not view.to_move:
            break
        for seat in range(seats):
            assert sorted(state.legal_moves(seat)) == sorted(reference.legal(seat)), f"seat {seat}: {where()}"
            hand = [zone.cards for zone in state.view(seat).zones if zone.id == f"hand:{seat}"]
            assert [sorted(cards) for cards in hand] == [sorted(reference.hands[seat])] * len(hand), where()
        assert sorted(state.legal_moves(TABLE)) == sorted(reference.legal(TABLE)), where()
        entries.append(choose(state, seats, rng, liking))
        state.apply(*entries[-1])
        reference.apply(*entries[-1])
    outcome = state.outcome()
    assert outcome.reason == reference.over, where()
    assert [sorted(group) for group in outcome.ranking] == reference.ranking, where()
    assert list(outcome.points) == reference.points(), where()
